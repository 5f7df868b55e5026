/* SPDX-License-Identifier: MIT */
#include "why/json.h"

#include <string.h>

#include "target/frames.h"
#include "target/json_parts.h"
#include "view/json.h"
#include "why/sentence.h"
#include "why/unseen.h"
#include "why/words.h"

/** Writes a text as a string. */
static void put_line(struct json *json, const char *key, const struct text *text)
{
	json_put(json, key, json_bytes(text->bytes, text->length));
}

/** The array of lines that is open. */
struct lines {
	struct json *json;
	const char *key; /* key of the array; NULL if none is open */
};

static void open_lines(struct lines *lines, const char *key)
{
	if (lines->key && key && strcmp(lines->key, key) == 0)
		return;
	if (lines->key)
		json_shut(lines->json, ']');
	if (key)
		json_open(lines->json, key, '[');
	lines->key = key;
}

static void put_sentence(void *context, enum why_label label, const struct text *text)
{
	static const char *const keys[WHY_LABELS] = {
		[WHY_GROWS] = "evidence", [WHY_WEIGHS] = "evidence", [WHY_SEEN] = "evidence",
		[WHY_HOLDS] = "evidence", [WHY_MADE] = "evidence",   [WHY_HELD] = "evidence",
		[WHY_UNTIL] = "evidence", [WHY_NOT] = "not",         [WHY_DO] = "do",
		[WHY_MORE] = "more",
	};
	struct lines *lines = context;

	struct text line = { 0 };

	/* Without its label, who holds something would not be understood. */
	if (label == WHY_HELD)
		text_format(&line, "%s ", why_sentence_label(label));
	text_bytes(&line, text->bytes, text->length);
	open_lines(lines, keys[label]);
	put_line(lines->json, NULL, &line);
	text_deinit(&line);
}

static void put_content(struct json *json, const struct pm_finding *finding)
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

static void put_region(struct json *json, const struct pm_evidence_region *region)
{
	json_open(json, "region", '{');
	json_put(json, "start", json_address(region->start));
	json_put(json, "end", json_address(region->end));
	json_parts_kind(json, region->kind);
	if (*region->mapping)
		json_put(json, "mapping", json_text(region->mapping));
	json_parts_owner(json, region->owner);
	json_shut(json, '}');
	json_parts_kind(json, region->kind);
}

/** Writes the thread that uses the arena or the region of a finding. */
static void put_thread(struct json *json, const struct pm_finding *finding)
{
	for (size_t i = 0; i < finding->fact_count; i++) {
		if (finding->facts[i].id == PM_FACT_THREAD) {
			json_put(json, "thread", json_number(finding->facts[i].count));
			return;
		}
	}

	if (finding->region && finding->region->thread > 0)
		json_put(json, "thread", json_number((uint64_t)finding->region->thread));
}

/** Writes what is concerned, and how it grows. */
static void put_figures(struct json *json, const struct pm_finding *finding)
{
	if (finding->region)
		put_region(json, finding->region);
	json_parts_owner(json, finding->owner);
	put_thread(json, finding);
	if (finding->bytes > 0)
		json_put(json, "bytes", json_number(finding->bytes));
	if (finding->count > 0)
		json_put(json, "count", json_number(finding->count));
	if (finding->rate > 0)
		json_put(json, "rate", json_real(finding->rate));
	if (finding->count_rate > 0)
		json_put(json, "count_rate", json_real(finding->count_rate));
	if (finding->chunks)
		json_put(json, "chunk_size", json_number(finding->chunks->size));
	json_put(json, "verdict", json_string(pm_verdict_name(finding->verdict)));
}

/** Writes which limit is reached, and when. */
static void put_time(struct json *json, const struct pm_finding *finding)
{
	if (finding->limit) {
		json_open(json, "limit", '{');
		json_parts_limit(json, &finding->limit->limit);
		json_shut(json, '}');
	}
	if (finding->time_known) {
		json_put(json, "seconds_left_min", json_real(finding->seconds_min));
		json_put(json, "seconds_left_max", json_real(finding->seconds_max));
	}
}

/** Writes what --deep has found about a finding. */
static void put_deep(struct json *json, const struct why_deep *deep)
{
	const struct why_deep_trace *trace = &deep->trace;

	if (trace->site) {
		json_open(json, "code", '{');
		json_put(json, "stack", frames_json(&trace->site->stack));
		json_put(json, "resident", json_number(trace->site->resident));
		json_put(json, "seconds", json_real(trace->seconds));
		json_shut(json, '}');
	}
	if (deep->held_count > 0) {
		json_open(json, "holder", '{');
		json_put(json, "address", json_address(deep->address));
		json_put(json, "held", json_number(deep->held));
		json_put(json, "chunks", json_number(deep->held_count));
		json_shut(json, '}');
	}
}

static void put_finding(struct json *json, const struct why_report *report,
                        const struct pm_finding *finding)
{
	bool exact = report->observation->options->output.bytes;
	bool own = finding->pid == report->evidence->pid;
	struct lines lines = { .json = json };
	struct text title = { 0 };

	why_words_put_title(finding, report->evidence, &title);
	json_open(json, NULL, '{');
	json_put(json, "id", json_string(pm_finding_name(finding->id)));
	json_put(json, "weight", json_real(finding->weight));
	json_put(json, "confidence", json_string(pm_confidence_name(finding->confidence)));
	json_put(json, "harmless", json_boolean(finding->harmless));
	put_line(json, "title", &title);
	if (finding->pid > 0)
		json_parts_process(json, finding->pid, finding->comm,
		                   own ? report->observation->command : NULL);
	put_figures(json, finding);
	put_content(json, finding);
	put_time(json, finding);
	if (finding == report->observation->deep.finding)
		put_deep(json, &report->observation->deep);
	why_sentence_lines(finding, report->evidence, exact, put_sentence, &lines);
	open_lines(&lines, NULL);
	json_shut(json, '}');
	text_deinit(&title);
}

/** Tests whether two facts acquit the same suspect. */
static bool same_suspect(const struct pm_finding_fact *one, const struct pm_finding_fact *other)
{
	return one->id == other->id && one->owner == other->owner && one->address == other->address;
}

/** Tests whether a fact of an earlier finding acquits the same suspect. */
static bool was_acquitted(const struct pm_findings *findings, size_t finding,
                          const struct pm_finding_fact *fact)
{
	for (size_t i = 0; i < finding; i++)
		for (size_t j = 0; j < findings->items[i].against_count; j++)
			if (same_suspect(&findings->items[i].against[j], fact))
				return true;
	return false;
}

static void put_acquitted(struct json *json, const struct why_report *report)
{
	bool exact = report->observation->options->output.bytes;
	const struct pm_findings *findings = report->findings;
	struct text what = { 0 };
	struct text why = { 0 };

	json_open(json, "acquitted", '[');
	for (size_t i = 0; i < findings->count; i++) {
		for (size_t j = 0; j < findings->items[i].against_count; j++) {
			const struct pm_finding_fact *fact = &findings->items[i].against[j];

			if (was_acquitted(findings, i, fact))
				continue;
			text_clear(&what);
			text_clear(&why);
			why_sentence_acquittal(fact, exact, &what, &why);
			if (what.length == 0)
				continue;
			json_open(json, NULL, '{');
			put_line(json, "what", &what);
			put_line(json, "why", &why);
			json_shut(json, '}');
		}
	}
	json_shut(json, ']');
	text_deinit(&what);
	text_deinit(&why);
}

static void put_unseen(void *context, const struct text *text)
{
	put_line(context, NULL, text);
}

/** Writes the cgroup that the user has named. */
static void put_group(struct json *json, const struct why_group *group)
{
	json_open(json, "group", '{');
	json_put(json, "path", json_text(group->path));
	if (group->current != UINT64_MAX)
		json_put(json, "current", json_number(group->current));
	if (group->max != UINT64_MAX)
		json_put(json, "max", json_number(group->max));

	json_open(json, "parts", '[');
	for (int i = 0; group->known && i < PM_CGROUP_PARTS; i++) {
		json_open(json, NULL, '{');
		json_put(json, "cgroup_part",
		         json_string(pm_cgroup_parts_name((enum pm_cgroup_part)i)));
		json_put(json, "bytes", json_number(group->split.parts[i]));
		json_shut(json, '}');
	}
	json_shut(json, ']');
	json_shut(json, '}');
}

void why_json_print(const struct why_report *report, struct out *out)
{
	const struct why_observation *observation = report->observation;
	const struct pm_evidence *evidence = report->evidence;
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_open(&json, "target", '{');
	if (observation->file)
		json_put(&json, "path", json_text(observation->file));
	if (evidence->pid > 0)
		json_parts_process(&json, evidence->pid, evidence->comm, observation->command);
	json_put(&json, "rss", json_number(evidence->memory.last));
	json_shut(&json, '}');
	if (observation->group.given)
		put_group(&json, &observation->group);
	json_put(&json, "seconds", json_real(observation->seconds));

	json_open(&json, "findings", '[');
	for (size_t i = 0; i < report->findings->count; i++)
		put_finding(&json, report, &report->findings->items[i]);
	json_shut(&json, ']');

	put_acquitted(&json, report);
	json_open(&json, "unseen", '[');
	why_unseen_list(report, put_unseen, &json);
	json_shut(&json, ']');
	if (!observation->file) {
		json_open(&json, "cost", '{');
		json_put(&json, "cpu_percent", json_real(why_report_cpu_percent(report)));
		json_put(&json, "stopped_us", json_number(observation->deep.stopped_ns / 1000));
		json_shut(&json, '}');
	}
	json_shut(&json, '}');
	out_string(out, "\n");
}
