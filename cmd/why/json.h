/* SPDX-License-Identifier: MIT */
/** @file The JSON output of `procmem why`. */
#ifndef CMD_WHY_JSON_H
#define CMD_WHY_JSON_H

#include "base/out.h"
#include "why/report.h"

/**
 * Prints the findings as one JSON object, as docs/schema/why.schema.json describes it.
 *
 * @param report  the report
 * @param out     receives the object
 */
void why_json_print(const struct why_report *report, struct out *out);

#endif
