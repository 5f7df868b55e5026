/* SPDX-License-Identifier: MIT */
/** @file The JSON output of `procmem pressure`. */
#ifndef CMD_PRESSURE_JSON_H
#define CMD_PRESSURE_JSON_H

#include "pressure/pressure.h"

/**
 * Prints one JSON object.
 *
 * @param report  the results
 * @param out     receives the object
 */
void pressure_json_print(const struct pressure_report *report, struct out *out);

#endif
