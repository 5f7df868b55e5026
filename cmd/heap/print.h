/* SPDX-License-Identifier: MIT */
/** @file Prints what `heap` has found out as text. */
#ifndef CMD_HEAP_PRINT_H
#define CMD_HEAP_PRINT_H

#include "base/out.h"
#include "heap/report.h"

/**
 * Adds the name of the process or of the core file.
 *
 * @param report  the report, with its memory
 * @param line    receives the name, escaped
 */
void heap_print_target(const struct heap_report *report, struct text *line);

/**
 * Adds a size: with --bytes the exact number, otherwise with a unit.
 *
 * @param report  the report, with its options
 * @param size    bytes
 * @param text    receives the size
 */
void heap_print_size(const struct heap_report *report, uint64_t size, struct text *text);

/**
 * Prints the line about the process, the verdict, and the table of arenas.
 *
 * @param report  what is known
 * @param out     where to print
 * @return        number of lines
 */
size_t heap_print(const struct heap_report *report, struct out *out);

/**
 * Reports on stderr that the walk was not complete, so that the figures are approximate. Says where
 * the chain of chunks broke if the target could not change its heap, or with --verbose.
 * @param report  what is known
 */
void heap_print_breaks(struct heap_report *report);

#endif
