/* SPDX-License-Identifier: MIT */
/* Owners in processes that use jemalloc: the addresses against the counters of jemalloc itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/owner_pages.h"
#include "support/redis.h"

/** Reads the sizes of mapped and of retained memory, all arenas together. */
static uint64_t read_mapped(const struct redis *redis)
{
	FILE *output = redis_command(redis, "memory malloc-stats");
	uint64_t mapped = 0, retained = 0;
	char line[512];

	while (fgets(line, sizeof line, output)) {
		const char *from = strstr(line, " mapped: "), *then = strstr(line, " retained: ");
		if (mapped == 0 && from && then) {
			sscanf(from, " mapped: %" SCNu64, &mapped);
			sscanf(then, " retained: %" SCNu64, &retained);
		}
	}
	pclose(output);

	assert_true(mapped > 0);
	return mapped + retained;
}

/** Returns the number of bytes in the ranges of an owner. All of them must be proven. */
static uint64_t range_bytes(const struct owner_pages *pages, enum pm_owner owner)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < pages->runtimes->range_count; i++) {
		const struct pm_owner_range *range = &pages->runtimes->ranges[i];
		if (range->owner != owner)
			continue;
		assert_int_equal(range->proof, PM_PROOF_PROVEN);
		bytes += pm_range_size(range->range);
	}

	return bytes;
}

/** Compares all memory of jemalloc with its counters. Returns false if they changed concurrently.
 */
static bool compare(const struct redis *redis)
{
	const uint64_t before = read_mapped(redis),
		       resident = status_number(redis->target.pid, "VmRSS:");
	struct owner_pages pages;

	owner_pages_open(&pages, redis->target.pid);
	bool same = status_number(redis->target.pid, "VmRSS:") == resident;
	same = same && read_mapped(redis) == before;

	const struct pm_runtime_info *info = owner_pages_runtime(&pages, "jemalloc");
	assert_non_null(info);
	assert_true(strncmp(info->version, "5.", 2) == 0);
	same = same && info->complete;
	same = same && range_bytes(&pages, PM_OWNER_JEMALLOC) == before;
	if (same) {
		assert_true(owner_pages_share(&pages) >= 99);
		assert_int_equal(pages.resident[PM_OWNER_MALLOC], 0);
	}

	owner_pages_close(&pages);
	return same;
}

static void redis_memory(void **state)
{
	(void)state;
	struct redis redis;
	unsigned tries = 0;

	redis_start(&redis);
	pclose(redis_command(&redis, "debug populate 200000 key 1200"));
	/* redis itself allocates memory ten times a second. */
	while (!compare(&redis))
		assert_true(++tries < 300);
	redis_stop(&redis);
}

/** A process with both allocators: each has its own memory. */
static void two_allocators(void **state)
{
	(void)state;
	struct target target;
	struct owner_pages pages;

	assert_int_equal(setenv("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=20000", 1), 0);
	target_start(&target, "two_allocators", "10000", "50000", NULL);
	unsetenv("GLIBC_TUNABLES");
	if (target_fact(&target, "without jemalloc")) {
		target_stop(&target);
		skip_because("libjemalloc.so.2 cannot be loaded");
	}

	/* 10,000 blocks of 1024 bytes, and 50,000 of 112 bytes. */
	owner_pages_open(&pages, target.pid);
	assert_in_range(pages.resident[PM_OWNER_JEMALLOC], 10000 * 1024, 64 << 20);
	assert_int_equal(pages.proven[PM_OWNER_JEMALLOC], pages.resident[PM_OWNER_JEMALLOC]);
	assert_in_range(pages.resident[PM_OWNER_MALLOC], 50000 * 112, 16 << 20);
	owner_pages_close(&pages);
	target_stop(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(redis_memory),
		                            cmocka_unit_test(two_allocators) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
