/* SPDX-License-Identifier: MIT */
/** @file A target, a copy of it, and the graph of this copy. A failure fails the running cmocka
 * test. */
#ifndef TESTS_SUPPORT_GRAPH_SESSION_H
#define TESTS_SUPPORT_GRAPH_SESSION_H

#include <procmem/graph.h>

#include "support/target.h"

/** The session. Zeroed means none. */
struct graph_session {
	struct target target;
	/** Cancellation flag of the graph, or NULL; set by the test before graph_session_open() */
	const volatile sig_atomic_t *cancel;
	struct pm_process *process;
	struct pm_copy *copy;
	struct pm_page_source pages;
	struct pm_reader reader;
	struct pm_heap *heap;
	struct pm_symbols *symbols;
	struct pm_graph *graph;
};

/**
 * Copies a target that was started, and makes its graph.
 * @param session  `target` is set; receives everything else
 */
void graph_session_open(struct graph_session *session);

/** Releases everything except the target. */
void graph_session_release(struct graph_session *session);

/** Releases everything, and stops the target. */
void graph_session_close(struct graph_session *session);

/** A group of chunks that the target `holders` or another target has printed. */
struct graph_group {
	uint64_t count;   /**< number of chunks */
	uint64_t size;    /**< size of a chunk in bytes, with its header */
	uint64_t example; /**< address of a chunk */
};

/** Returns the group with a name, which must exist. */
struct graph_group graph_session_group(const struct graph_session *session, const char *name);

/**
 * Finds a root.
 *
 * @param kind  enum pm_root_kind
 * @param name  name of the symbol or, if it has none, of the thread
 * @return      its index; UINT32_MAX if there is none
 */
uint32_t graph_session_root(const struct graph_session *session, unsigned kind, const char *name);

#endif
