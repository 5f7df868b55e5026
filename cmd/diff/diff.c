/* SPDX-License-Identifier: MIT */
#include "diff/diff.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "diff/print.h"

enum { OPTION_BY = CLI_LONG_ONLY, OPTION_FORCE };

static const struct cli_option diff_option_list[] = {
	{ OPTION_BY, "by", "WHAT", "sum up by kind or mapping" },
	{ 'n', "top", "N", "only the N largest changes" },
	{ OPTION_FORCE, "force", NULL, "compare different processes, too" },
	{ 0 },
};

static int take(void *into, int id, const char *value, struct pm_error *error)
{
	struct diff_options *options = into;
	switch (id) {
	case OPTION_FORCE:
		options->force = true;
		return 0;
	case 'n':
		options->top_given = true;
		return pm_parse_decimal(value, UINT32_MAX, &options->top, error);
	default:
		break;
	}
	if (strcmp(value, "kind") != 0 && strcmp(value, "mapping") != 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "differences are summed up by kind or mapping, not '%s'",
		                    value);

	options->by = *value == 'k' ? DIFF_BY_KIND : DIFF_BY_MAPPING;
	return 0;
}

static const struct cli_group groups[] = {
	{ "What to show:", diff_option_list, take, 0 },
	{ "Which regions:", selection_options, selection_parse_option,
	  offsetof(struct diff_options, selection) },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct diff_options, output) },
	{ 0 },
};

static const char *const exclusive[] = { NULL };

const struct cli_spec diff_spec = {
	.command = "diff",
	.operands = "BEFORE AFTER",
	.purpose = "Tells what became of the regions of a process between two moments: which grew,\n"
	           "shrank, came, went, merged, split or moved, the largest change first.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "BEFORE and AFTER are each a recording, which means its last sample, or FILE@N,\n"
	         "FILE@first, FILE@last, FILE@2026-01-31T12:00 (UTC), FILE@12:00; a saved smaps\n"
	         "or maps file; or a TARGET, which means now. Exit status 1: they differ; 0: they\n"
	         "do not.",
	.examples = {
		{ "procmem diff java.pmrec@first java", "what became of the process called java since the first sample" },
		{ "procmem diff --by kind monday/smaps tuesday/smaps", "which kinds of memory differ in two saved files" },
	},
	.operands_min = 2,
	.operands_max = 2,
};

static int compare_rows(const void *one, const void *other)
{
	const struct diff_row *a = one, *b = other;
	int64_t first = llabs(diff_delta(a)), second = llabs(diff_delta(b));
	if (first == second) {
		first = llabs(diff_size_delta(a));
		second = llabs(diff_size_delta(b));
	}

	if (first != second)
		return first < second ? 1 : -1;

	return (a->region->start > b->region->start) - (a->region->start < b->region->start);
}

static void add_sizes(struct pm_growth_sizes *sum, const struct pm_growth_sizes *sizes)
{
	sum->size += sizes->size;
	sum->rss += sizes->rss;
	sum->swap += sizes->swap;
}

/**
 * Marks the regions of a sample that the user chose.
 * @return how many; -1: an error other than that none fits
 */
static int choose(const struct diff_options *options, const struct pm_regions *regions,
                  bool *chosen, struct pm_error *error)
{
	struct pm_region_range *ranges;
	size_t count;
	struct pm_error cause = { 0 };
	if (pm_select_apply(options->selection.select, regions, &ranges, &count, &cause) < 0) {
		if (cause.kind == PM_ERROR_NOT_FOUND)
			return 0;
		*error = cause;
		return -1;
	}

	for (size_t i = 0; i < count; i++)
		if (ranges[i].region != SIZE_MAX)
			chosen[ranges[i].region] = true;

	free(ranges);
	return count > 0;
}

/** Whether two rows belong into one sum. */
static bool same_group(enum diff_by by, const struct diff_row *one, const struct diff_row *other)
{
	if (by == DIFF_BY_KIND)
		return one->region->kind == other->region->kind;
	return strcmp(one->region->mapping, other->region->mapping) == 0 &&
	       (*one->region->mapping || one->region->kind == other->region->kind);
}

/** Leaves out the sums of which nothing changed. */
static void drop_unchanged(struct diff *diff)
{
	size_t kept = 0;
	for (size_t i = 0; i < diff->count; i++)
		if (diff->rows[i].changed)
			diff->rows[kept++] = diff->rows[i];
	diff->count = kept;
}

/** Sums up rows that have something in common. */
static void sum_up(struct diff *diff)
{
	size_t kept = 0;
	for (size_t i = 0; i < diff->count; i++) {
		size_t at = 0;
		while (at < kept && !same_group(diff->options->by, &diff->rows[at], &diff->rows[i]))
			at++;
		if (at == kept) {
			diff->rows[kept++] = diff->rows[i];
			continue;
		}
		add_sizes(&diff->rows[at].was, &diff->rows[i].was);
		add_sizes(&diff->rows[at].is, &diff->rows[i].is);
		diff->rows[at].regions += diff->rows[i].regions;
		diff->rows[at].changed |= diff->rows[i].changed;
	}

	diff->count = kept;
	drop_unchanged(diff);
	for (size_t i = 0; i < diff->count; i++) {
		int64_t delta = diff_delta(&diff->rows[i]);
		if (delta == 0)
			delta = diff_size_delta(&diff->rows[i]);
		diff->rows[i].change = delta > 0   ? PM_CHANGE_GREW
		                       : delta < 0 ? PM_CHANGE_SHRANK
		                                   : PM_CHANGE_SAME;
	}
}

/** Turns the chosen parts that changed into rows. */
static void fill(struct diff *diff, const struct pm_growth *growth, const bool *before,
                 const bool *after)
{
	diff->rows = alloc_array(NULL, growth->count, sizeof *diff->rows);
	for (size_t i = 0; i < growth->count; i++) {
		const struct pm_growth_part *part = &growth->parts[i];
		bool there = part->after != PM_GROWTH_NONE;
		if (!(there && after[part->after]) &&
		    !(part->before != PM_GROWTH_NONE && before[part->before]))
			continue;

		add_sizes(&diff->total.was, &part->was);
		add_sizes(&diff->total.is, &part->is);

		size_t regions = part->after_count > 0 ? part->after_count : part->before_count;
		bool changed = part->change != PM_CHANGE_SAME;
		diff->total.count++;
		diff->total.regions += regions;
		diff->same += !changed;

		/* A sum is one of all regions that have something in common. */
		if (!changed && diff->options->by == DIFF_BY_REGION)
			continue;

		diff->rows[diff->count++] = (struct diff_row){
			.change = part->change,
			.region = there ? &diff->after->regions.items[part->after]
			                : &diff->before->regions.items[part->before],
			.regions = regions,
			.changed = changed,
			.was = part->was,
			.is = part->is,
		};
	}

	if (diff->options->by != DIFF_BY_REGION)
		sum_up(diff);
	qsort(diff->rows, diff->count, sizeof *diff->rows, compare_rows);
	diff->shown = diff->options->top_given && diff->options->top < diff->count
	                      ? (size_t)diff->options->top
	                      : diff->count;
}

/**
 * Whether the two may be compared.
 * @return 0 or -1
 */
static int check(const struct diff_options *options, const struct sampled *before,
                 const struct sampled *after, struct pm_error *error)
{
	if (before->identified && after->identified && !options->force &&
	    !pm_process_id_equal(&before->run, &after->run))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s and %s are different processes (start time or boot "
		                    "differ); --force compares them all the same",
		                    before->word, after->word);

	if (before->sizes_known != after->sizes_known)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s is maps text, which tells no resident sizes: it cannot be "
		                    "compared with %s",
		                    before->sizes_known ? after->word : before->word,
		                    before->sizes_known ? before->word : after->word);

	return 0;
}

/**
 * Compares and prints.
 * @return 1: they differ; 0: they do not; -1: an error
 */
static int compare(const struct diff_options *options, const struct sampled *before,
                   const struct sampled *after, struct out *out, struct pm_error *error)
{
	struct pm_growth growth;
	if (check(options, before, after, error) < 0 ||
	    pm_growth_compare(&before->regions, &after->regions, &growth, error) < 0)
		return -1;

	bool *chosen_before = calloc(before->regions.count + 1, sizeof *chosen_before),
	     *chosen_after = calloc(after->regions.count + 1, 1);
	struct diff diff = { .options = options, .before = before, .after = after };
	int some = -1, others = -1;

	if (!chosen_before || !chosen_after) {
		pm_error_set(error, PM_ERROR_RESOURCES, 0, "out of memory");
	} else if ((some = choose(options, &before->regions, chosen_before, error)) >= 0) {
		others = choose(options, &after->regions, chosen_after, error);
	}

	if (some >= 0 && others >= 0 && options->output.verbose && !options->output.quiet)
		report_note("%zu regions before, %zu after, in %zu parts", before->regions.count,
		            after->regions.count, growth.count);

	if (some >= 0 && others >= 0) {
		fill(&diff, &growth, chosen_before, chosen_after);
		if (options->output.json)
			diff_print_json(&diff, out);
		else
			diff_print(&diff, out);
	}

	int result = some < 0 || others < 0 ? -1 : diff.count > 0;
	free(diff.rows);
	free(chosen_before);
	free(chosen_after);
	pm_growth_deinit(&growth);

	return result;
}

enum status diff_run(struct out *out, int argc, char **argv)
{
	struct diff_options options = { 0 };
	struct cli_result words;
	struct pm_error error;
	struct sampled before = { 0 }, after = { 0 };

	if (selection_init(&options.selection, &error) < 0)
		return report_failure(&error);
	if (!cli_parse(&diff_spec, out, argc, argv, &options, &words) ||
	    !cli_check_operands(&diff_spec, &words)) {
		selection_deinit(&options.selection);
		return words.status;
	}

	out_set_colour(out, options.output.colour);
	int result = -1;
	if (sampled_load(&before, words.operands[0], &error) == 0) {
		if (sampled_load(&after, words.operands[1], &error) == 0) {
			result = compare(&options, &before, &after, out, &error);
			sampled_deinit(&after);
		}
		sampled_deinit(&before);
	}

	selection_deinit(&options.selection);
	if (result < 0)
		return report_failure(&error);

	return result > 0 ? STATUS_NOTHING : STATUS_OK;
}
