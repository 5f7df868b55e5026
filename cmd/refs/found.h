/* SPDX-License-Identifier: MIT */
/** @file What `refs` has found: a place in memory, what points to it, and the path to a root. */
#ifndef CMD_REFS_FOUND_H
#define CMD_REFS_FOUND_H

#include <procmem/chunk_text.h>
#include <procmem/chunk_type.h>
#include <procmem/refs.h>
#include <procmem/refs_tree.h>

#include "target/malloc_graph.h"

/** References that are printed as one. */
struct refs_group {
	struct pm_ref ref;                /**< the first one */
	const struct pm_chunk_type *type; /**< type of its chunk, if they are grouped; or NULL */
	uint64_t count;                   /**< number of these references, at least 1 */
};

/** What is searched for, and what was found. */
struct refs_found {
	struct malloc_graph *graph;
	uint64_t address;        /**< the address that the user gave */
	struct pm_range range;   /**< the addresses that are searched for */
	bool has_chunk;          /**< the address is in a chunk of malloc */
	struct pm_chunk chunk;   /**< the chunk */
	struct pm_symbol symbol; /**< the variable that contains the address; `name` is NULL if
	                            there is none */
	/**
	 * The first references; owned. With `grouped`, each one represents all references of the
	 * same root, or at the same offset in chunks of the same size and type
	 */
	struct refs_group *groups;
	bool grouped;             /**< put equal references together */
	size_t count;             /**< number of elements of `groups` */
	size_t capacity;          /**< number of allocated elements */
	size_t max;               /**< maximum of `count` */
	uint64_t kept;            /**< number of references in `groups` */
	bool to;                  /**< the references are from the range */
	bool all;                 /**< print all references, not only those in `groups` */
	uint64_t total;           /**< number of all references */
	unsigned depth;           /**< number of levels of references; more than 1: in `tree` */
	struct pm_refs_tree tree; /**< references over several levels, if `depth` is more than 1 */
	struct pm_path path;      /**< the path to a root; owned */
	bool has_path;            /**< there is a path */
};

/**
 * Finds out what is at an address, and which range is searched for: the bytes of the chunk, or the
 * variable. If there is neither, this is the address alone or, with `to`, the word that contains
 * it.
 *
 * @param found  `graph`, `address` and `to` are set
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int refs_found_place(struct refs_found *found, struct pm_error *error);

/**
 * Finds what points to the range, and the path to a root.
 *
 * @param found  the place is known
 * @param error  any
 * @return       0 or -1
 */
int refs_found_referrers(struct refs_found *found, struct pm_error *error);

/**
 * Finds what the words of the range point to: chunks, and memory outside of malloc
 * (refs/outside.h).
 *
 * @param found  the place is known
 * @param error  any
 * @return       0 or -1
 */
int refs_found_pointers(struct refs_found *found, struct pm_error *error);

/**
 * Finds the references over several levels, and the path to a root unless `to` is set.
 *
 * @param found    the place is known; `depth` and `to` are set
 * @param options  what is searched
 * @param error    any
 * @return         0 or -1
 */
int refs_found_tree(struct refs_found *found, const struct pm_refs_tree_options *options,
                    struct pm_error *error);

/**
 * Called for each group of references that is printed.
 *
 * @param context  as passed to refs_found_visit()
 * @param group    the references, valid during the call
 * @return         0 to continue; any other value ends the visit
 */
typedef int refs_group_visitor(void *context, const struct refs_group *group);

/**
 * Visits the references that are printed: those in `groups`, or all. A chunk can have millions of
 * references. If all are printed, and not all of them are in `groups`, they are searched again, so
 * that they take no memory.
 *
 * @param found    the references were counted
 * @param visit    called for each group; without `grouped`, for each reference
 * @param context  passed to `visit`
 * @param error    as for pm_refs_find()
 * @return         0; -1 on an error; or the value with which `visit` ended the search
 */
int refs_found_visit(const struct refs_found *found, refs_group_visitor *visit, void *context,
                     struct pm_error *error);

/**
 * Determines the type and the text of a chunk.
 *
 * @param found  `graph` is set
 * @param chunk  the chunk
 * @param type   receives the type
 * @param text   receives the text; refers to the copy
 * @param error  as for pm_chunk_types_find()
 * @return       0 or -1
 */
int refs_found_content(const struct refs_found *found, const struct pm_chunk *chunk,
                       const struct pm_chunk_type **type, struct pm_chunk_text *text,
                       struct pm_error *error);

/**
 * Releases what was found.
 * @param found  the result
 */
void refs_found_deinit(struct refs_found *found);

#endif
