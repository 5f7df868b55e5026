/* SPDX-License-Identifier: MIT */
#include "strings/strings.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/poll_loop.h"
#include "base/report.h"
#include "strings/growth.h"
#include "strings/line.h"
#include "strings/print.h"
#include "strings/unique.h"
#include "target/target_list.h"

enum { DEFAULT_BUDGET = 256 << 20 };

static bool has_both(unsigned encodings, enum pm_encoding little, enum pm_encoding big)
{
	return (encodings & PM_ENCODING_BIT(little)) && (encodings & PM_ENCODING_BIT(big));
}

static int create_scanner(const struct strings_options *options, struct pm_scanner **scanner,
                          struct pm_error *error)
{
	/* If both byte orders are searched for, require alignment. Otherwise a string in one byte
	 * order would be found again, one byte further, as a string in the other byte order. */
	bool aligned = has_both(options->encodings, PM_ENCODING_UTF16LE, PM_ENCODING_UTF16BE) ||
	               has_both(options->encodings, PM_ENCODING_UTF32LE, PM_ENCODING_UTF32BE);
	const struct pm_strings_options wanted = {
		.encodings = options->encodings,
		.min_length = (size_t)options->min_length,
		.white_space = options->white_space,
		.aligned = aligned,
	};

	return pm_strings_scanner_create(&wanted, scanner, error);
}

/** Searches, and prints the strings. */
static int print_strings(struct strings *strings, struct pm_error *error)
{
	struct pm_scanner *scanner;
	if (create_scanner(strings->options, &scanner, error) < 0)
		return -1;

	const struct search_what what = { .scanner = scanner,
		                          .texts = true,
		                          .min_length = strings->options->min_length,
		                          .found = strings_line_found,
		                          .deliver = strings_print_deliver };
	int status = search_run(&strings->search, &what, error);

	pm_scanner_destroy(scanner);
	strings_print_finish(strings);
	if (status == 0 && strings->options->similar)
		formats_search(&strings->formats, &strings->search.memory);
	if (status == 0 && strings->before)
		strings->grown = strings_growth_print(strings, strings->before, strings->seconds);
	else if (status == 0 && strings->tally && !strings->counts_only)
		strings_unique_print(strings);

	return status;
}

/** Searches one of the targets. */
static enum status run(struct strings *strings, struct target_list *targets, size_t index)
{
	bool quiet = strings->options->search.output.quiet;
	struct pm_error error = { 0 };
	int ready = search_open(&strings->search, targets->words[index], &error);

	if (ready < 0)
		return target_list_failed(targets, index, &error, quiet);
	if (ready == 0) {
		target_list_lacks(targets, &error);
		return STATUS_NOTHING;
	}

	int status = print_strings(strings, &error);
	/* Write the result before the notes about it. */
	out_flush(strings->search.out);
	if (!strings->counts_only)
		search_report(&strings->search, strings->count);
	if (status < 0 && target_list_failed(targets, index, &error, quiet) == STATUS_ERROR)
		return STATUS_ERROR;
	if (strings->search.memory.cut > 0 || hit_chunk_may_miss(&strings->search.chunks))
		return STATUS_ERROR;

	return strings->count > 0 ? STATUS_OK : STATUS_NOTHING;
}

/** Returns whether the output shows the kinds of regions. */
static bool shows_kinds(const struct strings_options *options, const struct out *out)
{
	return !options->unique && (options->search.output.json || out->terminal);
}

static void deinit(struct strings *strings)
{
	search_close(&strings->search);
	pm_tally_destroy(strings->tally);
	formats_deinit(&strings->formats);

	for (size_t i = 0; i < PM_SCAN_WORKERS_MAX; i++) {
		text_deinit(&strings->workers[i].line);
		text_deinit(&strings->workers[i].plain);
		text_deinit(&strings->workers[i].template);
		text_deinit(&strings->workers[i].region);
	}
}

/**
 * Starts the search of one of the targets, with the PID in each string if there are several.
 * @return 0 or -1; the search is to be released in both cases
 */
static int init(struct strings *strings, const struct strings_options *options, struct out *out,
                struct target_list *targets, size_t index, struct strings_advice *advice)
{
	/* If a word refers to several targets, the list has only PIDs. */
	pid_t pid = 0;
	if (target_list_is_several(targets))
		pid = (pid_t)strtol(targets->words[index], NULL, 10);

	*strings = (struct strings){
		.options = options,
		.search = {
			.options = &options->search,
			.out = out,
			.noun = { "string", "strings" },
			.one_of_several = pid > 0,
			.needs = shows_kinds(options, out) ? REGION_NEEDS_KINDS : 0,
			.memory.cancel = interrupt_catch(),
			.memory.start_ticks = target_list_start_ticks(targets, index),
		},
		.pid = pid,
		.advice = advice,
		.several = options->encodings & (options->encodings - 1),
		.region = SIZE_MAX,
	};
	uint64_t budget = options->budget ? options->budget : DEFAULT_BUDGET;
	struct pm_error error;

	strings->search.context = strings;
	if ((options->unique && pm_tally_create(budget, &strings->tally, &error) < 0) ||
	    (options->similar && formats_init(&strings->formats, &error) < 0)) {
		report_failure(&error);
		return -1;
	}
	return 0;
}

/** Searches one of the targets. */
static enum status run_one(const struct strings_options *options, struct out *out,
                           struct target_list *targets, size_t index, struct strings_advice *advice)
{
	struct strings strings;
	enum status status = STATUS_ERROR;

	if (init(&strings, options, out, targets, index, advice) == 0)
		status = run(&strings, targets, index);
	deinit(&strings);
	return status;
}

/**
 * Waits between the two moments of --growth.
 * @return false if the user or the end of the process has ended the wait
 */
static bool wait_for(double seconds, struct pm_process *process)
{
	struct poll_loop loop;
	bool due = false, ended = false;

	poll_loop_init(&loop, seconds);
	int fd = pm_process_poll_fd(process);
	size_t at = fd < 0 ? SIZE_MAX : poll_loop_add(&loop, fd, POLLIN);
	while (!due && !ended && !*loop.interrupted) {
		due = poll_loop_wait(&loop);
		ended = at != SIZE_MAX && loop.descriptors[at].revents != 0;
	}

	poll_loop_deinit(&loop);
	return due && !ended;
}

/** Searches at the second moment of --growth, and prints what grew. */
static enum status run_second(struct strings *first, struct strings *second,
                              struct target_list *targets)
{
	struct pm_process *process = first->search.memory.target.process;
	double begun = clock_seconds();
	struct pm_error error;

	pm_tally_sort(first->tally, PM_TALLY_BY_BYTES);
	struct strings_counts *before = strings_growth_keep(first->tally, second->tally);
	pm_tally_destroy(first->tally);
	first->tally = NULL;

	enum status status = STATUS_ERROR;
	bool due = wait_for(first->options->growth, process);
	if (pm_process_check(process, &error) < 0)
		report_failure(&error);
	else if (!due)
		report_error("interrupted before the strings were counted again");
	else {
		second->before = before;
		second->seconds = clock_seconds() - begun;
		second->search.memory.start_ticks = pm_process_start_ticks(process);
		status = run(second, targets, 0);
		if (status == STATUS_OK && second->grown == 0)
			status = STATUS_NOTHING;
	}

	strings_growth_free(before);
	return status;
}

/** Counts the strings of a process twice, for --growth. */
static enum status run_growth(const struct strings_options *options, struct out *out,
                              struct target_list *targets, struct strings_advice *advice)
{
	struct strings first, second = { 0 };
	enum status status = STATUS_ERROR;

	if (targets->count > 1) {
		report_error("--growth compares one process, but %zu were given", targets->count);
		return STATUS_ERROR;
	}

	if (init(&first, options, out, targets, 0, advice) == 0) {
		first.counts_only = true;
		status = run(&first, targets, 0);
	}
	if (status != STATUS_ERROR && first.search.memory.core) {
		report_error("--growth needs a process: a core file does not change");
		status = STATUS_ERROR;
	}
	if (status == STATUS_OK) {
		status = STATUS_ERROR;
		if (init(&second, options, out, targets, 0, advice) == 0)
			status = run_second(&first, &second, targets);
		deinit(&second);
	}

	deinit(&first);
	return status;
}

/**
 * Searches all targets that a TARGET word refers to.
 *
 * @return exit status: STATUS_ERROR if a target could not be searched, STATUS_NOTHING if no target
 *         has a string
 */
static enum status run_all(const struct strings_options *options, struct out *out, const char *word)
{
	struct target_list targets;
	struct strings_advice advice = { 0 };
	struct pm_error error;
	const volatile sig_atomic_t *cancel = interrupt_catch();
	enum status result = STATUS_NOTHING;

	if (target_list_read(&targets, word, options->which, &error) < 0) {
		target_list_deinit(&targets);
		return report_failure(&error);
	}

	out_set_colour(out, options->search.output.colour);
	if (options->search.output.csv && options->growth <= 0)
		strings_unique_csv_header(out);
	if (options->growth > 0)
		result = run_growth(options, out, &targets, &advice);
	for (size_t i = 0;
	     options->growth <= 0 && i < targets.count && !out_failed(out) && !*cancel; i++) {
		enum status status = run_one(options, out, &targets, i, &advice);
		if (result == STATUS_NOTHING || status == STATUS_ERROR)
			result = status;
	}

	out_flush(out);
	strings_unique_advise(options, out, &advice);
	if (target_list_report(&targets, options->search.output.quiet) == STATUS_ERROR)
		result = STATUS_ERROR;

	target_list_deinit(&targets);
	return result;
}

enum status strings_run(struct out *out, int argc, char **argv)
{
	struct strings_options options = { .order = PM_TALLY_BY_BYTES };
	struct cli_result words;
	struct pm_error error;
	struct selection *selection = &options.search.selection;

	if (selection_init(selection, &error) < 0)
		return report_failure(&error);

	enum status status = STATUS_ERROR;
	if (!cli_parse(&strings_spec, out, argc, argv, &options, &words) ||
	    !cli_check_operands(&strings_spec, &words))
		status = words.status;
	else if (selection_add_words(selection, words.operands + 1, words.count - 1, &error) < 0)
		report_failure(&error);
	else if (strings_options_check(&options, out))
		status = run_all(&options, out, words.operands[0]);

	selection_deinit(selection);
	return status;
}
