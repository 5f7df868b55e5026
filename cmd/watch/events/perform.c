/* SPDX-License-Identifier: MIT */
#include "watch/events/perform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/utf8.h"
#include "snap/snap.h"
#include "watch/save.h"
#include "watch/why.h"

/* Maximum number of regions in PROCMEM_REGIONS: the kernel limits each variable to 128 KiB
 * (MAX_ARG_STRLEN). */
enum { REPORTED_MAX = 1000 };

/** Adds the time in UTC, in a form that is suitable for names of files. */
static void put_file_time(struct text *text, int64_t wall_ns)
{
	/* Rounded down, also before 1970. */
	time_t seconds = (time_t)(wall_ns / 1000000000 - (wall_ns % 1000000000 < 0));
	struct tm utc;
	char moment[sizeof "20260101T000000Z" + 16];

	if (gmtime_r(&seconds, &utc) && strftime(moment, sizeof moment, "%Y%m%dT%H%M%SZ", &utc) > 0)
		text_string(text, moment);
}

/** Adds the name of a file, with its placeholders replaced. */
static void put_file(struct text *text, const char *file, const struct perform_event *event)
{
	const struct culprit *culprit = &event->firing->culprit;

	for (const char *at = file; *at; at++) {
		if (*at != '%') {
			text_char(text, *at);
			continue;
		}

		switch (*++at) {
		case 'p':
			text_decimal(text, (uint64_t)event->run->process.pid);
			break;
		case 'n':
			text_decimal(text, event->number);
			break;
		case 't':
			put_file_time(text, event->history->sample.wall_ns);
			break;
		case 'k':
			text_string(text, pm_kind_name(culprit->kind));
			break;
		case 'a':
			text_hex(text, culprit->start, 1);
			break;
		default:
			text_char(text, '%');
		}
	}
}

/**
 * Adds a number to a name, if necessary, so that no file has this name: after it, but before
 * ".html", by which browsers know a report.
 */
static void find_free_name(struct text *file)
{
	static const char html[] = ".html";
	struct stat found;
	size_t length = file->length, suffix = sizeof html - 1;
	bool page = length > suffix && memcmp(file->bytes + length - suffix, html, suffix) == 0;

	if (page)
		length -= suffix;
	for (unsigned number = 2; lstat(text_terminate(file), &found) == 0; number++) {
		file->length = length;
		text_format(file, ".%u%s", number, page ? html : "");
	}
}

static void snap(const struct perform_event *event, struct perform_outcome *outcome)
{
	const struct target *target = event->run->target;
	const char *heap = event->run->options->heap ? target->word : NULL;
	struct snap taken;

	if (snap_take(&taken, target->process, heap, text_terminate(&outcome->file),
	              &outcome->error) < 0)
		return;

	outcome->number = taken.number;
	snap_deinit(&taken);
}

/** Collects the regions of a culprit. The caller frees the array. */
static struct pm_region_range *find_regions(const struct watch_history *history,
                                            const struct culprit *culprit, size_t *count)
{
	if (culprit->track)
		return watch_history_regions(history, culprit->track, count);

	struct pm_region_range *range = alloc_array(NULL, 1, sizeof *range);
	*range = (struct pm_region_range){ .range = { culprit->start, culprit->end },
		                           .region = SIZE_MAX };
	*count = 1;
	return range;
}

static void dump(const struct perform_event *event, struct perform_outcome *outcome)
{
	const struct culprit *culprit = &event->firing->culprit;
	struct watch_save save = { .process = event->run->target->process,
		                   .pid = event->run->process.pid,
		                   .cancel = event->jobs->wait->interrupted };

	if (!culprit->known) {
		pm_error_set(&outcome->error, PM_ERROR_NOT_FOUND, 0,
		             "nothing was dumped, because there is no region to blame for the "
		             "condition");
		return;
	}

	find_free_name(&outcome->file);
	struct pm_region_range *ranges = find_regions(event->history, culprit, &save.count);
	save.ranges = ranges;
	save.path = text_terminate(&outcome->file);

	(void)watch_save(&save, &outcome->bytes, &outcome->error);
	free(ranges);
}

static void explain(const struct perform_event *event, struct perform_outcome *outcome)
{
	const struct watch_why why = { .run = event->run, .history = event->history, .walk = true };

	find_free_name(&outcome->file);
	int findings = watch_why_write(&why, text_terminate(&outcome->file), &outcome->error);
	if (findings > 0)
		outcome->findings = (size_t)findings;
}

/**
 * Makes a variable of the environment, "NAME=VALUE". The caller frees the text.
 * @param untrusted true: the value comes from the watched process, so it is escaped
 */
static char *variable(const char *name, const char *value, bool untrusted)
{
	struct text text = { 0 };

	text_format(&text, "PROCMEM_%s=", name);
	if (untrusted)
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

/**
 * Makes a variable that lists the regions of a culprit, separated by spaces. Each item can be used
 * as a REGION of other commands.
 */
static char *regions_variable(const char *name, const struct watch_history *history,
                              const struct culprit *culprit)
{
	struct text words = { 0 };
	struct pm_region_range *ranges = NULL;
	size_t count = 0;

	if (culprit->known)
		ranges = find_regions(history, culprit, &count);

	for (size_t i = 0; i < count && i < REPORTED_MAX; i++)
		text_format(&words, "%s0x%" PRIx64 "-0x%" PRIx64, i > 0 ? " " : "",
		            ranges[i].range.start, ranges[i].range.end);

	free(ranges);
	char *result = variable(name, text_terminate(&words), false);
	text_deinit(&words);
	return result;
}

/**
 * Makes the variable that contains the compared value: an integer, or percent with two decimals.
 */
static char *value_variable(const char *name, const struct firing *firing)
{
	struct text value = { 0 };

	text_format(&value, firing->condition->percent ? "%.2f" : "%.0f", firing->value);
	char *result = variable(name, text_terminate(&value), false);
	text_deinit(&value);
	return result;
}

static char *time_variable(const char *name, int64_t wall_ns)
{
	struct text now = { 0 };

	delta_put_time(&now, wall_ns);
	char *result = variable(name, text_terminate(&now), false);
	text_deinit(&now);
	return result;
}

static void start(const char *line, const struct perform_event *event,
                  struct perform_outcome *outcome)
{
	const struct pm_process_id *process = &event->run->process;
	const struct watch_history *history = event->history;
	const struct firing *firing = event->firing;
	const struct culprit *culprit = &firing->culprit;
	bool known = culprit->known;
	const char *kind = "", *mapping = "";
	char region[48] = "";

	if (known) {
		snprintf(region, sizeof region, "0x%" PRIx64 "-0x%" PRIx64, culprit->start,
		         culprit->end);
		kind = pm_kind_name(culprit->kind);
		mapping = culprit->mapping;
	}

	char *const variables[] = {
		number_variable("PID", true, (uint64_t)process->pid),
		variable("NAME", process->comm, true),
		time_variable("TIME", history->sample.wall_ns),
		variable("CONDITION", firing->threshold->text, false),
		value_variable("VALUE", firing),
		number_variable("RSS", true, history->sample.totals.rss),
		variable("REGION", region, false),
		number_variable("REGION_RSS", known, culprit->own),
		regions_variable("REGIONS", history, culprit),
		number_variable("REGIONS_COUNT", known, culprit->count),
		number_variable("REGIONS_RSS", known, culprit->weight),
		variable("KIND", kind, false),
		variable("MAPPING", mapping, true),
		NULL,
	};

	(void)jobs_start(event->jobs, line, variables, event->silent, &outcome->pid,
	                 &outcome->error);
	for (size_t i = 0; variables[i]; i++)
		free(variables[i]);
}

void perform_action(const struct action *action, const struct perform_event *event,
                    struct perform_outcome *outcome)
{
	*outcome = (struct perform_outcome){ 0 };

	switch (action->kind) {
	case ACTION_EXEC:
		start(action->argument, event, outcome);
		break;
	case ACTION_SNAP:
		put_file(&outcome->file, action->argument, event);
		snap(event, outcome);
		break;
	case ACTION_DUMP:
		put_file(&outcome->file, action->argument, event);
		dump(event, outcome);
		break;
	case ACTION_WHY:
		put_file(&outcome->file, action->argument, event);
		explain(event, outcome);
		break;
	default:
		break;
	}
}

void perform_outcome_deinit(struct perform_outcome *outcome)
{
	text_deinit(&outcome->file);
	*outcome = (struct perform_outcome){ 0 };
}
