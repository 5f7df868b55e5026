/* SPDX-License-Identifier: MIT */
#include "watch/screen/worker.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "watch/format.h"
#include "watch/members.h"
#include "watch/save.h"
#include "watch/screen/screen.h"
#include "watch/screen/strings.h"

static void start(struct watch_screen *screen, enum watch_work_kind kind, watch_task_work *work,
                  void *context)
{
	struct pm_error error = { 0 };
	screen->work.kind = kind;
	text_clear(&screen->message);
	if (watch_task_start(&screen->work.task, screen->wait, work, context, &error) < 0)
		watch_screen_say(screen, "%s", error.text);
}

void watch_work_read_text(struct watch_screen *screen, const struct watch_row *row)
{
	struct watch_strings strings = { .watch = screen->watch, .row = row };
	start(screen, WATCH_READS_TEXT, watch_strings_read, &strings);
}

/** What is written. */
struct writing {
	const struct watch *watch;
	const struct watch_row *row;
	const char *path;
};

static void report(void *context, uint64_t done, uint64_t total)
{
	watch_task_report(context, done, total);
}

/**
 * Writes the bytes of a row. @see watch_task_work
 * @param answer gets what is told of that
 */
static int write_row(void *context, struct watch_task_line *line,
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
	struct pm_range *ranges = watch_members(writing->watch, track, &save.count);
	save.ranges = ranges;
	int status = watch_save(&save, &bytes, error);
	free(ranges);
	if (status < 0)
		return -1;
	text_format(answer, "%s: ", writing->path);
	watch_add_size(writing->watch, bytes, answer);
	text_format(answer, " read of %llx-%llx", (unsigned long long)track->start,
	            (unsigned long long)track->end);
	watch_add_more(track->regions, answer);
	return 0;
}

void watch_work_write_file(struct watch_screen *screen, const struct watch_row *row,
                           const char *path)
{
	struct writing writing = { .watch = screen->watch, .row = row, .path = path };
	text_clear(&screen->work.path);
	text_string(&screen->work.path, path);
	start(screen, WATCH_WRITES_FILE, write_row, &writing);
}

bool watch_work_cancel(struct watch_screen *screen)
{
	bool runs = watch_task_runs(&screen->work.task);
	watch_task_cancel(&screen->work.task);
	return runs;
}

bool watch_work_is_busy(struct watch_screen *screen, enum watch_work_kind wanted)
{
	if (!watch_task_runs(&screen->work.task))
		return false;
	if (screen->work.kind == wanted)
		watch_work_cancel(screen);
	else
		watch_screen_say(screen, screen->work.kind == WATCH_WRITES_FILE
		                                 ? "the file is still being written (Esc: cancel)"
		                                 : "text is still being read (Esc: cancel)");
	return true;
}

/** Tells what became of it. */
static void put_outcome(struct watch_work *work, struct text *text)
{
	struct watch_task *task = &work->task;
	if (task->answered)
		text_bytes(text, task->answer.bytes, task->answer.length);
	else if (!task->cancelled)
		text_string(text, task->error.text);
	else if (work->kind == WATCH_WRITES_FILE)
		text_format(text, "cancelled: %s was not written", text_terminate(&work->path));
	else
		text_string(text, "cancelled");
}

void watch_work_take(struct watch_screen *screen)
{
	struct watch_work *work = &screen->work;
	struct text outcome = { 0 };
	if (!watch_task_take(&work->task))
		return;
	if (!watch_task_runs(&work->task) && work->task.answered &&
	    work->kind == WATCH_READS_TEXT) {
		watch_strings_show(&screen->pane, &work->task.answer);
	} else if (!watch_task_runs(&work->task)) {
		put_outcome(work, &outcome);
		watch_screen_say(screen, "%s", text_terminate(&outcome));
	}
	text_deinit(&outcome);
	watch_screen_draw(screen);
}

void watch_work_describe(const struct watch_work *work, struct text *text)
{
	const struct watch_task *task = &work->task;
	if (!watch_task_runs(task))
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

void watch_work_end(struct watch_work *work, struct text *told)
{
	bool wrote = watch_task_runs(&work->task) && work->kind == WATCH_WRITES_FILE;
	watch_task_end(&work->task);
	if (wrote)
		put_outcome(work, told);
	watch_task_deinit(&work->task);
	text_deinit(&work->path);
}
