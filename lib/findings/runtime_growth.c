/* SPDX-License-Identifier: MIT */
/*
 * The heap of a runtime grows: its objects stay. The types that grow are named where the runtime
 * shows them.
 *
 * Needs: sums by owner over time, or the bytes that the runtime itself counts. CPython releases
 * objects at once: if its heap grows steadily, it keeps more and more objects. The heaps of other
 * runtimes grow until the next garbage collection: only what a full collection leaves is growth.
 * Without full collections, growth is reported as harmless so far.
 */
#include "findings/rules.h"

/* Collections of old objects after which the rest is taken as live. */
enum { OLD_COLLECTIONS_MIN = 2, COLLECTIONS_MIN = 3 };

/* A heap that is filled to this part is normally collected as a whole before. */
static const double filled_part = 0.95;

/* Growth that is not steady must be at least this part of the heap. */
static const double part_min = 0.01;

/* Growth that reaches the maximum of a heap in this time is reported, even if it can be garbage. */
static const double soon_seconds = 600;

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

/** Tests whether the maximum of a heap is reached soon, and whether what grows is not known. */
static bool ends_soon(const struct heap *heap)
{
	const struct pm_evidence_owner *owner = heap->owner;
	uint64_t last = heap->trend->last;

	return !owner->collections.known && owner->used_max > last &&
	       (double)(owner->used_max - last) < heap->rate * soon_seconds;
}

/**
 * Judges the growth of a heap.
 * @param confidence  receives how sure it is that objects pile up
 * @return            false if the heap only grows between collections, as far as is known
 */
static bool piles_up(const struct heap *heap, enum pm_confidence *confidence)
{
	const struct pm_evidence_owner *owner = heap->owner;
	bool steady = pm_evidence_grows(heap->trend);

	*confidence = PM_CONFIDENCE_LIKELY;
	if (!pm_finding_collects(owner->owner)) {
		*confidence = steady ? PM_CONFIDENCE_SURE : PM_CONFIDENCE_POSSIBLE;
		return true;
	}

	if (has_rising_floor(&heap->trend->trend))
		return true;
	if (owner->old_collections.known &&
	    collections(&owner->old_collections) >= OLD_COLLECTIONS_MIN)
		return true;
	if (steady && !owner->old_collections.known &&
	    collections(&owner->collections) >= COLLECTIONS_MIN)
		return true;

	/* Without counters, or without collections, steady growth can be garbage. */
	*confidence = PM_CONFIDENCE_POSSIBLE;
	return (steady && (!owner->collections.known || is_filled(heap))) || ends_soon(heap);
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
	bool harmless = !piles_up(heap, &confidence);
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
		heap.limit = limit_of(evidence, owner->owner);
		heap.rate = pm_evidence_rate(heap.trend);

		if (heap.rate > 0 && is_worth(&heap) && pm_finding_matters(context, heap.rate) &&
		    !pm_finding_has(context, PM_FINDING_RUNTIME_HEAP))
			report(context, &heap);
		/* Its objects move between regions: a region alone says nothing. */
		pm_finding_explain_owner(context, owner->owner);
	}
}
