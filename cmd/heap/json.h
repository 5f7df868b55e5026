/* SPDX-License-Identifier: MIT */
/** @file Prints what `heap` has found out as JSON. */
#ifndef CMD_HEAP_JSON_H
#define CMD_HEAP_JSON_H

#include "heap/report.h"
#include "view/json.h"

/**
 * Opens the object, and writes what each output of the command has: the process, the allocator, and
 * whether the walk is complete. The caller adds members and closes the object.
 *
 * @param json    the text, with nothing written yet
 * @param report  what is known
 */
void heap_json_open(struct json *json, const struct heap_report *report);

/**
 * Writes the arenas, the mapped chunks, the totals and the verdict.
 *
 * @param json    the text, in the object of heap_json_open()
 * @param report  what is known
 */
void heap_json_put_arenas(struct json *json, const struct heap_report *report);

#endif
