/* SPDX-License-Identifier: MIT */
/*
 * The sections of a report in their order. A section whose facts are not known is left out; the
 * last sections name what could not be seen.
 */
#include "html/report.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <procmem/minmax.h>

#include "base/convert.h"
#include "html/cells.h"
#include "html/data.h"
#include "html/icicle.h"
#include "html/share.h"
#include "html/spark.h"
#include "html/timeline.h"

/** Adds a time as "2026-11-23 18:42:19". */
static void put_time(struct text *text, double time)
{
	time_t seconds = (time_t)time;
	struct tm parts;
	char bytes[32];

	if (gmtime_r(&seconds, &parts) && strftime(bytes, sizeof bytes, "%F %T", &parts) > 0)
		text_string(text, bytes);
}

/** Adds an item of the line below the title. */
static void put_item(struct text *line, const char *string)
{
	if (!string || !*string)
		return;
	if (line->length > 0)
		text_string(line, " \xc2\xb7 ");
	text_string(line, string);
}

/** Writes the title, and where the figures come from. */
static void put_header(struct html_document *document, const struct html_report *report)
{
	struct text line = { 0 }, item = { 0 };

	html_document_raw(document, "<header>\n");
	html_document_element(document, "h1", NULL, report->title);
	if (report->command && *report->command) {
		html_document_raw(document, "<p class=\"command\"><code>");
		html_document_text(document, report->command);
		html_document_raw(document, "</code></p>\n");
	}

	if (report->host)
		text_format(&line, "host %s", report->host);
	if (report->times_known) {
		put_time(&item, report->start);
		if (report->end > report->start) {
			text_string(&item, " to ");
			put_time(&item, report->end);
		}
		text_string(&item, " UTC");
		put_item(&line, text_terminate(&item));
		text_clear(&item);
	}

	put_item(&line, report->source);
	if (report->samples > 0) {
		text_grouped(&item, report->samples);
		text_format(&item, " sample%s", text_plural(report->samples));
		put_item(&line, text_terminate(&item));
	}

	put_item(&line, "procmem " PROCMEM_VERSION);
	html_document_element(document, "p", "sub", text_terminate(&line));
	html_document_raw(document, "</header>\n");
	text_deinit(&item);
	text_deinit(&line);
}

static void put_verdict(struct html_document *document, const struct html_report *report)
{
	if (!report->heading)
		return;
	html_document_raw(document, report->tone == HTML_BAD ? "<p class=\"verdict bad\">"
	                                                     : "<p class=\"verdict\">");
	html_document_element(document, "b", NULL, report->heading);
	if (report->verdict)
		html_document_text(document, report->verdict);
	html_document_raw(document, "</p>\n");
}

static void put_tiles(struct html_document *document, const struct html_report *report)
{
	static const char *const classes[] = { NULL, "up", "dn" };

	if (report->tile_count == 0)
		return;
	html_document_raw(document, "<div class=\"tiles\">\n");
	for (size_t i = 0; i < report->tile_count; i++) {
		const struct html_tile *tile = &report->tiles[i];

		html_document_raw(document, "<div>");
		html_document_element(document, "span", NULL, tile->label);
		html_document_element(document, "b", classes[tile->tone], tile->value);
		if (tile->note)
			html_document_element(document, "small", NULL, tile->note);
		html_document_raw(document, "</div>\n");
	}
	html_document_raw(document, "</div>\n");
}

/** Writes the lines of a finding. Lines with the same label have it once. */
static void put_lines(struct html_document *document, const struct html_finding *finding)
{
	const char *label = "";

	html_document_raw(document, "<dl>\n");
	for (size_t i = 0; i < finding->line_count; i++) {
		const struct html_line *line = &finding->lines[i];

		if (strcmp(line->label, label) != 0)
			html_document_element(document, "dt", NULL, line->label);
		html_document_element(document, "dd", NULL, line->text);
		label = line->label;
	}
	html_document_raw(document, "</dl>\n");
}

static void put_findings(struct html_document *document, const struct html_report *report)
{
	if (report->finding_count == 0)
		return;
	html_document_section(document, "findings", "Findings");
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct html_finding *finding = &report->findings[i];

		html_document_raw(document, finding->tone == HTML_BAD
		                                    ? "<article class=\"bad\">\n<h3>"
		                                    : "<article>\n<h3>");
		html_document_text(document, finding->title);
		html_document_raw(document, " <span class=\"v\">");
		html_document_text(document, finding->confidence);
		html_document_raw(document, "</span></h3>\n");
		if (finding->line_count > 0)
			put_lines(document, finding);
		html_document_raw(document, "</article>\n");
	}
	html_document_end_section(document);
}

/** Writes the number of rows that were left out. */
static void put_left_out(struct html_document *document, size_t count, const char *what)
{
	struct text line = { 0 };

	if (count == 0)
		return;
	text_grouped(&line, count);
	text_format(&line, " more %s not shown: smaller, or changed less", what);
	html_document_element(document, "p", "hint", text_terminate(&line));
	text_deinit(&line);
}

static void put_region(struct html_document *document, const struct html_report *report,
                       const struct html_region *region)
{
	const struct html_timeline *timeline = &report->timeline;
	double to = timeline->count > 0 ? timeline->times[timeline->count - 1] : 0;

	html_cells_start_address(document, region->start);
	html_cells_text(document, region->kind);
	html_cells_text(document, region->owner);
	html_cells_size(document, region->bytes);
	html_cells_change(document, timeline->count > 1, region->growth);
	html_cells_verdict(document, region->verdict, region->tone);
	html_document_raw(document, "<td class=\"spark\">");
	html_spark_put(document, region->series, report->series_start, report->series_start + to);
	html_document_raw(document, "</td>");
	html_cells_number(document, true, region->count);
	html_cells_code(document, region->mapping);
	html_cells_end(document);
}

static void put_regions(struct html_document *document, const struct html_report *report)
{
	static const struct html_column columns[] = {
		{ "address", false },   { "kind", false },   { "owner", false },
		{ "now", true },        { "growth", true },  { "verdict", false },
		{ "over time", false }, { "regions", true }, { "mapping", false },
	};

	if (report->region_count == 0)
		return;
	html_document_section(document, "regions", "Regions");
	html_document_table(document, "Regions", columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < report->region_count; i++)
		put_region(document, report, &report->regions[i]);
	html_document_end_table(document);
	put_left_out(document, report->regions_left_out, "regions are");
	html_document_end_section(document);
}

static void put_classes(struct html_document *document, const struct html_report *report)
{
	static const struct html_column columns[] = {
		{ "type", false }, { "size", true },   { "chunks", true },
		{ "bytes", true }, { "growth", true }, { "text in them", false },
	};

	if (report->class_count == 0)
		return;
	html_document_section(document, "chunks", "Chunks of malloc and objects");
	html_document_table(document, "Chunks of malloc and objects", columns,
	                    sizeof columns / sizeof *columns);
	for (size_t i = 0; i < report->class_count; i++) {
		const struct html_class *class = &report->classes[i];

		html_cells_start(document, *class->type ? class->type : "\xe2\x80\x93");
		html_cells_number(document, class->size > 0, class->size);
		html_cells_number(document, true, class->count);
		html_cells_size(document, class->bytes);
		html_cells_rate(document, class->growth_known, class->rate);
		html_cells_code(document, class->text);
		html_cells_end(document);
	}
	html_document_end_table(document);
	put_left_out(document, report->classes_left_out, "classes are");
	html_document_end_section(document);
}

static int64_t difference(const struct html_change *change)
{
	return (int64_t)(change->after - change->before);
}

/** Returns the largest amount of a change. */
static uint64_t largest_change(const struct html_changes *changes)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < changes->count; i++) {
		const struct html_change *change = &changes->rows[i];
		uint64_t amount = change->after > change->before ? change->after - change->before
		                                                 : change->before - change->after;

		largest = pm_max(largest, amount);
	}
	return largest;
}

/** Writes the cell that says whether something is only before or only after. */
static void put_presence(struct html_document *document, const struct html_change *change)
{
	if (change->born)
		html_cells_text(document, "new");
	else
		html_cells_text(document, change->gone ? "gone" : "");
}

static void put_change(struct html_document *document, const struct html_changes *changes,
                       const struct html_change *change, uint64_t largest)
{
	html_cells_start(document, change->name);
	if (changes->kind)
		html_cells_text(document, change->kind);
	html_cells_size(document, change->before);
	html_cells_size(document, change->after);
	html_cells_change(document, true, difference(change));
	html_document_raw(document, "<td class=\"bar\">");
	html_spark_put_bar(document, difference(change), largest);
	html_document_raw(document, "</td>");
	put_presence(document, change);
	if (changes->mapping)
		html_cells_code(document, change->mapping);
	html_cells_end(document);
}

/** Starts a table of changes with the columns that it has. */
static void start_changes(struct html_document *document, const struct html_changes *changes)
{
	static const struct html_column sizes[] = {
		{ "before", true },       { "after", true },
		{ "difference", true },   { "\xe2\x88\x92 0 +", false },
		{ "new or gone", false },
	};
	enum { SIZES = sizeof sizes / sizeof *sizes };
	struct html_column columns[SIZES + 3] = { { changes->what, false } };
	size_t count = 1;

	if (changes->kind)
		columns[count++] = (struct html_column){ changes->kind, false };
	memcpy(columns + count, sizes, sizeof sizes);
	count += SIZES;
	if (changes->mapping)
		columns[count++] = (struct html_column){ changes->mapping, false };
	html_document_table(document, changes->heading, columns, count);
}

static void put_change_table(struct html_document *document, const struct html_changes *changes)
{
	uint64_t largest = largest_change(changes);

	if (changes->count == 0)
		return;
	html_document_section(document, changes->id, changes->heading);
	if (changes->note)
		html_document_element(document, "p", "hint", changes->note);
	start_changes(document, changes);
	for (size_t i = 0; i < changes->count; i++)
		put_change(document, changes, &changes->rows[i], largest);
	html_document_end_table(document);
	put_left_out(document, changes->left_out, "changes are");
	html_document_end_section(document);
}

static void put_changes(struct html_document *document, const struct html_report *report)
{
	const struct html_changes changes = { .id = "changes",
		                              .heading = "Before and after",
		                              .what = "address",
		                              .kind = "kind",
		                              .mapping = "mapping",
		                              .rows = report->changes,
		                              .count = report->change_count,
		                              .left_out = report->changes_left_out };

	put_change_table(document, &changes);
	for (size_t i = 0; i < report->more_count; i++)
		put_change_table(document, &report->more[i]);
}

/** Writes the heading of one of two drawings: "Before: 66.5M". */
static void put_share_heading(struct html_document *document, const char *when, double sum)
{
	struct text heading = { 0 };

	text_format(&heading, "%s: ", when);
	text_size(&heading, convert_uint64(sum));
	html_document_element(document, "h3", NULL, text_terminate(&heading));
	text_deinit(&heading);
}

/** Draws the share of each kind: now, or before and after in one scale, one above the other. */
static void put_shares(struct html_document *document, const struct html_report *report)
{
	struct html_report before = { .shares = report->shares_before,
		                      .share_count = report->share_before_count };

	if (report->share_count == 0)
		return;

	double whole = fmax(html_share_sum(report), html_share_sum(&before));
	html_document_section(document, "share", before.share_count > 0 ? "Kinds" : "Now");
	if (before.share_count > 0) {
		put_share_heading(document, "Before", html_share_sum(&before));
		html_share_put(document, &before, whole);
		put_share_heading(document, "After", html_share_sum(report));
	}
	html_share_put(document, report, whole);
	html_document_end_section(document);
}

static void put_strings(struct html_document *document, const struct html_report *report)
{
	static const struct html_column columns[] = { { "found in", false },
		                                      { "count", true },
		                                      { "text", false } };

	if (report->string_count == 0 && !report->strings_hidden)
		return;
	html_document_section(document, "strings", "Text in the new pages");
	if (report->strings_hidden)
		html_document_element(document, "p", "hint",
		                      "Left out (--no-strings): this report has no content of the "
		                      "process's memory.");
	if (report->string_count > 0) {
		html_document_table(document, "Text in the new pages", columns,
		                    sizeof columns / sizeof *columns);
		for (size_t i = 0; i < report->string_count; i++) {
			html_cells_start(document, report->strings[i].where);
			html_cells_number(document, true, report->strings[i].count);
			html_cells_code(document, report->strings[i].text);
			html_cells_end(document);
		}
		html_document_end_table(document);
	}
	html_document_end_section(document);
}

static void put_stacks(struct html_document *document, const struct html_report *report)
{
	if (report->stacks.count == 0)
		return;
	html_document_section(document, "stacks", "Which code mapped it");
	html_icicle_put(document, &report->stacks);
	html_document_end_section(document);
}

static void put_members(struct html_document *document, const struct html_report *report)
{
	static const struct html_column columns[] = {
		{ "name", false }, { "PID", true },    { "what", false },
		{ "now", true },   { "growth", true }, { "verdict", false },
	};

	if (report->member_count == 0)
		return;
	html_document_section(document, "members", "Family and group");
	html_document_table(document, "Family and group", columns,
	                    sizeof columns / sizeof *columns);
	for (size_t i = 0; i < report->member_count; i++) {
		const struct html_member *member = &report->members[i];

		html_cells_start(document, member->name);
		html_cells_pid(document, member->pid);
		html_cells_text(document, member->what);
		html_cells_size(document, member->bytes);
		html_cells_change(document, member->growth_known, member->growth);
		html_cells_verdict(document, member->verdict, member->tone);
		html_cells_end(document);
	}
	html_document_end_table(document);
	put_left_out(document, report->members_left_out, "processes are");
	html_document_end_section(document);
}

static void put_commands(struct html_document *document, const struct html_report *report)
{
	if (report->command_count == 0)
		return;
	html_document_section(document, "commands", "Commands that repeat it");
	html_document_raw(document, "<dl class=\"commands\">\n");
	for (size_t i = 0; i < report->command_count; i++) {
		html_document_raw(document, "<dt><code>");
		html_document_text(document, report->commands[i].command);
		html_document_raw(document, "</code></dt>\n");
		html_document_element(document, "dd", NULL, report->commands[i].purpose);
	}
	html_document_raw(document, "</dl>\n");
	html_document_end_section(document);
}

static void put_unseen(struct html_document *document, const struct html_report *report)
{
	if (report->unseen_count > 0) {
		html_document_section(document, "unseen", "What could not be seen");
		html_document_raw(document, "<ul>\n");
		for (size_t i = 0; i < report->unseen_count; i++)
			html_document_element(document, "li", NULL, report->unseen[i]);
		html_document_raw(document, "</ul>\n");
		html_document_end_section(document);
	}
	if (report->cost) {
		html_document_section(document, "cost", "What it cost");
		html_document_element(document, "p", NULL, report->cost);
		html_document_end_section(document);
	}
}

/** Writes all sections. */
static void put_sections(struct html_document *document, const struct html_report *report)
{
	put_header(document, report);
	put_verdict(document, report);
	put_findings(document, report);
	put_tiles(document, report);

	if (report->timeline.count > 1) {
		html_document_section(document, "timeline", "Memory by kind");
		html_timeline_put(document, report);
		html_document_end_section(document);
	}

	put_shares(document, report);
	put_regions(document, report);
	put_classes(document, report);
	put_changes(document, report);
	put_strings(document, report);
	put_stacks(document, report);
	put_members(document, report);

	put_commands(document, report);
	put_unseen(document, report);
	html_data_put(document, report);
}

/** Writes the file. @param only_new  an existing file is an error */
static int write_file(const struct html_report *report, const char *path, bool only_new,
                      struct pm_error *error)
{
	struct html_document document;

	if (html_document_open(&document, path, report->title, error) < 0)
		return -1;
	document.file.only_new = only_new;
	put_sections(&document, report);
	return html_document_keep(&document, error);
}

int html_report_parse_path(const char *value, const char **path, struct pm_error *error)
{
	if (!*value)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "the name of the file is empty");
	if (strcmp(value, "-") == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "--html needs a file: the text goes to stdout; ./- is a file");
	*path = value;
	return 0;
}

int html_report_write(const struct html_report *report, const char *path, struct pm_error *error)
{
	return write_file(report, path, false, error);
}

int html_report_write_new(const struct html_report *report, const char *path,
                          struct pm_error *error)
{
	return write_file(report, path, true, error);
}

int html_report_check(const char *path, struct pm_error *error)
{
	struct stat status;
	struct new_file file;

	/* A pipe or a device is opened only once. */
	if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode) &&
	    !S_ISDIR(status.st_mode))
		return 0;
	if (new_file_open(&file, path, error) < 0)
		return -1;
	new_file_drop(&file);
	return 0;
}
