/* SPDX-License-Identifier: MIT */
/*
 * HotSpot in running processes, with each collector: each resident page is compared with the list
 * of native memory tracking, which the JVM itself prints. The JDK is the one of JAVA_HOME, else of
 * PATH.
 */
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

#include <procmem/kinds.h>
#include <procmem/runtimes.h>

#include "kinds/owners.h"
#include "runtimes/hotspot.h"
#include "support/look.h"
#include "support/target.h"

enum { PAGE = 4096, RANGES_MAX = 4096 };

/** A range that the JVM says it has reserved, and what for. */
struct tracked {
	struct pm_range range;
	char what[32];
};

/** A JVM that is read, and its own list. */
struct jvm {
	struct target target;
	struct look look;
	struct pm_runtimes *runtimes;
	struct tracked tracked[RANGES_MAX];
	size_t count;
	uint64_t pages, owned; /**< resident pages, and those with an owner */
};

/** Returns the path of a program of the JDK. The next call overwrites it. */
static const char *jdk_program(const char *name)
{
	static char path[4096];
	const char *home = getenv("JAVA_HOME");

	if (home && home[0])
		snprintf(path, sizeof path, "%s/bin/%s", home, name);
	else
		snprintf(path, sizeof path, "%s", name);
	return path;
}

/** Starts a JVM that has used its heap, native memory and several threads. */
static void start(struct jvm *jvm, const char *collector)
{
	const char *source = getenv("PROCMEM_SOURCE");
	char path[4096];

	if (!source)
		skip_because("PROCMEM_SOURCE is not set");

	snprintf(path, sizeof path, "%s/tests/targets/DirectBuffers.java", source);
	if (getenv("JAVA_HOME"))
		program_start(&jvm->target, "env", jdk_program("java"), "-Xmx96m", collector,
		              "-XX:NativeMemoryTracking=detail", path, NULL);
	else
		program_start(&jvm->target, "java", "-Xmx96m", collector,
		              "-XX:NativeMemoryTracking=detail", path, NULL);
	free(target_await(&jvm->target, "ready"));
}

/** Reads the list of the JVM: "[0xSTART - 0xEND] reserved NKB for WHAT from". */
static void read_tracked(struct jvm *jvm)
{
	char command[4200], line[512];

	snprintf(command, sizeof command, "%s %d VM.native_memory detail", jdk_program("jcmd"),
	         (int)jvm->target.pid);
	FILE *output = popen(command, "re");
	assert_non_null(output);

	while (fgets(line, sizeof line, output)) {
		struct tracked found = { 0 };
		const char *what = strstr(line, "KB for ");

		if (sscanf(line, "[0x%" SCNx64 " - 0x%" SCNx64 "] reserved", &found.range.start,
		           &found.range.end) != 2 ||
		    !what)
			continue;

		snprintf(found.what, sizeof found.what, "%s", what + strlen("KB for "));
		found.what[strcspn(found.what, "\n")] = '\0';
		char *from = strstr(found.what, " from");
		if (from)
			*from = '\0';
		assert_true(jvm->count < RANGES_MAX);
		jvm->tracked[jvm->count++] = found;
	}

	assert_int_equal(pclose(output), 0);
	assert_true(jvm->count > 10);
}

/** Returns what an address is for; "" if the JVM has not reserved it. */
static const char *tracked_at(const struct jvm *jvm, uint64_t address)
{
	for (size_t i = 0; i < jvm->count; i++)
		if (pm_range_contains(jvm->tracked[i].range, address))
			return jvm->tracked[i].what;
	return "";
}

/** Returns whether an owner is right for memory that the JVM says it uses for something. */
static bool fits(enum pm_owner owner, const char *what)
{
	static const struct {
		const char *what;
		enum pm_owner owner;
	} owners[] = {
		{ "Java Heap", PM_OWNER_JAVA_HEAP },
		{ "Class", PM_OWNER_JAVA_CLASS_SPACE },
		{ "Metaspace", PM_OWNER_JAVA_METASPACE },
		{ "Shared class space", PM_OWNER_JAVA_ARCHIVE },
		{ "Code", PM_OWNER_JAVA_CODE },
		{ "GC", PM_OWNER_JAVA_GC },
		{ "Card Table", PM_OWNER_JAVA_GC },
		{ "Thread Stack", PM_OWNER_STACK },
		{ "Internal", PM_OWNER_JAVA_COUNTERS },
	};

	if (owner == PM_OWNER_UNKNOWN)
		return true;
	if (what[0] == '\0')
		return strcmp(pm_owner_family(owner), "java") != 0;
	for (size_t i = 0; i < sizeof owners / sizeof *owners; i++)
		if (strcmp(owners[i].what, what) == 0)
			return owners[i].owner == owner;
	return false;
}

/** Returns the owner of a page as it is reported: by the ranges, else by the kind. */
static struct pm_owner_range owner_at(const struct jvm *jvm, const struct pm_region *region,
                                      uint64_t address)
{
	size_t at = pm_runtimes_range_index(jvm->runtimes, address);

	if (at < jvm->runtimes->range_count &&
	    pm_range_contains(jvm->runtimes->ranges[at].range, address))
		return jvm->runtimes->ranges[at];
	return (struct pm_owner_range){ .owner = (uint8_t)pm_kinds_owner_by_kind(region),
		                        .proof = region->proof };
}

/** Compares the pages of a run with the list. */
static int check_run(void *context, const struct pm_page_run *run)
{
	struct jvm *jvm = context;
	const struct pm_region *region = pm_regions_find(&jvm->look.regions, run->start);

	if (!region || !(run->state & PM_PAGE_PRESENT) || run->state & PM_PAGE_ZERO)
		return 0;

	for (uint64_t at = run->start; at < run->end; at += PAGE) {
		struct pm_owner_range found = owner_at(jvm, region, at);
		const char *what = tracked_at(jvm, at);

		/* Memory beside a library that is taken for its .bss is only inferred to be so. */
		if (!fits((enum pm_owner)found.owner, what) &&
		    !(found.owner == PM_OWNER_FILE && found.proof == PM_PROOF_INFERRED))
			fail_msg("%" PRIx64 " (%s) is labelled %s%s, but the JVM says '%s'", at,
			         region->why, found.proof == PM_PROOF_INFERRED ? "~" : "",
			         pm_owner_name((enum pm_owner)found.owner), what);
		jvm->pages++;
		jvm->owned += found.owner != PM_OWNER_UNKNOWN;
	}

	return 0;
}

static int by_start(const void *left, const void *right)
{
	const struct pm_owner_range *a = left, *b = right;
	return (a->range.start > b->range.start) - (a->range.start < b->range.start);
}

/** Reads the JVM as if it did not track its native memory. */
static void read_untracked(struct jvm *jvm, const struct pm_runtimes_source *source)
{
	struct pm_error error = { 0 };
	struct pm_hotspot_places places;
	struct pm_runtimes_context context = {
		.source = source,
		.memory = { .regions = source->regions,
		            .reader = source->reader,
		            .pages = source->pages,
		            .process = source->process },
		.files = jvm->look.files,
		.result = calloc(1, sizeof *context.result),
		.deadline_ns = UINT64_MAX,
	};

	assert_non_null(context.result);
	must(pm_heap_window_open(&context.memory, &context.window, &error), &error);
	assert_true(pm_hotspot_find(&context, &places));
	assert_true(places.tracker != 0 || getenv("JAVA_HOME"));
	places.tracker = 0;
	must(pm_hotspot_read(&context, &places, &error), &error);

	pm_heap_window_close(context.window);
	jvm->runtimes = context.result;
	qsort(jvm->runtimes->ranges, jvm->runtimes->range_count, sizeof *jvm->runtimes->ranges,
	      by_start);
}

/** Reads and classifies the JVM. */
static void read_jvm(struct jvm *jvm, bool tracked)
{
	struct pm_error error = { 0 };

	look_open(&jvm->look, jvm->target.pid);
	const struct pm_runtimes_source source = { .regions = &jvm->look.regions,
		                                   .reader = &jvm->look.memory,
		                                   .pages = &jvm->look.pages,
		                                   .process = jvm->look.process,
		                                   .time_ms = 60000 };
	if (tracked)
		must(pm_runtimes_open(&source, &jvm->runtimes, &error), &error);
	else
		read_untracked(jvm, &source);

	const struct pm_kinds_evidence evidence = { .process = jvm->look.process,
		                                    .reader = &jvm->look.memory,
		                                    .pagemap = jvm->look.pagemap,
		                                    .runtimes = jvm->runtimes };
	must(pm_kinds_assign(&jvm->look.regions, &evidence, &error), &error);
}

/** Compares all resident pages; at least 97 % of them must have an owner. */
static void check_pages(struct jvm *jvm)
{
	struct pm_error error = { 0 };
	const struct pm_regions *regions = &jvm->look.regions;

	jvm->pages = jvm->owned = 0;
	for (size_t i = 0; i < regions->count; i++)
		if (!(regions->items[i].start >> 63))
			must(pm_pagemap_walk(jvm->look.pagemap, regions->items[i].start,
			                     regions->items[i].end, check_run, jvm, &error),
			     &error);

	assert_true(jvm->pages > 1000);
	if (jvm->owned * 100 < jvm->pages * 97)
		fail_msg("%" PRIu64 " of %" PRIu64 " resident pages have an owner", jvm->owned,
		         jvm->pages);
}

/**
 * Each thread with a Java name has a name that starts with that of the kernel. ZGC can have moved
 * an object without having corrected all references to it: then its name is not found.
 */
static void check_threads(const struct jvm *jvm)
{
	bool found = strcmp(jvm->runtimes->items[0].variant, "ZGC") == 0;

	for (size_t i = 0; i < jvm->runtimes->thread_count; i++) {
		const struct pm_runtime_thread *thread = &jvm->runtimes->threads[i];
		char path[64];

		snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)jvm->target.pid,
		         (int)thread->tid);
		char *comm = read_text(path, NULL);
		comm[strcspn(comm, "\n")] = '\0';
		assert_memory_equal(comm, thread->name, strlen(comm));
		found |= strcmp(thread->name, "Reference Handler") == 0;
		free(comm);
	}

	assert_true(found);
}

/** Stops the JVM, so that its memory changes only if reading changes it. */
static void stop(const struct jvm *jvm)
{
	int status;

	assert_int_equal(kill(jvm->target.pid, SIGSTOP), 0);
	assert_int_equal(waitpid(jvm->target.pid, &status, WUNTRACED), jvm->target.pid);
	assert_true(WIFSTOPPED(status));
}

/** Checks a JVM with a collector. */
static void check(const char *option, const char *name)
{
	struct jvm *jvm = calloc(1, sizeof *jvm);

	assert_non_null(jvm);
	start(jvm, option);
	read_tracked(jvm);
	stop(jvm);

	uint64_t before = status_number(jvm->target.pid, "VmRSS:");
	for (int tracked = 1; tracked >= 0; tracked--) {
		read_jvm(jvm, tracked);
		assert_true(jvm->runtimes->count > 0);
		assert_string_equal(jvm->runtimes->items[0].variant, name);
		assert_true(jvm->runtimes->items[0].complete);
		assert_true(jvm->runtimes->items[0].version[0] >= '1');
		check_threads(jvm);
		check_pages(jvm);
		pm_runtimes_close(jvm->runtimes);
		look_close(&jvm->look);
	}

	assert_int_equal(status_number(jvm->target.pid, "VmRSS:"), before);
	target_stop(&jvm->target);
	free(jvm);
}

static void serial(void **state)
{
	(void)state;
	check("-XX:+UseSerialGC", "Serial");
}

static void parallel(void **state)
{
	(void)state;
	check("-XX:+UseParallelGC", "Parallel");
}

static void g1(void **state)
{
	(void)state;
	check("-XX:+UseG1GC", "G1");
}

static void zgc(void **state)
{
	(void)state;
	check("-XX:+UseZGC", "ZGC");
}

static void shenandoah(void **state)
{
	(void)state;
	check("-XX:+UseShenandoahGC", "Shenandoah");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(serial), cmocka_unit_test(parallel),   cmocka_unit_test(g1),
		cmocka_unit_test(zgc),    cmocka_unit_test(shenandoah),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
