/* SPDX-License-Identifier: MIT */
/*
 * Fills a report (html/model.h) with what was observed and found. The sentences are those of the
 * text output. --no-strings leaves out all content of memory: the texts are not in the evidence
 * then, and the arguments of the command line, which can have secrets, are left out here.
 */
#include "why/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/minmax.h>
#include <procmem/number.h>

#include "html/cells.h"
#include "html/keep.h"
#include "html/moments.h"
#include "html/report.h"
#include "target/first_limit.h"
#include "why/html_rows.h"
#include "why/sentence.h"
#include "why/unseen.h"
#include "why/words.h"

/* Maximum numbers of tiles, of commands, and of moments of a watched process. */
enum { TILES_MAX = 8, COMMANDS_MAX = 4, WATCHED_MOMENTS = 500 };

/* A limit that is higher than this multiple of the memory would make the drawing flat. */
static const double limit_height_max = 8;

/** A report is being made. */
struct making {
	const struct why_report *report;
	const struct why_observation *observation;
	struct html_report html;
	struct html_keep keep;
	struct html_moments_arrays arrays;
	struct html_moments watched; /* moments of a watched process */
	struct text text;            /* is made, then kept */
	struct html_line *lines;     /* of the finding that is made */
	size_t line_count;           /* number of elements of `lines` */
	size_t line_capacity;        /* their room */
};

/** Adds a path or name that a shell reads as one word. */
static void put_word(struct text *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789./_-+:@,=";

	if (*word != '\0' && word[strspn(word, plain)] == '\0') {
		text_string(text, word);
		return;
	}
	text_char(text, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			text_string(text, "'\\''");
		else
			text_char(text, *word);
	}
	text_char(text, '\'');
}

/** Sets what is investigated. */
static void add_head(struct making *making)
{
	const struct why_observation *observation = making->observation;
	const struct pm_evidence *evidence = making->report->evidence;
	const char *command = observation->command ? observation->command : "";
	const char *name = *evidence->comm || !evidence->file ? evidence->comm : evidence->file;
	struct html_report *html = &making->html;
	char duration[PM_DURATION_TEXT_SIZE];

	text_string(&making->text, name);
	if (evidence->pid > 0)
		text_format(&making->text, " (%d)", (int)evidence->pid);
	html->title = html_keep_text(&making->keep, &making->text);

	if (observation->options->no_text && strchr(command, ' ')) {
		text_bytes(&making->text, command, strcspn(command, " "));
		text_string(&making->text, " \xe2\x80\xa6");
		html->command = html_keep_text(&making->keep, &making->text);
	} else {
		html->command = command;
	}

	if (*observation->host)
		html->host = observation->host;
	pm_format_duration(observation->seconds, duration);
	if (observation->file)
		html->source = html_keep_format(&making->keep, "from the file %s",
		                                observation->file);
	else
		html->source = html_keep_format(&making->keep, "observed for %s%s", duration,
		                                observation->interrupted ? " (interrupted)" : "");
	html->samples = observation->samples;
}

/** Receives a line of a finding. */
static void add_line(void *context, enum why_label label, const struct text *text)
{
	struct making *making = context;

	if (making->line_count == making->line_capacity) {
		size_t room = making->line_capacity * 2 + 16;
		struct html_line *more = html_keep_array(&making->keep, room, sizeof *more);

		if (making->line_count > 0)
			memcpy(more, making->lines, making->line_count * sizeof *more);
		making->lines = more;
		making->line_capacity = room;
	}

	text_bytes(&making->text, text->bytes, text->length);
	making->lines[making->line_count++] = (struct html_line){
		.label = why_sentence_label(label),
		.text = html_keep_text(&making->keep, &making->text),
	};
}

static void add_findings(struct making *making)
{
	const struct pm_findings *findings = making->report->findings;
	struct html_finding *items = html_keep_array(&making->keep, findings->count, sizeof *items);
	bool exact = making->observation->options->output.bytes;

	for (size_t i = 0; i < findings->count; i++) {
		const struct pm_finding *finding = &findings->items[i];

		making->lines = NULL;
		making->line_count = making->line_capacity = 0;
		why_sentence_lines(finding, making->report->evidence, exact, add_line, making);
		why_words_put_title(finding, &making->text);
		items[i] = (struct html_finding){
			.title = html_keep_text(&making->keep, &making->text),
			.confidence = finding->harmless ? "harmless"
			                                : pm_confidence_name(finding->confidence),
			.tone = finding->harmless ? HTML_GOOD : HTML_BAD,
			.lines = making->lines,
			.line_count = making->line_count,
		};
	}
	making->html.findings = items;
	making->html.finding_count = findings->count;

	if (why_report_count(making->report) == 0)
		making->html.heading = "Nothing was found that needs attention.";
}

/** Returns the memory by kind of a watched process at a time. */
static struct html_moment moment_at(const struct pm_tracker *tracker, double time)
{
	struct html_moment moment = { .time = time };
	size_t count = 0;
	const struct pm_track *const *tracks = pm_tracker_tracks(tracker, &count);

	for (size_t i = 0; i < count; i++) {
		const struct pm_track *track = tracks[i];

		if (track->series.count > 0)
			moment.bytes[track->kind] += (uint64_t)pm_series_at(&track->series, time);
		else if (track->since <= time)
			moment.bytes[track->kind] += track->weight;
	}
	return moment;
}

/** Returns the moments; those of a watched process are made of the curves of its regions. */
static const struct html_moments *moments_of(struct making *making)
{
	const struct why_observation *observation = making->observation;
	const struct pm_series *memory = &observation->rates.memory;

	if (!observation->watched || memory->count == 0)
		return &observation->moments;

	double first = memory->points[0].time, step = (memory->last - first) / WATCHED_MOMENTS;
	for (int i = 0; i <= WATCHED_MOMENTS && step > 0; i++) {
		struct html_moment moment = moment_at(observation->rates.tracker, first + i * step);

		html_moments_add(&making->watched, &moment,
		                 observation->last_wall - (WATCHED_MOMENTS - i) * step);
	}
	return &making->watched;
}

/** Returns the limit that is drawn: that of the gravest finding which has one, or the first one. */
static const struct pm_limit *limit_of(const struct making *making, struct html_limit *drawn)
{
	const struct pm_findings *findings = making->report->findings;
	const struct why_observation *observation = making->observation;

	for (size_t i = 0; i < findings->count; i++) {
		const struct pm_finding *finding = &findings->items[i];

		if (finding->harmless || !finding->limit || finding->limit->limit.counts)
			continue;
		drawn->time_known = finding->time_known;
		drawn->rate = finding->rate;
		drawn->seconds_min = finding->seconds_min;
		drawn->seconds_max = finding->seconds_max;
		return &finding->limit->limit;
	}

	const struct pm_limit *limit = first_limit(&observation->headroom, observation->forecasts);
	return limit && !limit->counts ? limit : NULL;
}

/** Adds the limit to the timeline, if its line would be near the memory. */
static void add_limit(struct making *making)
{
	struct html_limit *drawn = &making->html.timeline.limit;
	const struct pm_limit *limit = limit_of(making, drawn);
	uint64_t now = making->report->evidence->memory.last;

	if (!limit)
		return;
	text_string(&making->text, first_limit_words(limit->kind));
	drawn->name = html_keep_text(&making->keep, &making->text);
	drawn->max = limit->max;
	drawn->level = now + pm_limit_left(limit);
	drawn->known = limit->kind != PM_LIMIT_ADDRESS_SPACE && limit->kind != PM_LIMIT_DATA &&
	               (double)drawn->level <= limit_height_max * (double)now;
}

static int by_share(const void *left, const void *right)
{
	const struct html_share *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->colour > b->colour) - (a->colour < b->colour);
}

/** Adds the memory by kind now. */
static void add_shares(struct making *making)
{
	const struct pm_evidence *evidence = making->report->evidence;
	struct html_share *shares = html_keep_array(&making->keep, PM_KIND_COUNT, sizeof *shares);
	size_t count = 0;

	for (unsigned kind = 0; kind < PM_KIND_COUNT; kind++) {
		uint64_t bytes = 0;

		for (size_t i = 0; i < evidence->region_count; i++)
			if ((unsigned)evidence->regions[i].kind == kind)
				bytes += evidence->regions[i].memory.last;
		if (bytes > 0)
			shares[count++] = (struct html_share){ html_moments_kind(kind), kind,
				                               bytes };
	}
	qsort(shares, count, sizeof *shares, by_share);
	making->html.shares = shares;
	making->html.share_count = count;
}

static void add_times(struct making *making)
{
	const struct html_moments *moments = moments_of(making);
	const struct pm_series *memory = &making->observation->rates.memory;
	struct html_report *html = &making->html;

	html_moments_fill(moments, &making->arrays, &html->timeline);
	if (making->observation->watched)
		html->timeline.samples = making->observation->samples;
	if (memory->count > 0)
		html->series_start = memory->points[0].time;
	html->times_known = moments->samples > 0;
	html->start = moments->start;
	html->end = moments->end;
}

/** Adds a tile whose value is in `making->text`. */
static void add_tile(struct making *making, struct html_tile *tiles, const char *label,
                     const char *note, enum html_tone tone)
{
	tiles[making->html.tile_count++] = (struct html_tile){
		.label = label,
		.value = html_keep_text(&making->keep, &making->text),
		.note = note,
		.tone = tone,
	};
}

/** Adds the tiles of growth. */
static void add_growth_tiles(struct making *making, struct html_tile *tiles)
{
	const struct pm_evidence_trend *memory = &making->report->evidence->memory;
	int64_t grown = (int64_t)(memory->last - memory->first);
	char duration[PM_DURATION_TEXT_SIZE];
	bool judged = memory->trend.verdict != PM_VERDICT_TOO_EARLY;
	enum html_tone tone = judged ? why_html_rows_tone(memory->trend.verdict) : HTML_PLAIN;

	if (!memory->known)
		return;
	pm_format_duration(making->observation->seconds, duration);
	html_cells_put_change(&making->text, grown);
	add_tile(making, tiles, grown < 0 ? "shrunk by" : "grown by",
	         html_keep_format(&making->keep, "in %s", duration), grown > 0 ? tone : HTML_PLAIN);
	text_string(&making->text, pm_verdict_name(memory->trend.verdict));
	add_tile(making, tiles, "verdict", NULL, tone);
}

/** Adds the tiles of the limit. */
static void add_limit_tiles(struct making *making, struct html_tile *tiles)
{
	const struct html_limit *limit = &making->html.timeline.limit;
	char first[PM_DURATION_TEXT_SIZE], last[PM_DURATION_TEXT_SIZE];

	if (!limit->name)
		return;
	text_size(&making->text, limit->max);
	add_tile(making, tiles, "limit", limit->name, HTML_PLAIN);
	if (!limit->time_known)
		return;
	pm_format_duration(limit->seconds_min, first);
	pm_format_duration(limit->seconds_max, last);
	text_string(&making->text, first);
	if (strcmp(first, last) != 0)
		text_format(&making->text, " to %s", last);
	add_tile(making, tiles, "full in", "at the present rate", HTML_BAD);
}

static void add_tiles(struct making *making)
{
	const struct pm_evidence *evidence = making->report->evidence;
	struct html_tile *tiles = html_keep_array(&making->keep, TILES_MAX, sizeof *tiles);
	const struct pm_evidence_trend *threads = &evidence->numbers[PM_EVIDENCE_THREADS];
	const struct pm_evidence_trend *mappings = &evidence->numbers[PM_EVIDENCE_MAPPINGS];

	making->html.tiles = tiles;
	text_size(&making->text, evidence->memory.last);
	add_tile(making, tiles, "memory now",
	         evidence->swapped > 0 ? "resident and swapped" : "resident", HTML_PLAIN);
	add_growth_tiles(making, tiles);
	add_limit_tiles(making, tiles);
	text_grouped(&making->text, mappings->last);
	add_tile(making, tiles, "regions", NULL, HTML_PLAIN);
	if (threads->last > 0) {
		text_grouped(&making->text, threads->last);
		add_tile(making, tiles, "threads", NULL, HTML_PLAIN);
	}
}

static void add_command(struct making *making, struct html_command *commands, const char *purpose)
{
	commands[making->html.command_count++] = (struct html_command){
		.command = html_keep_text(&making->keep, &making->text),
		.purpose = purpose,
	};
}

/** Adds the commands that repeat the report. */
static void add_commands(struct making *making)
{
	const struct why_observation *observation = making->observation;
	const struct why_options *options = observation->options;
	struct html_command *commands = html_keep_array(&making->keep, COMMANDS_MAX,
	                                                sizeof *commands);
	struct text *text = &making->text;

	making->html.commands = commands;
	text_string(text, "procmem why --html report.html");
	if (options->no_text)
		text_string(text, " --no-strings");
	if (options->deep)
		text_string(text, " --deep");
	if (!observation->file && options->seconds > 0)
		text_format(text, " --for %gs", options->seconds);
	text_char(text, ' ');
	if (options->cgroup) {
		text_string(text, "--cgroup ");
		put_word(text, options->cgroup);
	} else if (observation->file) {
		put_word(text, observation->file);
	} else {
		text_format(text, "%d", (int)making->report->evidence->pid);
	}
	add_command(making, commands, "writes this report again");

	if (observation->source == PM_EVIDENCE_RECORDING) {
		text_string(text, "procmem watch ");
		put_word(text, observation->file);
		add_command(making, commands, "replays the recording");
	} else if (!observation->file) {
		text_format(text, "procmem watch --record %d.pmrec %d",
		            (int)making->report->evidence->pid, (int)making->report->evidence->pid);
		add_command(making, commands, "records the process, to see it over a longer time");
	}
}

/** What could not be seen is being listed. */
struct unseen {
	struct making *making;
	const char **items;
	size_t count;
	size_t capacity;
};

static void add_unseen_item(void *context, const struct text *text)
{
	struct unseen *unseen = context;
	struct making *making = unseen->making;

	if (unseen->count == unseen->capacity)
		return;
	text_bytes(&making->text, text->bytes, text->length);
	unseen->items[unseen->count++] = html_keep_text(&making->keep, &making->text);
}

/** Adds what could not be seen, and the cost. */
static void add_end(struct making *making)
{
	enum { UNSEEN_MAX = 32 };
	const struct why_observation *observation = making->observation;
	struct html_report *html = &making->html;
	struct unseen unseen = { making, NULL, 0, UNSEEN_MAX };

	unseen.items = html_keep_array(&making->keep, UNSEEN_MAX + 1, sizeof *unseen.items);
	why_unseen_list(making->report, add_unseen_item, &unseen);
	if (observation->options->no_text)
		unseen.items[unseen.count++] = "the arguments of the command line (--no-strings)";
	html->unseen = unseen.items;
	html->unseen_count = unseen.count;
	if (observation->file)
		return;

	text_format(&making->text, "%.1f%% of a core in this program; the process was ",
	            why_report_cpu_percent(making->report));
	if (observation->deep.stopped_ns > 0)
		text_format(&making->text, "stopped for %.1f ms.",
		            (double)observation->deep.stopped_ns / 1e6);
	else
		text_string(&making->text, "not stopped.");
	html->cost = html_keep_text(&making->keep, &making->text);
}

int why_html_write(const struct why_report *report, struct pm_error *error)
{
	const struct why_options *options = report->observation->options;
	struct making making = { .report = report, .observation = report->observation };

	add_head(&making);
	add_findings(&making);
	add_times(&making);
	add_limit(&making);
	add_tiles(&making);
	add_shares(&making);
	why_html_rows_add(report, &making.keep, &making.html);
	add_commands(&making);
	add_end(&making);

	int result = options->html_new ? html_report_write_new(&making.html, options->html, error)
	                               : html_report_write(&making.html, options->html, error);
	html_moments_release(&making.arrays);
	html_moments_deinit(&making.watched);
	html_keep_deinit(&making.keep);
	text_deinit(&making.text);
	return result;
}
