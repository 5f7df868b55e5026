/* SPDX-License-Identifier: MIT */
/** @file Follows singly linked lists of cached chunks. Private. */
#ifndef PM_HEAP_GLIBC_LISTS_H
#define PM_HEAP_GLIBC_LISTS_H

#include "heap/glibc_context.h"

/** How often a list of a running process is read if it changes. */
enum { PM_GLIBC_LISTS_TRIES = 8 };

/** A chunk of a list. */
struct pm_glibc_entry {
	uint64_t address; /**< of the header */
	uint64_t size;
	uint32_t arena; /**< index of the arena */
};

/** What the chunks of a list must have in common. */
struct pm_glibc_rule {
	uint64_t user;     /**< 16 if links point to the memory of the user; 0 if they point to the
	                      header */
	uint64_t size_min; /**< sizes of the chunks */
	uint64_t size_max;
	uint64_t count; /**< number of chunks; UINT64_MAX if it is not known */
	uint32_t arena; /**< index of the arena, or PM_CHUNK_MAPPED for all arenas */
};

/** The lists that are read. Release `entries` with free(3). */
struct pm_glibc_lists {
	struct pm_glibc *glibc;
	struct pm_heap_window *window;
	/** Chunks of the lists that were read and are not marked yet */
	struct pm_glibc_entry *entries;
	size_t count;
	size_t capacity;
	uint64_t budget; /**< number of chunks that may still be visited: a damaged list can be a
	                    circle */
	bool partial;    /**< keep the chunks before the first one that does not conform */
	bool again;      /**< read the links again that were saved during the walk */
	bool newer;      /**< leave out chunks that were free or part of top during the walk: the
	                    process has allocated and freed them since then */
	struct pm_error *error; /**< PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED */
};

/**
 * Follows a list, and appends its chunks to the entries.
 *
 * @param head   the first link of the list
 * @param rule   what the chunks have in common
 * @param links  how links are stored; if this is not known, receives how they are stored
 * @return       1 if all chunks conform to the rule; 0 if not, with the entries unchanged unless
 *               `partial` is set; -1 on error
 */
int pm_glibc_lists_follow(struct pm_glibc_lists *lists, uint64_t head,
                          const struct pm_glibc_rule *rule, enum pm_glibc_links *links);

/**
 * Marks the chunks of the entries as cached in the index and in the figures of their arenas. The
 * entries are removed.
 *
 * @param fast  whether the chunks are in fastbins
 */
void pm_glibc_lists_mark(struct pm_glibc_lists *lists, bool fast);

/**
 * Reports a list of freed chunks that is not valid. All chunks of the heap were found nevertheless:
 * only which of them are cached may not be known.
 *
 * @param arena     index of the arena
 * @param address   address of the list
 * @param previous  address of what leads there, or 0
 * @param why       what is not valid, a constant human-readable text
 * @return          0 or -1
 */
int pm_glibc_lists_damage(struct pm_glibc_lists *lists, uint32_t arena, uint64_t address,
                          uint64_t previous, const char *why);

#endif
