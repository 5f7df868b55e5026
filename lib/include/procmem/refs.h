/* SPDX-License-Identifier: MIT */
/**
 * @file
 * References: the words that point to a chunk or to another range of addresses, what a chunk points
 * to, and the path from a chunk to a root (graph.h).
 */
#ifndef PROCMEM_REFS_H
#define PROCMEM_REFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/graph.h>
#include <procmem/heap.h>
#include <procmem/range.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Value of pm_ref.root for a word in a chunk. */
#define PM_REF_CHUNK UINT32_MAX

/** A word that contains an address. */
struct pm_ref {
	uint64_t address; /**< address of the word; 0 for a register */
	uint64_t value;   /**< the address in the word */
	/** Index of the root in pm_graph_roots(), or PM_REF_CHUNK if the word is in a chunk */
	uint32_t root;
	/** Offset of the word in bytes from the address that malloc returned, or from the start of
	 * the root; for a register, 8 times its position in struct user_regs_struct. The words of
	 * pm_copy_thread.vectors follow at 8 * PM_COPY_REGISTERS */
	uint64_t offset;
	struct pm_chunk chunk; /**< the chunk that contains the word, if `root` is PM_REF_CHUNK */
};

/**
 * Called for each reference.
 *
 * @param context  as passed to the function
 * @param ref      the reference, valid during the call
 * @return         0 to continue; any other value ends the search, which returns this value
 */
typedef int pm_ref_visitor(void *context, const struct pm_ref *ref);

/**
 * Finds all words that contain an address in a range: in registers, in chunks in use, and in the
 * memory outside of malloc. Words below the stack pointer of a thread do not count, and neither do
 * words of the range itself.
 *
 * @param graph    the graph; roots may be added
 * @param range    the range, such as the bytes of a chunk (pm_chunk.start, pm_chunk.end)
 * @param visit    called for each word: first registers, then the memory outside of malloc by
 *                 ascending address, then chunks by ascending address
 * @param context  passed to `visit`
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         0; -1 on an error; or the value with which `visit` ended the search
 */
PM_PUBLIC int pm_refs_find(struct pm_graph *graph, struct pm_range range, pm_ref_visitor *visit,
                           void *context, struct pm_error *error);

/**
 * Finds the words of a range that point to chunks in use.
 *
 * @param graph    the graph
 * @param range    the range, such as the bytes of a chunk
 * @param visit    called for each word by ascending address. pm_ref.chunk is the chunk to which the
 *                 word points, pm_ref.offset is the distance of the word from the start of `range`,
 *                 and pm_ref.root is PM_REF_CHUNK
 * @param context  passed to `visit`
 * @param error    PM_ERROR_CANCELLED
 * @return         0; -1 on an error; or the value with which `visit` ended the search
 */
PM_PUBLIC int pm_refs_from(struct pm_graph *graph, struct pm_range range, pm_ref_visitor *visit,
                           void *context, struct pm_error *error);

/** A step of a path: a reference, and the number of similar references that follow. */
struct pm_path_step {
	struct pm_ref ref; /**< the reference */
	/**
	 * Number of references that this step represents, at least 1. More than 1 in a list: the
	 * chunks have equal sizes, and the words have equal offsets. `ref` is then the first one of
	 * them, the one nearest to the start of the path
	 */
	uint64_t repeats;
};

/** A path from a chunk to a root. */
struct pm_path {
	struct pm_path_step *steps; /**< the steps; the last one is in a root */
	size_t count;               /**< number of steps */
	uint64_t length;            /**< number of references, including folded ones */
};

/** Maximum number of steps of a path; if there were more, those in the middle are left out. */
#define PM_PATH_STEPS_MAX 1000

/**
 * Finds the path from a chunk to its nearest root. Of the roots that reach the chunk, those of the
 * lowest level count; the nearest of them has the fewest references on the path. Takes up to 8
 * bytes of memory for each chunk.
 *
 * @param graph    the graph
 * @param address  an address in a chunk in use
 * @param path     receives the path; release with pm_path_deinit()
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         1 if there is a path; 0 if no root reaches the chunk, or if there is no chunk in
 *                 use; -1 on an error
 */
PM_PUBLIC int pm_refs_path(struct pm_graph *graph, uint64_t address, struct pm_path *path,
                           struct pm_error *error);

/**
 * Releases the memory of a path.
 * @param path  the path; zeros afterwards
 */
PM_PUBLIC void pm_path_deinit(struct pm_path *path);

#ifdef __cplusplus
}
#endif

#endif
