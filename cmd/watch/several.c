/* SPDX-License-Identifier: MIT */
#include "watch/several.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/poll_loop.h"
#include "base/report.h"
#include "base/utf8.h"
#include "view/table.h"
#include "watch/format.h"
#include "watch/json.h"
#include "watch/step.h"
#include "watch/verdict.h"

/** A process. */
struct member {
	struct target target;
	struct watch watch;
	bool ended; /* no more samples are taken: the process is gone, or cannot be watched */
};

/** All processes that could be opened. */
struct several {
	struct watch_options *options;
	struct out *out;
	struct poll_loop wait;
	struct member *members;
	const struct member **order; /* sorted by growth, the largest first */
	size_t count;
	uint64_t rounds;   /* number of times that a sample of all remaining processes was taken */
	double began;      /* time of the first sample of all processes, as pm_sample.time */
	double last;       /* time of the last sample of all processes, as pm_sample.time */
	int64_t last_wall; /* the same time, as pm_sample.wall_ns */
	const char *ended; /* why watching ended; NULL while it continues */
};

enum { PID, NAME, RSS, GROWTH, RATE, VERDICT, LIMIT, COLUMNS };

static const struct table_column columns[COLUMNS] = {
	[PID] = { .title = "PID", .right = true },
	[NAME] = { .title = "NAME" },
	[RSS] = { .title = "RSS", .right = true },
	[GROWTH] = { .title = "GROWTH", .right = true },
	[RATE] = { .title = "RATE", .right = true },
	[VERDICT] = { .title = "VERDICT" },
	[LIMIT] = { .title = "LIMIT" },
};

static int64_t growth_of(const struct member *member)
{
	const struct watch_history *history = &member->watch.history;
	return (int64_t)(history->sample.totals.rss - history->first.rss);
}

static int compare_members(const void *one, const void *other)
{
	const struct member *a = *(const struct member *const *)one;
	const struct member *b = *(const struct member *const *)other;
	int64_t first = growth_of(a), second = growth_of(b);

	if (first != second)
		return first < second ? 1 : -1;

	return (a->watch.run.process.pid > b->watch.run.process.pid) -
	       (a->watch.run.process.pid < b->watch.run.process.pid);
}

/** Adds the limits that the process will reach first, or how the process ended. */
static void add_limit(const struct member *member, bool bytes, struct text *text)
{
	struct text limit = { 0 };

	if (member->ended) {
		text_string(text, member->watch.run.ended);
		return;
	}

	/* Each limit follows two spaces. */
	watch_format_limit(&member->watch.history, bytes, &limit);
	if (limit.length > 2)
		text_bytes(text, limit.bytes + 2, limit.length - 2);
	else
		text_char(text, '-');
	text_deinit(&limit);
}

static void cell(void *context, size_t index, size_t column, struct text *text)
{
	const struct several *several = context;
	const struct member *member = several->order[index];
	const struct watch_history *history = &member->watch.history;
	const struct pm_process_id *process = &member->watch.run.process;
	bool bytes = several->options->output.bytes;

	switch (column) {
	case PID:
		text_decimal(text, (uint64_t)process->pid);
		break;
	case NAME:
		utf8_escape(text, process->comm, strlen(process->comm));
		break;
	case RSS:
		watch_format_size(history->sample.totals.rss, bytes, text);
		break;
	case GROWTH:
		delta_put_bytes(text, growth_of(member), bytes);
		break;

	case RATE:
		watch_verdict_rate(&history->memory.trend, text);
		break;
	case VERDICT:
		text_string(text, pm_verdict_name(history->memory.trend.verdict));
		break;
	default:
		add_limit(member, bytes, text);
	}
}

static enum out_style style(void *context, size_t index, size_t column)
{
	const struct several *several = context;

	if (column == GROWTH)
		return delta_style(growth_of(several->order[index]));
	return columns[column].style;
}

/** Prints the row of each process. */
static void print_table(struct several *several)
{
	const struct table table = {
		.columns = columns,
		.column_count = COLUMNS,
		.rows = several->count,
		.titles = true,
		.open_end = true,
		.context = several,
		.cell = cell,
		.style = style,
	};
	size_t widths[COLUMNS];

	for (size_t i = 0; i < several->count; i++)
		several->order[i] = &several->members[i];
	qsort(several->order, several->count, sizeof(struct member *), compare_members);

	out_measure(several->out);
	table_measure(&table, widths);
	table_print(&table, widths, several->out);
}

/** Prints the time and the table, unless only the summary is wanted. */
static void print_round(struct several *several)
{
	const struct watch_options *options = several->options;
	struct out *out = several->out;
	struct text line = { 0 };

	if (options->output.json || options->output.quiet || watch_options_is_report(options, out))
		return;

	delta_put_time(&line, several->last_wall);
	text_char(&line, '\n');
	out_text(out, &line);
	text_deinit(&line);

	print_table(several);
	out_string(out, "\n");
	out_flush(out);
}

/** Prints a process as JSON: the last sample, or the summary. */
static void print_json(const struct several *several, const struct member *member, bool summary)
{
	const struct watch *watch = &member->watch;

	watch_json_print(&watch->run, &watch->history, &watch->view, summary, several->out);
	out_flush(several->out);
}

static void print_summary(struct several *several)
{
	char duration[PM_DURATION_TEXT_SIZE];
	struct out *out = several->out;

	if (several->options->output.json) {
		for (size_t i = 0; i < several->count; i++) {
			watch_run_end(&several->members[i].watch.run, several->ended);
			print_json(several, &several->members[i], true);
		}
		return;
	}

	pm_format_duration(several->last - several->began, duration);
	out_format(out, "%zu process%s for %s, ", several->count, several->count == 1 ? "" : "es",
	           duration);
	out_format(out, "%" PRIu64 " sample%s, ended: %s\n", several->rounds,
	           text_plural(several->rounds), several->ended);
	print_table(several);
}

/** Adds the sample that was taken of a process. With --json, the sample is printed. */
static void add_sample(struct several *several, const struct member *member)
{
	const struct pm_sample *sample = &member->watch.history.sample;

	several->last = sample->time;
	several->last_wall = sample->wall_ns;
	if (several->options->output.json)
		print_json(several, member, false);
}

/**
 * Takes a sample of each process that has not ended, until the user interrupts.
 * @return false if the user interrupted, so that a sample of some processes was not taken
 */
static bool take_samples(struct several *several)
{
	for (size_t i = 0; i < several->count; i++) {
		struct member *member = &several->members[i];

		if (*several->wait.interrupted)
			return false;
		if (member->ended)
			continue;

		member->ended = !watch_step_next(&member->watch);
		if (!member->ended)
			add_sample(several, member);
	}

	return true;
}

/** Returns why watching must end, or NULL. */
static const char *find_end(const struct several *several)
{
	const struct watch_options *options = several->options;
	double seconds = several->last - several->began;
	size_t left = 0;

	for (size_t i = 0; i < several->count; i++)
		left += !several->members[i].ended;

	if (*several->wait.interrupted)
		return "interrupted";
	if (left == 0)
		return "all processes are gone";
	if (options->count > 0 && several->rounds >= options->count)
		return "sample count reached";
	if (options->seconds > 0 && seconds >= options->seconds - options->interval / 2)
		return "time limit reached";

	return NULL;
}

/** Takes samples until watching ends. The first sample of each process has been taken. */
static void watch_all(struct several *several)
{
	several->rounds = 1;
	if (!*several->wait.interrupted)
		print_round(several);

	while (!(several->ended = find_end(several)) && !out_failed(several->out)) {
		if (!poll_loop_wait(&several->wait) || !take_samples(several))
			continue;

		several->rounds++;
		print_round(several);
	}
}

/**
 * Starts to watch a process, and takes the first sample.
 * @return false if the process cannot be watched; the reason was printed
 */
static bool open_member(struct several *several, struct member *member, const char *word)
{
	struct pm_error error;

	*member = (struct member){ 0 };
	if (target_open_process(&member->target, word, &error) < 0) {
		report_failure(&error);
		return false;
	}

	if (watch_step_init(&member->watch, several->options, &member->target, &error) < 0) {
		report_failure(&error);
		target_close(&member->target);
		return false;
	}

	return true;
}

/**
 * Starts to watch the processes, until the user interrupts.
 * @return STATUS_ERROR if one of the processes cannot be watched
 */
static enum status open_members(struct several *several, const struct target_list *targets)
{
	enum status status = STATUS_OK;

	several->members = alloc_array(NULL, targets->count, sizeof *several->members);
	several->order = alloc_array(NULL, targets->count, sizeof(struct member *));

	for (size_t i = 0; i < targets->count && !*several->wait.interrupted; i++) {
		struct member *member = &several->members[several->count];

		if (!open_member(several, member, targets->words[i])) {
			status = STATUS_ERROR;
			continue;
		}

		if (several->count++ == 0)
			several->began = member->watch.history.began;
		add_sample(several, member);
	}

	return status;
}

static void close_members(struct several *several)
{
	for (size_t i = 0; i < several->count; i++) {
		watch_step_deinit(&several->members[i].watch);
		target_close(&several->members[i].target);
	}

	free(several->members);
	free(several->order);
}

enum status watch_several(struct watch_options *options, const struct target_list *targets,
                          struct out *out)
{
	struct several several = { .options = options, .out = out };
	struct pm_error error;

	if (watch_options_check_several(options, &error) < 0)
		return report_failure(&error);

	options->several = true;
	options->budget /= (double)targets->count;
	poll_loop_init(&several.wait, options->interval);

	enum status status = open_members(&several, targets);
	if (several.count > 0)
		watch_all(&several);
	if (several.ended)
		print_summary(&several);

	close_members(&several);
	poll_loop_deinit(&several.wait);
	return status;
}
