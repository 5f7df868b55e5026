/* SPDX-License-Identifier: MIT */
#include "proc/path_cache.h"

#include <stdlib.h>
#include <string.h>

void pm_path_cache_init(struct pm_path_cache *cache)
{
	*cache = (struct pm_path_cache){ 0 };
	pthread_mutex_init(&cache->lock, NULL);
}

void pm_path_cache_deinit(struct pm_path_cache *cache)
{
	for (size_t i = 0; i < PM_PATH_CACHE_SIZE; i++) {
		free(cache->items[i].key);
		free(cache->items[i].path);
	}

	pthread_mutex_destroy(&cache->lock);
}

/** Returns the index of the result for a key; PM_PATH_CACHE_SIZE if there is none. */
static size_t find(const struct pm_path_cache *cache, const char *key)
{
	size_t i = 0;

	while (i < PM_PATH_CACHE_SIZE &&
	       (!cache->items[i].key || strcmp(cache->items[i].key, key) != 0))
		i++;
	return i;
}

bool pm_path_cache_find(struct pm_path_cache *cache, const char *key, char **path)
{
	char *copy = NULL;

	pthread_mutex_lock(&cache->lock);

	size_t index = find(cache, key);
	bool found = index < PM_PATH_CACHE_SIZE;
	if (found && cache->items[index].path) {
		copy = strdup(cache->items[index].path);
		found = copy;
	}

	pthread_mutex_unlock(&cache->lock);

	if (found)
		*path = copy;
	return found;
}

void pm_path_cache_add(struct pm_path_cache *cache, const char *key, const char *path)
{
	char *new_key = strdup(key);
	char *new_path = path ? strdup(path) : NULL;

	if (!new_key || (path && !new_path)) {
		free(new_key);
		free(new_path);
		return;
	}

	pthread_mutex_lock(&cache->lock);

	size_t index = find(cache, key);
	if (index == PM_PATH_CACHE_SIZE) {
		index = cache->next;
		cache->next = (cache->next + 1) % PM_PATH_CACHE_SIZE;
	}

	free(cache->items[index].key);
	free(cache->items[index].path);
	cache->items[index].key = new_key;
	cache->items[index].path = new_path;

	pthread_mutex_unlock(&cache->lock);
}
