/* SPDX-License-Identifier: MIT */
#include "why/html_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/minmax.h>

#include "cgroup/parts.h"
#include "html/moments.h"
#include "why/trends.h"

/* Maximum numbers of rows. More is counted, not shown: the most important rows come first. */
enum { REGIONS_SHOWN = 24, CHANGES_SHOWN = 24, CLASSES_SHOWN = 24, MEMBERS_SHOWN = 32 };

/* A class is small if its memory and its growth are less than this part of the largest ones. The
 * first ones are shown in any case. */
static const double small_class = 0.001;
enum { CLASSES_MIN = 8 };

enum html_tone why_html_rows_tone(enum pm_verdict verdict)
{
	switch (verdict) {
	case PM_VERDICT_STEADY:
	case PM_VERDICT_STEPS:
		return HTML_BAD;
	default:
		return HTML_PLAIN;
	}
}

static int64_t growth_of(const struct pm_evidence_trend *memory)
{
	return (int64_t)(memory->last - memory->first);
}

/** Sorts regions by growth, then by size. */
static int by_growth(const void *left, const void *right)
{
	const struct pm_evidence_region *const *a = left, *const *b = right;
	int64_t first = growth_of(&(*a)->memory), second = growth_of(&(*b)->memory);

	if (first != second)
		return first < second ? 1 : -1;
	if ((*a)->memory.last != (*b)->memory.last)
		return (*a)->memory.last < (*b)->memory.last ? 1 : -1;
	return ((*a)->start > (*b)->start) - ((*a)->start < (*b)->start);
}

/** Finds the track that a region was made of. */
static const struct pm_track *track_of(const struct why_observation *observation,
                                       const struct pm_evidence_region *region)
{
	size_t count = 0;
	const struct pm_track *const *tracks = pm_tracker_tracks(observation->rates.tracker,
	                                                         &count);

	for (size_t i = 0; i < count; i++)
		if (tracks[i]->regions > 0 && tracks[i]->start == region->start)
			return tracks[i];
	return NULL;
}

/** Returns the name of a verdict; "" if it was too early for one, or if `known` is false. */
static const char *verdict_name(bool known, enum pm_verdict verdict)
{
	return known && verdict != PM_VERDICT_TOO_EARLY ? pm_verdict_name(verdict) : "";
}

/** Returns the tone of a verdict, if it is known. */
static enum html_tone verdict_tone(bool known, enum pm_verdict verdict)
{
	return known ? why_html_rows_tone(verdict) : HTML_PLAIN;
}

static struct html_region region_of(const struct why_report *report,
                                    const struct pm_evidence_region *from)
{
	const struct pm_track *track = track_of(report->observation, from);
	enum pm_verdict verdict = from->memory.trend.verdict;
	bool owned = from->owner != PM_OWNER_UNKNOWN;
	struct html_region region = {
		.start = from->start,
		.count = 1,
		.kind = html_moments_kind(from->kind),
		.owner = owned ? pm_owner_title(from->owner) : "",
		.mapping = from->mapping,
		.bytes = from->memory.last,
		.growth = growth_of(&from->memory),
		.verdict = verdict_name(from->memory.known, verdict),
		.tone = verdict_tone(from->memory.known, verdict),
	};

	if (track) {
		region.count = track->regions;
		region.series = &track->series;
	}
	return region;
}

static void add_regions(const struct why_report *report, struct html_keep *keep,
                        struct html_report *html)
{
	const struct pm_evidence *evidence = report->evidence;
	const struct pm_evidence_region **sorted = html_keep_array(
		keep, evidence->region_count, sizeof(struct pm_evidence_region *));
	size_t count = 0;

	for (size_t i = 0; i < evidence->region_count; i++)
		if (evidence->regions[i].memory.last > 0)
			sorted[count++] = &evidence->regions[i];
	qsort(sorted, count, sizeof(struct pm_evidence_region *), by_growth);

	size_t shown = pm_min_size(count, REGIONS_SHOWN);
	struct html_region *regions = html_keep_array(keep, shown, sizeof *regions);
	for (size_t i = 0; i < shown; i++)
		regions[i] = region_of(report, sorted[i]);
	html->series_start = report->observation->moments.first.time;
	html->regions = regions;
	html->region_count = shown;
	html->regions_left_out = count - shown;
}

static uint64_t amount_of(const struct pm_track *track)
{
	return track->weight > track->baseline ? track->weight - track->baseline
	                                       : track->baseline - track->weight;
}

/** Sorts tracks by the amount of their change. */
static int by_amount(const void *left, const void *right)
{
	const struct pm_track *const *a = left, *const *b = right;
	uint64_t first = amount_of(*a), second = amount_of(*b);

	if (first != second)
		return first < second ? 1 : -1;
	return ((*a)->index > (*b)->index) - ((*a)->index < (*b)->index);
}

static void add_changes(const struct why_report *report, struct html_keep *keep,
                        struct html_report *html)
{
	size_t track_count = 0, count = 0;
	const struct pm_track *const *tracks = pm_tracker_tracks(report->observation->rates.tracker,
	                                                         &track_count);
	const struct pm_track **sorted = html_keep_array(keep, track_count,
	                                                 sizeof(struct pm_track *));

	if (report->observation->samples < 2)
		return;
	for (size_t i = 0; i < track_count; i++)
		if (amount_of(tracks[i]) > 0)
			sorted[count++] = tracks[i];
	qsort(sorted, count, sizeof(struct pm_track *), by_amount);

	size_t shown = pm_min_size(count, CHANGES_SHOWN);
	struct html_change *changes = html_keep_array(keep, shown, sizeof *changes);
	for (size_t i = 0; i < shown; i++)
		changes[i] = (struct html_change){
			.name = html_keep_format(keep, "%llx",
			                         (unsigned long long)sorted[i]->start),
			.kind = html_moments_kind(sorted[i]->kind),
			.mapping = sorted[i]->mapping,
			.born = sorted[i]->born && sorted[i]->baseline == 0,
			.gone = sorted[i]->regions == 0,
			.before = sorted[i]->baseline,
			.after = sorted[i]->weight,
		};
	html->changes = changes;
	html->change_count = shown;
	html->changes_left_out = count - shown;
}

/** Tests whether chunks are in the list already: first come those that grow, then the largest. */
static bool is_listed(const struct html_class *classes, size_t count,
                      const struct pm_evidence_chunks *chunks)
{
	for (size_t i = 0; i < count; i++)
		if (classes[i].size == chunks->size && strcmp(classes[i].type, chunks->type) == 0)
			return true;
	return false;
}

/** Returns the growth of a class in bytes per second. */
static double class_growth(const struct html_class *class)
{
	if (!class->growth_known || class->count == 0)
		return 0;
	return class->rate * (double)class->bytes / (double)class->count;
}

/** Sorts classes by growth in bytes, then by size. */
static int by_class_growth(const void *left, const void *right)
{
	const struct html_class *a = left, *b = right;
	double first = class_growth(a), second = class_growth(b);

	if (first != second)
		return first < second ? 1 : -1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->size > b->size) - (a->size < b->size);
}

/**
 * Removes classes that say nothing: beside the largest, they neither change nor have memory.
 * @return number of classes that remain
 */
static size_t keep_weighty(struct html_class *classes, size_t count)
{
	double largest = 0, fastest = 0;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		largest = fmax(largest, (double)classes[i].bytes);
		fastest = fmax(fastest, fabs(class_growth(&classes[i])));
	}
	for (size_t i = 0; i < count; i++)
		if (i < CLASSES_MIN || (double)classes[i].bytes > largest * small_class ||
		    fabs(class_growth(&classes[i])) > fastest * small_class)
			classes[kept++] = classes[i];
	return kept;
}

static void add_classes(const struct why_report *report, struct html_keep *keep,
                        struct html_report *html)
{
	const struct pm_evidence *evidence = report->evidence;
	struct html_class *classes = html_keep_array(keep, 2 * (size_t)CLASSES_SHOWN,
	                                             sizeof *classes);
	bool live = !report->observation->file;
	size_t count = 0;

	for (size_t i = 0; i < evidence->chunk_count && count < CLASSES_SHOWN; i++) {
		const struct pm_evidence_chunks *chunks = &evidence->chunks[i];

		if (is_listed(classes, count, chunks))
			continue;
		classes[count++] = (struct html_class){
			.size = chunks->size,
			.count = chunks->count,
			.bytes = chunks->bytes,
			/* Of a recording, only the classes that grow are compared. */
			.growth_known = chunks->growth_known && (live || chunks->net_rate > 0),
			.rate = chunks->net_rate,
			.type = chunks->type,
			.text = chunks->text,
		};
	}

	size_t end = count + CLASSES_SHOWN;
	for (size_t i = 0; i < evidence->type_count && count < end; i++)
		classes[count++] = (struct html_class){
			.count = evidence->types[i].count,
			.bytes = evidence->types[i].bytes,
			.growth_known = true,
			.rate = evidence->types[i].rate,
			.type = evidence->types[i].type,
			.text = "",
		};
	qsort(classes, count, sizeof *classes, by_class_growth);
	html->classes = classes;
	html->class_count = keep_weighty(classes, count);
	html->classes_left_out = count - html->class_count;
}

static void add_strings(const struct why_report *report, struct html_keep *keep,
                        struct html_report *html)
{
	const struct pm_evidence *evidence = report->evidence;
	struct html_string *strings = html_keep_array(keep, evidence->text_count, sizeof *strings);

	html->strings_hidden = report->observation->options->no_text;
	if (html->strings_hidden)
		return;
	for (size_t i = 0; i < evidence->text_count; i++) {
		const struct pm_evidence_text *from = &evidence->texts[i];
		const struct pm_evidence_region *region = &evidence->regions[from->region];

		strings[i] = (struct html_string){
			.count = from->count,
			.text = from->text,
			.where = html_keep_format(keep, "%s %llx", html_moments_kind(region->kind),
			                          (unsigned long long)region->start),
		};
	}
	html->strings = strings;
	html->string_count = evidence->text_count;
}

static int by_bytes(const void *left, const void *right)
{
	const struct html_member *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

/** Makes the row of a process. Its verdict is that of neighbours_judge(). */
static struct html_member member_of(const struct neighbour *from)
{
	static const char *const relations[NEIGHBOUR_RELATIONS] = {
		[NEIGHBOUR_TARGET] = "the process",    [NEIGHBOUR_CHILD] = "child",
		[NEIGHBOUR_DESCENDANT] = "descendant", [NEIGHBOUR_MEMBER] = "same cgroup",
		[NEIGHBOUR_NAMED] = "same name",       [NEIGHBOUR_MACHINE] = "same machine",
	};
	bool several = from->series.samples > 1 && from->series.count > 0;
	uint64_t first = several ? from->series.points[0].value : 0;
	uint64_t kept = pm_memory_use_kept(&from->use);

	return (struct html_member){
		.name = from->use.comm,
		.pid = from->use.pid,
		.what = relations[from->relation],
		.bytes = kept,
		.growth_known = several,
		.growth = (int64_t)(kept - first),
		.verdict = verdict_name(several, from->trend.verdict),
		.tone = verdict_tone(several, from->trend.verdict),
	};
}

/** Adds the parts of the cgroup. */
static size_t add_parts(const struct why_report *report, struct html_member *members)
{
	const struct why_group *group = &report->observation->group;
	size_t count = 0;

	for (int i = 0; group->known && i < PM_CGROUP_PARTS; i++) {
		struct pm_evidence_trend trend = why_trends_of(report->observation,
		                                               &group->parts[i], PM_TREND_BYTES);

		if (group->split.parts[i] == 0)
			continue;
		members[count++] = (struct html_member){
			.name = cgroup_parts_name((enum pm_cgroup_part)i, &group->split),
			.what = "part of the cgroup",
			.bytes = group->split.parts[i],
			.growth_known = trend.known,
			.growth = growth_of(&trend),
			.verdict = verdict_name(trend.known, trend.trend.verdict),
			.tone = verdict_tone(trend.known, trend.trend.verdict),
		};
	}
	return count;
}

static void add_members(const struct why_report *report, struct html_keep *keep,
                        struct html_report *html)
{
	const struct neighbours *neighbours = &report->observation->rates.around.neighbours;
	struct html_member *members = html_keep_array(keep, neighbours->count + PM_CGROUP_PARTS,
	                                              sizeof *members);
	size_t count = 0, others = 0;

	for (size_t i = 0; i < neighbours->count; i++) {
		const struct neighbour *from = &neighbours->items[i];

		if (from->own || from->gone || from->relation == NEIGHBOUR_MACHINE)
			continue;
		others += from->relation != NEIGHBOUR_TARGET;
		members[count++] = member_of(from);
	}
	if (others == 0)
		count = 0;

	qsort(members, count, sizeof *members, by_bytes);
	html->members_left_out = count > MEMBERS_SHOWN ? count - MEMBERS_SHOWN : 0;
	count = pm_min_size(count, MEMBERS_SHOWN);
	count += add_parts(report, members + count);
	html->members = members;
	html->member_count = count;
}

void why_html_rows_add(const struct why_report *report, struct html_keep *keep,
                       struct html_report *html)
{
	add_regions(report, keep, html);
	add_changes(report, keep, html);
	add_classes(report, keep, html);
	add_strings(report, keep, html);
	add_members(report, keep, html);
}
