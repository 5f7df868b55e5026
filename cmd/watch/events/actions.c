/* SPDX-License-Identifier: MIT */
#include "watch/events/actions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <procmem/recording.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/utf8.h"
#include "snap/snap.h"
#include "watch/members.h"
#include "watch/save.h"

/* Most regions that a command is told: the kernel bounds each variable to 128 KiB (MAX_ARG_STRLEN).
 */
enum { REPORTED_MAX = 1000 };

static const char *const names[] = { "exit", "exec", "snap", "dump" };

const char *actions_name(enum action_kind kind)
{
	return names[kind];
}

/** Checks the placeholders in the name of a file. */
static int check_file(const char *file, struct pm_error *error)
{
	for (const char *at = strchr(file, '%'); at; at = strchr(at + 2, '%'))
		if (at[1] == '\0' || !strchr("pntka%", at[1]))
			return pm_error_set(error, PM_ERROR_USAGE, 0,
			                    "'%.2s' is none of %%p (PID), %%n (number), %%t "
			                    "(time), %%k (kind), %%a (address) and %%%%",
			                    at);
	return 0;
}

int actions_parse(struct action *action, const char *text, struct pm_error *error)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t length = strlen(names[i]);
		if (strncmp(text, names[i], length) != 0 ||
		    (text[length] != ':' && text[length] != '\0'))
			continue;

		enum action_kind kind = (enum action_kind)i;
		const char *argument = text[length] ? text + length + 1 : "";
		if (kind == ACTION_EXIT && text[length])
			return pm_error_set(error, PM_ERROR_USAGE, 0, "'exit' stands alone");
		if (kind != ACTION_EXIT && *argument == '\0')
			return pm_error_set(error, PM_ERROR_USAGE, 0,
			                    "'%s' lacks what stands behind the colon: %s:%s", text,
			                    names[i], kind == ACTION_EXEC ? "COMMAND" : "FILE");
		if ((kind == ACTION_SNAP || kind == ACTION_DUMP) && check_file(argument, error) < 0)
			return -1;

		*action = (struct action){ kind, argument };
		return 0;
	}

	return pm_error_set(
		error, PM_ERROR_USAGE, 0,
		"'%s' is no action; there are exit, exec:COMMAND, snap:FILE and dump:FILE", text);
}

/** Adds the time in a form that file names can have, in UTC. */
static void put_file_time(struct text *text, int64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / 1000000000);
	struct tm utc;
	char moment[sizeof "20260101T000000Z" + 16];
	if (gmtime_r(&seconds, &utc) && strftime(moment, sizeof moment, "%Y%m%dT%H%M%SZ", &utc) > 0)
		text_string(text, moment);
}

/** The name of a file with its placeholders filled in. */
static void put_file(struct text *text, const char *file, const struct watch *watch,
                     const struct firing *firing, uint64_t number)
{
	for (const char *at = file; *at; at++) {
		if (*at != '%') {
			text_char(text, *at);
			continue;
		}

		switch (*++at) {
		case 'p':
			text_decimal(text, (uint64_t)watch->run.pid);
			break;
		case 'n':
			text_decimal(text, number);
			break;
		case 't':
			put_file_time(text, watch->sample.wall_ns);
			break;
		case 'k':
			text_string(text, pm_kind_name(firing->culprit.kind));
			break;
		case 'a':
			text_hex(text, firing->culprit.start, 1);
			break;
		default:
			text_char(text, '%');
		}
	}
}

/** Puts a number behind the name of a file that is there already. */
static void find_free_name(struct text *file)
{
	struct stat found;
	size_t length = file->length;
	for (unsigned number = 2; lstat(text_terminate(file), &found) == 0; number++) {
		file->length = length;
		text_format(file, ".%u", number);
	}
}

static int snap(const struct watch *watch, struct outcome *outcome)
{
	struct snap taken;
	if (snap_take(&taken, watch->target->process, text_terminate(&outcome->file),
	              &outcome->error) < 0)
		return -1;

	outcome->number = taken.number;
	snap_deinit(&taken);
	return 0;
}

/** The regions of a culprit; the caller frees them. */
static struct pm_region_range *find_regions(const struct watch *watch,
                                            const struct culprit *culprit, size_t *count)
{
	if (culprit->track)
		return watch_members(watch, culprit->track, count);

	struct pm_region_range *range = alloc_array(NULL, 1, sizeof *range);
	*range = (struct pm_region_range){ .range = { culprit->start, culprit->end },
		                           .region = SIZE_MAX };
	*count = 1;
	return range;
}

static int dump(const struct watch *watch, const struct culprit *culprit,
                const volatile sig_atomic_t *cancel, struct outcome *outcome)
{
	if (!culprit->known)
		return pm_error_set(&outcome->error, PM_ERROR_NOT_FOUND, 0,
		                    "there is no region to dump");

	find_free_name(&outcome->file);
	size_t count;
	struct pm_region_range *ranges = find_regions(watch, culprit, &count);
	const struct watch_save save = { .watch = watch,
		                         .ranges = ranges,
		                         .count = count,
		                         .path = text_terminate(&outcome->file),
		                         .cancel = cancel };

	int status = watch_save(&save, &outcome->bytes, &outcome->error);
	free(ranges);

	return status;
}

void actions_put_value(struct text *text, const struct firing *firing)
{
	text_format(text, firing->condition->percent ? "%.2f" : "%.0f", firing->value);
}

/**
 * A variable of the environment, which the caller frees.
 * @param stranger escape the value: it comes from the process
 */
static char *variable(const char *name, const char *value, bool stranger)
{
	struct text text = { 0 };
	text_format(&text, "PROCMEM_%s=", name);
	if (stranger)
		utf8_escape(&text, value, strlen(value));
	else
		text_string(&text, value);

	text_terminate(&text);
	return text.bytes;
}

static char *number_variable(const char *name, bool known, uint64_t number)
{
	char digits[24] = "";
	if (known)
		snprintf(digits, sizeof digits, "%" PRIu64, number);
	return variable(name, digits, false);
}

/** The regions of a culprit as words that other commands take, divided by blanks. */
static char *regions_variable(const char *name, const struct watch *watch,
                              const struct culprit *culprit)
{
	struct text words = { 0 };
	size_t count = 0;
	struct pm_region_range *ranges = culprit->known ? find_regions(watch, culprit, &count)
	                                                : NULL;
	for (size_t i = 0; i < count && i < REPORTED_MAX; i++)
		text_format(&words, "%s0x%" PRIx64 "-0x%" PRIx64, i ? " " : "",
		            ranges[i].range.start, ranges[i].range.end);

	free(ranges);
	char *result = variable(name, text_terminate(&words), false);
	text_deinit(&words);

	return result;
}

static int start(const char *line, const struct watch *watch, const struct firing *firing,
                 struct jobs *jobs, bool silent, struct outcome *outcome)
{
	const struct culprit *culprit = &firing->culprit;
	char region[48] = "";
	struct text value = { 0 }, now = { 0 };

	if (culprit->known)
		snprintf(region, sizeof region, "0x%" PRIx64 "-0x%" PRIx64, culprit->start,
		         culprit->end);
	actions_put_value(&value, firing);
	delta_put_time(&now, watch->sample.wall_ns);

	char *const variables[] = {
		number_variable("PID", true, (uint64_t)watch->run.pid),
		variable("NAME", watch->run.comm, true),
		variable("TIME", text_terminate(&now), false),
		variable("CONDITION", firing->threshold->text, false),
		variable("VALUE", text_terminate(&value), false),
		number_variable("RSS", true, watch->sample.totals.rss),
		variable("REGION", region, false),
		number_variable("REGION_RSS", culprit->known, culprit->own),
		regions_variable("REGIONS", watch, culprit),
		number_variable("REGIONS_COUNT", culprit->known, culprit->count),
		number_variable("REGIONS_RSS", culprit->known, culprit->weight),
		variable("KIND", culprit->known ? pm_kind_name(culprit->kind) : "", false),
		variable("MAPPING", culprit->known ? culprit->mapping : "", true),
		NULL,
	};

	int status = jobs_start(jobs, line, variables, silent, &outcome->pid, &outcome->error);
	for (size_t i = 0; variables[i]; i++)
		free(variables[i]);

	text_deinit(&value);
	text_deinit(&now);

	return status;
}

void actions_run(const struct action *action, const struct watch *watch,
                 const struct firing *firing, uint64_t number, struct jobs *jobs, bool silent,
                 struct outcome *outcome)
{
	*outcome = (struct outcome){ 0 };
	if (action->kind == ACTION_EXEC) {
		start(action->argument, watch, firing, jobs, silent, outcome);
	} else if (action->kind != ACTION_EXIT) {
		put_file(&outcome->file, action->argument, watch, firing, number);
		if (action->kind == ACTION_SNAP)
			snap(watch, outcome);
		else
			dump(watch, &firing->culprit, jobs->wait->interrupted, outcome);
	}
}

void actions_outcome_deinit(struct outcome *outcome)
{
	text_deinit(&outcome->file);
	*outcome = (struct outcome){ 0 };
}
