/* SPDX-License-Identifier: MIT */
#include "findings/rule.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"

/* A region or owner is a suspect if it has at least this share of the memory of the target. */
static const double suspect_share = 0.05;

/* Minimum time of an observation, in seconds, for growth that is sure. */
static const double sure_seconds = 10;

/* Times between which the weight of growth falls from the highest to the lowest value. */
static const double urgent_seconds = 60, remote_seconds = 30 * 86400.0;

struct pm_finding *pm_finding_add(struct pm_finding_context *context, enum pm_finding_id id,
                                  enum pm_confidence confidence)
{
	struct pm_findings *findings = context->findings;

	if (pm_array_reserve(&findings->items, &findings->capacity, findings->count, 1,
	                     sizeof *findings->items, NULL) < 0) {
		context->out_of_memory = true;
		return NULL;
	}

	struct pm_finding *finding = &findings->items[findings->count++];
	*finding = (struct pm_finding){
		.id = id,
		.confidence = confidence,
		.pid = context->evidence->pid,
		.comm = context->evidence->comm,
	};
	return finding;
}

void pm_finding_support(struct pm_finding *finding, struct pm_finding_fact fact)
{
	if (finding->fact_count < PM_FINDING_FACTS_MAX)
		finding->facts[finding->fact_count++] = fact;
}

void pm_finding_oppose(struct pm_finding *finding, struct pm_finding_fact fact)
{
	if (finding->against_count < PM_FINDING_FACTS_MAX)
		finding->against[finding->against_count++] = fact;
}

void pm_finding_set_trend(struct pm_finding *finding, const struct pm_evidence_trend *trend)
{
	finding->bytes = trend->last;
	finding->rate = pm_evidence_rate(trend);
	finding->estimate = trend->trend.estimate;
	finding->verdict = trend->known ? trend->trend.verdict : PM_VERDICT_TOO_EARLY;
}

/** Tests whether memory of the target counts towards a limit. */
static bool limits_memory(enum pm_limit_kind kind)
{
	return kind == PM_LIMIT_CGROUP || kind == PM_LIMIT_SYSTEM ||
	       kind == PM_LIMIT_ADDRESS_SPACE || kind == PM_LIMIT_DATA;
}

/* The times that are derived from the rate of a finding alone are known about this exactly. */
static const double by_rate_error = 0.3;

/** Returns the time in which the growth of a finding alone reaches a limit, in seconds. */
static double by_rate(const struct pm_evidence_limit *limit, const struct pm_finding *finding)
{
	return (double)pm_limit_left(&limit->limit) / finding->rate;
}

/**
 * Sets the limit of memory that the growth of a finding alone reaches first. The rates of others
 * are not known, so the time is an estimate.
 */
static void set_limit_by_rate(const struct pm_evidence *evidence, struct pm_finding *finding)
{
	for (size_t i = 0; i < evidence->limit_count; i++) {
		const struct pm_evidence_limit *limit = &evidence->limits[i];
		double seconds = by_rate(limit, finding);
		bool shared = limit->limit.kind == PM_LIMIT_CGROUP ||
		              limit->limit.kind == PM_LIMIT_SYSTEM;

		if (!shared || limit->limit.exempt ||
		    (finding->limit && seconds * (1 - by_rate_error) >= finding->seconds_min))
			continue;
		finding->limit = limit;
		finding->time_known = true;
		finding->seconds_min = seconds * (1 - by_rate_error);
		finding->seconds_max = seconds * (1 + by_rate_error);
	}
}

/**
 * Tests whether others use up a limit: it is reached in less than half of the time that the finding
 * alone needs. The memory of the machine is then no limit of the finding. That of a cgroup still
 * is: the kernel kills one of its processes.
 */
static bool others_use_up(const struct pm_evidence_limit *limit, const struct pm_finding *finding)
{
	return limit->limit.kind == PM_LIMIT_SYSTEM &&
	       limit->seconds_max < by_rate(limit, finding) / 2;
}

void pm_finding_set_limit(const struct pm_finding_context *context, struct pm_finding *finding)
{
	const struct pm_evidence *evidence = context->evidence;

	if (finding->rate <= 0)
		return;

	for (size_t i = 0; i < evidence->limit_count; i++) {
		const struct pm_evidence_limit *limit = &evidence->limits[i];

		if (!limits_memory(limit->limit.kind) || limit->limit.exempt ||
		    !limit->time_known || others_use_up(limit, finding))
			continue;
		if (finding->limit && limit->seconds_min >= finding->seconds_min)
			continue;
		finding->limit = limit;
		finding->time_known = true;
		finding->seconds_min = limit->seconds_min;
		finding->seconds_max = limit->seconds_max;
	}

	/* The forecast of a limit knows only growth with a verdict: this growth can be faster. */
	if (!finding->limit ||
	    by_rate(finding->limit, finding) * (1 + by_rate_error) < finding->seconds_min)
		set_limit_by_rate(evidence, finding);
}

void pm_finding_set_own_limit(struct pm_finding *finding, const struct pm_evidence_limit *limit,
                              double rate_error)
{
	if (!limit || limit->limit.used_unknown || finding->rate <= 0)
		return;

	/* The used part of a heap contains garbage: the finding has the part that stays. */
	uint64_t left = pm_limit_left(&limit->limit);
	if (pm_limit_has_garbage(limit->limit.kind))
		left = pm_max(limit->limit.max, finding->bytes) - finding->bytes;

	double seconds = (double)left / finding->rate;
	bool set = finding->limit && finding->limit != limit && finding->time_known;
	if (set && finding->seconds_min <= seconds)
		return;

	finding->limit = limit;
	finding->time_known = true;
	finding->seconds_min = seconds * (1 - rate_error);
	finding->seconds_max = seconds * (1 + rate_error);
}

void pm_finding_set_end(struct pm_finding *finding, uint64_t size)
{
	uint64_t left = pm_max(size, finding->bytes) - finding->bytes;

	if (finding->limit && pm_limit_left(&finding->limit->limit) <= left)
		return;

	finding->harmless = true;
	finding->limit = NULL;
	finding->time_known = true;
	finding->seconds_min = finding->seconds_max = (double)left / finding->rate;
	pm_finding_support(finding,
	                   (struct pm_finding_fact){ .id = PM_FACT_RESERVE, .bytes = left });
}

/** Returns 1 for the urgent and 0 for the remote, on a logarithmic scale. */
static double urgency(double seconds)
{
	if (seconds <= urgent_seconds)
		return 1;
	if (seconds >= remote_seconds)
		return 0;
	return 1 - log(seconds / urgent_seconds) / log(remote_seconds / urgent_seconds);
}

/** Growth that was observed for a short time can be that of a start: it is not sure. */
static void limit_confidence(const struct pm_evidence *evidence, struct pm_finding *finding)
{
	bool short_time = evidence->seconds > 0 && evidence->seconds < sure_seconds;
	bool grows = finding->rate > 0 || finding->count_rate > 0;

	if (short_time && grows && finding->confidence > PM_CONFIDENCE_LIKELY)
		finding->confidence = PM_CONFIDENCE_LIKELY;
}

/* Factors of weights. */
static const double by_confidence[] = {
	[PM_CONFIDENCE_POSSIBLE] = 0.6, [PM_CONFIDENCE_LIKELY] = 0.85, [PM_CONFIDENCE_SURE] = 1
};

void pm_finding_weigh(const struct pm_finding_context *context, struct pm_finding *finding)
{
	const struct pm_evidence *evidence = context->evidence;

	limit_confidence(evidence, finding);
	if (finding->harmless) {
		finding->weight = 5;
		return;
	}

	double total = (double)pm_max(evidence->memory.last, 1);
	if (finding->rate <= 0 && finding->count_rate <= 0) {
		double share = fmin((double)finding->bytes / total, 1);
		finding->weight = 50 * share * by_confidence[finding->confidence];
		return;
	}

	/* The time that this growth alone needs, so that a part of the growth weighs less than all
	 * of it. Without a limit, the time in which the memory of the target doubles. */
	double seconds = total / fmax(finding->rate, 1);
	if (finding->limit && finding->rate > 0)
		seconds = (double)pm_limit_left(&finding->limit->limit) / finding->rate;
	else if (finding->time_known)
		seconds = finding->seconds_min;
	finding->weight = 50 + 50 * urgency(seconds) * by_confidence[finding->confidence];
}

void pm_finding_weigh_full(const struct pm_finding_context *context, struct pm_finding *finding)
{
	static const double full = 80;

	pm_finding_weigh(context, finding);
	finding->weight = fmax(finding->weight, full * by_confidence[finding->confidence]);
}

static size_t index_of(const struct pm_finding_context *context,
                       const struct pm_evidence_region *region)
{
	return (size_t)(region - context->evidence->regions);
}

void pm_finding_explain(struct pm_finding_context *context, const struct pm_evidence_region *region)
{
	context->explained[index_of(context, region)] = true;
}

bool pm_finding_is_explained(const struct pm_finding_context *context,
                             const struct pm_evidence_region *region)
{
	return context->explained[index_of(context, region)];
}

void pm_finding_explain_owner(struct pm_finding_context *context, enum pm_owner owner)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->region_count; i++)
		if (evidence->regions[i].owner == owner)
			pm_finding_explain(context, &evidence->regions[i]);
}

bool pm_finding_has(const struct pm_finding_context *context, enum pm_finding_id id)
{
	for (size_t i = 0; i < context->findings->count; i++)
		if (context->findings->items[i].id == id)
			return true;
	return false;
}

static bool is_suspect(const struct pm_finding_context *context, uint64_t bytes)
{
	return (double)bytes >= suspect_share * (double)context->evidence->memory.last;
}

/** Adds a fact about a region that does not grow. */
static void acquit_region(const struct pm_evidence_region *region, struct pm_finding *finding)
{
	struct pm_finding_fact fact = { .id = PM_FACT_REGION_FLAT,
		                        .bytes = region->memory.last,
		                        .address = region->start,
		                        .owner = region->owner,
		                        .text = region->mapping };

	if (region->memory.trend.sawtooth) {
		fact.id = PM_FACT_SAWTOOTH;
		fact.bytes = (uint64_t)region->memory.trend.swing;
	}
	pm_finding_oppose(finding, fact);
}

void pm_finding_acquit_others(const struct pm_finding_context *context, struct pm_finding *finding)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->owner_count; i++) {
		const struct pm_evidence_owner *owner = &evidence->owners[i];

		if (owner->owner == finding->owner || owner->owner == PM_OWNER_MALLOC ||
		    owner->owner == PM_OWNER_FILE || owner->owner == PM_OWNER_UNKNOWN ||
		    !is_suspect(context, owner->memory.last) ||
		    !pm_evidence_is_flat(&owner->memory))
			continue;
		pm_finding_oppose(finding, (struct pm_finding_fact){ .id = PM_FACT_OWNER_FLAT,
		                                                     .bytes = owner->memory.last,
		                                                     .owner = owner->owner });
	}

	/* Regions of malloc are reported one by one: one of them can grow under the others. */
	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];

		if (region != finding->region && region->owner == PM_OWNER_MALLOC &&
		    is_suspect(context, region->memory.last) &&
		    pm_evidence_is_flat(&region->memory))
			acquit_region(region, finding);
	}
}

/** Tests whether one of two texts is the start of the other. */
static bool same_start(const char *one, const char *other)
{
	size_t length = strlen(one), other_length = strlen(other);

	length = length < other_length ? length : other_length;
	return length > 0 && strncmp(one, other, length) == 0;
}

/* Fewer texts in all regions of an owner say nothing about what grows. */
static const uint64_t texts_min = 8;

/** Tests whether a text is in the region of a finding or, without a region, in that of its owner.
 */
static bool is_text_of(const struct pm_evidence *evidence, const struct pm_evidence_text *text,
                       const struct pm_finding *finding)
{
	const struct pm_evidence_region *region = &evidence->regions[text->region];

	if (finding->region)
		return region == finding->region;
	return finding->owner != PM_OWNER_UNKNOWN && finding->owner != PM_OWNER_MALLOC &&
	       region->owner == finding->owner && text->count >= texts_min;
}

void pm_finding_add_texts(const struct pm_finding_context *context, struct pm_finding *finding)
{
	const struct pm_evidence *evidence = context->evidence;
	size_t added = 0;

	if (finding->chunks && *finding->chunks->text) {
		pm_finding_support(finding,
		                   (struct pm_finding_fact){ .id = PM_FACT_TEXT,
		                                             .count = finding->chunks->count,
		                                             .size = finding->chunks->size,
		                                             .text = finding->chunks->text });
		added++;
	}

	for (size_t i = 0; i < evidence->text_count && added < 2; i++) {
		const struct pm_evidence_text *text = &evidence->texts[i];

		if (!is_text_of(evidence, text, finding) ||
		    (finding->chunks && same_start(text->text, finding->chunks->text)))
			continue;
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_TEXT,
		                                                      .count = text->count,
		                                                      .size = text->stride,
		                                                      .text = text->text });
		added++;
	}

	if (finding->chunks && *finding->chunks->module)
		pm_finding_support(finding,
		                   (struct pm_finding_fact){ .id = PM_FACT_MODULE,
		                                             .text = finding->chunks->module });
}

enum pm_owner pm_finding_runtime(const struct pm_evidence *evidence)
{
	static const enum pm_owner heaps[] = { PM_OWNER_JAVA_HEAP,      PM_OWNER_V8_HEAP,
		                               PM_OWNER_PYTHON_OBJECTS, PM_OWNER_GO_HEAP,
		                               PM_OWNER_DOTNET_HEAP,    PM_OWNER_RUBY_HEAP };

	for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++)
		if (pm_finding_owner(evidence, heaps[i]))
			return heaps[i];
	return PM_OWNER_UNKNOWN;
}

bool pm_finding_collects(enum pm_owner owner)
{
	return owner == PM_OWNER_JAVA_HEAP || owner == PM_OWNER_V8_HEAP ||
	       owner == PM_OWNER_GO_HEAP || owner == PM_OWNER_DOTNET_HEAP ||
	       owner == PM_OWNER_RUBY_HEAP || owner == PM_OWNER_CHROMIUM_OILPAN;
}

enum pm_confidence pm_finding_buffers(const struct pm_evidence *evidence)
{
	return evidence->seconds < sure_seconds ? PM_CONFIDENCE_POSSIBLE : PM_CONFIDENCE_LIKELY;
}

const struct pm_evidence_owner *pm_finding_owner(const struct pm_evidence *evidence,
                                                 enum pm_owner owner)
{
	for (size_t i = 0; i < evidence->owner_count; i++)
		if (evidence->owners[i].owner == owner)
			return &evidence->owners[i];
	return NULL;
}

const struct pm_evidence_limit *pm_finding_limit(const struct pm_evidence *evidence,
                                                 enum pm_limit_kind kind)
{
	for (size_t i = 0; i < evidence->limit_count; i++)
		if (evidence->limits[i].limit.kind == kind)
			return &evidence->limits[i];
	return NULL;
}

bool pm_finding_matters(const struct pm_finding_context *context, double rate)
{
	const struct pm_evidence *evidence = context->evidence;
	double fastest = pm_evidence_rate(&evidence->kept);

	for (size_t i = 0; i < evidence->region_count; i++)
		fastest = fmax(fastest, pm_evidence_rate(&evidence->regions[i].memory));
	return rate >= fmax(fastest / 100, 1024);
}
