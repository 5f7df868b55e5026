/* SPDX-License-Identifier: MIT */
/* The limits inside a JVM, against its own words: flags, jcmd and native memory tracking (NMT). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <procmem/runtimes.h>
#include <procmem/runtimes_cache.h>

#include "runtimes/hotspot_direct.h"
#include "runtimes/hsperf.h"
#include "support/look.h"
#include "support/target.h"

#define MIB (UINT64_C(1) << 20)

/** A JVM that is being examined. */
struct jvm {
	struct target target;
	struct look look;
	struct pm_runtimes *runtimes;
};

static const char *source_path(void)
{
	static char path[4096];
	const char *source = getenv("PROCMEM_SOURCE");

	if (!source)
		skip_because("PROCMEM_SOURCE is not set");
	snprintf(path, sizeof path, "%s/tests/targets/DirectBuffers.java", source);
	return path;
}

/** Reads the runtimes of a JVM. */
static void jvm_read(struct jvm *jvm)
{
	struct pm_error error = { 0 };

	look_open(&jvm->look, jvm->target.pid);

	const struct pm_runtimes_source source = { .regions = &jvm->look.regions,
		                                   .reader = &jvm->look.memory,
		                                   .pages = &jvm->look.pages,
		                                   .process = jvm->look.process,
		                                   .time_ms = 60000,
		                                   .walk_heap = true };
	if (pm_runtimes_open(&source, &jvm->runtimes, &error) < 0)
		fail_msg("%s", error.text);
}

static void jvm_stop(struct jvm *jvm)
{
	pm_runtimes_close(jvm->runtimes);
	look_close(&jvm->look);
	target_stop(&jvm->target);
}

static const struct pm_runtime_limit *find(const struct jvm *jvm, enum pm_runtime_limit_kind kind)
{
	for (size_t i = 0; i < jvm->runtimes->limit_count; i++)
		if (jvm->runtimes->limits[i].kind == kind)
			return &jvm->runtimes->limits[i];
	return NULL;
}

static void expect_max(const struct jvm *jvm, enum pm_runtime_limit_kind kind, uint64_t max,
                       const char *source)
{
	const struct pm_runtime_limit *limit = find(jvm, kind);

	if (!limit)
		fail_msg("no limit %s", pm_runtime_limit_name(kind));
	assert_int_equal(limit->max, max);
	assert_string_equal(limit->source, source);
}

/** Returns what jcmd prints for a command; the caller frees it. */
static char *jcmd(const struct jvm *jvm, const char *command)
{
	char words[256], *text = NULL;
	size_t size = 0;
	snprintf(words, sizeof words, "jcmd %d %s 2>/dev/null", (int)jvm->target.pid, command);

	FILE *output = popen(words, "re");
	assert_non_null(output);
	assert_true(getdelim(&text, &size, '\0', output) > 0);

	int status = pclose(output);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		fail_msg("jcmd is not installed: sh docs/setup.sh test installs it");
	return text;
}

/**
 * Returns a number in the output of jcmd.
 *
 * @param text  the output
 * @param part  text before the number
 * @param key   text directly before the number, after `part`
 */
static uint64_t number_of(const char *text, const char *part, const char *key)
{
	const char *at = strstr(text, part);
	unsigned long long number = 0;

	at = at ? strstr(at, key) : NULL;
	if (!at || sscanf(at + strlen(key), "%llu", &number) != 1)
		fail_msg("jcmd has no %s %s: %s", part, key, text);
	return number;
}

/** Asserts that a used part is within 2 % and some bytes of what the JVM says. */
static void expect_used(const struct jvm *jvm, enum pm_runtime_limit_kind kind, uint64_t truth,
                        uint64_t slack)
{
	const struct pm_runtime_limit *limit = find(jvm, kind);

	if (!limit || !limit->used_known)
		fail_msg("%s is not known", pm_runtime_limit_name(kind));

	uint64_t most = truth + truth / 50 + slack, least = truth - truth / 50;
	least = least > slack ? least - slack : 0;
	if (limit->used < least || limit->used > most)
		fail_msg("%s: %llu, but the JVM says %llu", pm_runtime_limit_name(kind),
		         (unsigned long long)limit->used, (unsigned long long)truth);
	assert_true(limit->approximate);
}

static void flags_are_those_of_the_command_line(void **state)
{
	(void)state;
	struct jvm jvm;

	program_start(&jvm.target, "java", "-Xmx96m", "-XX:MaxMetaspaceSize=80m",
	              "-XX:CompressedClassSpaceSize=48m", "-XX:ReservedCodeCacheSize=64m",
	              "-XX:MaxDirectMemorySize=300m", source_path(), NULL);
	free(target_await(&jvm.target, "ready"));
	jvm_read(&jvm);
	expect_max(&jvm, PM_RUNTIME_LIMIT_JAVA_HEAP, 96 * MIB, "MaxHeapSize");
	expect_max(&jvm, PM_RUNTIME_LIMIT_JAVA_METASPACE, 80 * MIB, "MaxMetaspaceSize");
	expect_max(&jvm, PM_RUNTIME_LIMIT_JAVA_CLASS_SPACE, 48 * MIB, "CompressedClassSpaceSize");
	expect_max(&jvm, PM_RUNTIME_LIMIT_JAVA_CODE, 64 * MIB, "ReservedCodeCacheSize");
	expect_max(&jvm, PM_RUNTIME_LIMIT_JAVA_DIRECT, 300 * MIB, "MaxDirectMemorySize");
	assert_int_equal(jvm.runtimes->limit_count, 5);
	jvm_stop(&jvm);
}

static void direct_memory_has_the_limit_of_the_heap(void **state)
{
	(void)state;
	struct jvm jvm;

	program_start(&jvm.target, "java", "-Xmx128m", "-XX:-UsePerfData", source_path(), NULL);
	free(target_await(&jvm.target, "ready"));
	jvm_read(&jvm);
	expect_max(&jvm, PM_RUNTIME_LIMIT_JAVA_DIRECT, 128 * MIB, "MaxHeapSize");
	/* Not set, so not a limit. */
	assert_null(find(&jvm, PM_RUNTIME_LIMIT_JAVA_METASPACE));
	/* Without performance counters, the used parts are not known. */
	assert_false(find(&jvm, PM_RUNTIME_LIMIT_JAVA_HEAP)->used_known);
	assert_true(find(&jvm, PM_RUNTIME_LIMIT_JAVA_CODE)->used_known);
	jvm_stop(&jvm);
}

/** Compares the used parts of a JVM with a collector with jcmd. */
static void check_used(const char *collector)
{
	struct jvm jvm;

	program_start(&jvm.target, "java", "-Xmx192m", collector, "-XX:MaxMetaspaceSize=128m",
	              "-XX:MaxDirectMemorySize=1g", "-XX:NativeMemoryTracking=summary",
	              source_path(), NULL);
	free(target_await(&jvm.target, "ready"));

	/* A collection updates the counters. */
	free(jcmd(&jvm, "GC.run"));
	char *heap = jcmd(&jvm, "GC.heap_info"), *nmt = jcmd(&jvm, "VM.native_memory scale=B");
	jvm_read(&jvm);
	print_message("%s\n", collector);

	/* Blocks of the collector that have the same size count, too: one for each of its threads.
	 */
	expect_used(&jvm, PM_RUNTIME_LIMIT_JAVA_DIRECT, number_of(nmt, " Other (", "committed="),
	            4 * MIB);
	expect_used(&jvm, PM_RUNTIME_LIMIT_JAVA_CLASS_SPACE,
	            number_of(nmt, "Class space:", "committed="), 256 * 1024);
	/* NMT adds blocks of malloc: 1.5 MiB in JDK 25. */
	expect_used(&jvm, PM_RUNTIME_LIMIT_JAVA_CODE, number_of(nmt, " Code (", "committed="),
	            3 * MIB);
	/* Of the other collectors, jcmd prints the parts, or other units. */
	if (strcmp(collector, "-XX:+UseG1GC") == 0)
		expect_used(&jvm, PM_RUNTIME_LIMIT_JAVA_HEAP,
		            number_of(heap, "total", "used ") * 1024, 24 * MIB);

	free(heap);
	free(nmt);
	jvm_stop(&jvm);
}

static void used_parts_are_those_of_jcmd(void **state)
{
	static const char *const collectors[] = { "-XX:+UseSerialGC", "-XX:+UseParallelGC",
		                                  "-XX:+UseG1GC", "-XX:+UseZGC",
		                                  "-XX:+UseShenandoahGC" };
	(void)state;

	for (size_t i = 0; i < sizeof collectors / sizeof *collectors; i++)
		check_used(collectors[i]);
}

/** Until time has passed, the runtimes of the last read are kept. */
static void cache_reads_when_it_is_due(void **state)
{
	(void)state;
	struct jvm jvm = { 0 };
	struct pm_runtimes_cache *cache;
	struct pm_error error = { 0 };

	target_start(&jvm.target, "contents", NULL);
	look_open(&jvm.look, jvm.target.pid);
	const struct pm_runtimes_source source = { .regions = &jvm.look.regions,
		                                   .reader = &jvm.look.memory,
		                                   .pages = &jvm.look.pages,
		                                   .process = jvm.look.process };

	/* With this share, a read that takes a microsecond is followed by 1,000 seconds of rest. */
	assert_int_equal(pm_runtimes_cache_open(1e-9, &cache, &error), 0);
	assert_null(pm_runtimes_cache_get(cache));
	assert_true(pm_runtimes_cache_is_due(cache, 10));
	assert_int_equal(pm_runtimes_cache_read(cache, &source, 10, &error), 1);

	const struct pm_runtimes *first = pm_runtimes_cache_get(cache);
	assert_non_null(first);
	assert_int_equal(pm_runtimes_cache_read(cache, &source, 11, &error), 0);
	assert_ptr_equal(pm_runtimes_cache_get(cache), first);
	assert_true(pm_runtimes_cache_time(cache) == 10);
	assert_int_equal(pm_runtimes_cache_read(cache, &source, 1e15, &error), 1);
	assert_true(pm_runtimes_cache_time(cache) == 1e15);

	pm_runtimes_cache_close(cache);
	jvm_stop(&jvm);
}

static void sums_of_direct_buffers(void **state)
{
	(void)state;
	uint64_t items[] = { 1 << 20, 40960, 16384, 1 << 20, 50000,
		             1 << 20, 40960, 16368, 16368,   7 << 20 };
	struct pm_direct_sizes sizes = { items, sizeof items / sizeof *items };

	/* Not: one of a size, and chunks below 16 KiB. */
	assert_int_equal(pm_hotspot_direct_sum(&sizes), 3 * (1 << 20) + 2 * 40960);

	sizes.count = 0;
	assert_int_equal(pm_hotspot_direct_sum(&sizes), 0);
}

/** A heap in swap is not read: the reader is missing, so each read would crash. */
static void heap_in_swap_is_not_walked(void **state)
{
	(void)state;
	struct pm_region region = { .start = 4096, .end = 16 * MIB };
	struct pm_regions regions = { .items = &region, .count = 1 };
	struct pm_runtimes_source source = { .regions = &regions, .walk_heap = true };
	struct pm_runtimes result = { 0 };
	struct pm_runtimes_context context = { .source = &source, .result = &result };
	uint64_t used = 7;

	region.known = PM_SIZE_BIT(PM_SIZE_RSS) | PM_SIZE_BIT(PM_SIZE_SWAP);
	region.bytes[PM_SIZE_SWAP] = 2 * MIB;
	assert_false(pm_hotspot_direct_used(&context, &used));

	region.bytes[PM_SIZE_SWAP] = 0;
	source.walk_heap = false;
	assert_false(pm_hotspot_direct_used(&context, &used));
	assert_int_equal(used, 7);
}

/** Appends a counter: an entry with a name and a 64-bit value. */
static void append_counter(unsigned char *bytes, size_t *size, const char *name, int64_t value)
{
	unsigned char *entry = bytes + *size;
	uint32_t name_at = 20, data_at = (uint32_t)(20 + strlen(name) + 1 + 7) & ~7U;
	uint32_t length = data_at + 8;

	memset(entry, 0, length);
	memcpy(entry, &length, 4);
	memcpy(entry + 4, &name_at, 4);
	entry[12] = 'J';
	memcpy(entry + 16, &data_at, 4);
	strcpy((char *)entry + name_at, name);
	memcpy(entry + data_at, &value, 8);
	*size += length;
}

static void counters_are_checked(void **state)
{
	(void)state;
	unsigned char bytes[512] = { 0xca, 0xfe, 0xc0, 0xc0, 1, 2 };
	const uint32_t first = 32, count = 2;
	struct pm_hsperf hsperf = { .bytes = bytes, .size = first };
	int64_t value = 7;

	memcpy(bytes + 24, &first, 4);
	memcpy(bytes + 28, &count, 4);
	append_counter(bytes, &hsperf.size, "sun.gc.one", 1234);
	const size_t second = hsperf.size;
	append_counter(bytes, &hsperf.size, "sun.gc.two", -5);

	assert_true(pm_hsperf_check(&hsperf));
	assert_true(pm_hsperf_number(&hsperf, "sun.gc.one", &value));
	assert_int_equal(value, 1234);
	assert_true(pm_hsperf_number(&hsperf, "sun.gc.two", &value));
	assert_int_equal(value, -5);
	assert_false(pm_hsperf_number(&hsperf, "sun.gc", &value));
	assert_false(pm_hsperf_number(&hsperf, "sun.gc.two.more", &value));

	/* A value that is beyond its entry, an entry beyond the data, a length of 0. */
	bytes[second + 16] = 36;
	assert_false(pm_hsperf_number(&hsperf, "sun.gc.two", &value));
	hsperf.size -= 8;
	assert_false(pm_hsperf_number(&hsperf, "sun.gc.two", &value));
	bytes[first] = 0;
	assert_false(pm_hsperf_number(&hsperf, "sun.gc.one", &value));
	assert_int_equal(value, -5);

	bytes[5] = 3;
	assert_false(pm_hsperf_check(&hsperf));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_are_those_of_the_command_line),
		cmocka_unit_test(direct_memory_has_the_limit_of_the_heap),
		cmocka_unit_test(used_parts_are_those_of_jcmd),
		cmocka_unit_test(sums_of_direct_buffers),
		cmocka_unit_test(heap_in_swap_is_not_walked),
		cmocka_unit_test(counters_are_checked),
		cmocka_unit_test(cache_reads_when_it_is_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
