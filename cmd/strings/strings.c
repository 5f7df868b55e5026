/* SPDX-License-Identifier: MIT */
#include "strings/strings.h"

#include <signal.h>
#include <stdlib.h>

#include "base/interrupt.h"
#include "base/report.h"
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
	if (status == 0 && strings->tally)
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

/** Searches one of the targets, with the PID in each string if there are several. */
static enum status run_one(const struct strings_options *options, struct out *out,
                           struct target_list *targets, size_t index, struct strings_advice *advice)
{
	/* If a word refers to several targets, the list has only PIDs. */
	pid_t pid = 0;
	if (target_list_is_several(targets))
		pid = (pid_t)strtol(targets->words[index], NULL, 10);

	struct strings strings = {
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

	strings.search.context = &strings;
	if ((options->unique && pm_tally_create(budget, &strings.tally, &error) < 0) ||
	    (options->similar && formats_init(&strings.formats, &error) < 0)) {
		deinit(&strings);
		return report_failure(&error);
	}

	enum status status = run(&strings, targets, index);
	deinit(&strings);
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
	if (options->search.output.csv)
		strings_unique_csv_header(out);
	for (size_t i = 0; i < targets.count && !out_failed(out) && !*cancel; i++) {
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
