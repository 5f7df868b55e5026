/* SPDX-License-Identifier: MIT */
/*
 * The program allocates malloc chunks of one size, and does not free them.
 *
 * Needs: several walks of the heap. The size class gains chunks, and loses few: most of what is
 * new stays. Sure if the region or the arena of the chunks grows steadily, too, and
 * no chunk can be missing. Classes that gain chunks at the same rate in the same arena belong to
 * one structure, and those with the same text are of one sort: they are one finding.
 */
#include "findings/rules.h"

#include <math.h>
#include <string.h>

/* Rates of classes of one structure differ by at most this part. */
static const double same_rate = 0.15;

/* At least this part of the growth of an arena is that of the chunks that explain it. */
static const double explains_min = 0.5;

/*
 * At least this part of the new chunks stays. What was allocated at once in the first half of the
 * time, such as at a peak, has only half of its rate over the whole time.
 */
static const double stays_min = 0.7;

/* Percentage of released chunks that is reported. Below, it can be the error of the rates. */
static const double released_min = 5;

/* Chunks that grow by this part of the swing of a sawtooth would raise its floor. */
static const double swing_share = 0.05;

/* Chunks of a peak have once lost at least this part of what they have gained in all. */
static const double fall_share = 0.5;

/* Fewer new chunks say nothing: buffers of a program are allocated again and again. */
static const double chunks_min = 6;

/*
 * Fewer new bytes are noise of what comes and goes, if the arena does not grow, or if other chunks
 * explain its growth.
 */
static const double noise_bytes = 32 * 1024;

/* Buffers of runtimes usually have at least this size. */
static const uint64_t buffer_min = UINT64_C(16) << 10;

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

/** Tests whether a region belongs to an arena. */
static bool is_of_arena(const struct pm_evidence_region *region, uint32_t arena)
{
	if (region->kind == PM_KIND_ARENA)
		return region->arena == arena;
	return region->kind == PM_KIND_HEAP && arena == 0;
}

/** Tests whether chunks belong to the swing of an arena that rises and falls, and does not grow. */
static bool belongs_to_swing(const struct pm_evidence *evidence,
                             const struct pm_evidence_chunks *chunks)
{
	double grown = bytes_rate(chunks) * evidence->seconds;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];
		const struct pm_trend *trend = &region->memory.trend;

		if (is_of_arena(region, chunks->arena) && trend->sawtooth &&
		    pm_evidence_is_flat(&region->memory) && grown >= swing_share * trend->swing)
			return true;
	}

	return false;
}

/** Tests whether chunks are direct buffers or data of class loaders, whose growth is reported. */
static bool belongs_to_java(const struct pm_finding_context *context,
                            const struct pm_evidence_chunks *chunks)
{
	return (context->buffer_rate > 0 && chunks->size >= buffer_min) ||
	       bytes_rate(chunks) < context->class_rate;
}

/**
 * Tests whether two classes have chunks of one sort. malloc gives a chunk that is a little larger
 * than needed if it has one that is free.
 */
static bool is_same_sort(const struct pm_evidence_chunks *one,
                         const struct pm_evidence_chunks *other)
{
	return one != other && *one->text && strcmp(one->text, other->text) == 0 &&
	       strcmp(one->type, other->type) == 0;
}

/** Tests whether two classes probably belong to one structure. */
static bool belongs_to(const struct pm_evidence_chunks *one, const struct pm_evidence_chunks *other)
{
	return one->arena == other->arena &&
	       (fabs(one->net_rate - other->net_rate) <= same_rate * other->net_rate ||
	        is_same_sort(one, other));
}

/** Returns the region of malloc with an arena that grows fastest; NULL if none grows. */
static const struct pm_evidence_region *growing_region(const struct pm_evidence *evidence,
                                                       uint32_t arena)
{
	const struct pm_evidence_region *fastest = NULL;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];

		if (!is_of_arena(region, arena) || pm_evidence_rate(&region->memory) <= 0)
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

/** Tests whether an arena grows steadily: its region, or what is in use of it. */
static bool arena_grows(const struct pm_evidence *evidence, uint32_t number)
{
	const struct pm_evidence_region *region = growing_region(evidence, number);
	const struct pm_evidence_arena *arena = find_arena(evidence, number);

	return (region && pm_evidence_grows(&region->memory)) ||
	       (arena && pm_evidence_grows(&arena->use_trend));
}

/** Tests whether a finding explains why an arena grows. */
static bool is_reported(const struct pm_finding_context *context, uint32_t arena)
{
	for (size_t i = 0; i < context->findings->count; i++) {
		const struct pm_finding *finding = &context->findings->items[i];

		if (finding->id == PM_FINDING_MALLOC_LEAK && finding->chunks->arena == arena)
			return true;
	}
	return false;
}

/** Tests whether chunks come and go together, such as a cache that is emptied now and then. */
static bool rise_and_fall(const struct pm_evidence *evidence,
                          const struct pm_evidence_chunks *chunks)
{
	return (double)chunks->fall >= fall_share * chunks->net_rate * evidence->seconds;
}

/** Tests whether chunks of a class pile up, at a rate that matters. */
static bool piles_up(const struct pm_finding_context *context,
                     const struct pm_evidence_chunks *chunks)
{
	return chunks->growth_known && !chunks->mapped && chunks->rate > 0 &&
	       !belongs_to_threads(context, chunks) && !belongs_to_java(context, chunks) &&
	       chunks->net_rate >= stays_min * chunks->rate &&
	       !belongs_to_swing(context->evidence, chunks) &&
	       !rise_and_fall(context->evidence, chunks) &&
	       chunks->net_rate * context->evidence->seconds >= chunks_min &&
	       pm_finding_matters(context, bytes_rate(chunks));
}

/** Tests whether chunks do not explain growth, and are few. */
static bool is_noise(const struct pm_finding_context *context,
                     const struct pm_evidence_chunks *chunks)
{
	bool explains = arena_grows(context->evidence, chunks->arena) &&
	                !is_reported(context, chunks->arena);

	return !explains && bytes_rate(chunks) * context->evidence->seconds < noise_bytes;
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
		if (is_same_sort(chunks, first)) {
			finding->bytes += chunks->bytes;
			finding->count_rate += chunks->net_rate;
		}
		support_chunks(finding, chunks);
	}

	return rate;
}

/** Returns the percentage of the new chunks that are released again. */
static double released_percent(const struct pm_evidence_chunks *chunks)
{
	return 100 * (1 - chunks->net_rate / chunks->rate);
}

static void add_details(const struct pm_finding_context *context, struct pm_finding *finding)
{
	const struct pm_evidence_chunks *chunks = finding->chunks;
	double released = released_percent(chunks);

	if (released >= released_min)
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

/** Returns the growth of the regions of jemalloc, whose arenas have no regions of their own. */
static double jemalloc_rate(const struct pm_evidence *evidence)
{
	double rate = 0;

	for (size_t i = 0; i < evidence->region_count; i++)
		if (evidence->regions[i].owner == PM_OWNER_JEMALLOC)
			rate += fmax(pm_evidence_rate(&evidence->regions[i].memory), 0);
	return rate;
}

/** Tests whether chunks can be buffers of a runtime, which its next collection releases. */
static bool can_be_garbage(const struct pm_evidence *evidence,
                           const struct pm_evidence_chunks *chunks)
{
	return chunks->size >= buffer_min && pm_finding_collects(pm_finding_runtime(evidence));
}

/** Returns how sure it is that chunks pile up. */
static enum pm_confidence confidence_of(const struct pm_evidence *evidence,
                                        const struct pm_evidence_chunks *chunks)
{
	bool garbage = can_be_garbage(evidence, chunks);

	/* A collector that releases some of the buffers can release the others, too. */
	if (!arena_grows(evidence, chunks->arena) ||
	    (garbage && released_percent(chunks) >= released_min))
		return PM_CONFIDENCE_POSSIBLE;
	if (garbage)
		return pm_finding_buffers(evidence);
	return chunks->certain ? PM_CONFIDENCE_SURE : PM_CONFIDENCE_LIKELY;
}

/**
 * Tests whether a region grows in steps, and the chunks are a small part of this growth. A program
 * with one large task, such as a compiler, allocates chunks of many sizes until it is done.
 */
static bool is_part_of_steps(const struct pm_evidence_region *region, double rate)
{
	return region && !pm_evidence_grows(&region->memory) &&
	       rate < explains_min * pm_evidence_rate(&region->memory);
}

static void report(struct pm_finding_context *context, const struct pm_evidence_chunks *chunks,
                   bool *done)
{
	const struct pm_evidence *evidence = context->evidence;
	const struct pm_evidence_region *region = growing_region(evidence, chunks->arena);
	const struct pm_evidence_arena *arena = find_arena(evidence, chunks->arena);
	struct pm_finding *finding = pm_finding_add(context, PM_FINDING_MALLOC_LEAK,
	                                            confidence_of(evidence, chunks));
	if (!finding)
		return;

	finding->owner = PM_OWNER_MALLOC;
	finding->chunks = chunks;
	finding->region = region;
	finding->arena = arena;
	finding->bytes = chunks->bytes;
	finding->verdict = arena_grows(evidence, chunks->arena) ? PM_VERDICT_STEADY
	                                                        : PM_VERDICT_UNEVEN;
	finding->count_rate = chunks->net_rate;
	finding->rate = join(context, finding, done);
	/* Two counts of a recording do not show whether chunks grew in all of the time between. */
	finding->estimate = evidence->source == PM_EVIDENCE_RECORDING;
	if (is_part_of_steps(region, finding->rate))
		finding->confidence = PM_CONFIDENCE_POSSIBLE;
	add_details(context, finding);
	pm_finding_set_limit(context, finding);
	pm_finding_weigh(context, finding);
	if (region && finding->rate >= explains_min * pm_evidence_rate(&region->memory))
		pm_finding_explain(context, region);
	if (!region && finding->rate >= explains_min * jemalloc_rate(evidence))
		pm_finding_explain_owner(context, PM_OWNER_JEMALLOC);
}

/**
 * Marks the growth of arenas that chunks of new threads explain. Such growth can be too slow for a
 * steady verdict.
 */
static void explain_threads(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->chunk_count; i++) {
		const struct pm_evidence_chunks *chunks = &evidence->chunks[i];

		if (!chunks->growth_known || !belongs_to_threads(context, chunks))
			continue;
		for (size_t r = 0; r < evidence->region_count; r++) {
			const struct pm_evidence_region *region = &evidence->regions[r];

			if (is_of_arena(region, chunks->arena) &&
			    bytes_rate(chunks) >= explains_min * pm_evidence_rate(&region->memory))
				pm_finding_explain(context, region);
		}
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

			if (!done[i] && piles_up(context, chunks) && !is_noise(context, chunks) &&
			    (!fastest || bytes_rate(chunks) > bytes_rate(fastest)))
				fastest = chunks;
		}
		if (!fastest)
			return;

		report(context, fastest, done);
		done[fastest - evidence->chunks] = true;
	}
}
