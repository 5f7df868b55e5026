/* SPDX-License-Identifier: MIT */
/** @file The classes of chunks that grow (`watch --heap`), as text and JSON. */
#ifndef CMD_WATCH_HEAP_PRINT_H
#define CMD_WATCH_HEAP_PRINT_H

#include "base/out.h"
#include "view/json.h"
#include "watch/heap.h"

/**
 * Prints the walks and a table of the classes that grow.
 *
 * @param heap   the walks
 * @param rss    the trend of the RSS of the process, which may differ from those of the classes
 * @param max    maximum number of classes
 * @param bytes  print sizes in bytes
 * @param out    receives the text
 */
void watch_heap_print(const struct watch_heap *heap, const struct pm_trend *rss, uint64_t max,
                      bool bytes, struct out *out);

/**
 * Writes the members `survivors`, `seconds`, `chunks`, `in_use`, `walk_count` and `walk_cost_us`.
 *
 * @param heap  the walks
 * @param json  the output, within an object
 */
void watch_heap_print_json(const struct watch_heap *heap, struct json *json);

/**
 * If there were too few walks for a result, adds a line: the number of walks so far, and how often
 * the budget allows a walk.
 *
 * @param heap  the walks
 * @param text  receives the line
 * @return      false if there were enough walks
 */
bool watch_heap_print_wait(const struct watch_heap *heap, struct text *text);

/**
 * Adds a line about one of the classes that grow: rate, size, verdict and content.
 *
 * @param heap   the walks
 * @param index  position among the classes that grow
 * @param text   receives the line
 * @return       false if fewer classes grow
 */
bool watch_heap_print_line(const struct watch_heap *heap, size_t index, struct text *text);

#endif
