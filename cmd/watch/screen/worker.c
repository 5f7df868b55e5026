/* SPDX-License-Identifier: MIT */
#include "watch/screen/worker.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "watch/format.h"
#include "watch/members.h"
#include "watch/save.h"
#include "watch/screen/screen.h"
#include "watch/screen/strings.h"

static void start(struct screen *screen, enum screen_worker_kind kind, screen_task_work *work,
                  void *context)
{
	struct pm_error error = { 0 };
	screen->work.kind = kind;
	text_clear(&screen->message);
	if (screen_task_start(&screen->work.task, screen->wait, work, context, &error) < 0)
		screen_message(screen, "%s", error.text);
}

void screen_worker_read_text(struct screen *screen, const struct watch_row *row)
{
	struct screen_strings strings = { .watch = screen->watch, .row = row };
	start(screen, WATCH_READS_TEXT, screen_strings_read, &strings);
}

/** What is written. */
struct writing {
	const struct watch *watch;
	const struct watch_row *row;
	const char *path;
};

static void report(void *context, uint64_t done, uint64_t total)
{
	screen_task_report(context, done, total);
}

/**
 * Writes the bytes of a row. @see screen_task_work
 * @param answer gets what is told of that
 */
static int write_row(void *context, struct screen_task_line *line,
                     const volatile sig_atomic_t *cancel, struct text *answer,
                     struct pm_error *error)
{
	const struct writing *writing = context;
	const struct pm_track *track = writing->row->track;
	struct watch_save save = { .watch = writing->watch,
		                   .path = writing->path,
		                   .cancel = cancel,
		                   .listener = report,
		                   .context = line };
	uint64_t bytes;

	if (track->regions == 0)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "the region is gone");

	struct pm_region_range *ranges = watch_members(writing->watch, track, &save.count);
	save.ranges = ranges;

	int status = watch_save(&save, &bytes, error);
	free(ranges);
	if (status < 0)
		return -1;

	text_format(answer, "%s: ", writing->path);
	watch_format_size(writing->watch, bytes, answer);
	text_format(answer, " read of %llx-%llx", (unsigned long long)track->start,
	            (unsigned long long)track->end);
	watch_members_add_more(track->regions, answer);

	return 0;
}

void screen_worker_write_file(struct screen *screen, const struct watch_row *row, const char *path)
{
	struct writing writing = { .watch = screen->watch, .row = row, .path = path };
	text_clear(&screen->work.path);
	text_string(&screen->work.path, path);
	start(screen, WATCH_WRITES_FILE, write_row, &writing);
}

bool screen_worker_cancel(struct screen *screen)
{
	bool runs = screen_task_runs(&screen->work.task);
	screen_task_cancel(&screen->work.task);
	return runs;
}

bool screen_worker_is_busy(struct screen *screen, enum screen_worker_kind wanted)
{
	if (!screen_task_runs(&screen->work.task))
		return false;

	if (screen->work.kind == wanted)
		screen_worker_cancel(screen);
	else
		screen_message(screen, screen->work.kind == WATCH_WRITES_FILE
		                               ? "the file is still being written (Esc: cancel)"
		                               : "text is still being read (Esc: cancel)");

	return true;
}

/** Tells what became of it. */
static void put_outcome(struct screen_worker *work, struct text *text)
{
	struct screen_task *task = &work->task;
	if (task->answered)
		text_bytes(text, task->answer.bytes, task->answer.length);
	else if (!task->cancelled)
		text_string(text, task->error.text);
	else if (work->kind == WATCH_WRITES_FILE)
		text_format(text, "cancelled: %s was not written", text_terminate(&work->path));
	else
		text_string(text, "cancelled");
}

void screen_worker_receive(struct screen *screen)
{
	struct screen_worker *work = &screen->work;
	struct text outcome = { 0 };

	if (!screen_task_receive(&work->task))
		return;

	if (!screen_task_runs(&work->task) && work->task.answered &&
	    work->kind == WATCH_READS_TEXT) {
		screen_strings_show(&screen->pane, &work->task.answer);
	} else if (!screen_task_runs(&work->task)) {
		put_outcome(work, &outcome);
		screen_message(screen, "%s", text_terminate(&outcome));
	}

	text_deinit(&outcome);
	screen_draw(screen);
}

void screen_worker_describe(const struct screen_worker *work, struct text *text)
{
	const struct screen_task *task = &work->task;
	if (!screen_task_runs(task))
		return;

	text_string(text, work->kind == WATCH_WRITES_FILE ? "writing" : "reading text");
	if (task->total > 0) {
		text_format(text, ": %.0f%% of ", (double)task->done / (double)task->total * 100);
		text_size(text, task->total);
	}

	if (task->cancelled)
		text_string(text, " (cancelling)");
	else
		text_format(text, " (Esc or %s: cancel)",
		            work->kind == WATCH_WRITES_FILE ? "d" : "Enter");

	if (work->kind == WATCH_WRITES_FILE) {
		text_string(text, "  to ");
		utf8_escape(text, work->path.bytes, work->path.length);
	}
}

void screen_worker_end(struct screen_worker *work, struct text *told)
{
	bool wrote = screen_task_runs(&work->task) && work->kind == WATCH_WRITES_FILE;
	screen_task_end(&work->task);
	if (wrote)
		put_outcome(work, told);
	screen_task_deinit(&work->task);
	text_deinit(&work->path);
}
