/* SPDX-License-Identifier: MIT */
/* Lost chunks of the target `holders`, compared with what the target printed. */
#include <procmem/leaks.h>
#include <procmem/refs.h>
#include <procmem/retained.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/graph_session.h"

static struct graph_session session;
static struct pm_leaks leaks;

static int begin(void **state)
{
	(void)state;
	struct pm_error error;
	target_start(&session.target, "holders", NULL);
	graph_session_open(&session);
	must(pm_leaks_find(session.graph, NULL, &leaks, &error), &error);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pm_leaks_deinit(&leaks);
	graph_session_close(&session);
	return 0;
}

/** Returns the lost chunks of a size in a result. */
static struct pm_leak_group lost_in(const struct pm_leaks *found, uint64_t size)
{
	for (size_t i = 0; i < found->count; i++)
		if (found->groups[i].size == size)
			return found->groups[i];
	return (struct pm_leak_group){ 0 };
}

/** Returns the lost chunks of a size. */
static struct pm_leak_group lost_of_size(uint64_t size)
{
	return lost_in(&leaks, size);
}

/** Expects the chunks of a group of the target to be lost. */
static void expect_lost(const char *name, uint64_t direct, uint64_t cycles)
{
	struct graph_group group = graph_session_group(&session, name);
	struct pm_leak_group lost = lost_of_size(group.size);

	print_message("%s: %llu lost, %llu direct, %llu cycles\n", name,
	              (unsigned long long)lost.chunks, (unsigned long long)lost.direct,
	              (unsigned long long)lost.cycles);
	assert_int_equal(lost.chunks, group.count);
	assert_int_equal(lost.bytes, group.count * group.size);
	assert_int_equal(lost.direct, direct);
	assert_int_equal(lost.direct_bytes, direct * group.size);
	assert_int_equal(lost.cycles, cycles);
}

static void lost_chunks_are_found(void **state)
{
	(void)state;
	expect_lost("single", 100, 0);
	expect_lost("head", 30, 0);
	expect_lost("tail", 0, 0);
	expect_lost("self", 1, 0);
	expect_lost("mapped", 1, 0);
}

static void each_cycle_has_one_direct_chunk(void **state)
{
	(void)state;
	expect_lost("ring", 20, 20);
	expect_lost("knot", 1, 1);
	expect_lost("hanging", 0, 0);
	assert_int_equal(leaks.cycles, 21);
}

/** Expects what was lost through the direct chunks of a group: `count` chunks of group `name`. */
static void expect_indirect(const char *group, uint64_t count, const char *name)
{
	struct pm_leak_group lost = lost_of_size(graph_session_group(&session, group).size);

	assert_int_equal(lost.indirect, count);
	assert_int_equal(lost.indirect_bytes,
	                 count ? count * graph_session_group(&session, name).size : 0);
	assert_int_equal(lost.alike, lost.direct > 0);
}

static void indirect_chunks_are_counted_for_the_direct_ones(void **state)
{
	(void)state;
	uint64_t knot = graph_session_group(&session, "knot").size;
	uint64_t hanging = graph_session_group(&session, "hanging").size;
	uint64_t chunks = 0, bytes = 0;

	expect_indirect("single", 0, NULL);
	expect_indirect("head", 30, "tail");
	expect_indirect("tail", 0, NULL);
	expect_indirect("ring", 20, "ring");
	expect_indirect("self", 0, NULL);
	assert_int_equal(lost_of_size(knot).indirect, 2);
	assert_int_equal(lost_of_size(knot).indirect_bytes, knot + hanging);

	for (size_t i = 0; i < leaks.count; i++) {
		chunks += leaks.groups[i].direct + leaks.groups[i].indirect;
		bytes += leaks.groups[i].direct_bytes + leaks.groups[i].indirect_bytes;
	}
	assert_int_equal(chunks, leaks.chunks);
	assert_int_equal(bytes, leaks.bytes);
}

static void held_chunks_are_not_lost(void **state)
{
	(void)state;
	static const char *const held[] = { "list", "owned", "table", "local", "stack", "inside",
		                            "big",  "last",  "both",  "one",   "two" };

	for (size_t i = 0; i < sizeof held / sizeof *held; i++)
		assert_int_equal(lost_of_size(graph_session_group(&session, held[i]).size).chunks,
		                 0);
}

static void nothing_else_is_lost(void **state)
{
	(void)state;
	static const char *const lost[] = { "single", "head", "tail", "self",
		                            "mapped", "ring", "knot", "hanging" };
	uint64_t chunks = 0, bytes = 0;

	for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
		struct graph_group group = graph_session_group(&session, lost[i]);
		chunks += group.count;
		bytes += group.count * group.size;
	}

	assert_int_equal(leaks.chunks, chunks);
	assert_int_equal(leaks.bytes, bytes);
	assert_int_equal(leaks.count, sizeof lost / sizeof *lost);
	assert_false(leaks.cut);
	for (size_t i = 1; i < leaks.count; i++)
		assert_true(leaks.groups[i - 1].bytes >= leaks.groups[i].bytes);
}

static void an_example_is_a_chunk_of_its_group(void **state)
{
	(void)state;
	for (size_t i = 0; i < leaks.count; i++) {
		struct pm_chunk chunk;
		assert_true(pm_heap_find(session.heap, leaks.groups[i].example, &chunk));
		assert_int_equal(chunk.start, leaks.groups[i].example);
		assert_int_equal(chunk.size, leaks.groups[i].size);
		assert_int_equal(leaks.groups[i].head_size, PM_CHUNK_HEAD_SIZE);
	}

	/* The first word of a chunk of `self` is its own address. */
	struct graph_group self = graph_session_group(&session, "self");
	struct pm_leak_group group = lost_of_size(self.size);
	assert_int_equal(group.example, self.example);
	assert_memory_equal(group.head, &self.example, sizeof self.example);
}

/** Addresses of chunks. */
struct addresses {
	uint64_t items[1024];
	size_t count;
};

static void add_address(struct addresses *addresses, uint64_t address)
{
	for (size_t i = 0; i < addresses->count; i++)
		if (addresses->items[i] == address)
			return;

	assert_true(addresses->count < sizeof addresses->items / sizeof *addresses->items);
	addresses->items[addresses->count++] = address;
}

/** Finds the lost chunks of a copy, and adds their addresses. */
static void add_lost(struct graph_session *churning, struct addresses *lost)
{
	enum { THREADS = 5 };
	struct pm_leaks found;
	struct pm_error error;
	struct pm_lost next;
	uint32_t number = 0;

	must(pm_leaks_find(churning->graph, NULL, &found, &error), &error);
	/* free() has pointers to the chunk after the one that is freed. They are roots. At most one
	 * chunk for each thread and one of 1000 is missed. */
	assert_in_range(found.chunks, leaks.chunks - THREADS - leaks.chunks / 1000, leaks.chunks);
	for (size_t i = 0; i < found.count; i++)
		assert_true(found.groups[i].chunks <= lost_of_size(found.groups[i].size).chunks);

	while (pm_leaks_next(churning->graph, &found, &number, &next))
		add_address(lost, next.chunk.start);
	pm_leaks_deinit(&found);
}

static void a_program_that_allocates_all_the_time_loses_nothing_else(void **state)
{
	(void)state;
	enum { COPIES = 10, COPIES_MAX = 200 };
	struct graph_session churning = { 0 };
	struct addresses lost = { .count = 0 };

	target_start(&churning.target, "holders", NULL);
	target_tell(&churning.target, "churn");

	/* The pointers of free() are to other chunks in each copy, so that each lost chunk is found
	 * in some copies. Between two copies, a thread may not have run. */
	for (int i = 0; i < COPIES || (lost.count < leaks.chunks && i < COPIES_MAX); i++) {
		graph_session_open(&churning);
		add_lost(&churning, &lost);
		graph_session_release(&churning);
	}

	assert_int_equal(lost.count, leaks.chunks);
	graph_session_close(&churning);
}

/** Expects a group of the target `coroutines` to be lost or not. */
static void expect_one(const struct graph_session *other, const struct pm_leaks *found,
                       const char *name, bool lost)
{
	struct graph_group group = graph_session_group(other, name);
	assert_int_equal(lost_in(found, group.size).chunks, lost ? group.count : 0);
}

static void chunks_of_suspended_coroutines_are_not_lost(void **state)
{
	(void)state;
	struct graph_session other = { 0 };
	struct pm_leaks found;
	struct pm_error error;

	target_start(&other.target, "coroutines", NULL);
	graph_session_open(&other);
	must(pm_leaks_find(other.graph, NULL, &found, &error), &error);
	expect_one(&other, &found, "suspended", false);
	/* The memory below the stack pointer of a thread of glibc is not used. */
	expect_one(&other, &found, "stale", true);
	assert_int_equal(found.below_stacks, 1);
	assert_int_equal(found.below_stacks_bytes, graph_session_group(&other, "stale").size);

	pm_leaks_deinit(&found);
	graph_session_close(&other);
}

static void memory_that_looks_like_a_mapped_chunk_holds_chunks(void **state)
{
	(void)state;
	struct graph_session other = { 0 };
	struct pm_leaks found;
	struct pm_error error;

	target_start(&other.target, "false_chunk", NULL);
	graph_session_open(&other);
	assert_true(other.heap->mapped_uncertain);
	must(pm_leaks_find(other.graph, NULL, &found, &error), &error);
	expect_one(&other, &found, "held", false);
	expect_one(&other, &found, "false", false);
	expect_one(&other, &found, "lost", true);

	pm_leaks_deinit(&found);
	graph_session_close(&other);
}

static void a_search_can_be_cancelled(void **state)
{
	(void)state;
	volatile sig_atomic_t cancel = 0;
	struct graph_session other = { .cancel = &cancel };
	struct pm_error error = { 0 };
	struct pm_leaks found;
	struct pm_retained retained;
	struct pm_path path;

	target_start(&other.target, "holders", NULL);
	graph_session_open(&other);
	uint64_t held = graph_session_group(&other, "list").example;

	cancel = 1;
	assert_int_equal(pm_leaks_find(other.graph, NULL, &found, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	error.kind = PM_ERROR_NONE;
	assert_int_equal(pm_retained_find(other.graph, &retained, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	error.kind = PM_ERROR_NONE;
	assert_int_equal(pm_refs_path(other.graph, held, &path, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);

	graph_session_close(&other);
}

static void all_lost_chunks_are_listed(void **state)
{
	(void)state;
	struct pm_lost lost;
	uint32_t number = 0;
	uint64_t chunks = 0, direct = 0, cycles = 0, last = 0;

	while (pm_leaks_next(session.graph, &leaks, &number, &lost)) {
		chunks++;
		direct += lost.direct;
		cycles += lost.cycle;
		assert_true(lost.chunk.start > last);
		last = lost.chunk.start;
	}

	assert_int_equal(chunks, leaks.chunks);
	assert_int_equal(direct, leaks.direct);
	assert_int_equal(cycles, leaks.cycles);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lost_chunks_are_found),
		cmocka_unit_test(each_cycle_has_one_direct_chunk),
		cmocka_unit_test(indirect_chunks_are_counted_for_the_direct_ones),
		cmocka_unit_test(held_chunks_are_not_lost),
		cmocka_unit_test(nothing_else_is_lost),
		cmocka_unit_test(an_example_is_a_chunk_of_its_group),
		cmocka_unit_test(all_lost_chunks_are_listed),
		cmocka_unit_test(chunks_of_suspended_coroutines_are_not_lost),
		cmocka_unit_test(memory_that_looks_like_a_mapped_chunk_holds_chunks),
		cmocka_unit_test(a_search_can_be_cancelled),
		cmocka_unit_test(a_program_that_allocates_all_the_time_loses_nothing_else),
	};

	return cmocka_run_group_tests_name("leaks", tests, begin, end);
}
