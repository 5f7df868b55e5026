/* SPDX-License-Identifier: MIT */
/** @file The part of `heap` about CPython: its pools, and its objects by type. */
#ifndef CMD_HEAP_PYTHON_H
#define CMD_HEAP_PYTHON_H

#include <procmem/python_heap.h>

#include "base/out.h"
#include "heap/report.h"
#include "view/json.h"

/**
 * Reads the heap of CPython.
 *
 * @param report  opened; the target is still stopped if it is to be read while it is stopped
 * @param heap    receives the heap, NULL if there is no CPython; release with
 *                pm_python_heap_close()
 * @param error   as for pm_python_heap_open()
 * @return        0 or -1
 */
int heap_python_read(struct heap_report *report, struct pm_python_heap **heap,
                     struct pm_error *error);

/**
 * Returns the number of lines that heap_python_print() prints.
 *
 * @param heap     the heap; may be NULL
 * @param options  the options
 */
size_t heap_python_lines(const struct pm_python_heap *heap, const struct heap_options *options);

/**
 * Prints the sums and the types with most bytes.
 *
 * @param heap     the heap; may be NULL
 * @param options  the options
 * @param out      where to print
 */
void heap_python_print(const struct pm_python_heap *heap, const struct heap_options *options,
                       struct out *out);

/**
 * Opens the member "python", and writes the version and the sums.
 *
 * @param json  the object to which it is added; the caller closes the member
 * @param heap  the heap
 */
void heap_python_open_json(struct json *json, const struct pm_python_heap *heap);

/**
 * Writes the member "python".
 *
 * @param json  the object to which it is added
 * @param heap  the heap; nothing is written if it is NULL
 */
void heap_python_put_json(struct json *json, const struct pm_python_heap *heap);

#endif
