/* SPDX-License-Identifier: MIT */
/* node in running processes, against what v8.getHeapStatistics() of node says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "support/owner_pages.h"
#include "support/target.h"

#define MIB (UINT64_C(1) << 20)

enum { PAGE = 4096, ATTEMPTS = 50, LIMIT_MIB = 700, FILL = 0xab };

/* Evaluates each line of its input and prints the result; `stats` are the total size of the heap,
 * and the size of the old generation. */
static const char server[] =
	"const v8 = require('v8'); let objects = [], buffers = [];"
	"function grow(mb) { const end = process.memoryUsage().heapUsed + mb * 1048576;"
	"  while (process.memoryUsage().heapUsed < end) {"
	"    for (let i = 0; i < 10000; i++) objects.push({ a: i, b: 'x' + i, c: [i, i] });"
	"    objects.push(new Array(60000).fill(1)); } return 'grown'; }"
	"function buffer(mb) { for (let i = 0; i < mb; i++)"
	"  buffers.push(Buffer.alloc(1 << 20, 0xab)); return 'filled'; }"
	"function stats() { const old = v8.getHeapSpaceStatistics()"
	"    .filter(s => !s.space_name.startsWith('new') && s.space_name != 'read_only_space')"
	"    .reduce((sum, s) => sum + s.space_size, 0);"
	"  return v8.getHeapStatistics().total_heap_size + ' ' + old; }"
	"require('readline').createInterface({ input: process.stdin })"
	"  .on('line', line => console.log('result', eval(line)));"
	"console.log('ready');";

/* Allocates and drops objects and buffers forever, in three threads. */
static const char churn[] =
	"const w = require('worker_threads'); let objects = [], buffers = [], steps = 0;"
	"if (w.isMainThread) for (let i = 0; i < 2; i++) new w.Worker(process.argv[1], {eval: true,"
	"  argv: [process.argv[1]]});"
	"function step() { for (let i = 0; i < 5000; i++) objects.push({ a: i, b: 'x' + i });"
	"  objects.push(new Array(100000).fill(1));"
	"  for (let i = 0; i < 5; i++)"
	"    buffers.push(Buffer.alloc(200000 + Math.random() * 400000, 0xab));"
	"  if (objects.length > 200000) objects = [];"
	"  if (buffers.length > 60) buffers = [];"
	"  if (w.isMainThread && ++steps == 60) console.log('ready');"
	"  setImmediate(step); }"
	"step();";

/** What node says. */
struct stats {
	uint64_t total, old;
};

static void start(struct target *target)
{
	char limit[64];

	snprintf(limit, sizeof limit, "--max-old-space-size=%d", LIMIT_MIB);
	program_start(target, "node", "--expose-gc", limit, "-e", server, NULL);
	free(target_await(target, "ready"));
}

/** Lets node evaluate a line. The caller frees the result. */
static char *evaluate(struct target *target, const char *line)
{
	fprintf(target->to, "%s\n", line);
	assert_int_equal(fflush(target->to), 0);
	return target_await(target, "result");
}

static struct stats read_stats(struct target *target)
{
	struct stats stats;
	char *line = evaluate(target, "stats()");

	assert_int_equal(sscanf(line, "result %" SCNu64 " %" SCNu64, &stats.total, &stats.old), 2);
	free(line);
	return stats;
}

/** Returns the proven bytes of V8, with those that are not resident. */
static uint64_t proven(const struct owner_pages *pages)
{
	const struct pm_runtimes *runtimes = pages->runtimes;
	uint64_t bytes = 0;

	for (size_t i = 0; i < runtimes->range_count; i++) {
		const struct pm_owner_range *range = &runtimes->ranges[i];
		if (strcmp(pm_owner_family((enum pm_owner)range->owner), "v8") == 0 &&
		    range->proof == PM_PROOF_PROVEN)
			bytes += pm_range_size(range->range);
	}

	return bytes;
}

/** Reads the process while the heap of node has the same size. Garbage collections change it. */
static struct stats open_steady(struct target *target, struct owner_pages *pages)
{
	for (unsigned i = 0; i < ATTEMPTS; i++) {
		struct stats before = read_stats(target), after;

		owner_pages_open(pages, target->pid);
		after = read_stats(target);
		if (before.total == after.total && before.old == after.old &&
		    proven(pages) == after.total)
			return after;
		if (i + 1 == ATTEMPTS)
			fail_msg("V8 has %" PRIu64 " bytes, node says %" PRIu64 " and %" PRIu64,
			         proven(pages), before.total, after.total);
		owner_pages_close(pages);
	}

	return (struct stats){ 0 };
}

/** Stops a process, and waits until all its threads are stopped. */
static void stop(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGSTOP), 0);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
}

/** Fails if a page of V8 is full of the bytes of buffers. Returns the pages of malloc that are. */
static uint64_t check_buffers(struct owner_pages *pages)
{
	uint64_t counts[PM_OWNER_COUNT];

	owner_pages_count_filled(pages, FILL, counts);
	for (unsigned i = 0; i < PM_OWNER_COUNT; i++) {
		enum pm_owner owner = (enum pm_owner)i;

		if (strcmp(pm_owner_family(owner), "v8") == 0 && counts[owner] > 0)
			fail_msg("%" PRIu64 " pages of buffers belong to %s", counts[owner],
			         pm_owner_name(owner));
	}
	return counts[PM_OWNER_MALLOC];
}

/** All chunks, and nothing else: after the start, with 200 MB, and after these were released. */
static void test_size_is_exact(void **state)
{
	(void)state;
	struct target target;
	struct owner_pages pages;

	start(&target);
	open_steady(&target, &pages);
	owner_pages_close(&pages);

	free(evaluate(&target, "grow(200)"));
	struct stats full = open_steady(&target, &pages);
	assert_true(full.total > 200 * MIB);
	assert_true(owner_pages_share(&pages) >= 85);
	owner_pages_close(&pages);

	free(evaluate(&target, "objects = []; gc(); gc(); 'released'"));
	struct stats empty = open_steady(&target, &pages);
	assert_true(empty.total < full.total / 2);
	owner_pages_close(&pages);
	target_stop(&target);
}

static void test_limit(void **state)
{
	(void)state;
	struct target target;
	struct owner_pages pages;

	start(&target);
	free(evaluate(&target, "grow(100)"));
	struct stats stats = open_steady(&target, &pages);
	const struct pm_runtimes *runtimes = pages.runtimes;

	assert_int_equal(runtimes->limit_count, 1);
	assert_int_equal(runtimes->limits[0].kind, PM_RUNTIME_LIMIT_V8_OLD_SPACE);
	assert_int_equal(runtimes->limits[0].max, LIMIT_MIB * MIB);
	/* The headers of chunks are not used. */
	assert_in_range(runtimes->limits[0].used, stats.old - stats.old / 30, stats.old);
	owner_pages_close(&pages);
	target_stop(&target);
}

static void test_version(void **state)
{
	(void)state;
	struct target target;
	struct owner_pages pages;

	start(&target);
	char *version = evaluate(&target, "process.versions.v8");
	open_steady(&target, &pages);

	assert_int_equal(pages.runtimes->count, 1);
	assert_string_equal(pages.runtimes->items[0].version, version + strlen("result "));
	free(version);
	owner_pages_close(&pages);
	target_stop(&target);
}

/** Buffers grow: malloc grows by as much, V8 does not. */
static void test_buffers_are_those_of_malloc(void **state)
{
	(void)state;
	struct target target;
	struct owner_pages before, after;

	start(&target);
	open_steady(&target, &before);
	free(evaluate(&target, "buffer(100)"));
	open_steady(&target, &after);

	assert_in_range(after.resident[PM_OWNER_MALLOC] - before.resident[PM_OWNER_MALLOC],
	                99 * MIB, 110 * MIB);
	assert_true(proven(&after) < proven(&before) + 4 * MIB);
	assert_true(check_buffers(&after) * PAGE >= 98 * MIB);
	owner_pages_close(&before);
	owner_pages_close(&after);
	target_stop(&target);
}

/** At any time of a garbage collection, no page of a buffer is labelled as V8. */
static void test_garbage_collections(void **state)
{
	(void)state;
	struct target target;

	program_start(&target, "node", "-e", churn, churn, NULL);
	free(target_await(&target, "ready"));
	for (unsigned i = 0; i < 6; i++) {
		struct owner_pages pages;

		stop(target.pid);
		uint64_t resident = status_number(target.pid, "VmRSS:");
		owner_pages_open(&pages, target.pid);
		assert_int_equal(status_number(target.pid, "VmRSS:"), resident);
		assert_true(proven(&pages) > 10 * MIB);
		check_buffers(&pages);
		owner_pages_close(&pages);
		assert_int_equal(kill(target.pid, SIGCONT), 0);
	}
	target_stop(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size_is_exact),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_buffers_are_those_of_malloc),
		cmocka_unit_test(test_garbage_collections),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
