/* SPDX-License-Identifier: MIT */
/*
 * Fills a report with the findings and with the evidence that they were made from. Texts are kept
 * until the report is written.
 */
#include "why/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/shell_word.h"
#include "html/keep.h"
#include "html/report.h"
#include "html/share.h"
#include "target/first_limit.h"
#include "why/html_rows.h"
#include "why/html_stacks.h"
#include "why/sentence.h"
#include "why/unseen.h"
#include "why/words.h"

/* Most rows of the tables, and most lines. */
enum { LINES_MAX = 64, UNSEEN_MAX = 32, TILES_MAX = 6, COMMANDS_MAX = 8 };

/** The report and what it refers to. */
struct view {
	const struct why_report *from;
	struct html_report report;
	struct html_moments_arrays moments;
	struct html_tile tiles[TILES_MAX];
	struct html_finding *findings; /* owned */
	struct html_share shares[PM_KIND_COUNT];
	struct html_command commands[COMMANDS_MAX];
	const char *unseen[UNSEEN_MAX];
	struct html_keep kept;
};

/** Keeps a text until the report is written, and empties it. */
static const char *keep(struct view *view, struct text *text)
{
	const char *copy = html_keep_text(&view->kept, text);

	text_deinit(text);
	return copy;
}

static const char *keep_size(struct view *view, uint64_t bytes)
{
	struct text text = { 0 };

	text_size(&text, bytes);
	return keep(view, &text);
}

/** Returns the words of a trend; "" if it was not observed. */
static const char *verdict_of(const struct pm_evidence_trend *trend)
{
	return trend->known && trend->trend.verdict != PM_VERDICT_TOO_EARLY
	               ? pm_verdict_name(trend->trend.verdict)
	               : "";
}

/** The lines of a finding are being collected. */
struct collector {
	struct view *view;
	struct html_line *lines;
	size_t count;
};

static void collect(void *context, enum why_label label, const struct text *text)
{
	struct collector *collector = context;
	struct text copy = { 0 };

	if (collector->count == LINES_MAX)
		return;
	text_bytes(&copy, text->bytes, text->length);
	collector->lines[collector->count++] = (struct html_line){
		.label = why_sentence_label(label), .text = keep(collector->view, &copy)
	};
}

static void set_findings(struct view *view)
{
	const struct pm_findings *findings = view->from->findings;

	view->findings = alloc_array(NULL, findings->count + 1, sizeof *view->findings);
	for (size_t i = 0; i < findings->count; i++) {
		const struct pm_finding *finding = &findings->items[i];
		struct collector collector = {
			view, alloc_array(NULL, LINES_MAX, sizeof *collector.lines), 0
		};
		struct text title = { 0 };

		why_words_put_title(finding, view->from->evidence, &title);
		why_sentence_lines(finding, view->from->evidence,
		                   view->from->observation->options->output.bytes, collect,
		                   &collector);
		view->findings[i] = (struct html_finding){
			.title = keep(view, &title),
			.confidence = why_words_confidence(finding),
			.lines = collector.lines,
			.line_count = collector.count,
		};
		if (!finding->harmless)
			view->findings[i].tone = HTML_BAD;
	}
	view->report.findings = view->findings;
	view->report.finding_count = findings->count;
}

/** Returns the first line of a finding with a label; NULL if there is none. */
static const char *line_of(const struct html_finding *finding, enum why_label label)
{
	for (size_t i = 0; i < finding->line_count; i++)
		if (strcmp(finding->lines[i].label, why_sentence_label(label)) == 0)
			return finding->lines[i].text;
	return NULL;
}

/** Sets the first sentences: the first finding, what grows, and when which limit is reached. */
static void set_heading(struct view *view)
{
	const struct pm_evidence_trend *memory = &view->from->evidence->memory;
	struct text text = { 0 };

	if (why_report_count(view->from) == 0) {
		text_format(&text, "Nothing was found%s", why_report_nothing(view->from));
		view->report.heading = keep(view, &text);
		text_size(&text, memory->last);
		if (*verdict_of(memory))
			text_format(&text, ", %s", verdict_of(memory));
		view->report.verdict = keep(view, &text);
		return;
	}

	const struct html_finding *first = &view->findings[0];
	const char *grows = line_of(first, WHY_GROWS), *until = line_of(first, WHY_UNTIL);

	view->report.tone = HTML_BAD;
	view->report.heading = first->title;
	text_string(&text, grows ? grows : "");
	if (until)
		text_format(&text, "%s%s", grows ? "; " : "", until);
	struct text made = { 0 };
	why_html_stacks_put_first(&view->from->observation->sites, &made);
	if (made.length > 0)
		text_format(&text, "%s%s", text.length > 0 ? ". " : "", text_terminate(&made));
	text_deinit(&made);
	if (text.length > 0)
		view->report.verdict = keep(view, &text);
	text_deinit(&text);
}

/** Returns the command line. Its arguments can have secrets: --no-strings leaves them out. */
static const char *command_of(struct view *view)
{
	const char *command = view->from->observation->command;
	const char *space = command ? strchr(command, ' ') : NULL;
	struct text text = { 0 };

	if (!space || !view->from->observation->options->no_text)
		return command;
	text_bytes(&text, command, (size_t)(space - command));
	text_string(&text, " \xe2\x80\xa6");
	return keep(view, &text);
}

static void set_header(struct view *view)
{
	const struct why_observation *observation = view->from->observation;
	const struct pm_evidence *evidence = view->from->evidence;
	const struct html_moments *moments = &observation->moments;
	struct html_report *report = &view->report;
	char duration[PM_DURATION_TEXT_SIZE];
	struct text text = { 0 };

	text_string(&text, *evidence->comm || !evidence->file ? evidence->comm : evidence->file);
	if (evidence->pid > 0)
		text_format(&text, " (%d)", (int)evidence->pid);
	report->title = keep(view, &text);

	report->command = command_of(view);
	report->host = *observation->host ? observation->host : NULL;
	report->samples = observation->samples;
	report->times_known = moments->samples > 0;
	report->start = moments->start;
	report->end = moments->end;

	pm_format_duration(observation->seconds, duration);
	if (observation->source == PM_EVIDENCE_LIVE)
		text_format(&text, "observed for %s", duration);
	else if (observation->source == PM_EVIDENCE_RECORDING)
		text_format(&text, "a recording of %s", duration);
	else
		text_string(&text, observation->source == PM_EVIDENCE_CORE ? "a core file"
		                                                           : "a saved smaps file");
	report->source = keep(view, &text);
}

static void add_tile(struct view *view, struct html_tile tile)
{
	view->tiles[view->report.tile_count++] = tile;
}

/** Returns the limit that the first finding reaches or, without one, that the process reaches. */
static const struct pm_evidence_limit *limit_of(const struct view *view)
{
	const struct pm_findings *findings = view->from->findings;
	const struct pm_evidence *evidence = view->from->evidence;
	const struct why_observation *observation = view->from->observation;

	if (findings->count > 0 && findings->items[0].limit)
		return findings->items[0].limit;

	const struct pm_limit *first = first_limit(&observation->headroom, observation->forecasts);
	for (size_t i = 0; first && i < evidence->limit_count; i++)
		if (evidence->limits[i].limit.kind == first->kind &&
		    strcmp(evidence->limits[i].limit.source, first->source) == 0)
			return &evidence->limits[i];
	return NULL;
}

/** Adds tiles for the limit, and for the time until it is reached. */
static void add_limit_tiles(struct view *view)
{
	const struct pm_evidence_limit *limit = limit_of(view);
	const struct pm_findings *findings = view->from->findings;
	struct text text = { 0 };

	if (!limit || limit->limit.counts)
		return;
	text_size(&text, limit->limit.max);
	const char *max = keep(view, &text);
	text_string(&text, first_limit_words(limit->limit.kind));
	text_string(&text, ": ");
	text_size(&text, pm_limit_left(&limit->limit));
	text_string(&text, " left");
	add_tile(view,
	         (struct html_tile){ .label = "limit", .value = max, .note = keep(view, &text) });

	if (findings->count == 0 || findings->items[0].limit != limit ||
	    !findings->items[0].time_known)
		return;
	delta_put_time_left(findings->items[0].seconds_min, findings->items[0].seconds_max, &text);
	add_tile(view, (struct html_tile){ .label = "full in",
	                                   .value = keep(view, &text),
	                                   .note = "at this rate",
	                                   .tone = HTML_BAD });
}

static void set_tiles(struct view *view)
{
	const struct pm_evidence *evidence = view->from->evidence;
	const struct pm_evidence_trend *memory = &evidence->memory;
	const struct pm_findings *findings = view->from->findings;
	struct text text = { 0 };

	view->report.tiles = view->tiles;
	add_tile(view, (struct html_tile){ .label = evidence->swapped > 0 ? "RSS and swap now"
	                                                                  : "RSS now",
	                                   .value = keep_size(view, memory->last) });
	if (memory->known) {
		delta_put_bytes(&text, (int64_t)(memory->last - memory->first), false);
		add_tile(view,
		         (struct html_tile){ .label = "change",
		                             .value = keep(view, &text),
		                             .note = verdict_of(memory),
		                             .tone = memory->last > memory->first ? HTML_BAD
		                                                                  : HTML_PLAIN });
	}
	if (findings->count > 0 && findings->items[0].rate > 0) {
		delta_put_rate(&text, findings->items[0].rate);
		add_tile(view, (struct html_tile){ .label = "rate of the first finding",
		                                   .value = keep(view, &text),
		                                   .tone = HTML_BAD });
	}
	add_limit_tiles(view);
}

static void set_timeline(struct view *view)
{
	struct html_timeline *timeline = &view->report.timeline;
	const struct pm_evidence_limit *limit = limit_of(view);
	const struct pm_findings *findings = view->from->findings;

	html_moments_fill(&view->from->observation->moments, &view->moments, timeline);
	if (!limit || limit->limit.counts || limit->limit.used_unknown ||
	    limit->limit.kind == PM_LIMIT_ADDRESS_SPACE || limit->limit.kind == PM_LIMIT_DATA)
		return;
	timeline->limit = (struct html_limit){
		.known = true,
		.name = first_limit_words(limit->limit.kind),
		.max = limit->limit.max,
		.level = view->from->evidence->memory.last + pm_limit_left(&limit->limit),
	};
	if (findings->count > 0 && findings->items[0].limit == limit &&
	    findings->items[0].time_known) {
		timeline->limit.time_known = true;
		timeline->limit.rate = findings->items[0].rate;
		timeline->limit.seconds_min = findings->items[0].seconds_min;
		timeline->limit.seconds_max = findings->items[0].seconds_max;
	}
}

static void set_shares(struct view *view)
{
	const struct pm_evidence *evidence = view->from->evidence;
	uint64_t bytes[PM_KIND_COUNT] = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < evidence->region_count; i++)
		bytes[evidence->regions[i].kind] += evidence->regions[i].memory.last;
	for (unsigned kind = 0; kind < PM_KIND_COUNT; kind++)
		if (bytes[kind] > 0)
			view->shares[count++] = (struct html_share){
				.name = html_moments_kind(kind),
				.colour = kind,
				.bytes = bytes[kind],
			};
	html_share_sort(view->shares, count);
	view->report.shares = view->shares;
	view->report.share_count = count;
}

static void add_command(struct view *view, const char *command, const char *purpose)
{
	if (view->report.command_count < COMMANDS_MAX)
		view->commands[view->report.command_count++] =
			(struct html_command){ .command = command, .purpose = purpose };
}

/** Adds the command that repeats the report. */
static void put_repeat(const struct view *view, struct text *text)
{
	const struct why_observation *observation = view->from->observation;
	const struct why_options *options = observation->options;

	text_string(text, "procmem why --html report.html");
	if (options->no_text)
		text_string(text, " --no-strings");
	if (options->deep)
		text_string(text, " --deep");
	if (!observation->file)
		text_format(text, " --for %.0fs", fmax(1, observation->seconds));
	text_char(text, ' ');
	if (options->cgroup) {
		text_string(text, "--cgroup ");
		shell_word_put(text, options->cgroup);
	} else if (observation->file) {
		shell_word_put(text, observation->file);
	} else {
		text_format(text, "%d", (int)view->from->evidence->pid);
	}
}

static void set_commands(struct view *view)
{
	const struct html_finding *first = view->report.finding_count > 0 ? view->findings : NULL;
	struct text text = { 0 };

	view->report.commands = view->commands;
	put_repeat(view, &text);
	add_command(view, keep(view, &text), "writes this report again");
	for (size_t i = 0; first && i < first->line_count; i++)
		if (strcmp(first->lines[i].label, why_sentence_label(WHY_MORE)) == 0)
			add_command(view, first->lines[i].text, "more about the first finding");
}

static void add_unseen(void *context, const struct text *text)
{
	struct view *view = context;
	struct text copy = { 0 };

	if (view->report.unseen_count == UNSEEN_MAX)
		return;
	text_bytes(&copy, text->bytes, text->length);
	view->unseen[view->report.unseen_count++] = keep(view, &copy);
}

static void set_end(struct view *view)
{
	const struct why_observation *observation = view->from->observation;
	struct text text = { 0 };

	why_unseen_list(view->from, add_unseen, view);
	if (observation->options->no_text && view->report.unseen_count < UNSEEN_MAX)
		view->unseen[view->report.unseen_count++] =
			"the arguments of the command line (--no-strings)";
	view->report.unseen = view->unseen;
	if (observation->source != PM_EVIDENCE_LIVE)
		return;
	text_format(&text, "%.1f %% of a CPU during the observation; ",
	            why_report_cpu_percent(view->from));
	if (observation->deep.stopped_ns > 0)
		text_format(&text, "the process was stopped for %.1f ms",
		            (double)observation->deep.stopped_ns / 1e6);
	else
		text_string(&text, "the process was not stopped");
	view->report.cost = keep(view, &text);
}

static void deinit(struct view *view)
{
	for (size_t i = 0; i < view->report.finding_count; i++)
		free((void *)view->findings[i].lines);
	free(view->findings);
	html_keep_deinit(&view->kept);
	free((void *)view->report.stacks.frames);
	html_moments_release(&view->moments);
	free(view);
}

int why_html_write(const struct why_report *report, const char *path, struct pm_error *error)
{
	struct view *view = alloc_array(NULL, 1, sizeof *view);

	*view = (struct view){ .from = report };
	set_header(view);
	set_findings(view);
	set_heading(view);
	set_tiles(view);
	set_timeline(view);
	set_shares(view);
	why_html_rows_add(report, &view->kept, &view->report);
	set_commands(view);
	set_end(view);
	why_html_stacks_make(&report->observation->sites, &view->report.stacks);

	int result = report->observation->options->html_new
	                     ? html_report_write_new(&view->report, path, error)
	                     : html_report_write(&view->report, path, error);
	deinit(view);
	return result;
}
