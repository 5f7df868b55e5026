/* SPDX-License-Identifier: MIT */
/* Kinds of real processes, against what they say of themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/kinds.h>

#include "support/detail_text.h"
#include "support/look.h"
#include "support/target.h"

/** Opens a process and classifies its regions. */
static void view_open(struct look *view, pid_t pid, bool with_memory)
{
	struct pm_error error = { 0 };
	look_open(view, pid);

	struct pm_kinds_evidence evidence = { .process = view->process, .pagemap = view->pagemap };
	if (with_memory)
		evidence.reader = &view->memory;
	else
		evidence.refusal = "not asked for";

	must(pm_kinds_assign(&view->regions, &evidence, &error), &error);
}

static const struct pm_region *region_at(const struct look *view, uint64_t address)
{
	const struct pm_region *region = pm_regions_find(&view->regions, address);
	if (!region)
		fail_msg("nothing is mapped at %" PRIx64, address);
	return region;
}

static void expect_kind(const struct pm_region *region, enum pm_kind kind, const char *fact)
{
	if (region->kind != kind)
		fail_msg("%s: is %s (%s), not %s", fact, pm_kind_name(region->kind), region->why,
		         pm_kind_name(kind));
}

/** Calls a function for each fact that begins with a word. */
static void each_fact(const struct target *target, const char *word,
                      void (*check)(const struct look *, const char *), const struct look *view)
{
	size_t length = strlen(word), seen = 0;
	for (size_t i = 0; i < target->count; i++) {
		if (strncmp(target->facts[i], word, length) == 0 &&
		    target->facts[i][length] == ' ') {
			check(view, target->facts[i]);
			seen++;
		}
	}

	assert_true(seen > 0);
}

/** `region NAME start-end kind=KIND ...` */
static void check_kind(const struct look *view, const char *fact)
{
	uint64_t start;
	char name[16];
	enum pm_kind kind;
	const char *says = strstr(fact, " kind=");

	if (!says)
		return;

	assert_int_equal(sscanf(says, " kind=%15s", name), 1);
	assert_int_equal(sscanf(fact, "region %*s %" SCNx64, &start), 1);
	assert_int_equal(pm_kind_parse(name, &kind, NULL), 0);

	const struct pm_region *region = region_at(view, start);
	expect_kind(region, kind, fact);
	assert_true(region->proof != PM_PROOF_NONE);
	assert_true(region->why[0] != '\0');
}

/** `arena THREAD N heap=... arena=... prev=...` */
static void check_arena(const struct look *view, const char *fact)
{
	uint64_t heap, arena;
	assert_int_equal(
		sscanf(fact, "arena %*s %*d heap=%" SCNx64 " arena=%" SCNx64, &heap, &arena), 2);

	const struct pm_region *region = region_at(view, heap);
	char text[32];
	expect_kind(region, PM_KIND_ARENA, fact);
	assert_int_equal(region->proof, PM_PROOF_PROVEN);
	assert_true(region->arena == arena);
	snprintf(text, sizeof text, "(%" PRIx64 ")", arena);
	assert_non_null(strstr(detail_text(region), text));
}

/** `region stack_NAME start-end kind=stack tid=... guard=...` */
static void check_stack(const struct look *view, const char *fact)
{
	uint64_t start, guard;
	int tid;
	const char *says = strstr(fact, " tid=");
	if (!says)
		return;

	assert_int_equal(sscanf(fact, "region stack_%*s %" SCNx64, &start), 1);
	assert_int_equal(sscanf(says, " tid=%d guard=%" SCNu64, &tid, &guard), 2);

	const struct pm_region *region = region_at(view, start);
	expect_kind(region, PM_KIND_STACK, fact);
	assert_int_equal(region->thread, tid);
	if (guard > 0)
		expect_kind(region_at(view, start - 1), PM_KIND_GUARD, fact);
}

/** `thread TID NAME` */
static void check_thread_name(const struct look *view, const char *fact)
{
	const char *words = fact + strlen("thread ");
	for (size_t i = 0; i < view->regions.count; i++)
		if (view->regions.items[i].kind == PM_KIND_STACK &&
		    strcmp(detail_text(&view->regions.items[i]), words) == 0)
			return;
	fail_msg("no stack has the detail '%s'", words);
}

static void mapper_is_recognised(void **state)
{
	(void)state;
	struct target target;
	struct look view;
	target_start(&target, "mapper", NULL);
	view_open(&view, target.pid, true);
	each_fact(&target, "region", check_kind, &view);
	each_fact(&target, "region", check_stack, &view);
	each_fact(&target, "arena", check_arena, &view);

	each_fact(&target, "thread", check_thread_name, &view);
	/* Looks like an arena, is none. */
	uint64_t start, end;
	target_range(&target, "aligned_plain", &start, &end);
	expect_kind(region_at(&view, start), PM_KIND_ANON, "aligned_plain");
	look_close(&view);
	target_stop(&target);
}

static void without_memory_nothing_of_malloc_is_claimed(void **state)
{
	(void)state;
	struct target target;
	struct look view;
	target_start(&target, "mapper", NULL);
	view_open(&view, target.pid, false);

	size_t whys = 0;
	for (size_t i = 0; i < view.regions.count; i++) {
		const struct pm_region *region = &view.regions.items[i];
		assert_true(region->kind != PM_KIND_UNKNOWN);
		assert_true(region->kind != PM_KIND_MALLOC);
		/* Flags still indicate arenas, but prove nothing. */
		assert_true(region->kind != PM_KIND_ARENA || region->proof == PM_PROOF_INFERRED);
		whys += strstr(region->why, "not asked for") != NULL;
	}

	assert_true(whys > 0);
	look_close(&view);
	target_stop(&target);
}

/** Returns the number of malloc chunks of a size, as their details say. */
static unsigned chunks_of(const struct look *view, const char *size)
{
	unsigned sum = 0;
	for (size_t i = 0; i < view->regions.count; i++) {
		const struct pm_region *region = &view->regions.items[i];
		if (region->kind == PM_KIND_MALLOC && region->detail.type == PM_DETAIL_CHUNKS &&
		    strstr(detail_text(region), size))
			sum += region->detail.count;
	}

	return sum;
}

/** Fails, and prints the kinds of the large writable regions. */
static void fail_large(const struct look *view)
{
	for (size_t i = 0; i < view->regions.count; i++) {
		const struct pm_region *region = &view->regions.items[i];
		if ((region->perms & PM_PERM_WRITE) && region->bytes[PM_SIZE_RSS] >= 1 << 20)
			print_error("%" PRIx64 "-%" PRIx64 " rss %" PRIu64 ": %s, %s, %s\n",
			            region->start, region->end, region->bytes[PM_SIZE_RSS],
			            pm_kind_name((enum pm_kind)region->kind), detail_text(region),
			            region->why);
	}

	fail_msg("blocks of malloc are missing");
}

/** Each thread of the process must be named by a stack. */
static void expect_all_threads(const struct look *view)
{
	struct pm_thread *threads;
	size_t count, running = 0;
	assert_int_equal(pm_process_read_threads(view->process,
	                                         PM_THREAD_NAMES | PM_THREAD_STACK_POINTERS,
	                                         &threads, &count, NULL),
	                 0);

	for (size_t t = 0; t < count; t++) {
		bool found = false;
		char text[128];
		snprintf(text, sizeof text, "%d %s", (int)threads[t].tid, threads[t].name);
		for (size_t i = 0; i < view->regions.count && !found; i++)
			found = view->regions.items[i].kind == PM_KIND_STACK &&
			        strstr(detail_text(&view->regions.items[i]), text);
		running += !found;
	}

	free(threads);
	/* A running thread shows no stack pointer; an idle JVM has at most one. */
	assert_true(running <= 1);
}

/** Checks whether the blocks of the JVM's direct buffers were found. */
static bool has_blocks(const struct look *view)
{
	/* 1 MiB and malloc's and the JVM's own head, in whole pages. */
	return chunks_of(view, "1.0M") >= 40;
}

static void jvm_is_recognised(void **state)
{
	(void)state;
	struct target target;
	struct look view;
	const char *source = getenv("PROCMEM_SOURCE");

	if (!source)
		skip_because("PROCMEM_SOURCE is not set");

	char path[4096];
	snprintf(path, sizeof path, "%s/tests/targets/DirectBuffers.java", source);

	/* A large block that is freed raises the threshold from which malloc maps blocks one by
	 * one, unless it is set. */
	assert_int_equal(setenv("MALLOC_MMAP_THRESHOLD_", "131072", 1), 0);

	/* The kernel can merge blocks with memory of the JVM in front of them. Then they are not
	 * found. A JVM that is started again has another layout. */
	for (int tries = 3;; tries--) {
		program_start(&target, "java", "-Xms64m", "-Xmx64m", path, NULL);
		free(target_await(&target, "ready"));
		view_open(&view, target.pid, true);
		if (tries == 1 || has_blocks(&view))
			break;
		look_close(&view);
		target_stop(&target);
	}

	unsetenv("MALLOC_MMAP_THRESHOLD_");
	expect_all_threads(&view);
	if (!has_blocks(&view))
		fail_large(&view);

	bool jit = false;
	for (size_t i = 0; i < view.regions.count; i++) {
		const struct pm_region *region = &view.regions.items[i];
		jit |= region->kind == PM_KIND_JIT && strstr(detail_text(region), "JVM");
		/* Below 4 GiB lies the Java heap of this size: never malloc's. */
		if (region->start < UINT64_C(0x100000000) && region->perms & PM_PERM_WRITE)
			assert_true(region->kind == PM_KIND_ANON || region->kind == PM_KIND_FILE);
		if (region->bytes[PM_SIZE_RSS] > 1 << 20)
			assert_true(region->kind != PM_KIND_UNKNOWN && region->why[0] != '\0');
	}

	assert_true(jit);
	look_close(&view);
	target_stop(&target);
}

/** A number of `info memory`. */
static uint64_t redis_memory(const char *socket, const char *key)
{
	char command[256], line[256];
	uint64_t value = 0;
	snprintf(command, sizeof command, "redis-cli -s %s info memory", socket);

	FILE *output = popen(command, "re");
	assert_non_null(output);
	while (fgets(line, sizeof line, output))
		if (strncmp(line, key, strlen(key)) == 0)
			sscanf(line + strlen(key), ":%" SCNu64, &value);

	pclose(output);
	return value;
}

static void memory_of_redis_belongs_to_jemalloc(void **state)
{
	(void)state;
	struct target target;
	struct look view;
	char directory[] = "/tmp/procmem-redis-XXXXXX", socket[64], fill[256];

	assert_non_null(mkdtemp(directory));
	snprintf(socket, sizeof socket, "%s/socket", directory);
	program_start(&target, "redis-server", "--port", "0", "--unixsocket", socket, "--save", "",
	              "--dir", directory, "--enable-debug-command", "yes", NULL);
	free(target_await(&target, "connections at"));
	snprintf(fill, sizeof fill, "redis-cli -s %s debug populate 100000 key 100 >/dev/null",
	         socket);
	assert_int_equal(system(fill), 0);

	view_open(&view, target.pid, true);
	uint64_t claimed = 0, used = redis_memory(socket, "used_memory");
	bool mapped = false;
	for (size_t i = 0; i < view.regions.count; i++) {
		const struct pm_region *region = &view.regions.items[i];
		mapped |= strstr(region->mapping, "libjemalloc") != NULL;
		if (region->owner == PM_OWNER_JEMALLOC)
			claimed += region->bytes[PM_SIZE_RSS];
	}

	look_close(&view);
	target_stop(&target);
	unlink(socket);
	rmdir(directory);
	if (!mapped)
		skip_because("this redis-server has no libjemalloc.so");

	/* All that redis uses, and what jemalloc keeps besides: not twice as much. */
	assert_true(used > 10 << 20);
	assert_in_range(claimed, used, 2 * used);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mapper_is_recognised),
		cmocka_unit_test(without_memory_nothing_of_malloc_is_claimed),
		cmocka_unit_test(jvm_is_recognised),
		cmocka_unit_test(memory_of_redis_belongs_to_jemalloc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
