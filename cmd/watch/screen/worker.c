/* SPDX-License-Identifier: MIT */
#include "watch/screen/worker.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "watch/format.h"
#include "watch/peek/peek.h"
#include "watch/save.h"
#include "watch/screen/call_sites.h"

/* Maximum number of strings that are shown. The number is limited because the pane is drawn again
 * with each sample. */
enum { STRINGS_MAX = 1000 };

/** The arguments of a task. */
struct work {
	const struct watch *watch;
	const struct watch_row *row;
	const char *path; /* name of the file to write */
};

/**
 * Collects the regions of a row. If the row is a single region, its addresses may have changed
 * since it was displayed: the regions of its track that overlap it are collected.
 * @return  the regions, by ascending address; to be freed by the caller
 */
static struct pm_region_range *row_regions(const struct work *work, size_t *count)
{
	const struct watch_row *row = work->row;
	const struct pm_track *whole = row->part_of ? row->part_of : row->track;
	struct pm_region_range *all = watch_history_regions(&work->watch->history, whole, count);
	size_t kept = 0;

	if (!row->part_of)
		return all;

	for (size_t i = 0; i < *count; i++)
		if (all[i].range.start < row->track->end && row->track->start < all[i].range.end)
			all[kept++] = all[i];
	*count = kept;
	return all;
}

static int start(struct screen_worker *worker, enum screen_worker_kind kind, screen_task_work *work,
                 void *context, struct pm_error *error)
{
	worker->kind = kind;
	return screen_task_start(&worker->task, worker->wait, work, context, error);
}

static void report(void *context, uint64_t done, uint64_t total)
{
	screen_task_report(context, done, total);
}

static void add_title(const struct peek_result *result, const struct watch_row *row,
                      struct text *title)
{
	const struct pm_page_strings_found *found = &result->found;
	const char *pages = result->all ? "all pages" : "the newest pages";
	const char *shown = found->count == STRINGS_MAX ? "the most frequent " : "";

	text_format(title, "text in %s of %" PRIx64 " (", pages, row->track->start);
	text_size(title, found->searched);
	if (found->searched < found->pages) {
		text_string(title, " of ");
		text_size(title, found->pages);
	}

	text_format(title, "): %s%zu string%s (Esc: back)\n", shown, found->count,
	            text_plural(found->count));
}

static void add_strings(const struct pm_page_strings_found *found, struct text *text)
{
	for (size_t i = 0; i < found->count; i++) {
		text_format(text, "%8" PRIu64 "  ", found->strings[i].count);
		utf8_escape(text, found->strings[i].bytes, found->strings[i].length);
		text_char(text, '\n');
	}

	if (found->count == 0)
		text_format(text, "no text of %d or more characters\n", PM_PAGE_STRING_MIN);
}

/** Reads the text in the newest pages of a row. Implements screen_task_work. */
static int read_text(void *context, struct screen_task_line *line,
                     const volatile sig_atomic_t *cancel, struct text *answer,
                     struct pm_error *error)
{
	const struct work *work = context;
	const struct watch *watch = work->watch;
	const struct pm_page_strings_options options = {
		.max = STRINGS_MAX, .cancel = cancel, .progress = report, .context = line
	};
	struct peek_result result = { 0 };

	if (peek_newest(watch->run.peek, &watch->history, work->row, &options, &result, error) < 0)
		return -1;

	add_title(&result, work->row, answer);
	add_strings(&result.found, answer);
	peek_result_deinit(&result);
	return 0;
}

int screen_worker_read_text(struct screen_worker *worker, const struct watch *watch,
                            const struct watch_row *row, struct pm_error *error)
{
	struct work work = { .watch = watch, .row = row };
	return start(worker, SCREEN_READS_TEXT, read_text, &work, error);
}

/** Writes the bytes of a row to a file. Implements screen_task_work. */
static int write_row(void *context, struct screen_task_line *line,
                     const volatile sig_atomic_t *cancel, struct text *answer,
                     struct pm_error *error)
{
	const struct work *work = context;
	const struct watch *watch = work->watch;
	const struct pm_track *track = work->row->track;
	struct watch_save save = { .process = watch->run.target->process,
		                   .pid = watch->run.process.pid,
		                   .path = work->path,
		                   .cancel = cancel,
		                   .listener = report,
		                   .context = line };
	uint64_t bytes;

	if (track->regions == 0)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "the region is gone");

	struct pm_region_range *ranges = row_regions(work, &save.count);
	save.ranges = ranges;

	int status;
	if (save.count == 0)
		status = pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "the region is gone");
	else
		status = watch_save(&save, &bytes, error);
	free(ranges);
	if (status < 0)
		return -1;

	text_format(answer, "%s: ", work->path);
	watch_format_size(bytes, watch->view.bytes, answer);
	text_format(answer, " read of %" PRIx64 "-%" PRIx64, track->start, track->end);
	watch_format_add_more(track->regions, answer);
	return 0;
}

int screen_worker_write_file(struct screen_worker *worker, const struct watch *watch,
                             const struct watch_row *row, const char *path, struct pm_error *error)
{
	struct work work = { .watch = watch, .row = row, .path = path };

	text_clear(&worker->path);
	text_string(&worker->path, path);
	return start(worker, SCREEN_WRITES_FILE, write_row, &work, error);
}

/** Traces the code that maps the memory of a row. Implements screen_task_work. */
static int trace_row(void *context, struct screen_task_line *line,
                     const volatile sig_atomic_t *cancel, struct text *answer,
                     struct pm_error *error)
{
	const struct work *work = context;
	const struct watch *watch = work->watch;
	const struct pm_track *track = work->row->track;
	struct screen_call_sites wanted = { .process = watch->run.target->process,
		                            .bytes = watch->view.bytes,
		                            .cancel = cancel };

	if (track->regions == 0)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "the region is gone");

	struct pm_region_range *regions = row_regions(work, &wanted.count);
	struct pm_range *ranges = alloc_array(NULL, wanted.count + 1, sizeof *ranges);

	for (size_t i = 0; i < wanted.count; i++)
		ranges[i] = regions[i].range;
	wanted.ranges = ranges;

	int status;
	if (wanted.count == 0)
		status = pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "the region is gone");
	else
		status = screen_call_sites_find(&wanted, line, answer, error);
	free(ranges);
	free(regions);
	return status;
}

int screen_worker_trace(struct screen_worker *worker, const struct watch *watch,
                        const struct watch_row *row, struct pm_error *error)
{
	struct work work = { .watch = watch, .row = row };
	return start(worker, SCREEN_TRACES, trace_row, &work, error);
}

void screen_worker_cancel(struct screen_worker *worker)
{
	screen_task_cancel(&worker->task);
}

/** Adds the outcome of a task that has ended. */
static void add_outcome(struct screen_worker *worker, struct text *text)
{
	struct screen_task *task = &worker->task;

	if (task->answered)
		text_bytes(text, task->answer.bytes, task->answer.length);
	else if (!task->cancelled)
		text_string(text, task->error.text);
	else if (worker->kind == SCREEN_WRITES_FILE)
		text_format(text, "cancelled: %s was not written", text_terminate(&worker->path));
	else
		text_string(text, "cancelled");
}

enum screen_worker_event screen_worker_poll(struct screen_worker *worker, struct text *result)
{
	if (!screen_task_receive(&worker->task))
		return SCREEN_WORKER_NOTHING;
	if (screen_task_runs(&worker->task))
		return SCREEN_WORKER_PROGRESS;

	add_outcome(worker, result);
	if (worker->task.answered && worker->kind != SCREEN_WRITES_FILE)
		return SCREEN_WORKER_TEXT;

	return SCREEN_WORKER_MESSAGE;
}

/** Adds how much of the task is done. */
static void add_progress(const struct screen_worker *worker, struct text *text)
{
	const struct screen_task *task = &worker->task;

	if (task->total == 0)
		return;
	if (worker->kind == SCREEN_TRACES) {
		text_format(text, ": %" PRIu64 " of %" PRIu64 " s", task->done / 1000,
		            task->total / 1000);
		return;
	}

	text_format(text, ": %.0f%% of ", (double)task->done / (double)task->total * 100);
	text_size(text, task->total);
}

void screen_worker_describe(const struct screen_worker *worker, struct text *text)
{
	static const char *const doing[] = { [SCREEN_READS_TEXT] = "reading text",
		                             [SCREEN_WRITES_FILE] = "writing",
		                             [SCREEN_TRACES] = "tracing" };
	static const char *const keys[] = {
		[SCREEN_READS_TEXT] = "Enter", [SCREEN_WRITES_FILE] = "d", [SCREEN_TRACES] = "t"
	};
	const struct screen_task *task = &worker->task;

	if (!screen_task_runs(task))
		return;

	text_string(text, doing[worker->kind]);
	add_progress(worker, text);
	if (task->cancelled)
		text_string(text, " (cancelling)");
	else
		text_format(text, " (Esc or %s: cancel)", keys[worker->kind]);

	if (worker->kind == SCREEN_WRITES_FILE) {
		text_string(text, "  to ");
		utf8_escape(text, worker->path.bytes, worker->path.length);
	}
}

void screen_worker_end(struct screen_worker *worker, struct text *result)
{
	bool writes = screen_worker_runs(worker) && worker->kind == SCREEN_WRITES_FILE;

	screen_task_end(&worker->task);
	if (writes)
		add_outcome(worker, result);

	screen_task_deinit(&worker->task);
	text_deinit(&worker->path);
}
