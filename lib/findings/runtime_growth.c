/* SPDX-License-Identifier: MIT */
/*
 * The heap of a runtime grows: its objects stay. The types that grow are named where the runtime
 * shows them.
 *
 * Needs: sums by owner over time, or the bytes that the runtime itself counts. CPython releases
 * objects at once: if its heap grows steadily, it keeps more and more objects. The heaps of other
 * runtimes grow until the next garbage collection: only what a full collection leaves is growth.
 * Without full collections, growth is reported as harmless so far, unless it ends the process soon.
 *
 * Go tells what its last collection has left. V8 shows no collections, but collects at the latest
 * when its heap is four times as large as after the last one, and usually much earlier: a heap that
 * doubles and never becomes smaller keeps its objects.
 */
#include "findings/rules.h"

#include <math.h>

/* Collections of old objects after which the rest is taken as live. */
enum { OLD_COLLECTIONS_MIN = 2, COLLECTIONS_MIN = 3 };

/* Samples below which the lowest ones say little about a floor that does not rise steadily. */
enum { SAMPLES_MIN = 20 };

/* Minimum time in seconds in which growth without a fall is that of objects. */
static const double judged_seconds = 10;

/* A heap that is filled to this part is normally collected as a whole before. */
static const double filled_part = 0.95;

/* Growth that is not steady must be at least this part of the heap. */
static const double part_min = 0.01;

/* Growth that reaches an end in this time is reported, even if it can be garbage: less if the
 * runtime counts its collections, because it has usually one before. */
static const double soon_seconds = 600, soon_counted_seconds = 60;

/* A heap whose collections are not known is large if it has this part of its maximum. Growth of a
 * large one is reported if it reaches the maximum in this time. */
static const double large_part = 0.25, large_seconds = 3600;

/* Growth of a heap by this factor contains collections; that of a small one can be a start. */
static const double collected_factor = 2;
static const uint64_t started_bytes = UINT64_C(64) << 20;

/* What collections leave has risen if it has risen by this part: a little is usual. */
static const double live_part = 0.05;

/* The rate of the live objects is known about this exactly. */
static const double rate_error = 0.15, estimate_error = 0.3;

/** How a heap is judged. */
struct heap {
	const struct pm_evidence_owner *owner;
	const struct pm_evidence_trend *trend; /* what is judged */
	const struct pm_evidence_limit *limit; /* NULL if it has none */
	double rate;
};

static bool is_heap(enum pm_owner owner)
{
	return pm_finding_collects(owner) || owner == PM_OWNER_PYTHON_OBJECTS;
}

static const struct pm_evidence_limit *limit_of(const struct pm_evidence *evidence,
                                                enum pm_owner owner)
{
	switch (owner) {
	case PM_OWNER_JAVA_HEAP:
		return pm_finding_limit(evidence, PM_LIMIT_JAVA_HEAP);
	case PM_OWNER_V8_HEAP:
		return pm_finding_limit(evidence, PM_LIMIT_V8_OLD_SPACE);
	case PM_OWNER_GO_HEAP:
		return pm_finding_limit(evidence, PM_LIMIT_GO_MEMORY);
	default:
		return NULL;
	}
}

/** Tests whether the growth of a heap is steady, or large: small steps are usual. */
static bool is_worth(const struct heap *heap)
{
	double grown = (double)heap->trend->last - (double)heap->trend->first;

	return pm_evidence_grows(heap->trend) || grown >= part_min * (double)heap->trend->last;
}

/** Returns the number of collections while the process was observed. */
static uint64_t collections(const struct pm_evidence_trend *trend)
{
	return trend->known && trend->last > trend->first ? trend->last - trend->first : 0;
}

/** Tests whether the heap has fallen several times, and what was left has risen. */
static bool has_rising_floor(const struct pm_trend *trend)
{
	return trend->verdict == PM_VERDICT_STEADY && trend->sawtooth && trend->floor_known &&
	       trend->floor_rise > 0;
}

/** Tests whether a heap is filled to a part that is seldom without a collection of all objects. */
static bool is_filled(const struct heap *heap)
{
	const struct pm_evidence_owner *owner = heap->owner;

	return owner->used_max > 0 &&
	       (double)owner->used.last >= filled_part * (double)owner->used_max;
}

/** Returns the time in which growth alone reaches the end of the memory, in seconds. */
static double until_memory_ends(const struct pm_evidence *evidence, double rate)
{
	double seconds = INFINITY;

	for (size_t i = 0; i < evidence->limit_count; i++) {
		const struct pm_limit *limit = &evidence->limits[i].limit;

		if (limit->kind == PM_LIMIT_CGROUP && !limit->exempt)
			seconds = fmin(seconds, (double)pm_limit_left(limit) / rate);
	}
	return seconds;
}

/** Tests whether growth ends the process soon, and whether what grows is not known. */
static bool ends_soon(const struct pm_evidence *evidence, const struct heap *heap)
{
	const struct pm_evidence_owner *owner = heap->owner;
	uint64_t last = heap->trend->last;
	double memory = until_memory_ends(evidence, heap->rate);

	if (owner->collections.known)
		return memory < soon_counted_seconds;
	if (owner->used_max <= last)
		return memory < soon_seconds;

	double seconds = (double)(owner->used_max - last) / heap->rate;
	bool large = (double)last >= large_part * (double)owner->used_max;
	return fmin(seconds, memory) < soon_seconds || (large && seconds < large_seconds);
}

/** Tests whether a heap has grown so much that it was collected, and has never become smaller. */
static bool outgrows_collections(const struct pm_evidence *evidence, const struct heap *heap)
{
	const struct pm_evidence_trend *trend = heap->trend;

	return heap->owner->owner == PM_OWNER_V8_HEAP && pm_evidence_grows(trend) &&
	       !trend->trend.sawtooth && evidence->seconds >= judged_seconds &&
	       trend->first >= started_bytes &&
	       (double)trend->last >= collected_factor * (double)trend->first;
}

/** Tests whether a heap rises and falls, and is higher after the later falls, not steadily. */
static bool has_higher_floor(const struct pm_evidence *evidence, const struct pm_trend *trend)
{
	return trend->sawtooth && trend->floor_known && trend->floor_rise > 0 &&
	       2 * trend->floor_rise >= trend->swing && evidence->samples >= SAMPLES_MIN;
}

/** What the collections within the observation have left. */
enum live {
	LIVE_UNKNOWN, /**< there was none, or the runtime does not tell */
	LIVE_SAME,    /**< no more than before */
	LIVE_MORE,    /**< more than before */
};

static enum live live_of(const struct pm_evidence_owner *owner)
{
	if (!owner->live.known || collections(&owner->collections) == 0)
		return LIVE_UNKNOWN;
	if ((double)owner->live.last > (1 + live_part) * (double)owner->live.first)
		return LIVE_MORE;
	return collections(&owner->collections) >= OLD_COLLECTIONS_MIN ? LIVE_SAME : LIVE_UNKNOWN;
}

/** Tests whether collections prove that a heap that grows keeps its objects. */
static bool is_kept(const struct pm_evidence *evidence, const struct heap *heap)
{
	const struct pm_evidence_owner *owner = heap->owner;
	uint64_t count = collections(&owner->collections);
	bool steady = pm_evidence_grows(heap->trend);

	if (has_rising_floor(&heap->trend->trend) || outgrows_collections(evidence, heap))
		return true;
	if (owner->old_collections.known)
		return collections(&owner->old_collections) >= OLD_COLLECTIONS_MIN;
	if (live_of(owner) == LIVE_MORE)
		return steady && count >= OLD_COLLECTIONS_MIN;
	return steady && count >= COLLECTIONS_MIN;
}

/**
 * Judges the growth of a heap.
 * @param confidence  receives how sure it is that objects pile up
 * @return            false if the heap only grows between collections, as far as is known
 */
static bool piles_up(const struct pm_evidence *evidence, const struct heap *heap,
                     enum pm_confidence *confidence)
{
	const struct pm_evidence_owner *owner = heap->owner;
	bool steady = pm_evidence_grows(heap->trend);

	*confidence = PM_CONFIDENCE_LIKELY;
	if (!pm_finding_collects(owner->owner)) {
		*confidence = steady ? PM_CONFIDENCE_SURE : PM_CONFIDENCE_POSSIBLE;
		return true;
	}

	/* What collections leave is known better than what is in use between them. */
	enum live live = live_of(owner);
	if (live != LIVE_SAME && is_kept(evidence, heap))
		return true;

	/* Without counters, or without collections, steady growth can be garbage. */
	*confidence = PM_CONFIDENCE_POSSIBLE;
	if (live != LIVE_UNKNOWN)
		return live == LIVE_MORE;
	return (steady && (!owner->collections.known || is_filled(heap))) ||
	       has_higher_floor(evidence, &heap->trend->trend) || ends_soon(evidence, heap);
}

/** Adds the types of an owner that grow, at most three. */
static void add_types(const struct pm_evidence *evidence, struct pm_finding *finding)
{
	size_t added = 0;

	for (size_t i = 0; i < evidence->type_count && added < 3; i++) {
		const struct pm_evidence_type *type = &evidence->types[i];

		if (type->owner != finding->owner || type->rate <= 0)
			continue;
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_TYPE,
		                                                      .count = type->count,
		                                                      .bytes = type->bytes,
		                                                      .rate = type->rate,
		                                                      .text = type->type });
		added++;
	}
}

static void report(struct pm_finding_context *context, const struct heap *heap)
{
	enum pm_confidence confidence;
	bool harmless = !piles_up(context->evidence, heap, &confidence);
	struct pm_finding *finding = pm_finding_add(context, PM_FINDING_RUNTIME_GROWTH, confidence);

	if (!finding)
		return;

	finding->harmless = harmless;
	finding->owner = heap->owner->owner;
	pm_finding_set_trend(finding, heap->trend);
	add_types(context->evidence, finding);
	pm_finding_add_texts(context, finding);
	if (!harmless && has_rising_floor(&heap->trend->trend))
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_FLOOR,
		                                                      .rate = finding->rate });
	pm_finding_acquit_others(context, finding);
	/* What collections leave is known only after each of them, so that it grows in steps. */
	if (!harmless) {
		pm_finding_set_limit(context, finding);
		pm_finding_set_own_limit(finding, heap->limit,
		                         finding->estimate ? estimate_error : rate_error);
	}
	pm_finding_weigh(context, finding);
}

void pm_finding_runtime_growth(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->owner_count; i++) {
		const struct pm_evidence_owner *owner = &evidence->owners[i];
		struct heap heap = { .owner = owner, .trend = &owner->memory };

		if (!is_heap(owner->owner))
			continue;
		/* Memory grows, too, if a collector prefers new pages to those with garbage. */
		if (owner->used.known)
			heap.trend = &owner->used;
		/* Under garbage that comes and goes, only what collections leave shows growth. */
		if (pm_evidence_rate(heap.trend) <= 0 && live_of(owner) == LIVE_MORE)
			heap.trend = &owner->live;
		heap.limit = limit_of(evidence, owner->owner);
		heap.rate = pm_evidence_rate(heap.trend);

		if (heap.rate > 0 && is_worth(&heap) && pm_finding_matters(context, heap.rate) &&
		    !pm_finding_has(context, PM_FINDING_RUNTIME_HEAP))
			report(context, &heap);
		/* Objects move between the regions of a heap, so its regions are not judged one by
		 * one. */
		pm_finding_explain_owner(context, owner->owner);
	}
}
