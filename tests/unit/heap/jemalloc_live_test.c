/* SPDX-License-Identifier: MIT */
/* jemalloc in running processes: in redis-server, against the counters of jemalloc itself, and in a
 * process that uses malloc of glibc, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/heap.h>

#include "support/look.h"
#include "support/redis.h"
#include "support/target.h"

/** What jemalloc has counted. */
struct counters {
	uint64_t allocated, active, muzzy, retained;
	/* Active, dirty and muzzy pages. Redis frees a buffer after it has read the statistics, so
	 * that active pages become dirty. */
	uint64_t pages;
	struct {
		uint64_t size, regions;
	} bins[64];
	size_t bin_count;
};

/** Reads the sizes of unused pages of all arenas together, which precede those of each arena. */
static void read_pages(const char *line, struct counters *counters)
{
	enum { PAGE = 4096 };
	const char *active = strstr(line, ", active: "), *retained = strstr(line, ", retained: ");
	uint64_t number;

	if (active && retained) {
		sscanf(active, ", active: %" SCNu64, &counters->pages);
		sscanf(retained, ", retained: %" SCNu64, &counters->retained);
	}
	if (sscanf(line, " dirty: %*s %" SCNu64, &number) == 1)
		counters->pages += number * PAGE;
	if (sscanf(line, " muzzy: %*s %" SCNu64, &number) == 1) {
		counters->muzzy = number * PAGE;
		counters->pages += number * PAGE;
	}
}

/** Reads the number of used regions of each size, of all arenas together. */
static void read_bins(FILE *output, struct counters *counters)
{
	char line[512];
	bool in_bins = false;

	while (fgets(line, sizeof line, output)) {
		uint64_t size, regions;

		if (in_bins && strncmp(line, "large:", 6) == 0)
			break;
		if (strncmp(line, "bins:", 5) == 0)
			in_bins = true;
		if (!in_bins)
			read_pages(line, counters);
		/* size ind allocated nmalloc rate ndalloc rate nrequests rate nshards curregs */
		if (in_bins &&
		    sscanf(line, "%" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &size,
		           &regions) == 2) {
			assert_true(counters->bin_count < 64);
			counters->bins[counters->bin_count].size = size;
			counters->bins[counters->bin_count++].regions = regions;
		}
	}

	while (fgets(line, sizeof line, output))
		;
}

static void read_counters(const struct redis *redis, struct counters *counters)
{
	char line[512];
	FILE *output = redis_command(redis, "info memory");

	memset(counters, 0, sizeof *counters);
	while (fgets(line, sizeof line, output)) {
		sscanf(line, "allocator_allocated:%" SCNu64, &counters->allocated);
		sscanf(line, "allocator_active:%" SCNu64, &counters->active);
	}
	pclose(output);

	output = redis_command(redis, "memory malloc-stats");
	read_bins(output, counters);
	pclose(output);
}

/** Numbers of chunks in use by size. */
struct sizes {
	uint64_t count[16384];
};

static int count_size(void *context, const struct pm_chunk *chunk, const void *head, size_t size)
{
	struct sizes *sizes = context;
	(void)head;
	(void)size;

	if (chunk->size < 16384)
		sizes->count[chunk->size]++;
	return 0;
}

/**
 * Compares the heap with the counters of jemalloc.
 * @return false if they changed concurrently
 */
static bool compare(const struct redis *redis, struct sizes *sizes)
{
	struct counters before, after;
	struct look look;
	struct pm_heap *heap;
	struct pm_error error = { 0 };

	read_counters(redis, &before);
	look_open(&look, redis->target.pid);
	const struct pm_heap_source source = { .regions = &look.regions,
		                               .reader = &look.memory,
		                               .pages = &look.pages };
	must(pm_heap_open(&source, &heap, &error), &error);
	memset(sizes, 0, sizeof *sizes);
	/* jemalloc counts the regions in the caches of threads as used. */
	must(pm_heap_read_chunks(heap, 1 << PM_CHUNK_IN_USE | 1 << PM_CHUNK_CACHED, count_size,
	                         sizes, &error),
	     &error);
	read_counters(redis, &after);

	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_JEMALLOC);
	bool same = memcmp(&before, &after, sizeof before) == 0 && heap->complete &&
	            heap->total.in_use + heap->total.cached == after.allocated &&
	            heap->total.system - heap->total.unused_pages == after.active &&
	            heap->total.system == after.pages && heap->total.muzzy == after.muzzy &&
	            heap->total.retained == after.retained;
	assert_true(after.bin_count > 10);
	for (size_t i = 0; i < after.bin_count; i++)
		same = same && sizes->count[after.bins[i].size] == after.bins[i].regions;

	pm_heap_close(heap);
	look_close(&look);
	return same;
}

static void expect_same(const struct redis *redis, struct sizes *sizes)
{
	/* redis reads the counters of jemalloc ten times a second. */
	unsigned tries = 0;
	while (!compare(redis, sizes))
		assert_true(++tries < 300);
}

static void redis_agrees_with_jemalloc(void **state)
{
	(void)state;
	struct redis redis;
	struct sizes *sizes = malloc(sizeof *sizes);

	redis_start(&redis);
	pclose(redis_command(&redis, "debug populate 200000 key 200"));

	/* A value of 200 bytes has a header of 3 bytes and a NUL. */
	expect_same(&redis, sizes);
	assert_in_range(sizes->count[224], 200000, 200100);

	/* Slabs with free regions, and extents that are no longer used. Freed regions stay in the
	 * caches of threads. */
	pclose(redis_command(
		&redis, "eval 'for i = 0, 149999 do redis.call(\"del\", \"key:\" .. i) end' 0"));
	expect_same(&redis, sizes);
	assert_in_range(sizes->count[224], 50000, 50500);
	redis_stop(&redis);
	free(sizes);
}

/** Compares the regions in the caches of threads with the counter of jemalloc. */
static void expect_cached(const struct target *target, const struct pm_heap *heap)
{
	uint64_t cached = target_fact_number(target, "cached");

	assert_true(cached > 100000);
	if (heap->allocator == PM_HEAP_ALLOCATOR_JEMALLOC)
		assert_int_equal(heap->total.cached, cached);
}

/** Opens the heap of a process that uses both allocators. */
static void expect_both(const char *from_jemalloc, const char *from_malloc,
                        enum pm_heap_allocator larger, enum pm_heap_allocator smaller)
{
	struct target target;
	struct look look;
	struct pm_heap *heap;
	struct sizes *sizes = calloc(1, sizeof *sizes);
	struct pm_error error = { 0 };

	assert_int_equal(setenv("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=20000", 1), 0);
	target_start(&target, "two_allocators", from_jemalloc, from_malloc, NULL);
	unsetenv("GLIBC_TUNABLES");
	if (target_fact(&target, "without jemalloc")) {
		target_stop(&target);
		free(sizes);
		skip_because("libjemalloc.so.2 cannot be loaded");
	}

	look_open(&look, target.pid);
	const struct pm_heap_source source = { .regions = &look.regions,
		                               .reader = &look.memory,
		                               .pages = &look.pages };
	must(pm_heap_open(&source, &heap, &error), &error);
	must(pm_heap_read_chunks(heap, 1 << PM_CHUNK_IN_USE, count_size, sizes, &error), &error);

	assert_int_equal(heap->allocator, larger);
	assert_int_equal(heap->other, smaller);
	assert_true(heap->other_known);
	if (larger == PM_HEAP_ALLOCATOR_JEMALLOC) {
		assert_in_range(sizes->count[1024], 10000, 10010);
		assert_in_range(heap->other_in_use, 1000 * 112, 2 << 20);
	} else {
		assert_in_range(sizes->count[112], 50000, 50100);
		assert_in_range(heap->other_in_use, 1000 * 1024, 2 << 20);
	}

	expect_cached(&target, heap);
	pm_heap_close(heap);
	look_close(&look);
	target_stop(&target);
	free(sizes);
}

static void two_allocators(void **state)
{
	(void)state;
	expect_both("10000", "1000", PM_HEAP_ALLOCATOR_JEMALLOC, PM_HEAP_ALLOCATOR_GLIBC);
	expect_both("1000", "50000", PM_HEAP_ALLOCATOR_GLIBC, PM_HEAP_ALLOCATOR_JEMALLOC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(redis_agrees_with_jemalloc),
		cmocka_unit_test(two_allocators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
