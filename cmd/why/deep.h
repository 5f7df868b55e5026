/* SPDX-License-Identifier: MIT */
/**
 * @file
 * With --deep: which code makes the first finding, and who holds its chunks. For the second, the
 * process is stopped shortly.
 */
#ifndef CMD_WHY_DEEP_H
#define CMD_WHY_DEEP_H

#include <procmem/findings.h>

#include "base/text.h"
#include "why/deep_trace.h"

struct why_observation;

/** What was found. Zeroed before the first use. */
struct why_deep {
	struct text holder; /**< what holds the chunks, escaped; empty if not known; owned */
	const struct pm_finding *finding; /**< the finding; NULL if there is none */
	struct why_deep_trace trace;      /**< the code */
	uint64_t address;                 /**< the chunk; 0 if there is none */
	uint64_t held;           /**< bytes of all chunks that the holder holds; 0 if not known */
	uint64_t held_count;     /**< number of these chunks; 0 if not known */
	uint64_t stopped_ns;     /**< how long the process was stopped, in nanoseconds */
	struct pm_error failure; /**< why the holder is not known; its kind is 0 if it is */
};

/**
 * Traces the process for some seconds, and finds the code that maps or touches the memory of the
 * first finding. Then copies the memory of the process, and finds the path from a chunk of the
 * finding to a root, and how much this root holds. Adds the facts PM_FACT_CODE and PM_FACT_HOLDER
 * to the finding. If they are not found, why_deep.failure and why_deep_trace.failure say why. A
 * signal ends the search; the findings stay.
 *
 * @param observation  of a living process, with --deep; `deep` is filled
 * @param findings     the findings
 */
void why_deep_find(struct why_observation *observation, struct pm_findings *findings);

/** Releases what was found. */
void why_deep_deinit(struct why_deep *deep);

#endif
