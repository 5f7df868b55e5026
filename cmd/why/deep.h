/* SPDX-License-Identifier: MIT */
/** @file With --deep: who holds the chunks of the first finding. The process is stopped shortly. */
#ifndef CMD_WHY_DEEP_H
#define CMD_WHY_DEEP_H

#include <procmem/findings.h>

#include "base/text.h"

struct why_observation;

/** What was found. Zeroed before the first use. */
struct why_deep {
	struct text holder;      /**< what holds the chunks, escaped; empty if not known; owned */
	uint64_t stopped_ns;     /**< how long the process was stopped, in nanoseconds */
	struct pm_error failure; /**< why the holder is not known; its kind is 0 if it is */
};

/**
 * Copies the memory of the process, and finds the path from a chunk of the first finding to a root.
 * Adds the fact PM_FACT_HOLDER to the finding. That it is not found is not an error:
 * why_deep.failure says why.
 *
 * @param observation  of a living process, with --deep; `deep` is filled
 * @param findings     the findings
 * @param error        PM_ERROR_CANCELLED, PM_ERROR_RESOURCES if this program has not enough memory
 * @return             0 or -1
 */
int why_deep_find(struct why_observation *observation, struct pm_findings *findings,
                  struct pm_error *error);

/** Releases what was found. */
void why_deep_deinit(struct why_deep *deep);

#endif
