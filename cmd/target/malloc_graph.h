/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The graph of the chunks of a target: a copy of its memory, its heap, and what points to what. All
 * commands that ask who points to memory use this.
 */
#ifndef CMD_TARGET_MALLOC_GRAPH_H
#define CMD_TARGET_MALLOC_GRAPH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <procmem/copy.h>
#include <procmem/graph.h>
#include <procmem/heap.h>
#include <procmem/pagemap.h>

#include "base/out.h"
#include "target/chunk_contents.h"
#include "target/stopping.h"
#include "target/target.h"
#include "view/json.h"

/** Options of malloc_graph_open(). */
struct malloc_graph_options {
	uint64_t stop_max_ns; /**< maximum duration of a stop in nanoseconds; 0: any */
	bool quiet;           /**< print no notes */
	const volatile sig_atomic_t *cancel; /**< non-zero after Ctrl-C */
};

/** A graph, and what it is made of. Zeroed before the first use. */
struct malloc_graph {
	struct target target;             /**< a living process, or the path of a core file */
	struct pm_core *core;             /**< the core file; NULL for a process; owned */
	struct pm_copy *copy;             /**< the copy of the memory; owned */
	struct pm_reader reader;          /**< reads the copy */
	struct pm_page_source pages;      /**< page states of the copy */
	struct pm_heap_source source;     /**< where the heap is read from */
	struct pm_heap *heap;             /**< the heap in the copy; owned */
	enum pm_heap_allocator linked;    /**< an allocator that is part of the program */
	struct pm_reader live;            /**< reads the process itself; owned */
	struct pm_pagemap *pagemap;       /**< page states of the process itself; owned */
	struct pm_page_source live_pages; /**< page states of the process itself */
	/** Reads the copy and, where the copy has no bytes, the process: for types of chunks */
	struct pm_reader both;
	struct pm_page_source both_pages;  /**< page states for `both` */
	struct pm_heap_source both_source; /**< where the contents of chunks are read from */
	struct chunk_contents contents;    /**< what the chunks contain */
	struct pm_graph *graph;            /**< the graph; owned */
	struct stopping_others others;     /**< processes that were not stopped */
	uint64_t stopped_ns;               /**< duration of all stops in nanoseconds */
	uint64_t stop_max_ns;              /**< their maximum duration; 0: any */
	/** Maximum size in bytes of the copy and the graph together; 0 if it is not known */
	uint64_t memory_max;
};

/**
 * Copies the memory of a target, and makes the graph of its chunks. If a thread was inside malloc
 * when the process was stopped, so that the chain of chunks is broken, the process is stopped
 * again, a few times, if all stops together are not longer than the maximum.
 *
 * Before the first stop, a note with its predicted duration is printed.
 *
 * @param graph    zeroed; must not be moved; release with malloc_graph_close(), even on failure
 * @param word     the TARGET; must outlive the graph
 * @param options  the options
 * @param error    any; PM_ERROR_UNSUPPORTED if no known allocator was found
 * @return         0 or -1
 */
int malloc_graph_open(struct malloc_graph *graph, const char *word,
                      const struct malloc_graph_options *options, struct pm_error *error);

/**
 * Releases a graph.
 * @param graph  as filled by malloc_graph_open()
 */
void malloc_graph_close(struct malloc_graph *graph);

/**
 * Reports on stderr how long the target was stopped, and what the graph lacks: chunks that were
 * skipped, other processes that were not stopped, and what a core file does not contain.
 * @param graph    the graph
 * @param verbose  also report what was searched
 */
void malloc_graph_report(const struct malloc_graph *graph, bool verbose);

/**
 * Writes the members `pid`, `name` and `command` of the target.
 * @param graph  the graph
 * @param json   the output
 */
void malloc_graph_put_process(const struct malloc_graph *graph, struct json *json);

/**
 * Parses the argument of --max-stop: a duration, or 0 for any.
 *
 * @param value  the argument
 * @param ns     receives the duration in nanoseconds
 * @param error  PM_ERROR_USAGE
 * @return       0 or -1
 */
int malloc_graph_parse_stop(const char *value, uint64_t *ns, struct pm_error *error);

/** Default of --max-stop: 1 s in nanoseconds. */
#define MALLOC_GRAPH_STOP_NS UINT64_C(1000000000)

#endif
