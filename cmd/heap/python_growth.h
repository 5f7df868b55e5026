/* SPDX-License-Identifier: MIT */
/** @file The part of `heap --growth` about CPython: which types of objects have grown. */
#ifndef CMD_HEAP_PYTHON_GROWTH_H
#define CMD_HEAP_PYTHON_GROWTH_H

#include <procmem/python_heap.h>

#include "base/out.h"
#include "heap/options.h"
#include "view/json.h"

/** The change of a type. */
struct heap_python_change {
	const struct pm_runtime_type *type; /**< the type, in the last heap or else in the first */
	int64_t count;                      /**< change of the number of objects */
	int64_t bytes;                      /**< change of the bytes of their blocks */
};

/** What has changed between two readings of the heap of CPython. */
struct heap_python_growth {
	struct pm_python_heap *first;       /**< the first reading; may be NULL; owned */
	struct pm_python_heap *last;        /**< the last reading; may be NULL; owned */
	double seconds;                     /**< time between them */
	struct heap_python_change *changes; /**< types that changed, most bytes first; owned */
	size_t count;                       /**< number of elements of `changes` */
	size_t grown;                       /**< number of types that grew: these are first */
};

/**
 * Compares the readings.
 * @param growth  `first`, `last` and `seconds` are set; receives the rest
 */
void heap_python_growth_compare(struct heap_python_growth *growth);

/** Prints what has grown. Prints nothing if a reading is missing. */
void heap_python_growth_print(const struct heap_python_growth *growth,
                              const struct heap_options *options, struct out *out);

/** Writes the member "python". Writes nothing if a reading is missing. */
void heap_python_growth_put_json(struct json *json, const struct heap_python_growth *growth);

/** Releases the readings and the changes. */
void heap_python_growth_deinit(struct heap_python_growth *growth);

#endif
