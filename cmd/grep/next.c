/* SPDX-License-Identifier: MIT */
#include "grep/next.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <procmem/next_hits.h>

#include "base/report.h"
#include "grep/json.h"
#include "grep/line.h"
#include "grep/save.h"
#include "target/memory.h"
#include "view/results.h"

/** The work on one file. */
struct next {
	const struct grep_options *options;
	struct grep_view view;
	struct memory memory;
	struct pm_saved_hits *saved;
	struct grep_save save;
	struct out *out;
	uint64_t total, kept, unmapped, unreadable;
	bool ended; /* -m has ended the work before the end of the file */
};

/** Opens the file of hits. */
static int open_saved(struct next *next, int *fd, struct pm_error *error)
{
	const char *path = next->options->next;

	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, errno, "cannot open %s: %s", path,
		                    strerror(errno));
	if (pm_saved_hits_open(*fd, &next->saved, error) < 0) {
		pm_error_prefix(error, "%s: ", path);
		return -1;
	}
	return 0;
}

/** Opens the memory of the process, and checks that it is the process of the hits. */
static int open_memory(struct next *next, const char *word, struct pm_error *error)
{
	const struct search_options *search = &next->options->search;
	const struct memory_options options = { .stop = search->stop,
		                                .quiet = search->output.quiet,
		                                .files = search->whole_files,
		                                .needs = REGION_NEEDS_KINDS };

	enum memory_status status = memory_open(&next->memory, word, &search->selection, &options,
	                                        error);
	if (status != MEMORY_READY)
		return -1;
	if (!next->memory.target.process)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s is not a process: hits can change only in a process", word);

	return pm_saved_hits_check(pm_saved_hits_info(next->saved), next->memory.target.process,
	                           error);
}

/** Returns whether the new value is one that --int or --float asks for. */
static bool has_value(const struct grep_numbers *numbers, const struct pm_next_hit *hit)
{
	for (size_t i = 0; i < numbers->count; i++)
		if (pm_number_test_accepts(&numbers->tests[i], hit->test, hit->now))
			return true;
	return numbers->count == 0;
}

/** Returns whether a hit is to be kept. */
static bool is_kept(const struct grep_options *options, const struct pm_next_hit *hit)
{
	enum pm_number_order order = pm_number_test_compare(hit->test, hit->saved->bytes, hit->now);

	if (!has_value(&options->numbers, hit))
		return false;

	switch (options->keep) {
	case GREP_KEEP_CHANGED:
		return order != PM_NUMBER_SAME;
	case GREP_KEEP_SAME:
		return order == PM_NUMBER_SAME;
	case GREP_KEEP_GREW:
		return order == PM_NUMBER_GREATER;
	case GREP_KEEP_SHRANK:
		return order == PM_NUMBER_LESS;
	default:
		return true;
	}
}

/** Prints a hit. */
static void print(struct next *next, const struct pm_next_hit *hit)
{
	struct text line = { 0 }, name = { 0 };

	grep_numbers_put(hit->test, hit->now, &name);
	results_print_hit(next->out, hit->saved->address, hit->test->size, name.bytes, name.length);
	if (next->options->search.output.json)
		grep_json_next(&next->view, hit, &line);
	else
		grep_line_next(&next->view, hit, &line);

	out_text(next->out, &line);
	text_deinit(&line);
	text_deinit(&name);
}

/** Counts a hit, and prints or saves it. See pm_next_visitor. */
static int visit(void *context, const struct pm_next_hit *hit, struct pm_error *error)
{
	struct next *next = context;
	const struct grep_options *options = next->options;

	next->total++;
	if (hit->state != PM_NEXT_READ) {
		next->unmapped += hit->state == PM_NEXT_UNMAPPED;
		next->unreadable += hit->state == PM_NEXT_UNREADABLE;
		return 0;
	}
	if (!is_kept(options, hit))
		return 0;

	next->kept++;
	if (next->save.writer) {
		struct pm_saved_hit saved = *hit->saved;
		memcpy(saved.bytes, hit->now, sizeof saved.bytes);
		return grep_save_add(&next->save, &saved, error);
	}

	if (!options->count && !options->quiet)
		print(next, hit);
	next->ended = next->kept >= options->max;
	return out_failed(next->out) || next->ended;
}

/** Reads the hits again. */
static int read_again(struct next *next, struct pm_error *error)
{
	struct memory *memory = &next->memory;
	const struct pm_next_hits hits = {
		.saved = next->saved,
		.regions = &memory->loaded.regions,
		.plan = { .pages = &memory->pages,
		          .files = memory->files.ops != NULL,
		          .cancel = memory->cancel },
		.source = { .target = &memory->reader,
		            .files = memory->files.ops ? &memory->files : NULL,
		            .cancel = memory->cancel },
		.visit = visit,
		.context = next,
	};

	next->view.regions = &memory->loaded.regions;
	int result = pm_next_hits_read(&hits, error);
	memory_resume(memory);
	if (result == 0 && memory->target.process)
		result = pm_process_check(memory->target.process, error);
	return result;
}

/** Reports the number of hits that are left, and what happened to others. */
static void report(const struct next *next)
{
	struct text line = { 0 };

	text_grouped(&line, next->kept);
	text_string(&line, " of ");
	if (next->ended)
		text_string(&line, "the first ");
	text_grouped(&line, next->total);
	text_format(&line, " %s left", next->total == 1 ? "number" : "numbers");
	if (next->ended)
		text_string(&line, "; the others were not read (-m)");
	if (next->unmapped > 0) {
		text_string(&line, "; ");
		text_grouped(&line, next->unmapped);
		text_string(&line, " no longer mapped");
	}
	if (next->unreadable > 0) {
		text_string(&line, "; ");
		text_grouped(&line, next->unreadable);
		text_string(&line, " could not be read");
	}

	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

/** Prints or saves the hits that are left. */
static int run(struct next *next, struct pm_error *error)
{
	const struct grep_options *options = next->options;

	if (options->save &&
	    grep_save_open(&next->save, options->save, pm_saved_hits_info(next->saved), error) < 0)
		return -1;
	if (read_again(next, error) < 0)
		return -1;

	if (options->count && !options->quiet) {
		struct text line = { 0 };
		text_format(&line, "%llu\n", (unsigned long long)next->kept);
		out_text(next->out, &line);
		text_deinit(&line);
	}
	if (next->save.writer &&
	    grep_save_keep(&next->save, options->quiet ? NULL : next->out, error) < 0)
		return -1;

	out_flush(next->out);
	if (!options->search.output.quiet)
		report(next);
	return 0;
}

enum status grep_next(const struct grep_options *options, const char *word,
                      const volatile sig_atomic_t *cancel, struct out *out)
{
	struct next next = { .options = options,
		             .view = { .options = options, .out = out, .prefix = "" },
		             .memory = { .cancel = cancel },
		             .out = out };
	struct pm_error error = { 0 };
	char pid[24];
	int fd = -1;

	int result = open_saved(&next, &fd, &error);
	if (result == 0) {
		snprintf(pid, sizeof pid, "%d", (int)pm_saved_hits_info(next.saved)->pid);
		result = open_memory(&next, word ? word : pid, &error);
	}
	if (result == 0)
		result = run(&next, &error);

	grep_save_close(&next.save);
	memory_close(&next.memory);
	pm_saved_hits_close(next.saved);
	if (fd >= 0)
		close(fd);
	if (result < 0)
		return report_failure(&error);
	return next.kept > 0 ? STATUS_OK : STATUS_NOTHING;
}
