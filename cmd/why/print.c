/* SPDX-License-Identifier: MIT */
#include "why/print.h"

#include <string.h>

#include <procmem/number.h>

#include "base/minmax.h"
#include "base/utf8.h"
#include "base/wrap.h"
#include "cgroup/parts.h"
#include "why/sentence.h"
#include "why/unseen.h"
#include "why/words.h"

/* Number of findings that are shown by default; the others are counted. */
enum { SHOWN_MAX = 3 };

/* Growth weighs at least this. */
static const double growth_weight = 50;

/* Number of parts of a cgroup that are named. */
enum { PARTS_SHOWN = 3 };

/* Columns of the labels. */
enum { LABEL_INDENT = 2, LABEL_WIDTH = 9 };

/* Maximum number of columns of a title with its confidence. */
enum { TITLE_WIDTH = 80 };

/** A line is being printed. */
struct printer {
	struct out *out;
	bool brief;          /* print only what grows */
	enum why_label last; /* label of the line before */
};

static void print_line(void *context, enum why_label label, const struct text *text)
{
	struct printer *printer = context;
	struct text line = { 0 };

	if (printer->brief && label > WHY_SEEN)
		return;
	text_fill(&line, ' ', LABEL_INDENT);
	if (label != printer->last) {
		size_t start = line.length;

		text_string(&line, why_sentence_label(label));
		text_fill(&line, ' ', LABEL_WIDTH - (line.length - start));
	} else {
		text_fill(&line, ' ', LABEL_WIDTH);
	}
	text_bytes(&line, text->bytes, text->length);
	text_char(&line, '\n');
	out_wrapped(printer->out, &line, LABEL_INDENT + LABEL_WIDTH);
	text_deinit(&line);
	printer->last = label;
}

/** Adds "NAME (PID): ", or the name of the file if it does not know its process. */
static void put_target(const struct pm_evidence *evidence, struct text *line)
{
	const char *name = *evidence->comm || !evidence->file ? evidence->comm : evidence->file;

	utf8_escape(line, name, strlen(name));
	if (evidence->pid > 0)
		text_format(line, " (%d)", (int)evidence->pid);
	text_string(line, ": ");
}

/** Adds a title with the confidence in the last columns of its first line. */
static void put_title(struct text *into, const struct text *title, const char *confidence,
                      size_t width)
{
	size_t room = width - pm_min_size(width, strlen(confidence) + 2);
	struct text wrapped = { 0 };

	wrap(&wrapped, title->bytes, title->length, room, LABEL_INDENT);

	const char *newline = memchr(wrapped.bytes, '\n', wrapped.length);
	size_t first = newline ? (size_t)(newline - wrapped.bytes) : wrapped.length;
	size_t columns = utf8_columns(wrapped.bytes, first);

	text_bytes(into, wrapped.bytes, first);
	text_fill(into, ' ', columns < room ? room - columns + 2 : 2);
	text_string(into, confidence);
	text_bytes(into, wrapped.bytes + first, wrapped.length - first);
	text_char(into, '\n');
	text_deinit(&wrapped);
}

/**
 * Prints the title of a finding, with the confidence at the right margin. Without a terminal, a
 * title has one line.
 */
static void print_title(const struct why_report *report, const struct pm_finding *finding,
                        struct out *out)
{
	const char *confidence = why_words_confidence(finding);
	size_t width = pm_min_size(out->width, TITLE_WIDTH);
	struct text title = { 0 };
	struct text line = { 0 };

	put_target(report->evidence, &title);
	why_words_put_title(finding, report->evidence, &title);
	if (out->width == SIZE_MAX)
		width = pm_max_size(width, utf8_columns(title.bytes, title.length) +
		                                   strlen(confidence) + 2);
	put_title(&line, &title, confidence, width);
	out_text(out, &line);
	text_deinit(&line);
	text_deinit(&title);
}

/** Prints the largest parts of the cgroup that the user has named. */
static void print_group(const struct why_group *group, struct out *out)
{
	bool shown[PM_CGROUP_PARTS] = { false };
	struct text line = { 0 };

	text_string(&line, "cgroup ");
	utf8_escape(&line, group->path, strlen(group->path));
	text_string(&line, ": ");
	if (group->current != UINT64_MAX)
		text_size(&line, group->current);
	if (group->max != UINT64_MAX) {
		text_string(&line, " of ");
		text_size(&line, group->max);
	}

	for (int rank = 0; group->known && rank < PARTS_SHOWN; rank++) {
		int largest = 0;

		for (int i = 1; i < PM_CGROUP_PARTS; i++)
			if (shown[largest] ||
			    (!shown[i] && group->split.parts[i] > group->split.parts[largest]))
				largest = i;
		if (shown[largest] || group->split.parts[largest] == 0)
			break;
		shown[largest] = true;
		text_string(&line, rank == 0 ? "; " : ", ");
		text_string(&line, cgroup_parts_name((enum pm_cgroup_part)largest, &group->split));
		text_char(&line, ' ');
		text_size(&line, group->split.parts[largest]);
	}
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Prints that nothing was found. */
static void print_nothing(const struct why_report *report, struct out *out)
{
	const struct pm_evidence_trend *memory = &report->evidence->memory;
	bool exact = report->observation->options->output.bytes;
	struct text line = { 0 };

	put_target(report->evidence, &line);
	text_format(&line, "nothing was found%s: ", why_report_nothing(report));
	text_size_as(&line, memory->last, exact);
	if (memory->known && memory->last > memory->first) {
		text_string(&line, " now, ");
		text_size_as(&line, memory->first, exact);
		text_string(&line, " at first");
	} else {
		text_string(&line, " now");
	}
	if (why_report_is_too_early(report) && report->observation->source == PM_EVIDENCE_LIVE &&
	    !report->observation->watched)
		text_string(&line, "; use a longer --for");
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** The last line is being made. */
struct last_line {
	struct text text;
	size_t unseen; /* number of items that were not seen */
};

/** Adds something that could not be seen to the last line. */
static void put_unseen(void *context, const struct text *text)
{
	struct last_line *line = context;

	text_string(&line->text, line->unseen++ == 0 ? "; not seen: " : ", ");
	text_bytes(&line->text, text->bytes, text->length);
}

/** Adds how the file was read. */
static void put_file(const struct why_observation *observation, struct text *line)
{
	char duration[PM_DURATION_TEXT_SIZE];

	switch (observation->source) {
	case PM_EVIDENCE_RECORDING:
		pm_format_duration(observation->seconds, duration);
		text_format(line, "a recording of %s: ", duration);
		text_grouped(line, observation->samples);
		text_format(line, " sample%s", text_plural(observation->samples));
		break;
	case PM_EVIDENCE_CORE:
		text_string(line, "a core file: one moment");
		break;
	default:
		text_string(line, "a saved smaps file: one moment");
	}
}

/** Adds how long the process was observed, and what that cost. */
static void put_cost(const struct why_report *report, struct text *line)
{
	const struct why_observation *observation = report->observation;
	char duration[PM_DURATION_TEXT_SIZE];

	pm_format_duration(observation->seconds, duration);
	text_format(line, "looked %s", duration);
	if (observation->interrupted)
		text_string(line, " (interrupted)");
	else if (observation->sure)
		text_string(line, " (ended early: sure)");
	text_format(line, ", cost %.1f%% of a core, ", why_report_cpu_percent(report));
	if (observation->deep.stopped_ns > 0)
		text_format(line, "stopped %.1f ms", (double)observation->deep.stopped_ns / 1e6);
	else
		text_string(line, "not stopped");
}

static void print_end(const struct why_report *report, struct out *out)
{
	const struct why_observation *observation = report->observation;
	struct last_line line = { { 0 }, 0 };

	if (observation->source == PM_EVIDENCE_LIVE)
		put_cost(report, &line.text);
	else
		put_file(observation, &line.text);
	why_unseen_list(report, put_unseen, &line);
	text_char(&line.text, '\n');
	out_wrapped(out, &line.text, 2);
	text_deinit(&line.text);
}

/**
 * Tests whether a finding matters much less than the first one: then its evidence would only hide
 * that of the first one.
 */
static bool is_minor(const struct pm_finding *finding, const struct pm_finding *first)
{
	double above = first->weight - growth_weight;

	if (finding == first || above <= 0)
		return false;
	return finding->weight - growth_weight < above / 2;
}

void why_print(const struct why_report *report, struct out *out)
{
	const struct pm_findings *findings = report->findings;
	const struct why_options *options = report->observation->options;
	size_t shown = options->all ? findings->count : pm_min_size(findings->count, SHOWN_MAX);
	size_t left_out = findings->count - shown, minor = 0;

	if (report->observation->group.given)
		print_group(&report->observation->group, out);
	if (why_report_count(report) == 0)
		print_nothing(report, out);
	for (size_t i = 0; i < shown; i++) {
		const struct pm_finding *finding = &findings->items[i];
		bool brief = !options->all && is_minor(finding, &findings->items[0]);
		struct printer printer = { out, brief, WHY_LABELS };

		if (i > 0)
			out_string(out, "\n");
		print_title(report, finding, out);
		why_sentence_lines(finding, report->evidence, options->output.bytes, print_line,
		                   &printer);
		minor += brief;
	}

	if (left_out > 0)
		out_format(out, "\xe2\x80\xa6 %zu more finding%s (all: -a)\n", left_out,
		           text_plural(left_out));
	else if (minor > 0)
		out_format(out, "\xe2\x80\xa6 evidence of the lesser finding%s: -a\n",
		           text_plural(minor));
	print_end(report, out);
}
