/* SPDX-License-Identifier: MIT */
/** @file What the chunks of a heap contain: their types and texts. */
#ifndef CMD_TARGET_CHUNK_CONTENTS_H
#define CMD_TARGET_CHUNK_CONTENTS_H

#include <procmem/chunk_filter.h>
#include <procmem/chunk_type.h>
#include <procmem/core.h>
#include <procmem/process.h>

#include "base/text.h"

/** What is needed to find out what chunks contain. Zeroed before the first use. */
struct chunk_contents {
	struct pm_symbols *symbols;   /**< symbols of the target; owned */
	struct pm_reader files;       /**< reads the mapped files of a process; owned */
	struct pm_chunk_types *types; /**< types of chunks; owned */
};

/** The target of chunk_contents_open(): a process or a core file. */
struct chunk_contents_target {
	struct pm_process *process;          /**< the process; NULL for a core file */
	struct pm_core *core;                /**< the core file; NULL for a process */
	const struct pm_heap_source *memory; /**< the memory, as for pm_heap_open() */
	const struct pm_heap *heap;          /**< the heap */
};

/**
 * Opens what is needed to find out what chunks contain.
 *
 * @param contents  filled; release with chunk_contents_close(), even on failure
 * @param target    the target; its members must outlive the contents
 * @param error     PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int chunk_contents_open(struct chunk_contents *contents, const struct chunk_contents_target *target,
                        struct pm_error *error);

/**
 * Releases what chunk_contents_open() has opened.
 * @param contents  the contents; empty afterwards
 */
void chunk_contents_close(struct chunk_contents *contents);

/** What one chunk contains. */
struct chunk_content {
	char head[PM_CHUNK_HEAD_SIZE]; /**< its first bytes */
	struct pm_chunk_item item;     /**< refers to `head` */
	struct pm_chunk_text text;     /**< refers to `head` */
};

/**
 * Reads what a chunk contains.
 *
 * @param contents  opened
 * @param heap      the heap
 * @param chunk     the chunk
 * @param content   filled; must not be moved
 * @param error     as for pm_chunk_item_read()
 * @return          0 or -1
 */
int chunk_contents_read(struct chunk_contents *contents, struct pm_heap *heap,
                        const struct pm_chunk *chunk, struct chunk_content *content,
                        struct pm_error *error);

#endif
