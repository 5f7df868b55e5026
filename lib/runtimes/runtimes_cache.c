/* SPDX-License-Identifier: MIT */
#include <procmem/runtimes_cache.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"

struct pm_runtimes_cache {
	double share;                 /* CPU time allowed, as a share of one core; 0: unlimited */
	struct pm_runtimes *runtimes; /* as last read; NULL if never */
	double read_at;               /* time of the last read, CLOCK_BOOTTIME in seconds */
	double due;                   /* time from which the runtimes are read again */
};

int pm_runtimes_cache_open(double share, struct pm_runtimes_cache **cache, struct pm_error *error)
{
	struct pm_runtimes_cache *opened = calloc(1, sizeof *opened);

	if (!opened)
		return pm_error_out_of_memory(error);

	opened->share = share;
	*cache = opened;
	return 0;
}

void pm_runtimes_cache_close(struct pm_runtimes_cache *cache)
{
	if (!cache)
		return;

	pm_runtimes_close(cache->runtimes);
	free(cache);
}

bool pm_runtimes_cache_is_due(const struct pm_runtimes_cache *cache, double now)
{
	return !cache->runtimes || now >= cache->due;
}

int pm_runtimes_cache_read(struct pm_runtimes_cache *cache, const struct pm_runtimes_source *source,
                           double now, struct pm_error *error)
{
	struct pm_runtimes *read;

	if (!pm_runtimes_cache_is_due(cache, now))
		return 0;

	/* Other threads of the caller, such as those of the screen, are not counted. */
	uint64_t began = pm_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (pm_runtimes_open(source, &read, error) < 0)
		return -1;
	double cost = (double)(pm_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began) / PM_NS_PER_SECOND;

	pm_runtimes_close(cache->runtimes);
	cache->runtimes = read;
	cache->read_at = now;
	cache->due = now;
	if (cache->share > 0)
		cache->due += cost / cache->share;

	return 1;
}

const struct pm_runtimes *pm_runtimes_cache_get(const struct pm_runtimes_cache *cache)
{
	return cache->runtimes;
}

double pm_runtimes_cache_time(const struct pm_runtimes_cache *cache)
{
	return cache->runtimes ? cache->read_at : 0;
}
