/* SPDX-License-Identifier: MIT */
/** @file The text output and the JSON output of `procmem why`. */
#ifndef CMD_WHY_PRINT_H
#define CMD_WHY_PRINT_H

#include <procmem/findings.h>

#include "base/out.h"
#include "why/observe.h"

/** What is printed. */
struct why_report {
	const struct why_observation *observation;
	const struct pm_evidence *evidence;
	const struct pm_findings *findings;
};

/** Prints the findings as text. */
void why_print(const struct why_report *report, struct out *out);

/** Prints the findings as JSON. */
void why_print_json(const struct why_report *report, struct out *out);

/** Returns the number of findings that are not acquittals. */
size_t why_report_count(const struct why_report *report);

#endif
