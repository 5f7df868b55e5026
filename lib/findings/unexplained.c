/* SPDX-License-Identifier: MIT */
/*
 * Growth whose cause no other rule has found, and growth that has stopped.
 *
 * Needs: regions over time. These rules come last: they report what is not explained, so that no
 * growth is lost.
 */
#include <math.h>
#include <string.h>

#include "findings/rules.h"

/** Maximum number of findings of growth without a cause. */
enum { FINDINGS_MAX = 3 };

/* Growth that is not steady must be at least this part of the memory of the target. */
static const double part_min = 0.01;

/* The tables of a collector grow by at most this part of the growth of its heap. */
static const double tables_part = 0.1;

/* A heap that grows by less than this part of other growth is not the cause. */
static const double slow_part = 0.1;

/** Tests whether the growth of a region is steady, or large: steps of some pages are usual. */
static bool is_worth(const struct pm_evidence *evidence, const struct pm_evidence_trend *memory)
{
	double grown = (double)memory->last - (double)memory->first;

	return pm_evidence_grows(memory) || grown >= part_min * (double)evidence->memory.last;
}

/**
 * Tests whether the growth of a region is small beside that of the heap of a runtime: bitmaps and
 * tables of a collector grow with its heap.
 */
static bool belongs_to_heap(const struct pm_evidence *evidence,
                            const struct pm_evidence_region *region)
{
	const struct pm_evidence_owner *heap = pm_finding_owner(evidence,
	                                                        pm_finding_runtime(evidence));

	if (!heap || !pm_finding_collects(heap->owner) ||
	    (region->owner != PM_OWNER_UNKNOWN &&
	     strcmp(pm_owner_family(region->owner), pm_owner_family(heap->owner)) != 0))
		return false;
	return pm_evidence_rate(&region->memory) <=
	       tables_part * fmax(pm_evidence_rate(&heap->memory), pm_evidence_rate(&heap->used));
}

static bool is_unexplained(const struct pm_finding_context *context,
                           const struct pm_evidence_region *region)
{
	return is_worth(context->evidence, &region->memory) &&
	       !belongs_to_heap(context->evidence, region) &&
	       !pm_finding_is_explained(context, region) && pm_evidence_rate(&region->memory) > 0 &&
	       pm_finding_matters(context, pm_evidence_rate(&region->memory));
}

/**
 * Tests whether memory of malloc that grows is outside of the heap of a runtime, which does not
 * grow, or much slower.
 */
static bool is_outside(const struct pm_evidence *evidence, enum pm_owner owner, double rate)
{
	enum pm_owner runtime = pm_finding_runtime(evidence);
	const struct pm_evidence_owner *heap = pm_finding_owner(evidence, runtime);

	return owner == PM_OWNER_MALLOC && runtime != PM_OWNER_UNKNOWN && heap &&
	       (pm_evidence_is_flat(&heap->memory) ||
	        pm_evidence_rate(&heap->memory) < slow_part * rate);
}

/** Variables of a program or library grow only until all their pages are used: it is harmless. */
static void set_end(struct pm_finding *finding)
{
	const struct pm_evidence_region *region = finding->region;

	if (region->kind == PM_KIND_BSS || region->kind == PM_KIND_DATA)
		pm_finding_set_end(finding, region->size);
}

static void report(struct pm_finding_context *context, const struct pm_evidence_region *region)
{
	bool outside = is_outside(context->evidence, region->owner,
	                          pm_evidence_rate(&region->memory));
	enum pm_finding_id id = outside ? PM_FINDING_OUTSIDE_RUNTIME : PM_FINDING_GROWTH;
	bool steady = pm_evidence_grows(&region->memory);
	struct pm_finding *finding = pm_finding_add(
		context, id, steady ? PM_CONFIDENCE_LIKELY : PM_CONFIDENCE_POSSIBLE);

	if (!finding)
		return;

	finding->region = region;
	finding->owner = region->owner;
	pm_finding_set_trend(finding, &region->memory);
	pm_finding_add_texts(context, finding);
	pm_finding_acquit_others(context, finding);
	pm_finding_set_limit(context, finding);
	set_end(finding);
	pm_finding_weigh(context, finding);
	pm_finding_explain(context, region);
}

/**
 * Returns the growth of the target that findings explain, in bytes per second, and that of heaps
 * with garbage.
 */
static double explained_rate(const struct pm_finding_context *context)
{
	double rate = 0;

	for (size_t i = 0; i < context->findings->count; i++) {
		const struct pm_finding *finding = &context->findings->items[i];

		if (finding->pid == context->evidence->pid && finding->id != PM_FINDING_PAGE_CACHE)
			rate += finding->rate;
	}
	for (size_t i = 0; i < context->evidence->owner_count; i++)
		if (pm_finding_collects(context->evidence->owners[i].owner))
			rate += pm_evidence_rate(&context->evidence->owners[i].memory);
	return rate;
}

/** Returns the owner that grows fastest, if it makes up most of a growth; NULL if none does. */
static const struct pm_evidence_owner *growing_owner(const struct pm_evidence *evidence,
                                                     double growth)
{
	for (size_t i = 0; i < evidence->owner_count; i++)
		if (pm_evidence_rate(&evidence->owners[i].memory) > growth / 2)
			return &evidence->owners[i];
	return NULL;
}

/**
 * Reports that the target grows as a whole, if no region does: the growth can move from one region
 * to another, such as when malloc changes its threshold for blocks that it maps separately.
 */
static void report_whole(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	double rate = pm_evidence_rate(&evidence->kept);
	const struct pm_evidence_owner *owner = growing_owner(evidence, rate);

	if (!pm_evidence_grows(&evidence->kept) || !pm_finding_matters(context, rate) ||
	    explained_rate(context) >= rate / 2)
		return;

	bool outside = owner && is_outside(evidence, owner->owner, rate);
	struct pm_finding *finding = pm_finding_add(
		context, outside ? PM_FINDING_OUTSIDE_RUNTIME : PM_FINDING_GROWTH,
		PM_CONFIDENCE_LIKELY);
	if (!finding)
		return;

	if (owner)
		finding->owner = owner->owner;
	pm_finding_set_trend(finding, owner ? &owner->memory : &evidence->kept);
	pm_finding_acquit_others(context, finding);
	pm_finding_set_limit(context, finding);
	pm_finding_weigh(context, finding);
}

static void report_regions(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t found = 0; found < FINDINGS_MAX; found++) {
		const struct pm_evidence_region *fastest = NULL;

		for (size_t i = 0; i < evidence->region_count; i++) {
			const struct pm_evidence_region *region = &evidence->regions[i];

			if (is_unexplained(context, region) &&
			    (!fastest || pm_evidence_rate(&region->memory) >
			                         pm_evidence_rate(&fastest->memory)))
				fastest = region;
		}
		if (!fastest)
			return;
		report(context, fastest);
	}
}

void pm_finding_growth(struct pm_finding_context *context)
{
	report_regions(context);
	report_whole(context);
}

/** Tests whether memory has grown, and has stopped. A sawtooth around a level does neither. */
static bool has_stopped(const struct pm_evidence_trend *kept)
{
	if (!kept->known || kept->last <= kept->first)
		return false;
	if (kept->trend.verdict == PM_VERDICT_BURST)
		return true;
	return kept->trend.verdict == PM_VERDICT_PLATEAU && !kept->trend.sawtooth;
}

void pm_finding_plateau(struct pm_finding_context *context)
{
	const struct pm_evidence_trend *kept = &context->evidence->kept;

	if (!has_stopped(kept))
		return;
	for (size_t i = 0; i < context->findings->count; i++)
		if (context->findings->items[i].rate > 0 && !context->findings->items[i].harmless)
			return;

	struct pm_finding *finding = pm_finding_add(context, PM_FINDING_PLATEAU,
	                                            PM_CONFIDENCE_LIKELY);
	if (!finding)
		return;

	finding->harmless = true;
	pm_finding_set_trend(finding, kept);
	pm_finding_acquit_others(context, finding);
	pm_finding_weigh(context, finding);
}
