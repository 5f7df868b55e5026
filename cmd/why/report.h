/* SPDX-License-Identifier: MIT */
/** @file What `procmem why` reports, as text and as JSON: the findings and what belongs to them. */
#ifndef CMD_WHY_REPORT_H
#define CMD_WHY_REPORT_H

#include <procmem/findings.h>

#include "base/text.h"
#include "why/observe.h"

/** What is printed. */
struct why_report {
	const struct why_observation *observation; /**< what was observed */
	const struct pm_evidence *evidence;        /**< made from the observation */
	const struct pm_findings *findings;        /**< made from the evidence */
};

/**
 * Counts the findings that are not acquittals.
 *
 * @param report  the report
 * @return        number of findings that need attention
 */
size_t why_report_count(const struct why_report *report);

/**
 * Tests whether the growth of the memory is not known.
 *
 * @param report  the report
 * @return        true if the time was too short, or if there is only one moment
 */
bool why_report_is_too_early(const struct why_report *report);

/**
 * Returns how the memory developed, for a report whose findings are all harmless.
 *
 * @param report  the report
 * @return        what follows "nothing was found", such as " that grows or weighs"
 */
const char *why_report_nothing(const struct why_report *report);

/**
 * Returns the cost of the observation.
 *
 * @param report  the report
 * @return        CPU time of this program, in percent of one CPU
 */
double why_report_cpu_percent(const struct why_report *report);

#endif
