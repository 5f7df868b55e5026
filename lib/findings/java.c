/* SPDX-License-Identifier: MIT */
/*
 * Memory of a JVM outside of the Java heap that has a limit of its own: direct buffers, classes,
 * and generated code. These rules run before those of malloc, because direct buffers and the data
 * of class loaders are chunks of malloc.
 *
 * Needs: the limits inside the JVM. For direct buffers: the growth of large chunks of malloc, or
 * the used part of the limit over time.
 */
#include "findings/rules.h"

/* Direct buffers have this size at least; smaller chunks are those of the JVM. */
static const uint64_t buffer_min = UINT64_C(16) << 10;

/* Growth of buffers below this size is that of the JVM itself, such as its compilers. */
static const uint64_t growth_min = UINT64_C(1) << 20;

/* A limit is nearly reached if this part of it is used. */
static const double full_part = 0.9;

/* Code and classes of less than this part of their limit are not worth a finding. */
static const double worth_part = 0.5;

/* While a program starts, code grows by at least this part of the growth of classes. Classes that
 * pile up are hardly ever compiled. */
static const double warm_part = 0.1;

/* The growth of buffers is known about this exactly. */
static const double rate_error = 0.15;

/** Returns the used part of a limit; 0 if it is not known. */
static double used_part(const struct pm_evidence_limit *limit)
{
	if (!limit || limit->limit.used_unknown || limit->limit.max == 0)
		return 0;
	return (double)limit->limit.used / (double)limit->limit.max;
}

/** Returns the region of malloc that grows fastest; NULL if none grows. */
static const struct pm_evidence_region *fastest_region(const struct pm_evidence *evidence)
{
	const struct pm_evidence_region *fastest = NULL;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];
		double rate = pm_evidence_rate(&region->memory);

		if (region->owner == PM_OWNER_MALLOC && rate > 0 &&
		    (!fastest || rate > pm_evidence_rate(&fastest->memory)))
			fastest = region;
	}

	return fastest;
}

/** Returns the rate of the large chunks of malloc that stay, in bytes per second. */
static double buffers_rate(const struct pm_evidence *evidence)
{
	double rate = 0;

	for (size_t i = 0; i < evidence->chunk_count; i++) {
		const struct pm_evidence_chunks *chunks = &evidence->chunks[i];

		if (chunks->growth_known && !chunks->mapped && chunks->size >= buffer_min &&
		    chunks->net_rate > 0)
			rate += chunks->net_rate * (double)chunks->size;
	}
	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];

		if (region->kind == PM_KIND_MALLOC)
			rate += pm_evidence_rate(&region->memory);
	}

	return rate;
}

/** Returns the growth of all memory of malloc, in bytes per second. */
static double malloc_rate(const struct pm_evidence *evidence)
{
	double rate = 0;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];

		if (region->owner == PM_OWNER_MALLOC && pm_evidence_rate(&region->memory) > 0)
			rate += pm_evidence_rate(&region->memory);
	}

	return rate;
}

/**
 * Marks the regions whose growth is that of direct buffers: several threads have theirs in as many
 * arenas.
 */
static void explain_buffers(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	bool most = context->buffer_rate >= malloc_rate(evidence) / 2;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];

		if (region->kind == PM_KIND_MALLOC || (region->owner == PM_OWNER_MALLOC && most))
			pm_finding_explain(context, region);
	}
}

static void weigh(const struct pm_finding_context *context, struct pm_finding *finding,
                  const struct pm_evidence_limit *limit)
{
	if (used_part(limit) >= full_part)
		pm_finding_weigh_full(context, finding);
	else
		pm_finding_weigh(context, finding);
}

/** Adds the class of chunks that gains most bytes in buffers. */
static void add_chunks(const struct pm_finding_context *context, struct pm_finding *finding)
{
	const struct pm_evidence *evidence = context->evidence;
	const struct pm_evidence_chunks *fastest = NULL;

	for (size_t i = 0; i < evidence->chunk_count; i++) {
		const struct pm_evidence_chunks *chunks = &evidence->chunks[i];

		if (!chunks->growth_known || chunks->size < buffer_min || chunks->net_rate <= 0)
			continue;
		if (!fastest || chunks->net_rate * (double)chunks->size >
		                        fastest->net_rate * (double)fastest->size)
			fastest = chunks;
	}

	finding->chunks = fastest;
	if (fastest) {
		finding->count_rate = fastest->net_rate;
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_CHUNKS,
		                                                      .rate = fastest->net_rate,
		                                                      .size = fastest->size });
	}
}

void pm_finding_java_direct(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	const struct pm_evidence_limit *limit = pm_finding_limit(evidence, PM_LIMIT_JAVA_DIRECT);

	if (!limit || !pm_finding_owner(evidence, PM_OWNER_JAVA_HEAP))
		return;

	/* The chunks are counted exactly; the limit counts them at a few moments. */
	double rate = buffers_rate(evidence);
	if (rate <= 0)
		rate = pm_evidence_rate(&limit->used);
	bool grows = rate * evidence->seconds >= (double)growth_min &&
	             pm_finding_matters(context, rate);
	if (!grows && used_part(limit) < full_part)
		return;

	/* Large chunks can also be those of native code. */
	struct pm_finding *finding = pm_finding_add(
		context, PM_FINDING_JAVA_DIRECT,
		limit->limit.approximate ? PM_CONFIDENCE_POSSIBLE : PM_CONFIDENCE_LIKELY);
	if (!finding)
		return;

	finding->owner = PM_OWNER_MALLOC;
	finding->region = fastest_region(evidence);
	finding->bytes = limit->limit.used;
	if (limit->limit.used_unknown && finding->region)
		finding->bytes = finding->region->memory.last;
	finding->verdict = PM_VERDICT_NO_GROWTH;
	finding->limit = limit;
	if (grows) {
		finding->rate = rate;
		finding->verdict = PM_VERDICT_STEADY;
		finding->limit = NULL;
		context->buffer_rate = rate;
		pm_finding_set_limit(context, finding);
		pm_finding_set_own_limit(finding, limit, rate_error);
		explain_buffers(context);
		add_chunks(context, finding);
	}
	pm_finding_add_texts(context, finding);
	pm_finding_acquit_others(context, finding);
	weigh(context, finding, limit);
}

/** Returns the growth of memory in bytes; 0 if it has not grown. */
static double grown(const struct pm_evidence_trend *memory)
{
	return memory->last > memory->first ? (double)(memory->last - memory->first) : 0;
}

/**
 * Tests whether the growth of an owner is that of a JVM that warms up: then it generates code, and
 * loads classes.
 */
static bool warms_up(const struct pm_evidence *evidence, const struct pm_evidence_owner *owner)
{
	const struct pm_evidence_owner *code = pm_finding_owner(evidence, PM_OWNER_JAVA_CODE);

	return code && code->memory.known && !pm_evidence_is_flat(&code->memory) &&
	       grown(&code->memory) > (double)code->memory.first / 20 &&
	       grown(&code->memory) >= warm_part * grown(&owner->memory);
}

/** Reports memory of a JVM that is near its limit, or that grows. */
static struct pm_finding *report(struct pm_finding_context *context, enum pm_finding_id id,
                                 const struct pm_evidence_limit *limit,
                                 const struct pm_evidence_owner *owner)
{
	bool full = used_part(limit) >= full_part;
	bool steady = owner && pm_evidence_grows(&owner->memory) &&
	              !warms_up(context->evidence, owner);
	struct pm_finding *finding = pm_finding_add(
		context, id, full || steady ? PM_CONFIDENCE_LIKELY : PM_CONFIDENCE_POSSIBLE);
	if (!finding)
		return NULL;

	finding->verdict = PM_VERDICT_NO_GROWTH;
	if (owner) {
		finding->owner = owner->owner;
		pm_finding_set_trend(finding, &owner->memory);
		pm_finding_explain_owner(context, owner->owner);
	}

	if (finding->rate > 0) {
		pm_finding_set_limit(context, finding);
		pm_finding_set_own_limit(finding, limit, rate_error);
	} else {
		finding->limit = limit;
	}
	pm_finding_acquit_others(context, finding);
	weigh(context, finding, limit);
	return finding;
}

void pm_finding_java_code(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	const struct pm_evidence_limit *limit = pm_finding_limit(evidence, PM_LIMIT_JAVA_CODE);
	const struct pm_evidence_owner *code = pm_finding_owner(evidence, PM_OWNER_JAVA_CODE);
	bool grows = code && pm_evidence_grows(&code->memory) &&
	             pm_finding_matters(context, pm_evidence_rate(&code->memory));

	if (used_part(limit) >= full_part || (grows && used_part(limit) >= worth_part))
		report(context, PM_FINDING_JAVA_CODE, limit, code);
}

void pm_finding_java_metaspace(struct pm_finding_context *context)
{
	static const enum pm_limit_kind kinds[] = { PM_LIMIT_JAVA_METASPACE,
		                                    PM_LIMIT_JAVA_CLASS_SPACE };
	const struct pm_evidence *evidence = context->evidence;
	const struct pm_evidence_owner *classes = pm_finding_owner(evidence,
	                                                           PM_OWNER_JAVA_METASPACE);
	const struct pm_evidence_limit *fullest = NULL;
	double rate = classes ? pm_evidence_rate(&classes->memory) : 0;
	bool grows = rate > 0 && pm_finding_matters(context, rate) && !warms_up(evidence, classes);

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct pm_evidence_limit *limit = pm_finding_limit(evidence, kinds[i]);

		if (limit && (!fullest || used_part(limit) > used_part(fullest)))
			fullest = limit;
	}

	if (!grows && used_part(fullest) < full_part)
		return;
	if (!report(context, PM_FINDING_JAVA_METASPACE, fullest, classes))
		return;

	/* Each class loader has a part of the class space, and chunks of malloc. */
	pm_finding_explain_owner(context, PM_OWNER_JAVA_CLASS_SPACE);
	context->class_rate = rate;
	for (size_t i = 0; i < evidence->region_count; i++)
		if (evidence->regions[i].owner == PM_OWNER_MALLOC &&
		    pm_evidence_rate(&evidence->regions[i].memory) < rate)
			pm_finding_explain(context, &evidence->regions[i]);
}
