/* SPDX-License-Identifier: MIT */
#include "proc/ambiguous.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <procmem/number.h>

#include "base/clock.h"
#include "base/minmax.h"

enum {
	LISTED_MAX = 8, /**< maximum number of processes that the message lists */
	/** Intended size of the list in bytes. The other words of the message need space, too. */
	LIST_SIZE = 640,
	COMMAND_MAX = 60, /**< maximum number of bytes shown of a command line */
	COMMAND_MIN = 12, /**< minimum number of bytes shown of a command line */
	/** Number of bytes of the list reserved for each PID, time since the start, and brackets */
	FIXED = 26,
	USER_SIZE = 18, /**< size of the text of a user in bytes, including the NUL */
	/** maximum number of bytes that are shown of a word before its first differing byte */
	WORD_MAX = 24,
	SHOWN_MIN = 6, /**< minimum number of bytes shown from the first differing byte on */
};

static const char left_out[] = "...";
enum { LEFT_OUT = sizeof left_out - 1, BESIDE = SHOWN_MIN + 2 * LEFT_OUT };

/**
 * Returns the length of the common prefix of two texts.
 * @return number of bytes; 0 if the texts are equal, because there is no difference to show
 */
static size_t common_prefix(const char *one, const char *other)
{
	size_t length = 0;
	while (one[length] && one[length] == other[length])
		length++;
	if (one[length] == other[length])
		return 0;
	return length;
}

/**
 * Returns the offset of the first byte, from the offset `at` on, that starts a UTF-8 character.
 * Bytes of the form 10xxxxxx do not start a character.
 */
static size_t letter_at(const char *text, size_t at)
{
	while (((unsigned char)text[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/**
 * Returns the offset from which to show a text, so that the first difference is visible.
 *
 * @param length   length of the text in bytes
 * @param differs  offset of the first byte that differs
 * @param max      maximum number of bytes to show
 */
static size_t begin_before(const char *text, size_t length, size_t differs, size_t max)
{
	if (length <= max || differs + SHOWN_MIN <= max - LEFT_OUT)
		return 0;

	size_t begin = differs;
	while (begin > 0 && text[begin - 1] != ' ' && differs - begin < WORD_MAX &&
	       differs - begin + BESIDE < max)
		begin--;

	/* If the text from `begin` on does not fill the space, begin earlier, so that the end of
	 * the text fills the whole space. */
	if (length - begin <= max - LEFT_OUT)
		begin = length - (max - LEFT_OUT);

	return letter_at(text, begin);
}

void pm_ambiguous_distinguish(const struct pm_namesake *items, size_t count, size_t index,
                              size_t max, char *text)
{
	const char *command = items[index].command;
	const char *before = "", *after = "";
	size_t length = strlen(command), differs = 0;

	for (size_t i = 0; i < count; i++)
		if (i != index)
			differs = pm_max_size(differs, common_prefix(command, items[i].command));

	size_t begin = begin_before(command, length, differs, max);
	size_t room = max, shown = length - begin;

	if (begin > 0) {
		before = left_out;
		room -= LEFT_OUT;
	}

	if (shown > room) {
		after = left_out;
		shown = room - LEFT_OUT;
		while (shown > 0 && ((unsigned char)command[begin + shown] & 0xc0) == 0x80)
			shown--;
	}

	snprintf(text, max + 1, "%s%.*s%s", before, (int)shown, command + begin, after);
}

static void put_user(uid_t uid, char *text)
{
	char buffer[4096];
	struct passwd entry, *found = NULL;
	if (getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) == 0 && found)
		snprintf(text, USER_SIZE, "%.15s, ", found->pw_name);
	else
		snprintf(text, USER_SIZE, "uid %u, ", (unsigned)uid);
}

static void put_age(uint64_t start_ticks, char *text)
{
	long ticks = sysconf(_SC_CLK_TCK);
	double now = (double)pm_clock_ns(CLOCK_BOOTTIME) / 1e9;
	double age = 0;

	if (ticks > 0)
		age = now - (double)start_ticks / (double)ticks;
	pm_format_duration(age, text);
}

static bool have_several_users(const struct pm_namesake *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (items[i].uid != items[0].uid)
			return true;
	return false;
}

static bool have_one_command(const struct pm_namesake *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (strcmp(items[i].command, items[0].command) != 0)
			return false;
	return true;
}

int pm_ambiguous_error(const char *word, const struct pm_namesake *items, size_t count,
                       struct pm_error *error)
{
	char list[PM_ERROR_TEXT_SIZE] = "", command[COMMAND_MAX + 1];
	char age[PM_DURATION_TEXT_SIZE], user[USER_SIZE] = "";
	size_t length = 0, listed = pm_min_size(count, LISTED_MAX);
	bool with_user = have_several_users(items, listed);
	bool one_command = have_one_command(items, count);
	size_t share = LIST_SIZE / listed, fixed = FIXED;
	size_t max = COMMAND_MIN;

	if (with_user)
		fixed += USER_SIZE;
	if (share > fixed)
		max = pm_clamp_size(share - fixed, COMMAND_MIN, COMMAND_MAX);

	for (size_t i = 0; i < listed && length < sizeof list; i++) {
		pm_ambiguous_distinguish(items, listed, i, max, command);
		put_age(items[i].start_ticks, age);
		if (with_user)
			put_user(items[i].uid, user);

		const char *separator = i > 0 ? ", " : "";
		const char *colon = one_command ? "" : ": ";
		if (one_command)
			command[0] = '\0';

		int added = snprintf(list + length, sizeof list - length, "%s%d (%sup %s%s%s)",
		                     separator, (int)items[i].pid, user, age, colon, command);
		if (added > 0)
			length += (size_t)added;
	}

	if (count > listed && length < sizeof list) {
		int added = snprintf(list + length, sizeof list - length, " and %zu more",
		                     count - listed);
		if (added > 0)
			length += (size_t)added;
	}

	if (one_command && length < sizeof list) {
		pm_ambiguous_distinguish(items, count, 0, COMMAND_MAX, command);
		snprintf(list + length, sizeof list - length, "; their command line: %s", command);
	}

	return pm_error_set(
		error, PM_ERROR_AMBIGUOUS, 0,
		"'%.32s' matches %zu processes; give the PID of one ('procmem ps "
		"%.32s' lists them, and others with this word in their command line): %s",
		word, count, word, list);
}
