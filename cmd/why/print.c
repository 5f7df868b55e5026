/* SPDX-License-Identifier: MIT */
#include "why/print.h"

#include <string.h>

#include <procmem/number.h>

#include "base/minmax.h"
#include "base/utf8.h"
#include "cgroup/parts.h"
#include "target/json_parts.h"
#include "view/json.h"
#include "why/sentence.h"
#include "why/unseen.h"

/* Number of findings that are shown whole by default; the others have one line. */
enum { WHOLE_MAX = 3 };

/* Number of parts of a cgroup that are named. */
enum { PARTS_SHOWN = 3 };

/* Columns of the labels. */
enum { LABEL_INDENT = 2, LABEL_WIDTH = 9 };

/** The last line is being made. */
struct end_line {
	struct text text;
	size_t unseen; /* number of items that were not seen */
};

/** A line is being printed. */
struct printer {
	struct out *out;
	enum why_label last; /* label of the line before */
};

static void print_line(void *context, enum why_label label, const struct text *text)
{
	struct printer *printer = context;
	struct text line = { 0 };

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

/** Prints the title of a finding, with the confidence at the right margin. */
static void print_title(const struct why_report *report, const struct pm_finding *finding,
                        struct out *out)
{
	const char *confidence = finding->harmless ? "harmless"
	                                           : pm_confidence_name(finding->confidence);
	size_t width = pm_min_size(out->width, 80);
	struct text line = { 0 };

	put_target(report->evidence, &line);
	why_sentence_title(finding, &line);
	if (line.length + 2 + strlen(confidence) <= width)
		text_fill(&line, ' ', width - line.length - strlen(confidence));
	else
		text_string(&line, "  ");
	text_string(&line, confidence);
	text_char(&line, '\n');
	out_text(out, &line);
	text_deinit(&line);
}

size_t why_report_count(const struct why_report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < report->findings->count; i++)
		count += !report->findings->items[i].harmless;
	return count;
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
		text_string(&line,
		            cgroup_parts_name((enum pm_cgroup_part)largest, &group->split));
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
	const struct pm_evidence *evidence = report->evidence;
	struct text line = { 0 };

	put_target(evidence, &line);
	text_string(&line, "nothing was found that grows or weighs: ");
	text_size(&line, evidence->memory.last);
	text_format(&line, ", %s\n",
	            evidence->memory.known ? pm_verdict_name(evidence->memory.trend.verdict)
	                                   : "not observed over time");
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Adds what could not be seen. This is a why_unseen_visitor. */
static void put_unseen(void *context, const char *words)
{
	struct end_line *line = context;

	text_string(&line->text, line->unseen++ == 0 ? "; not seen: " : ", ");
	text_string(&line->text, words);
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

static void print_end(const struct why_report *report, struct out *out)
{
	const struct why_observation *observation = report->observation;
	double seconds = observation->seconds > 0 ? observation->seconds : 1;
	char duration[PM_DURATION_TEXT_SIZE];
	struct end_line line = { { 0 }, 0 };

	pm_format_duration(observation->seconds, duration);
	if (observation->source == PM_EVIDENCE_LIVE)
		text_format(&line.text, "looked %s%s, cost %.1f%% of a core, not stopped", duration,
		            observation->interrupted ? " (interrupted)" : "",
		            100 * observation->cpu_seconds / seconds);
	else
		put_file(observation, &line.text);
	why_unseen_list(observation, put_unseen, &line);
	text_char(&line.text, '\n');
	out_wrapped(out, &line.text, 2);
	text_deinit(&line.text);
}

void why_print(const struct why_report *report, struct out *out)
{
	const struct pm_findings *findings = report->findings;
	const struct why_options *options = report->observation->options;
	size_t shown = 0, left_out = 0;

	if (report->observation->group.given)
		print_group(&report->observation->group, out);
	if (why_report_count(report) == 0)
		print_nothing(report, out);
	for (size_t i = 0; i < findings->count; i++) {
		const struct pm_finding *finding = &findings->items[i];
		struct printer printer = { out, WHY_LABELS };

		if (!options->all && shown >= WHOLE_MAX) {
			left_out++;
			continue;
		}
		if (shown > 0)
			out_string(out, "\n");
		print_title(report, finding, out);
		why_sentence_lines(finding, report->evidence, print_line, &printer);
		shown++;
	}

	if (left_out > 0)
		out_format(out, "\xe2\x80\xa6 %zu more finding%s (all: -a)\n", left_out,
		           text_plural(left_out));
	print_end(report, out);
}

/** The JSON text and the label whose array is open. */
struct json_lines {
	struct json *json;
	enum why_label label;
	bool open;
};

static const char *const keys[WHY_LABELS] = {
	[WHY_GROWS] = "evidence", [WHY_SEEN] = "evidence",  [WHY_HOLDS] = "evidence", [WHY_MADE] = "evidence",
	[WHY_UNTIL] = "evidence", [WHY_NOT] = "not",        [WHY_DO] = "do",
	[WHY_MORE] = "more",
};

static void json_line(void *context, enum why_label label, const struct text *text)
{
	struct json_lines *lines = context;
	struct text copy = { 0 };

	if (lines->open && strcmp(keys[lines->label], keys[label]) != 0) {
		json_shut(lines->json, ']');
		lines->open = false;
	}
	if (!lines->open)
		json_open(lines->json, keys[label], '[');
	lines->open = true;
	lines->label = label;
	text_bytes(&copy, text->bytes, text->length);
	json_put(lines->json, NULL, json_text(text_terminate(&copy)));
	text_deinit(&copy);
}

static void json_content(struct json *json, const struct pm_finding *finding)
{
	json_open(json, "content", '[');
	for (size_t i = 0; i < finding->fact_count; i++) {
		const struct pm_finding_fact *fact = &finding->facts[i];

		if (fact->id != PM_FACT_TEXT)
			continue;
		json_open(json, NULL, '{');
		json_put(json, "count", json_number(fact->count));
		json_put(json, "text", json_text(fact->text));
		if (fact->size > 0)
			json_put(json, "stride", json_number(fact->size));
		json_shut(json, '}');
	}
	json_shut(json, ']');
}

static void json_region(struct json *json, const struct pm_evidence_region *region)
{
	json_open(json, "region", '{');
	json_put(json, "start", json_address(region->start));
	json_put(json, "end", json_address(region->end));
	json_put(json, "mapping", json_text(region->mapping));
	json_shut(json, '}');
	json_put(json, "kind", json_text(pm_kind_name(region->kind)));
	if (region->thread > 0) {
		json_open(json, "thread", '{');
		json_put(json, "tid", json_integer(region->thread));
		json_put(json, "name", json_text(region->thread_name));
		json_shut(json, '}');
	}
}

static void json_finding(struct json *json, const struct why_report *report,
                         const struct pm_finding *finding)
{
	struct json_lines lines = { .json = json };
	struct text title = { 0 };

	json_open(json, NULL, '{');
	why_sentence_title(finding, &title);
	json_put(json, "id", json_text(pm_finding_name(finding->id)));
	json_put(json, "weight", json_real(finding->weight));
	json_put(json, "confidence", json_text(pm_confidence_name(finding->confidence)));
	json_put(json, "harmless", json_boolean(finding->harmless));
	json_put(json, "title", json_text(text_terminate(&title)));
	json_put(json, "pid", json_integer(finding->pid));
	json_put(json, "command", json_text(finding->comm));
	if (finding->region)
		json_region(json, finding->region);
	if (finding->owner != PM_OWNER_UNKNOWN)
		json_put(json, "owner", json_text(pm_owner_name(finding->owner)));
	if (finding->bytes > 0)
		json_put(json, "bytes", json_number(finding->bytes));
	if (finding->rate > 0)
		json_put(json, "rate", json_real(finding->rate));
	if (finding->count_rate > 0)
		json_put(json, "count_rate", json_real(finding->count_rate));
	if (finding->chunks)
		json_put(json, "chunk_size", json_number(finding->chunks->size));
	json_put(json, "verdict", json_text(pm_verdict_name(finding->verdict)));
	json_content(json, finding);
	if (finding->limit)
		json_put(json, "limit", json_text(pm_limit_name(finding->limit->limit.kind)));
	if (finding->time_known) {
		json_put(json, "seconds_left_min", json_real(finding->seconds_min));
		json_put(json, "seconds_left_max", json_real(finding->seconds_max));
	}
	why_sentence_lines(finding, report->evidence, json_line, &lines);
	if (lines.open)
		json_shut(json, ']');
	json_shut(json, '}');
	text_deinit(&title);
}

/** Writes what was not seen. This is a why_unseen_visitor. */
static void json_unseen(void *context, const char *words)
{
	json_put(context, NULL, json_text(words));
}

/** Writes the cgroup that the user has named. */
static void json_group(struct json *json, const struct why_group *group)
{
	json_open(json, "cgroup", '{');
	json_put(json, "path", json_text(group->path));
	if (group->current != UINT64_MAX)
		json_put(json, "current", json_number(group->current));
	if (group->max != UINT64_MAX)
		json_put(json, "max", json_number(group->max));
	json_open(json, "parts", '{');
	for (int i = 0; group->known && i < PM_CGROUP_PARTS; i++)
		json_put(json, pm_cgroup_parts_name((enum pm_cgroup_part)i),
		         json_number(group->split.parts[i]));
	json_shut(json, '}');
	json_shut(json, '}');
}

void why_print_json(const struct why_report *report, struct out *out)
{
	const struct why_observation *observation = report->observation;
	struct json json = { .out = out };
	double seconds = observation->seconds > 0 ? observation->seconds : 1;

	json_open(&json, NULL, '{');
	json_open(&json, "target", '{');
	if (observation->file)
		json_put(&json, "path", json_text(observation->file));
	json_put(&json, "pid", json_integer(report->evidence->pid));
	json_put(&json, "name", json_text(report->evidence->comm));
	json_put(&json, "command", json_text(observation->command));
	json_put(&json, "rss", json_number(report->evidence->memory.last));
	json_shut(&json, '}');
	if (observation->group.given)
		json_group(&json, &observation->group);
	json_put(&json, "seconds", json_real(observation->seconds));
	json_open(&json, "findings", '[');
	for (size_t i = 0; i < report->findings->count; i++)
		json_finding(&json, report, &report->findings->items[i]);
	json_shut(&json, ']');

	json_open(&json, "unseen", '[');
	why_unseen_list(observation, json_unseen, &json);
	json_shut(&json, ']');
	if (!observation->file) {
		json_open(&json, "cost", '{');
		json_put(&json, "cpu_percent", json_real(100 * observation->cpu_seconds / seconds));
		json_put(&json, "stopped_us", json_number(0));
		json_shut(&json, '}');
	}
	json_shut(&json, '}');
	out_string(out, "\n");
}
