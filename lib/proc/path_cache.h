/* SPDX-License-Identifier: MIT */
/** @file Results of searches for paths, to be used again for the same key. Private. */
#ifndef PM_PROC_PATH_CACHE_H
#define PM_PROC_PATH_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/** Maximum number of results; a further result replaces the oldest one. */
enum { PM_PATH_CACHE_SIZE = 4 };

/** Results. Several threads may use them at the same time. */
struct pm_path_cache {
	pthread_mutex_t lock; /**< guards the other members */
	/** A result */
	struct {
		char *key;  /**< what was searched; NULL if the element is unused; owned */
		char *path; /**< the path; NULL if the search found nothing; owned */
	} items[PM_PATH_CACHE_SIZE];
	size_t next; /**< index of the element that receives the next result */
};

/**
 * Prepares a cache without results.
 * @param cache  filled; release with pm_path_cache_deinit()
 */
void pm_path_cache_init(struct pm_path_cache *cache);

/**
 * Frees the results.
 * @param cache  the cache
 */
void pm_path_cache_deinit(struct pm_path_cache *cache);

/**
 * Looks up a result.
 *
 * @param cache  the cache
 * @param key    what is searched
 * @param path   receives a copy of the path, which the caller frees; NULL if the search found
 *               nothing. Unchanged if false is returned
 * @return       true if the cache has a result for the key; false if not, or if out of memory
 */
bool pm_path_cache_find(struct pm_path_cache *cache, const char *key, char **path);

/**
 * Stores a result. If out of memory, the result is not stored.
 *
 * @param cache  the cache
 * @param key    what was searched; the text is copied
 * @param path   the path, which is copied; NULL if the search found nothing
 */
void pm_path_cache_add(struct pm_path_cache *cache, const char *key, const char *path);

#endif
