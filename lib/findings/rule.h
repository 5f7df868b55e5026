/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What all rules share. A rule looks at the evidence, and adds the findings that it has. The rules
 * run in the order of the table in findings.c: the most specific cause first. A rule marks the
 * regions whose growth its finding explains, so that a later rule does not report them again.
 * Private.
 */
#ifndef PM_FINDINGS_RULE_H
#define PM_FINDINGS_RULE_H

#include <procmem/findings.h>

/** State that all rules share. */
struct pm_finding_context {
	const struct pm_evidence *evidence; /**< what was observed */
	struct pm_findings *findings;       /**< receives the findings */
	bool *explained;                    /**< for each region: a finding explains its growth */
	double thread_rate; /**< new threads per second that a finding has reported; 0: none */
	double buffer_rate; /**< growth of direct buffers in bytes per second that was reported */
	double class_rate;  /**< growth of classes of Java in bytes per second that was reported */
	bool out_of_memory; /**< a finding could not be stored */
};

/** A rule. */
typedef void pm_finding_rule(struct pm_finding_context *context);

/**
 * Adds a finding about the target, without figures.
 * @return the finding, valid until the next call; NULL if memory is exhausted
 */
struct pm_finding *pm_finding_add(struct pm_finding_context *context, enum pm_finding_id id,
                                  enum pm_confidence confidence);

/** Adds a fact that supports a finding; does nothing if it has too many. */
void pm_finding_support(struct pm_finding *finding, struct pm_finding_fact fact);

/** Adds a fact about something that is not the cause; does nothing if there are too many. */
void pm_finding_oppose(struct pm_finding *finding, struct pm_finding_fact fact);

/** Sets bytes, rate, verdict and estimate of a finding. */
void pm_finding_set_trend(struct pm_finding *finding, const struct pm_evidence_trend *trend);

/**
 * Sets the limit of memory that is reached first, and when, if the finding grows and the process
 * has such a limit.
 */
void pm_finding_set_limit(const struct pm_finding_context *context, struct pm_finding *finding);

/**
 * Marks growth as harmless if it must end: the memory has a fixed size, and no limit is
 * reached before it is full. Sets the time until then.
 *
 * @param finding  with its bytes, rate and limit
 * @param size     bytes that the memory can have
 */
void pm_finding_set_end(struct pm_finding *finding, uint64_t size);

/**
 * Sets a limit inside the runtime, if the rate of the finding reaches it before the limit that was
 * set, or if none was set.
 * @param limit       the limit; may be NULL
 * @param rate_error  the rate is exact except for this part
 */
void pm_finding_set_own_limit(struct pm_finding *finding, const struct pm_evidence_limit *limit,
                              double rate_error);

/**
 * Sets the weight of a finding: growth weighs from 50 to 100, by the time that is left; what does
 * not grow weighs up to 50, by its share of the memory of the target; an acquittal weighs 5.
 */
void pm_finding_weigh(const struct pm_finding_context *context, struct pm_finding *finding);

/**
 * Sets the weight of a finding about a limit that is used up, or nearly: at least 80, less if it is
 * not sure.
 */
void pm_finding_weigh_full(const struct pm_finding_context *context, struct pm_finding *finding);

/** Marks the growth of a region as explained. */
void pm_finding_explain(struct pm_finding_context *context,
                        const struct pm_evidence_region *region);

/** Marks the growth of all regions of an owner as explained. */
void pm_finding_explain_owner(struct pm_finding_context *context, enum pm_owner owner);

/** Tests whether there is a finding with an identifier. */
bool pm_finding_has(const struct pm_finding_context *context, enum pm_finding_id id);

/** Tests whether a finding explains the growth of a region. */
bool pm_finding_is_explained(const struct pm_finding_context *context,
                             const struct pm_evidence_region *region);

/** Adds facts about large regions and owners that do not grow. */
void pm_finding_acquit_others(const struct pm_finding_context *context, struct pm_finding *finding);

/** Adds the texts in the chunks of a finding, and in new pages of its region or, without one,
 * owner. */
void pm_finding_add_texts(const struct pm_finding_context *context, struct pm_finding *finding);

/** Returns the heap of a runtime in the process; PM_OWNER_UNKNOWN if there is none. */
enum pm_owner pm_finding_runtime(const struct pm_evidence *evidence);

/** Tests whether the heap of a runtime has a garbage collector, so that it has garbage. */
bool pm_finding_collects(enum pm_owner owner);

/**
 * Returns how sure growth of buffers is that a collector of garbage releases with their objects:
 * for some time, all of it can be garbage.
 */
enum pm_confidence pm_finding_buffers(const struct pm_evidence *evidence);

/** Returns the memory of an owner; NULL if it has none. */
const struct pm_evidence_owner *pm_finding_owner(const struct pm_evidence *evidence,
                                                 enum pm_owner owner);

/** Returns the first limit of a kind; NULL if there is none. */
const struct pm_evidence_limit *pm_finding_limit(const struct pm_evidence *evidence,
                                                 enum pm_limit_kind kind);

/**
 * Returns whether growth matters: at least 1 KiB per second, or a hundredth of the fastest growth
 * that was observed, whichever is more.
 */
bool pm_finding_matters(const struct pm_finding_context *context, double rate);

#endif
