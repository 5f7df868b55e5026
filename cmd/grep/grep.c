/* SPDX-License-Identifier: MIT */
#include "grep/grep.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/report.h"
#include "grep/next.h"
#include "grep/patterns.h"
#include "grep/search.h"
#include "target/target_list.h"

/** A search of all targets. */
struct grep {
	const struct grep_options *options;
	struct pm_scanner *scanner;
	const volatile sig_atomic_t *cancel;
	struct out *out;
	uint64_t deadline_us; /* time at which the search ends; 0 for no limit */
	uint64_t matches;
	bool failed; /* a target was not searched, or not completely */
};

/** Searches one of the targets. */
static void search_one(struct grep *grep, struct target_list *list, size_t index)
{
	const char *word = list->words[index];
	struct pm_error error = { 0 };
	struct text prefix = { 0 };
	struct grep_target target = { .cancel = grep->cancel,
		                      .deadline_us = grep->deadline_us,
		                      .start_ticks = target_list_start_ticks(list, index),
		                      .view = { .options = grep->options,
		                                .form = grep_options_form(grep->options) } };

	if (target_list_is_several(list)) {
		text_format(&prefix, "%s:", word);
		/* If a word refers to several targets, the list has only PIDs. */
		target.view.pid = (pid_t)strtol(word, NULL, 10);
	}
	target.view.prefix = text_terminate(&prefix);

	int status = grep_search(&target, word, grep->scanner, grep->out, &error);
	grep->matches += target.matches;
	if (target.incomplete)
		grep->failed = true;

	if (status <= 0)
		out_flush(grep->out);
	if (status == 0)
		target_list_lacks(list, &error);
	if (status < 0 && target_list_failed(list, index, &error,
	                                     grep->options->search.output.quiet) == STATUS_ERROR)
		grep->failed = true;

	text_deinit(&prefix);
}

/** Returns whether the search can end before the remaining targets are searched. */
static bool is_enough(const struct grep *grep)
{
	return out_failed(grep->out) || *grep->cancel ||
	       (grep->options->quiet && grep->matches > 0);
}

/**
 * Returns the exit status. As in grep(1), with -q this is 0 if there is a match, even if an error
 * occurred.
 */
static enum status status_of(const struct grep *grep)
{
	if (grep->failed && !(grep->options->quiet && grep->matches > 0))
		return STATUS_ERROR;
	return grep->matches > 0 ? STATUS_OK : STATUS_NOTHING;
}

/**
 * If nothing was found and a pattern has an anchor, reports where anchors match, because the user
 * may expect anchors to match at the start and end of lines.
 */
static void report_hint(const struct grep *grep)
{
	const unsigned no_anchors = PM_PATTERN_FIXED | PM_PATTERN_HEX | PM_PATTERN_MULTILINE;
	const struct grep_options *options = grep->options;

	if (grep->matches > 0 || grep->failed || options->search.output.quiet ||
	    (options->flags & no_anchors))
		return;

	if (grep_patterns_have_anchors(&options->patterns))
		report_note("^ and $ match only at the start and end of regions; with -M, they "
		            "match at the start and end of lines, too");
}

static bool is_late(const struct grep *grep)
{
	return grep->deadline_us > 0 && clock_us() >= grep->deadline_us;
}

/** Searches the targets of a list, until the time limit. */
static void search_list(struct grep *grep, struct target_list *list)
{
	if (grep->options->search.output.csv) {
		const struct grep_view view = { .options = grep->options };
		grep_line_csv_header(&view, grep->out);
	}

	for (size_t i = 0; i < list->count && !is_enough(grep); i++) {
		if (i > 0 && is_late(grep)) {
			report_error("the time limit has ended the search: %zu of %zu processes "
			             "were not searched",
			             list->count - i, list->count);
			grep->failed = true;
			break;
		}
		search_one(grep, list, i);
	}

	out_flush(grep->out);
	if (target_list_report(list, grep->options->search.output.quiet) == STATUS_ERROR)
		grep->failed = true;
}

/** Searches all targets that a word refers to. */
static enum status search_all(struct grep *grep, const char *word)
{
	struct target_list list;
	struct pm_error error;

	int status = target_list_read(&list, word, grep->options->which, &error);
	if (status == 0 && grep->options->save && list.count > 1)
		status = pm_error_set(&error, PM_ERROR_USAGE, 0,
		                      "'--save' searches one process, but '%s' refers to %zu", word,
		                      list.count);
	if (status == 0)
		search_list(grep, &list);
	target_list_deinit(&list);
	if (status < 0)
		return report_failure(&error);

	report_hint(grep);
	return status_of(grep);
}

/**
 * Parses the operands: the pattern (unless an option gives one), the TARGET and the REGIONs.
 * @return  the TARGET, or NULL after an error
 */
static const char *parse_operands(struct grep_options *options, const struct cli_result *words,
                                  struct pm_error *error)
{
	char **operands = words->operands;
	int count = words->count;

	if (!options->patterns.given && options->numbers.count == 0) {
		grep_patterns_add(&options->patterns, operands[0], strlen(operands[0]));
		operands++;
		count--;
	}

	if (selection_add_words(&options->search.selection, operands + 1, count - 1, error) < 0)
		return NULL;

	return operands[0];
}

static int create_scanner(const struct grep_options *options, struct pm_scanner **scanner,
                          struct pm_error *error)
{
	const struct grep_numbers *numbers = &options->numbers;

	if (numbers->count > 0)
		return pm_number_scanner_create(numbers->tests, numbers->count, numbers->aligned,
		                                scanner, error);
	return grep_patterns_compile(&options->patterns, options->flags, scanner, error);
}

static enum status run(struct grep_options *options, const struct cli_result *words,
                       struct out *out)
{
	struct pm_error error;
	struct grep grep = { .options = options, .cancel = interrupt_catch(), .out = out };

	const char *wrong = grep_options_wrong(options);
	if (wrong) {
		report_error("%s", wrong);
		return STATUS_ERROR;
	}
	out_set_colour(out, options->search.output.colour);
	if (options->next)
		return grep_next(options, words->count > 0 ? words->operands[0] : NULL, grep.cancel,
		                 out);

	const char *target = parse_operands(options, words, &error);
	if (!target)
		return report_failure(&error);

	/* As in grep(1), nothing matches if there is no pattern (-f with an empty file), or with
	 * -m 0. */
	if ((options->patterns.count == 0 && options->numbers.count == 0) || options->max == 0)
		return STATUS_NOTHING;
	if (create_scanner(options, &grep.scanner, &error) < 0)
		return report_failure(&error);

	if (options->timeout > 0)
		grep.deadline_us = clock_us() + (uint64_t)(options->timeout * 1e6);
	enum status status = search_all(&grep, target);

	pm_scanner_destroy(grep.scanner);
	return status;
}

/**
 * Checks the number of operands, and reports an error if it is wrong. With -e, -f, --int or --float
 * there is no PATTERN operand. With --next, the file of hits says what TARGET is.
 */
static bool check_operands(const struct grep_options *options, const struct cli_result *words)
{
	struct cli_spec spec = grep_spec;

	if (options->next) {
		spec.operands = "[TARGET]";
		spec.operands_min = 0;
		spec.operands_max = 1;
	} else if (options->patterns.given || options->numbers.count > 0)
		spec.operands = "TARGET [REGION]...";
	else
		spec.operands_min = 2;
	return cli_check_operands(&spec, words);
}

enum status grep_run(struct out *out, int argc, char **argv)
{
	struct grep_options options = { .max = UINT64_MAX };
	struct cli_result words;
	struct pm_error error;

	if (selection_init(&options.search.selection, &error) < 0)
		return report_failure(&error);

	enum status status;
	if (cli_parse(&grep_spec, out, argc, argv, &options, &words) &&
	    check_operands(&options, &words))
		status = run(&options, &words, out);
	else
		status = words.status;

	grep_patterns_deinit(&options.patterns);
	selection_deinit(&options.search.selection);
	return status;
}
