/* SPDX-License-Identifier: MIT */
/** @file With --deep: which code makes the memory of the first finding resident. */
#ifndef CMD_WHY_DEEP_TRACE_H
#define CMD_WHY_DEEP_TRACE_H

#include <procmem/findings.h>
#include <procmem/process.h>
#include <procmem/site_list.h>

#include "base/text.h"

/** How long the process is traced, in seconds. */
#define WHY_DEEP_TRACE_SECONDS 5

/** What the trace found. Zeroed before the first use. */
struct why_deep_trace {
	struct pm_site_list sites;  /**< of the memory of the finding; owned */
	const struct pm_site *site; /**< the site with the most resident bytes; NULL if not known */
	struct text code;           /**< its stack in one line, escaped; owned */
	double seconds;             /**< how long the process was traced */
	struct pm_error failure;    /**< why the code is not known; its kind is 0 if it is */
};

/**
 * Traces the process for some seconds, without stopping it, and finds the code that has mapped or
 * touched most of the new memory of a finding. A note announces it. If the code is not found,
 * why_deep_trace.failure says why.
 *
 * @param trace    zeroed; filled; release with why_deep_trace_deinit()
 * @param process  the process
 * @param finding  its first finding, which grows
 * @param quiet    print no note
 */
void why_deep_trace_find(struct why_deep_trace *trace, struct pm_process *process,
                         const struct pm_finding *finding, bool quiet);

/** Releases what the trace found. */
void why_deep_trace_deinit(struct why_deep_trace *trace);

#endif
