/* SPDX-License-Identifier: MIT */
/*
 * Chunks of malloc of one size that are allocated and stay.
 *
 * Needs: several walks of the heap. The size class gains chunks, and loses few: what stays is at
 * least half of what is new. Sure if the region or the arena of the chunks grows steadily, too, and
 * no chunk can be missing. Classes that gain chunks at the same rate in the same arena belong to
 * one structure: they are one finding.
 */
#include "findings/rules.h"

#include <math.h>

/* Rates of classes of one structure differ by at most this part. */
static const double same_rate = 0.15;

/* At least this part of the new chunks stays. */
static const double stays_min = 0.5;

/* Maximum number of findings of this rule. */
enum { FINDINGS_MAX = 3 };

static double bytes_rate(const struct pm_evidence_chunks *chunks)
{
	return chunks->net_rate * (double)chunks->size;
}

/** Tests whether there is one new chunk for each new thread: threads that pile up are the cause. */
static bool belongs_to_threads(const struct pm_finding_context *context,
                               const struct pm_evidence_chunks *chunks)
{
	return context->thread_rate > 0 &&
	       fabs(chunks->net_rate - context->thread_rate) <= same_rate * context->thread_rate;
}

/** Tests whether chunks of a class pile up, at a rate that matters. */
static bool piles_up(const struct pm_finding_context *context,
                     const struct pm_evidence_chunks *chunks)
{
	return chunks->growth_known && !chunks->mapped && chunks->rate > 0 &&
	       !belongs_to_threads(context, chunks) &&
	       chunks->net_rate >= stays_min * chunks->rate &&
	       pm_finding_matters(context, bytes_rate(chunks));
}

/** Tests whether two classes probably belong to one structure. */
static bool belongs_to(const struct pm_evidence_chunks *one, const struct pm_evidence_chunks *other)
{
	return one->arena == other->arena &&
	       fabs(one->net_rate - other->net_rate) <= same_rate * other->net_rate;
}

/** Returns the region of malloc with an arena that grows fastest; NULL if none grows. */
static const struct pm_evidence_region *growing_region(const struct pm_evidence *evidence,
                                                       uint32_t arena)
{
	const struct pm_evidence_region *fastest = NULL;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];
		bool in_arena = region->kind == PM_KIND_ARENA && region->arena == arena;
		bool in_heap = region->kind == PM_KIND_HEAP && arena == 0;

		if (!(in_arena || in_heap) || !pm_evidence_grows(&region->memory))
			continue;
		if (!fastest ||
		    pm_evidence_rate(&region->memory) > pm_evidence_rate(&fastest->memory))
			fastest = region;
	}

	return fastest;
}

static const struct pm_evidence_arena *find_arena(const struct pm_evidence *evidence,
                                                  uint32_t number)
{
	for (size_t i = 0; i < evidence->arena_count; i++)
		if (evidence->arenas[i].number == number)
			return &evidence->arenas[i];
	return NULL;
}

static void support_chunks(struct pm_finding *finding, const struct pm_evidence_chunks *chunks)
{
	pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_CHUNKS,
	                                                      .rate = chunks->net_rate,
	                                                      .size = chunks->size });
}

/** Adds the classes of the same structure, and returns the sum of their rates in bytes. */
static double join(struct pm_finding_context *context, struct pm_finding *finding, bool *done)
{
	const struct pm_evidence *evidence = context->evidence;
	const struct pm_evidence_chunks *first = finding->chunks;
	double rate = 0;

	for (size_t i = 0; i < evidence->chunk_count; i++) {
		const struct pm_evidence_chunks *chunks = &evidence->chunks[i];

		if (done[i] || !piles_up(context, chunks) || !belongs_to(chunks, first))
			continue;
		done[i] = true;
		rate += bytes_rate(chunks);
		support_chunks(finding, chunks);
	}

	return rate;
}

static void add_details(const struct pm_finding_context *context, struct pm_finding *finding)
{
	const struct pm_evidence_chunks *chunks = finding->chunks;
	double released = 100 * (1 - chunks->net_rate / chunks->rate);

	if (released >= 1)
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_RELEASED,
		                                                      .percent = released });
	pm_finding_add_texts(context, finding);
	if (finding->arena && finding->arena->thread != 0 && finding->arena->threads <= 1)
		pm_finding_support(finding, (struct pm_finding_fact){
						    .id = PM_FACT_THREAD,
						    .count = (uint64_t)finding->arena->thread,
						    .size = finding->arena->number,
						    .text = finding->arena->thread_name });
	pm_finding_acquit_others(context, finding);
}

static void report(struct pm_finding_context *context, const struct pm_evidence_chunks *chunks,
                   bool *done)
{
	const struct pm_evidence *evidence = context->evidence;
	const struct pm_evidence_region *region = growing_region(evidence, chunks->arena);
	const struct pm_evidence_arena *arena = find_arena(evidence, chunks->arena);
	bool grows = region || (arena && pm_evidence_grows(&arena->use_trend));
	enum pm_confidence confidence = PM_CONFIDENCE_POSSIBLE;

	if (grows)
		confidence = chunks->certain ? PM_CONFIDENCE_SURE : PM_CONFIDENCE_LIKELY;

	struct pm_finding *finding = pm_finding_add(context, PM_FINDING_MALLOC_LEAK, confidence);
	if (!finding)
		return;

	finding->owner = PM_OWNER_MALLOC;
	finding->chunks = chunks;
	finding->region = region;
	finding->arena = arena;
	finding->bytes = chunks->bytes;
	finding->verdict = grows ? PM_VERDICT_STEADY : PM_VERDICT_TOO_EARLY;
	finding->count_rate = chunks->net_rate;
	finding->rate = join(context, finding, done);
	add_details(context, finding);
	pm_finding_set_limit(context, finding);
	pm_finding_weigh(context, finding);
	if (region && finding->rate >= stays_min * pm_evidence_rate(&region->memory))
		pm_finding_explain(context, region);
}

/** Marks the growth of arenas that chunks of new threads explain. */
static void explain_threads(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->chunk_count; i++) {
		const struct pm_evidence_chunks *chunks = &evidence->chunks[i];
		const struct pm_evidence_region *region = growing_region(evidence, chunks->arena);

		if (chunks->growth_known && region && belongs_to_threads(context, chunks) &&
		    bytes_rate(chunks) >= stays_min * pm_evidence_rate(&region->memory))
			pm_finding_explain(context, region);
	}
}

void pm_finding_malloc_leak(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	bool done[PM_EVIDENCE_CHUNKS_MAX] = { false };

	explain_threads(context);

	for (size_t found = 0; found < FINDINGS_MAX; found++) {
		const struct pm_evidence_chunks *fastest = NULL;

		for (size_t i = 0; i < evidence->chunk_count; i++) {
			const struct pm_evidence_chunks *chunks = &evidence->chunks[i];

			if (!done[i] && piles_up(context, chunks) &&
			    (!fastest || bytes_rate(chunks) > bytes_rate(fastest)))
				fastest = chunks;
		}
		if (!fastest)
			return;

		report(context, fastest, done);
		done[fastest - evidence->chunks] = true;
	}
}
