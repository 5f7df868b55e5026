/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Chunks by size, state, type and text: a filter, and a list of the chunks that it selects.
 */
#ifndef PROCMEM_CHUNK_FILTER_H
#define PROCMEM_CHUNK_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/chunk_type.h>
#include <procmem/error.h>
#include <procmem/heap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A filter; opaque. Only one thread at a time may use it. */
struct pm_chunk_filter;

/** Which chunks a filter selects: those that meet all conditions. */
struct pm_chunk_filter_options {
	unsigned states;   /**< bit mask: 1 << enum pm_chunk_state; 0: only chunks in use */
	uint64_t size_min; /**< minimum of pm_chunk.size in bytes */
	uint64_t size_max; /**< maximum of pm_chunk.size in bytes; 0: no maximum */
	/** Regular expression (pcre2pattern(3)) that matches pm_chunk_type_label(); NULL: any type
	 */
	const char *type;
	/** Regular expression that matches the text in the first PM_CHUNK_HEAD_SIZE bytes
	 * (pm_chunk_text_find()); NULL: any content */
	const char *text;
};

/**
 * Creates a filter.
 *
 * @param options  the conditions; not used after the call
 * @param filter   receives the filter; release with pm_chunk_filter_destroy()
 * @param error    PM_ERROR_USAGE (a mistake in an expression), PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_chunk_filter_create(const struct pm_chunk_filter_options *options,
                                     struct pm_chunk_filter **filter, struct pm_error *error);

/**
 * Releases a filter.
 * @param filter  the filter; may be NULL
 */
PM_PUBLIC void pm_chunk_filter_destroy(struct pm_chunk_filter *filter);

/** A chunk with what it contains. */
struct pm_chunk_item {
	struct pm_chunk chunk;            /**< the chunk */
	const struct pm_chunk_type *type; /**< its type */
	const void *head;                 /**< its first bytes */
	size_t size;                      /**< number of bytes at `head` */
};

/**
 * Tests whether a filter selects a chunk. If it takes too long to match an expression, the chunk is
 * not selected.
 *
 * @param filter  the filter; NULL selects all chunks in use
 * @param item    the chunk
 * @return        true if it is selected
 */
PM_PUBLIC bool pm_chunk_filter_match(struct pm_chunk_filter *filter,
                                     const struct pm_chunk_item *item);

/**
 * Returns the states that a filter selects, as for pm_heap_read_chunks().
 * @param filter  the filter; NULL selects all chunks in use
 * @return        bit mask
 */
PM_PUBLIC unsigned pm_chunk_filter_states(const struct pm_chunk_filter *filter);

/**
 * Called for each selected chunk.
 * @param context  as passed to pm_chunk_list()
 * @param item     the chunk; the structure and the bytes are valid during the call
 * @return         0 to continue; any other value ends the list, which returns this value
 */
typedef int pm_chunk_item_visitor(void *context, const struct pm_chunk_item *item);

/**
 * Lists the chunks that a filter selects, in ascending address order.
 *
 * @param heap     the heap
 * @param types    finds the types
 * @param filter   the filter; NULL selects all chunks in use
 * @param visit    called for each chunk
 * @param context  passed to `visit`
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         0; -1 on error; or the value with which `visit` ended the list
 */
PM_PUBLIC int pm_chunk_list(struct pm_heap *heap, struct pm_chunk_types *types,
                            struct pm_chunk_filter *filter, pm_chunk_item_visitor *visit,
                            void *context, struct pm_error *error);

/**
 * Reads the first bytes of one chunk and determines its type.
 *
 * @param heap   the heap
 * @param types  finds the type
 * @param chunk  the chunk, as from pm_heap_find()
 * @param head   receives the bytes; room for PM_CHUNK_HEAD_SIZE bytes
 * @param item   receives the chunk; refers to `head`
 * @param error  PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return       0, also if no bytes could be read (PM_CONTENT_UNREAD), or -1
 */
PM_PUBLIC int pm_chunk_item_read(struct pm_heap *heap, struct pm_chunk_types *types,
                                 const struct pm_chunk *chunk, void *head,
                                 struct pm_chunk_item *item, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
