/* SPDX-License-Identifier: MIT */
/*
 * Fills a report with two samples: their sizes and kinds side by side, and the tables that the
 * command prints. All texts are kept until the report is written.
 */
#include "diff/html.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "diff/names.h"
#include "html/keep.h"
#include "html/report.h"
#include "html/share.h"
#include "target/chunk_histogram.h"
#include "target/frames.h"

/* Most rows of a table: more than a reader looks at, and a file of less than 1 MB. */
enum { ROWS_MAX = 300, TILES_MAX = 6, TABLES_MAX = 3, LINES_MAX = 4 };

/** Bytes of each kind in a sample. */
struct kind_sums {
	uint64_t bytes[PM_KIND_COUNT];
	uint64_t total;
};

/** The report and what it refers to. */
struct view {
	const struct diff_rows *rows;
	const struct diff_chunks *chunks;
	const struct diff_sites *sites;
	bool sizes; /* resident sizes are known; otherwise, address space is compared */
	struct kind_sums was, is;
	struct html_report report;
	struct html_tile tiles[TILES_MAX];
	struct html_share before[PM_KIND_COUNT], after[PM_KIND_COUNT];
	struct html_changes tables[TABLES_MAX];
	struct html_command command;
	const char *unseen[LINES_MAX];
	struct html_keep kept;
};

/** Keeps a text until the report is written, and empties it. */
static const char *keep(struct view *view, struct text *text)
{
	const char *copy = html_keep_text(&view->kept, text);

	text_deinit(text);
	return copy;
}

/** Returns a size as text. */
static const char *keep_size(struct view *view, uint64_t bytes)
{
	struct text text = { 0 };

	text_size(&text, bytes);
	return keep(view, &text);
}

/** Returns a change with its sign as text. */
static const char *keep_delta(struct view *view, uint64_t before, uint64_t after)
{
	struct text text = { 0 };

	delta_put_bytes(&text, (int64_t)(after - before), false);
	return keep(view, &text);
}

static uint64_t weight(const struct view *view, const struct pm_growth_sizes *sizes)
{
	return view->sizes ? pm_growth_weight(sizes) : sizes->size;
}

/** Adds up the selected regions of a sample by kind. */
static int sum_kinds(const struct view *view, const struct sampled *sampled, struct kind_sums *sums,
                     struct pm_error *error)
{
	const struct pm_regions *regions = &sampled->regions;
	bool *selected = alloc_array(NULL, regions->count + 1, sizeof *selected);

	memset(selected, 0, (regions->count + 1) * sizeof *selected);
	int result = diff_rows_mark(view->rows->options, regions, selected, error);
	for (size_t i = 0; result == 0 && i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		const struct pm_growth_sizes sizes = { .size = region->end - region->start,
			                               .rss = region->bytes[PM_SIZE_RSS],
			                               .swap = region->bytes[PM_SIZE_SWAP] };

		if (!selected[i] || region->kind >= PM_KIND_COUNT)
			continue;
		sums->bytes[region->kind] += weight(view, &sizes);
		sums->total += weight(view, &sizes);
	}
	free(selected);
	return result;
}

/** Fills the shares of the kinds that have memory. @return their number */
static size_t fill_shares(const struct kind_sums *sums, struct html_share *shares)
{
	size_t count = 0;

	for (unsigned kind = 0; kind < PM_KIND_COUNT; kind++)
		if (sums->bytes[kind] > 0)
			shares[count++] =
				(struct html_share){ .name = pm_kind_name((enum pm_kind)kind),
				                     .colour = kind,
				                     .bytes = sums->bytes[kind] };
	html_share_sort(shares, count);
	return count;
}

/** Adds ", mostly malloc (+74.5M)" if one kind has most of the change. */
static void put_main_kind(const struct view *view, struct text *text)
{
	int64_t total = (int64_t)(view->is.total - view->was.total), most = 0;
	unsigned kind = 0;

	for (unsigned i = 0; i < PM_KIND_COUNT; i++) {
		int64_t change = (int64_t)(view->is.bytes[i] - view->was.bytes[i]);

		if ((total > 0 && change > most) || (total < 0 && change < most)) {
			most = change;
			kind = i;
		}
	}
	if (most == 0 || llabs(most) < llabs(total) / 2)
		return;
	text_format(text, ", mostly %s (", pm_kind_name((enum pm_kind)kind));
	delta_put_bytes(text, most, false);
	text_char(text, ')');
}

/** Adds the time between the samples, if that is known. @return whether it is */
static bool put_time_between(const struct view *view, struct text *text)
{
	const struct sampled *before = view->rows->before, *after = view->rows->after;
	char duration[PM_DURATION_TEXT_SIZE];

	if (before->wall_ns == 0 || after->wall_ns <= before->wall_ns)
		return false;
	pm_format_duration((double)(after->wall_ns - before->wall_ns) / 1e9, duration);
	text_string(text, duration);
	return true;
}

/** Sets the first sentence: by how much memory grew, in which time, and which kind. */
static void set_heading(struct view *view)
{
	uint64_t was = view->was.total, is = view->is.total;
	const char *what = view->sizes ? "Memory" : "The address space";
	struct text text = { 0 }, duration = { 0 };

	if (is == was) {
		text_format(&text, "%s has the same size in both samples", what);
	} else {
		text_format(&text, is > was ? "%s grew by " : "%s shrank by ", what);
		text_size(&text, is > was ? is - was : was - is);
		if (put_time_between(view, &duration))
			text_format(&text, " in %s", text_terminate(&duration));
		put_main_kind(view, &text);
	}
	text_deinit(&duration);
	view->report.heading = keep(view, &text);
}

static void add_tile(struct view *view, const char *label, const char *value, const char *note)
{
	view->tiles[view->report.tile_count++] =
		(struct html_tile){ .label = label, .value = value, .note = note };
}

/** Returns where a sample is from: "sample 3 of run.pmrec, 2026-01-31T12:00:00.000Z". */
static const char *describe(struct view *view, const struct sampled *sampled)
{
	size_t length = sampled->number > 0 ? sampled->file_length : strlen(sampled->word);
	size_t start = length;
	struct text text = { 0 };

	while (start > 0 && sampled->word[start - 1] != '/')
		start--;
	if (sampled->number > 0)
		text_format(&text, "sample %llu of ", (unsigned long long)sampled->number);
	text_bytes(&text, sampled->word + start, length - start);
	if (sampled->wall_ns) {
		text_string(&text, ", ");
		delta_put_time(&text, sampled->wall_ns);
	}
	return keep(view, &text);
}

static void set_tiles(struct view *view)
{
	const struct diff_rows *rows = view->rows;
	struct text text = { 0 };

	view->report.tiles = view->tiles;
	add_tile(view, "before", keep_size(view, view->was.total), describe(view, rows->before));
	add_tile(view, "after", keep_size(view, view->is.total), describe(view, rows->after));
	add_tile(view, "difference", keep_delta(view, view->was.total, view->is.total), NULL);
	if (view->is.total != view->was.total)
		view->tiles[view->report.tile_count - 1].tone = view->is.total > view->was.total
		                                                        ? HTML_BAD
		                                                        : HTML_GOOD;

	if (put_time_between(view, &text))
		add_tile(view, "time between", keep(view, &text), NULL);
	text_format(&text, "%zu \xe2\x86\x92 %zu", rows->before->regions.count,
	            rows->after->regions.count);
	add_tile(view, "regions", keep(view, &text), NULL);

	if (view->chunks->known) {
		const struct pm_histogram *was = &view->chunks->before, *is = &view->chunks->after;

		add_tile(view, "in use in malloc", keep_size(view, is->bytes),
		         keep_delta(view, was->bytes, is->bytes));
	}
}

/** Fills a change from a row of the table that the command prints. */
static struct html_change change_of(struct view *view, const struct diff_row *row)
{
	enum diff_by by = view->rows->options->by;
	struct text text = { 0 };
	struct html_change change = { .kind = "",
		                      .mapping = "",
		                      .born = row->change == PM_CHANGE_NEW,
		                      .gone = row->change == PM_CHANGE_GONE,
		                      .before = weight(view, &row->was),
		                      .after = weight(view, &row->is) };

	if (by == DIFF_BY_KIND) {
		change.name = pm_kind_name((enum pm_kind)row->region->kind);
		return change;
	}
	if (by == DIFF_BY_OWNER) {
		change.name = row->owner == PM_OWNER_UNKNOWN ? "(not known)"
		                                             : pm_owner_name(row->owner);
		return change;
	}

	change.kind = pm_kind_name((enum pm_kind)row->region->kind);
	diff_names_put_mapping(row, &text);
	change.mapping = keep(view, &text);
	if (by == DIFF_BY_MAPPING) {
		change.name = change.mapping;
		change.mapping = "";
	} else {
		diff_names_put_address(row, &text);
		change.name = keep(view, &text);
	}
	return change;
}

/** Adds a table. @return its rows, to be filled */
static struct html_change *add_table(struct view *view, struct html_changes table, size_t total)
{
	size_t number = view->report.more_count++;
	struct html_change *rows = html_keep_array(&view->kept, table.count, sizeof *rows);

	table.rows = rows;
	table.left_out = total - table.count;
	view->tables[number] = table;
	view->report.more = view->tables;
	return rows;
}

/** Counts the first rows whose memory differs. Rows are sorted by the amount of their change. */
static size_t count_changed(const struct view *view)
{
	const struct diff_rows *rows = view->rows;
	size_t count = rows->shown < ROWS_MAX ? rows->shown : ROWS_MAX;

	while (count > 0 &&
	       weight(view, &rows->rows[count - 1].was) == weight(view, &rows->rows[count - 1].is))
		count--;
	return count;
}

static void add_changes(struct view *view)
{
	static const char *const names[] = {
		[DIFF_BY_REGION] = "region", [DIFF_BY_KIND] = "kind", [DIFF_BY_MAPPING] = "mapping",
		[DIFF_BY_OWNER] = "owner",   [DIFF_BY_SITE] = NULL, /* its table is add_sites() */
	};
	const struct diff_rows *rows = view->rows;
	enum diff_by by = rows->options->by;
	struct html_changes table = {
		.id = "changes",
		.heading = "Before and after",
		.what = names[by],
		.count = count_changed(view),
	};

	if (by == DIFF_BY_SITE || table.count == 0)
		return;
	if (by == DIFF_BY_REGION || by == DIFF_BY_MAPPING)
		table.kind = "kind";
	if (by == DIFF_BY_REGION)
		table.mapping = "mapping";
	struct html_change *changes = add_table(view, table, rows->count);
	for (size_t i = 0; i < table.count; i++)
		changes[i] = change_of(view, &rows->rows[i]);
}

/** Returns a sentence about what a sample has not stored; NULL if it has stored everything. */
static const char *keep_bound(struct view *view, uint64_t before, uint64_t after, const char *what)
{
	struct text text = { 0 };

	if (before == 0 && after == 0)
		return NULL;
	text_string(&text, "Only the largest are stored: where one is new or gone, it may have had "
	                   "up to ");
	text_size(&text, before > after ? before : after);
	text_format(&text, " in the other sample. The same %s can be larger than shown.", what);
	return keep(view, &text);
}

/** Returns the change of the number of chunks of a class: "+1,658 of 512.0K". */
static const char *keep_count(struct view *view, const struct pm_histogram_change *change)
{
	const struct pm_histogram_class *class = change->after ? change->after : change->before;
	struct text text = { 0 };

	text_string(&text, change->uncertain > 0 ? "~" : "");
	text_string(&text, change->count < 0 ? "\xe2\x88\x92" : "+");
	text_grouped(&text, (uint64_t)llabs(change->count));
	text_string(&text, " of ");
	text_grouped(&text, class->size);
	text_string(&text, " B");
	return keep(view, &text);
}

static void add_chunks(struct view *view)
{
	const struct diff_chunks *chunks = view->chunks;
	size_t count = chunks->shown < ROWS_MAX ? chunks->shown : ROWS_MAX;
	const struct html_changes table = {
		.id = "chunks",
		.heading = "Chunks of malloc",
		.what = "chunks",
		.mapping = "what is in them",
		.note = keep_bound(view, chunks->before.bound, chunks->after.bound, "class"),
		.count = count,
	};

	if (!chunks->known || count == 0)
		return;
	struct html_change *rows = add_table(view, table, chunks->count);
	for (size_t i = 0; i < count; i++) {
		const struct pm_histogram_change *change = &chunks->changes[i];
		struct text what = { 0 };

		chunk_histogram_put_what(change->after ? change->after : change->before, &what);
		rows[i] = (struct html_change){ .name = keep_count(view, change),
			                        .kind = "",
			                        .mapping = keep(view, &what),
			                        .born = !change->before,
			                        .gone = !change->after };
		if (change->before)
			rows[i].before = change->before->bytes;
		if (change->after)
			rows[i].after = change->after->bytes;
	}
}

static void add_sites(struct view *view)
{
	const struct diff_sites *sites = view->sites;
	size_t count = sites->shown < ROWS_MAX ? sites->shown : ROWS_MAX;
	const struct html_changes table = {
		.id = "sites",
		.heading = "Call sites",
		.what = "calls",
		.mapping = "call stack, the innermost function first",
		.note = keep_bound(view, sites->before.bound, sites->after.bound, "site"),
		.count = count,
	};

	if (!sites->known || count == 0)
		return;
	struct html_change *rows = add_table(view, table, sites->count);
	for (size_t i = 0; i < count; i++) {
		const struct pm_site_change *change = &sites->changes[i];
		const struct pm_site *site = change->after.site ? change->after.site
		                                                : change->before.site;
		struct text stack = { 0 }, calls = { 0 };

		frames_line(&site->stack, site->before, &stack);
		text_grouped(&calls, change->after.calls);
		rows[i] = (struct html_change){ .name = keep(view, &calls),
			                        .kind = "",
			                        .mapping = keep(view, &stack),
			                        .born = !change->before.site,
			                        .gone = !change->after.site,
			                        .before = change->before.resident,
			                        .after = change->after.resident };
	}
}

/** Sets the header: the process, and where the samples are from. */
static void set_header(struct view *view)
{
	const struct sampled *before = view->rows->before, *after = view->rows->after;
	struct html_report *report = &view->report;
	struct text text = { 0 };

	if (after->identified)
		text_format(&text, "%s (%d): before and after", after->id.comm, (int)after->id.pid);
	else
		text_format(&text, "%s: before and after", after->word);
	report->title = keep(view, &text);

	if (after->identified) {
		report->command = after->id.command;
		report->host = *after->id.host ? after->id.host : NULL;
	}
	report->times_known = before->wall_ns > 0 && after->wall_ns > 0;
	report->start = (double)before->wall_ns / 1e9;
	report->end = (double)after->wall_ns / 1e9;

	text_string(&text, "procmem diff ");
	shell_word_put(&text, before->word);
	text_char(&text, ' ');
	shell_word_put(&text, after->word);
	view->command = (struct html_command){ .command = keep(view, &text),
		                               .purpose = "the same as text" };
	report->commands = &view->command;
	report->command_count = 1;
}

/** Names what the samples do not have. */
static void set_unseen(struct view *view)
{
	const struct diff_options *options = view->rows->options;
	size_t count = 0;

	if (!view->sizes)
		view->unseen[count++] = "resident memory: the samples are maps files, so sizes are "
					"those of the address space";
	if (!pm_select_is_everything(options->selection.select))
		view->unseen[count++] = "regions that the options did not select";
	if (!view->chunks->known)
		view->unseen[count++] = "chunks of malloc: both samples must have them (procmem "
					"snap --heap)";
	if (!view->sites->known)
		view->unseen[count++] = "call sites: both samples must have them (procmem trace "
					"--record)";
	view->report.unseen = view->unseen;
	view->report.unseen_count = count;
}

static void deinit(struct view *view)
{
	html_keep_deinit(&view->kept);
	free(view);
}

int diff_html_write(const struct diff_rows *rows, const struct diff_chunks *chunks,
                    const struct diff_sites *sites, const char *path, struct pm_error *error)
{
	struct view *view = alloc_array(NULL, 1, sizeof *view);

	*view = (struct view){ .rows = rows,
		               .chunks = chunks,
		               .sites = sites,
		               .sizes = rows->before->sizes_known && rows->after->sizes_known };
	int result = sum_kinds(view, rows->before, &view->was, error);
	if (result == 0)
		result = sum_kinds(view, rows->after, &view->is, error);
	if (result == 0) {
		view->report.shares_before = view->before;
		view->report.share_before_count = fill_shares(&view->was, view->before);
		view->report.shares = view->after;
		view->report.share_count = fill_shares(&view->is, view->after);

		set_header(view);
		set_heading(view);
		set_tiles(view);
		add_changes(view);
		add_chunks(view);
		add_sites(view);
		set_unseen(view);

		result = html_report_write(&view->report, path, error);
	}
	deinit(view);
	return result;
}
