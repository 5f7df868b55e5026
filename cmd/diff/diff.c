/* SPDX-License-Identifier: MIT */
#include "diff/diff.h"

#include <stddef.h>
#include <string.h>

#include <procmem/number.h>

#include "base/report.h"
#include "diff/html.h"
#include "diff/print.h"
#include "diff/rows.h"
#include "diff/sites.h"
#include "html/report.h"

enum { OPTION_BY = CLI_LONG_ONLY, OPTION_FORCE, OPTION_CSV, OPTION_HTML };

static const struct cli_option diff_option_list[] = {
	{ OPTION_BY, "by", "WHAT",
	  "print sums by kind, mapping or owner, or only the\ncall sites of traces (site)" },
	{ 'n', "top", "N", "show only the N largest changes" },
	{ OPTION_CSV, "csv", NULL, "print comma-separated values, sizes in bytes" },
	{ OPTION_FORCE, "force", NULL, "allow comparing two different processes" },
	{ OPTION_HTML, "html", "FILE", "also write a report to FILE, which a browser shows" },
	{ 0 },
};

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	static const char *const words[] = {
		[DIFF_BY_KIND] = "kind",
		[DIFF_BY_MAPPING] = "mapping",
		[DIFF_BY_OWNER] = "owner",
		[DIFF_BY_SITE] = "site",
	};
	struct diff_options *options = into;

	switch (id) {
	case OPTION_FORCE:
		options->force = true;
		return 0;
	case OPTION_CSV:
		options->output.csv = true;
		return 0;
	case OPTION_HTML:
		return html_report_parse_path(value, &options->html, error);
	case 'n':
		options->top_given = true;
		return pm_parse_decimal(value, UINT32_MAX, &options->top, error);
	default:
		break;
	}

	for (enum diff_by by = DIFF_BY_KIND; by <= DIFF_BY_SITE; by++) {
		if (strcmp(value, words[by]) == 0) {
			options->by = by;
			return 0;
		}
	}
	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "cannot sum up by '%s': use kind, mapping, owner or site", value);
}

static const struct cli_group groups[] = {
	{ "What to show:", diff_option_list, parse_option, 0 },
	{ "Which regions:", selection_options, selection_parse_option,
	  offsetof(struct diff_options, selection) },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct diff_options, output) },
	{ 0 },
};

static const char *const exclusive[] = { "csv json", NULL };

const struct cli_spec diff_spec = {
	.command = "diff",
	.operands = "BEFORE AFTER",
	.purpose =
		"Shows what became of the regions of a process between two samples: which grew,\n"
		"shrank, appeared, disappeared, merged, split or moved, the largest change first.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "BEFORE and AFTER are each a recording, a saved smaps or maps file, or a TARGET\n"
		 "(a running process as it is now). FILE means the last sample of a recording.\n"
		 "FILE@N, FILE@first, FILE@last, FILE@2026-01-31T12:00 and FILE@12:00 (UTC)\n"
		 "select another sample. If both samples have chunks of malloc ('snap --heap',\n"
		 "'watch --record --heap'), the classes of chunks that changed follow. If one\n"
		 "sample has them, those of a running process are counted now. If both samples\n"
		 "have call sites ('trace --record'), those that changed follow. The exit status\n"
		 "is 1 if there are differences, 0 if there are none.",
	.examples = {
		{ "procmem diff java.pmrec@first java",
		  "what changed in the process called java since the first sample" },
		{ "procmem diff --by kind monday/smaps tuesday/smaps",
		  "the kinds of memory that differ in two saved files" },
	},
	.operands_min = 2,
	.operands_max = 2,
};

/**
 * Checks that the two samples can be compared: they must be of the same process, unless --force is
 * given, and both or neither must have resident sizes.
 */
static int check(const struct diff_options *options, const struct sampled *before,
                 const struct sampled *after, struct pm_error *error)
{
	const char *maps = before->word, *other = after->word;

	if (before->identified && after->identified && !options->force &&
	    !pm_process_id_equal(&before->id, &after->id))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s and %s are different processes (start time or boot "
		                    "ID differs); use --force to compare them anyway",
		                    before->word, after->word);

	if (before->sizes_known == after->sizes_known)
		return 0;

	if (before->sizes_known) {
		maps = after->word;
		other = before->word;
	}

	return pm_error_set(
		error, PM_ERROR_USAGE, 0,
		"%s is a maps file, which has no resident sizes: compare it with another maps "
		"file, not with %s",
		maps, other);
}

/** Returns where the kernel has mapped its code into a program; 0 if it has not. */
static uint64_t kernel_code(const struct pm_regions *regions)
{
	for (size_t i = 0; i < regions->count; i++)
		if (strcmp(regions->items[i].mapping, "[vdso]") == 0)
			return regions->items[i].start;

	return 0;
}

/**
 * Reports that a process called exec between the samples. Each exec maps the code of the kernel
 * again, at a random address, and nothing else moves it.
 */
static void report_exec(const struct sampled *before, const struct sampled *after)
{
	uint64_t was = kernel_code(&before->regions), is = kernel_code(&after->regions);

	if (before->identified && after->identified && was != 0 && is != 0 && was != is &&
	    pm_process_id_equal(&before->id, &after->id))
		report_note("process %d called exec between the samples: the memory of two "
		            "programs is compared",
		            (int)after->id.pid);
}

/** What besides regions is compared. */
struct extras {
	struct diff_chunks chunks;
	struct diff_sites sites;
};

static void deinit_extras(struct extras *extras)
{
	diff_chunks_deinit(&extras->chunks);
	diff_sites_deinit(&extras->sites);
}

/** Compares what options select. */
static int init_extras(struct extras *extras, const struct diff_options *options,
                       const struct sampled *before, const struct sampled *after,
                       struct pm_error *error)
{
	if (options->by == DIFF_BY_SITE && options->output.csv)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "--csv prints changes of regions, not call sites: use --json");
	if (options->by == DIFF_BY_SITE && !pm_select_is_everything(options->selection.select))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "--by site compares call sites: options that select regions "
		                    "cannot be used with it");
	if (options->by != DIFF_BY_SITE &&
	    diff_chunks_init(&extras->chunks, options, before, after, error) < 0)
		return -1;
	return diff_sites_init(&extras->sites, options, before, after, error);
}

static void print(const struct diff_rows *rows, const struct extras *extras, struct out *out)
{
	bool bytes = rows->options->output.bytes;

	if (rows->options->output.json) {
		diff_print_json(rows, &extras->chunks, &extras->sites, out);
		return;
	}

	if (rows->options->output.csv) {
		diff_print_csv(rows, out);
		return;
	}

	diff_print(rows, out);
	diff_chunks_print(&extras->chunks, bytes, out);
	diff_sites_print(&extras->sites, bytes, out);
}

/**
 * Compares two samples, and prints the difference.
 * @return 1 if the samples differ, 0 if not, -1 on error
 */
static int compare(const struct diff_options *options, const struct sampled *before,
                   const struct sampled *after, struct out *out, struct pm_error *error)
{
	struct pm_growth growth;
	struct extras extras = { 0 };
	struct diff_rows rows;

	if (check(options, before, after, error) < 0 ||
	    pm_growth_compare(&before->regions, &after->regions, &growth, error) < 0)
		return -1;

	if (init_extras(&extras, options, before, after, error) < 0 ||
	    diff_rows_init(&rows, options, before, after, &growth, error) < 0) {
		deinit_extras(&extras);
		pm_growth_deinit(&growth);
		return -1;
	}

	if (options->output.verbose && !options->output.quiet)
		report_note("compared %zu region%s of BEFORE with %zu of AFTER: %zu group%s "
		            "(matching regions are in the same group)",
		            before->regions.count, text_plural(before->regions.count),
		            after->regions.count, growth.count, text_plural(growth.count));

	if (!options->output.quiet)
		report_exec(before, after);
	print(&rows, &extras, out);
	if (options->output.csv && !options->output.quiet &&
	    extras.chunks.count + extras.sites.count > 0)
		report_note(
			"classes of chunks and call sites changed, too: they are not in the CSV; "
			"use --json");
	if (!options->output.quiet)
		diff_sites_notes(&extras.sites);

	int written = 0;
	if (options->html)
		written = diff_html_write(&rows, &extras.chunks, &extras.sites, options->html,
		                          error);

	bool differ = extras.sites.count > 0;
	if (options->by != DIFF_BY_SITE)
		differ = differ || rows.count > 0 || extras.chunks.count > 0;
	deinit_extras(&extras);
	diff_rows_deinit(&rows);
	pm_growth_deinit(&growth);

	return written < 0 ? -1 : differ;
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
