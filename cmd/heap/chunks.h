/* SPDX-License-Identifier: MIT */
/** @file `heap --list`: the selected chunks, by address. */
#ifndef CMD_HEAP_CHUNKS_H
#define CMD_HEAP_CHUNKS_H

#include "base/out.h"
#include "heap/report.h"

/**
 * Prints the selected chunks, as text, CSV or JSON. While the target is stopped, the chunks are
 * kept in memory, and printed after the stop has ended.
 *
 * @param report  what is known about the heap; a stop of the target is ended
 * @param out     where to print
 * @param count   receives the number of selected chunks
 * @param error   as for pm_chunk_list()
 * @return        0 or -1
 */
int heap_chunks_print(struct heap_report *report, struct out *out, uint64_t *count,
                      struct pm_error *error);

#endif
