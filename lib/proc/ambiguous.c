/* SPDX-License-Identifier: MIT */
#include "proc/ambiguous.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <procmem/number.h>

#include "base/clock.h"

enum {
	LISTED_MAX = 8,   /**< how many fit into one sentence */
	LIST_SIZE = 640,  /**< bytes for them: the sentence has more words */
	COMMAND_MAX = 60, /**< of a command line, where there is room */
	COMMAND_MIN = 12,
	FIXED = 26, /**< bytes of an item besides: the PID, how long it is up, brackets */
	USER_SIZE = 18,
	WORD_MAX = 24, /**< a longer word that differs is not shown from its begin */
	SHOWN_MIN = 6, /**< bytes from the first that differs */
};

static const char left_out[] = "...";
enum { LEFT_OUT = sizeof left_out - 1, BESIDE = SHOWN_MIN + 2 * LEFT_OUT };

/**
 * Bytes that are the same at the begin of two different texts.
 * @return 0 where they are the same altogether: nothing tells them apart
 */
static size_t common(const char *one, const char *other)
{
	size_t length = 0;
	while (one[length] && one[length] == other[length])
		length++;
	return one[length] == other[length] ? 0 : length;
}

/** The next byte that does not go on with a letter of UTF-8 (10xxxxxx do). */
static size_t letter_at(const char *text, size_t at)
{
	while (((unsigned char)text[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/** Where to begin so that a difference can be seen. */
static size_t begin_before(const char *text, size_t length, size_t differs, size_t most)
{
	if (length <= most || differs + SHOWN_MIN <= most - LEFT_OUT)
		return 0;

	size_t begin = differs;
	while (begin > 0 && text[begin - 1] != ' ' && differs - begin < WORD_MAX &&
	       differs - begin + BESIDE < most)
		begin--;

	/* Room that is left is for what stands before. */
	if (length - begin <= most - LEFT_OUT)
		begin = length - (most - LEFT_OUT);

	return letter_at(text, begin);
}

void pm_ambiguous_distinguish(const struct pm_namesake *items, size_t count, size_t index,
                              size_t most, char *text)
{
	const char *command = items[index].command;
	size_t length = strlen(command), differs = 0;

	for (size_t i = 0; i < count; i++) {
		size_t same = i == index ? 0 : common(command, items[i].command);
		if (same > differs)
			differs = same;
	}

	size_t begin = begin_before(command, length, differs, most);
	size_t room = begin > 0 ? most - LEFT_OUT : most;
	size_t shown = length - begin;
	bool cut = shown > room;

	if (cut)
		shown = room - LEFT_OUT;
	while (cut && shown > 0 && ((unsigned char)command[begin + shown] & 0xc0) == 0x80)
		shown--;

	snprintf(text, most + 1, "%s%.*s%s", begin > 0 ? left_out : "", (int)shown, command + begin,
	         cut ? left_out : "");
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
	double now = (double)pm_clock_ns(CLOCK_BOOTTIME) / 1e9,
	       started = ticks > 0 ? (double)start_ticks / (double)ticks : now;
	pm_format_duration(now > started ? now - started : 0, text);
}

static bool have_several_users(const struct pm_namesake *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (items[i].uid != items[0].uid)
			return true;
	return false;
}

int pm_ambiguous_error(const char *word, const struct pm_namesake *items, size_t count,
                       struct pm_error *error)
{
	char list[PM_ERROR_TEXT_SIZE] = "", command[COMMAND_MAX + 1], age[PM_DURATION_TEXT_SIZE],
	     user[USER_SIZE] = "";
	size_t length = 0, listed = count < LISTED_MAX ? count : LISTED_MAX;
	bool with_user = have_several_users(items, listed);
	size_t fixed = FIXED + (with_user ? USER_SIZE : 0), share = LIST_SIZE / listed;
	size_t most = share > fixed + COMMAND_MAX   ? COMMAND_MAX
	              : share > fixed + COMMAND_MIN ? share - fixed
	                                            : COMMAND_MIN;

	for (size_t i = 0; i < listed && length < sizeof list; i++) {
		pm_ambiguous_distinguish(items, listed, i, most, command);
		put_age(items[i].start_ticks, age);
		if (with_user)
			put_user(items[i].uid, user);
		int added = snprintf(list + length, sizeof list - length, "%s%d (%sup %s: %s)",
		                     i > 0 ? ", " : "", (int)items[i].pid, user, age, command);
		length += added > 0 ? (size_t)added : 0;
	}

	if (count > listed && length < sizeof list)
		snprintf(list + length, sizeof list - length, " and %zu more", count - listed);

	return pm_error_set(
		error, PM_ERROR_AMBIGUOUS, 0,
		"'%.32s' fits %zu processes, give the PID of one (procmem ps %.32s lists them): %s",
		word, count, word, list);
}
