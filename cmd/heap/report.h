/* SPDX-License-Identifier: MIT */
/** @file What `heap` has found out, for its output. */
#ifndef CMD_HEAP_REPORT_H
#define CMD_HEAP_REPORT_H

#include <procmem/heap.h>

#include "heap/options.h"
#include "heap/verdict.h"
#include "target/memory.h"

/** What is known about the heap of a target. */
struct heap_report {
	const struct heap_options *options; /**< the options */
	struct memory memory;               /**< the memory of the target */
	struct pm_heap *heap;               /**< its heap; owned */
	struct heap_verdict verdict;        /**< what the figures mean */
	bool stopped;                       /**< the target was stopped for the walk */
};

#endif
