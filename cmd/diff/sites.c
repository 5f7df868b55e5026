/* SPDX-License-Identifier: MIT */
#include "diff/sites.h"

#include <inttypes.h>
#include <stdlib.h>

#include <procmem/recording.h>

#include "base/delta.h"
#include "base/minmax.h"
#include "base/report.h"
#include "base/utf8.h"
#include "target/frames.h"
#include "view/table.h"

/* Number of stacks that are shown by default. */
enum { SITES_SHOWN = 20 };

enum { DELTA, BEFORE, AFTER, SITE, COLUMNS };

static const struct table_column columns[COLUMNS] = {
	[DELTA] = { .title = "DELTA", .right = true },
	[BEFORE] = { .title = "BEFORE", .right = true },
	[AFTER] = { .title = "AFTER", .right = true },
	[SITE] = { .title = "CALL SITE" },
};

/** The table. */
struct view {
	const struct diff_sites *sites;
	bool bytes; /* print sizes in bytes */
};

/**
 * Reads the sites of a sample.
 * @param found  receives the number of the sample that has the sites
 * @return       1 if it has sites, 0 if not, -1 on errors
 */
static int load(const struct sampled *sampled, uint64_t *found, struct pm_site_list *list,
                struct pm_error *error)
{
	struct pm_recording *recording;
	int result = sampled_open_recording(sampled, &recording, error);

	if (result <= 0)
		return result;

	result = pm_recording_read_sites(recording, sampled->number, found, list, error);
	pm_recording_close(recording);
	return result;
}

/** Reads the sites of both samples, and sets `known` and `same_trace`. */
static int read_both(struct diff_sites *sites, const struct sampled *before,
                     const struct sampled *after, struct pm_error *error)
{
	uint64_t was = 0, is = 0;
	int first = load(before, &was, &sites->before, error);
	int second = first < 0 ? -1 : load(after, &is, &sites->after, error);
	bool same_file = sampled_same_recording(before, after);

	if (second < 0)
		return -1;

	sites->sample_before = was == before->number ? 0 : was;
	sites->sample_after = is == after->number ? 0 : is;
	sites->known = first > 0 && second > 0;
	sites->same_trace = same_file && sites->before.first == sites->after.first;

	/* Two samples can have the sites of the same measurement. */
	if (same_file && was == is && before->number != after->number)
		sites->known = false;
	return 0;
}

/** Reports which sample has no sites, although --by site was given. */
static int report_missing(const struct diff_sites *sites, const struct sampled *before,
                          const struct sampled *after, struct pm_error *error)
{
	const char *word = before->word;

	if (sites->before.sites && sites->after.sites)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "both samples have the call sites of sample %" PRIu64
		                    ": choose samples that 'procmem trace --record' added",
		                    sites->sample_after > 0 ? sites->sample_after : after->number);
	if (sites->before.sites)
		word = after->word;
	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "%s has no call sites: 'procmem trace --record FILE' adds them to a "
	                    "recording",
	                    word);
}

int diff_sites_init(struct diff_sites *sites, const struct diff_options *options,
                    const struct sampled *before, const struct sampled *after,
                    struct pm_error *error)
{
	*sites = (struct diff_sites){ 0 };
	if (!pm_select_is_everything(options->selection.select))
		return 0;
	if (read_both(sites, before, after, error) < 0)
		return -1;
	if (!sites->known && options->by == DIFF_BY_SITE)
		return report_missing(sites, before, after, error);
	if (!sites->known)
		return 0;
	if (pm_site_list_compare(&sites->before, &sites->after, &sites->changes, &sites->count,
	                         error) < 0)
		return -1;

	sites->shown = sites->count;
	if (options->top_given)
		sites->shown = pm_min_size(sites->count, (size_t)options->top);
	else if (!options->output.json && options->by != DIFF_BY_SITE)
		sites->shown = pm_min_size(sites->count, SITES_SHOWN);
	return 0;
}

void diff_sites_deinit(struct diff_sites *sites)
{
	pm_site_list_deinit(&sites->before);
	pm_site_list_deinit(&sites->after);
	free(sites->changes);
	*sites = (struct diff_sites){ 0 };
}

static const struct pm_site *site_of(const struct pm_site_change *change)
{
	return change->after.site ? change->after.site : change->before.site;
}

static void put_size(uint64_t size, bool bytes, struct text *text)
{
	if (bytes)
		text_decimal(text, size);
	else
		text_size(text, size);
}

/**
 * Adds the resident bytes of a stack in a sample.
 * @param bound  maximum number of bytes of a stack that the sample does not have
 */
static void put_resident(const struct pm_site_sums *sums, uint64_t bound, bool bytes,
                         struct text *text)
{
	if (sums->site || bound == 0)
		put_size(sums->resident, bytes, text);
	else
		text_char(text, '?');
}

static void put_stack(const struct pm_site *site, struct text *text)
{
	struct text line = { 0 };

	frames_line(&site->stack, site->before, &line);
	utf8_escape(text, line.bytes ? line.bytes : "", line.length);
	text_deinit(&line);
}

static void cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct view *view = context;
	const struct diff_sites *sites = view->sites;
	const struct pm_site_change *change = &sites->changes[row];

	switch (column) {
	case DELTA:
		if (change->uncertain > 0)
			text_char(text, '~');
		delta_put_bytes(text, change->resident, view->bytes);
		break;
	case BEFORE:
		put_resident(&change->before, sites->before.bound, view->bytes, text);
		break;
	case AFTER:
		put_resident(&change->after, sites->after.bound, view->bytes, text);
		break;
	default:
		put_stack(site_of(change), text);
	}
}

static enum out_style style(void *context, size_t row, size_t column)
{
	const struct view *view = context;

	if (column == DELTA)
		return delta_style(view->sites->changes[row].resident);
	return columns[column].style;
}

static const char *backend_of(const struct pm_site_list *list)
{
	return list->backend == PM_TRACE_PTRACE ? "ptrace" : "perf";
}

/**
 * Adds what was traced until a sample.
 * @param sample  number of the earlier sample that has the sites, or 0
 */
static void put_trace(const struct pm_site_list *list, uint64_t sample, struct text *line)
{
	text_format(line, "traced for %.1f s by %s", list->seconds, backend_of(list));
	if (list->faults)
		text_string(line, ", with page faults");
	text_format(line, ", %zu site%s", list->count, text_plural(list->count));
	if (sample > 0)
		text_format(line, ", at sample %" PRIu64, sample);
}

static void print_heading(const struct diff_sites *sites, struct out *out)
{
	struct text line = { 0 };

	text_string(&line, "\ncall sites before: ");
	put_trace(&sites->before, sites->sample_before, &line);
	text_string(&line, "\ncall sites after:  ");
	put_trace(&sites->after, sites->sample_after, &line);
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

static void print_table(const struct diff_sites *sites, bool bytes, struct out *out)
{
	size_t widths[TABLE_COLUMNS_MAX];
	struct view view = { sites, bytes };
	const struct table table = {
		.columns = columns,
		.column_count = COLUMNS,
		.rows = sites->shown,
		.titles = true,
		.open_end = out->width == SIZE_MAX,
		.context = &view,
		.cell = cell,
		.style = style,
	};

	table_measure(&table, widths);
	table_print(&table, widths, out);
}

void diff_sites_print(const struct diff_sites *sites, bool bytes, struct out *out)
{
	if (!sites->known)
		return;

	print_heading(sites, out);
	if (sites->shown > 0)
		print_table(sites, bytes, out);
	if (sites->count == 0)
		out_string(out, "no call site changed\n");
	else if (sites->shown < sites->count)
		out_format(out, "\xe2\x80\xa6 %zu more call sites changed (to see them: --top)\n",
		           sites->count - sites->shown);
}

void diff_sites_notes(const struct diff_sites *sites)
{
	if (!sites->known)
		return;

	if (!sites->same_trace)
		report_note("the call sites are of two traces: each trace has only memory that was "
		            "mapped or touched while it ran");
	if (sites->before.lost > 0 || sites->after.lost > 0)
		report_note("events were lost during the trace: sizes of call sites are "
		            "approximate");
}

static void put_trace_json(struct json *json, const char *key, const struct pm_site_list *list,
                           uint64_t sample)
{
	json_open(json, key, '{');
	if (sample > 0)
		json_put(json, "sample", json_number(sample));
	json_put(json, "backend", json_string(backend_of(list)));
	json_put(json, "seconds", json_real(list->seconds));
	json_put(json, "page_faults", json_boolean(list->faults));
	json_put(json, "events", json_number(list->events));
	json_put(json, "lost", json_number(list->lost));
	json_put(json, "difference", json_number(list->difference));
	json_put(json, "resident", json_number(list->before_now));
	json_put(json, "resident_start", json_number(list->before_start));
	json_shut(json, '}');
}

static void put_change_json(const struct pm_site_change *change, struct json *json)
{
	const struct pm_site *site = site_of(change);

	json_open(json, NULL, '{');
	json_put(json, "stack", frames_json(&site->stack));
	json_put(json, "resident_before", json_number(change->before.resident));
	json_put(json, "resident_after", json_number(change->after.resident));
	json_put(json, "delta", json_integer(change->resident));
	if (change->uncertain > 0)
		json_put(json, "net_error", json_number(change->uncertain));
	json_put(json, "mapped_before", json_number(change->before.mapped));
	json_put(json, "mapped_after", json_number(change->after.mapped));
	json_put(json, "calls_before", json_number(change->before.calls));
	json_put(json, "calls_after", json_number(change->after.calls));
	if (site->stack.cut)
		json_put(json, "cut", json_true());
	if (site->before)
		json_put(json, "earlier", json_true());
	json_shut(json, '}');
}

void diff_sites_put_json(const struct diff_sites *sites, struct json *json)
{
	if (!sites->known)
		return;

	json_open(json, "trace", '{');
	json_put(json, "same_trace", json_boolean(sites->same_trace));
	put_trace_json(json, "before", &sites->before, sites->sample_before);
	put_trace_json(json, "after", &sites->after, sites->sample_after);
	json_shut(json, '}');

	json_open(json, "sites", '[');
	for (size_t i = 0; i < sites->shown; i++)
		put_change_json(&sites->changes[i], json);
	json_shut(json, ']');
}
