/* SPDX-License-Identifier: MIT */
/* The heaps of running processes, against what their own malloc reports: mallinfo2(3) and
 * malloc_info(3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <procmem/core.h>
#include <procmem/heap.h>

#include "support/heap_subject.h"
#include "support/target.h"
#include "support/tree.h"

enum { ARENAS_MAX = 64 };

/** Opens the heap of a process. */
static void open_heap(struct heap_subject *subject, pid_t pid, bool stopped)
{
	struct pm_error error = { 0 };

	look_open(&subject->look, pid);
	const struct pm_heap_source source = {
		.regions = &subject->look.regions,
		.reader = &subject->look.memory,
		.pages = &subject->look.pages,
		.stopped = stopped,
	};
	must(pm_heap_open(&source, &subject->heap, &error), &error);
}

/** Compares the sums with the fact `mallinfo`. */
static void compare_total(const struct pm_heap *heap, const struct target *target)
{
	uint64_t arena, uordblks, fordblks, fsmblks, hblks, hblkhd, keepcost;
	const struct pm_heap_arena *total = &heap->total;

	assert_int_equal(sscanf(target_fact(target, "mallinfo"),
	                        "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
	                        " %" SCNu64 " %" SCNu64,
	                        &arena, &uordblks, &fordblks, &fsmblks, &hblks, &hblkhd, &keepcost),
	                 7);

	heap_subject_expect("system", total->system, arena);
	heap_subject_expect("fast", total->fast, fsmblks);
	heap_subject_expect("free", total->free + total->top + total->fast, fordblks);
	heap_subject_expect("used", total->in_use + total->overhead + total->cached - total->fast,
	                    uordblks);
	heap_subject_expect("number of mapped chunks", heap->mapped_count, hblks);
	heap_subject_expect("mapped", heap->mapped, hblkhd);
	heap_subject_expect("counter of mapped chunks", heap->mapped_count_counter, hblks);
	heap_subject_expect("mapped according to the counter", heap->mapped_counter, hblkhd);
	heap_subject_expect("top", heap->arenas[0].top, keepcost);
	heap_subject_expect("all parts",
	                    total->in_use + total->cached + total->free + total->top +
	                            total->overhead,
	                    total->system);
}

/** Compares an arena with a fact `arena`. */
static void compare_arena(const struct pm_heap_arena *arena, const char *fact)
{
	uint64_t fast_count, fast, rest_count, rest, system;

	assert_int_equal(sscanf(fact,
	                        "arena %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
	                        &fast_count, &fast, &rest_count, &rest, &system),
	                 5);
	/* malloc_info adds PREV_INUSE to the size of each free chunk; top is one of the chunks. */
	heap_subject_expect("system of the arena", arena->system, system);
	heap_subject_expect("number of fast chunks", arena->fast_count, fast_count);
	heap_subject_expect("fast chunks", arena->fast, fast);
	heap_subject_expect("number of free chunks", arena->free_count + 1, rest_count);
	heap_subject_expect("free chunks", arena->free + arena->top, rest - (rest_count - 1));
}

/** Returns the first fact `arena`. */
static const char *first_arena(const struct target *target)
{
	for (size_t i = 0; i < target->count; i++)
		if (strncmp(target->facts[i], "arena ", 6) == 0)
			return target->facts[i];
	fail_msg("the target printed no 'arena'");
	return NULL;
}

static void compare_arenas(const struct pm_heap *heap, const struct target *target)
{
	size_t found = 0;

	for (size_t i = 0; i < target->count; i++) {
		if (strncmp(target->facts[i], "arena ", 6) != 0)
			continue;
		assert_true(found < heap->arena_count);
		compare_arena(&heap->arenas[found++], target->facts[i]);
	}
	heap_subject_expect("arenas", heap->arena_count, found);
}

/** Checks that the chunks of posix_memalign(3) have the addresses that it returned. */
static void compare_aligned(const struct pm_heap *heap, const struct target *target)
{
	for (size_t i = 0; i < target->count; i++) {
		uint64_t address;
		struct pm_chunk chunk;
		if (sscanf(target->facts[i], "aligned %" SCNx64, &address) != 1)
			continue;
		assert_true(pm_heap_find(heap, address + 1000, &chunk));
		heap_subject_expect("address of posix_memalign", chunk.start, address);
	}
}

/** Compares a heap with the facts of its target. */
static void compare_heap(const struct pm_heap *heap, const struct target *target)
{
	if (heap->break_count > 0)
		print_message("%" PRIx64 " after %" PRIx64 ": %s\n", heap->breaks[0].address,
		              heap->breaks[0].previous, heap->breaks[0].why);

	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_GLIBC);
	assert_false(heap->unused);
	compare_total(heap, target);
	compare_arenas(heap, target);
	heap_subject_compare(heap);
	compare_aligned(heap, target);
	assert_true(heap->complete);
	heap_subject_expect("breaks", heap->breaks_total, 0);
}

/** Compares the heap of a process with the facts, once as a running and once as a stopped one. */
static void compare(const struct target *target, pid_t pid)
{
	for (int stopped = 0; stopped < 2; stopped++) {
		struct heap_subject subject;
		open_heap(&subject, pid, stopped);
		compare_heap(subject.heap, target);
		heap_subject_close(&subject);
	}
}

static void compare_program(const char *program, const char *options)
{
	struct target target;
	char text[256], *words[8] = { 0 }, *rest = text;

	snprintf(text, sizeof text, "%s", options);
	for (size_t i = 0; i < 7 && (words[i] = strtok_r(rest, " ", &rest)); i++) {
	}
	target_start(&target, program, words[0], words[1], words[2], words[3], words[4], words[5],
	             words[6], NULL);
	compare(&target, (pid_t)target_fact_number(&target, "pid"));
	target_stop(&target);
}

static void one_arena(void **state)
{
	(void)state;
	compare_program("heaps", "chunks=100000 large=50");
}

static void many_arenas(void **state)
{
	(void)state;
	compare_program("heaps", "threads=15 chunks=20000 large=100");
}

static void arenas_with_several_heaps(void **state)
{
	(void)state;
	compare_program("heaps", "threads=2 chunks=1000 large=3000");
}

static void mapped_chunks(void **state)
{
	(void)state;
	compare_program("heaps", "threads=1 mapped=20 aligned=16");
}

/** The first header of such a chunk has the size before realloc(3). */
static void aligned_chunks_that_were_made_smaller(void **state)
{
	(void)state;
	compare_program("heaps", "threads=1 mapped=3 aligned=32 shrink=1");
}

/** The place of the second header of such a chunk no longer fits its alignment. */
static void aligned_chunks_that_were_moved(void **state)
{
	(void)state;
	compare_program("heaps", "threads=1 mapped=3 aligned=32 move=1");
	compare_program("heaps", "threads=1 mapped=3 aligned=32 move=1 shrink=1");
}

static void chunks_in_several_regions(void **state)
{
	(void)state;
	compare_program("heaps", "threads=1 mapped=5 aligned=16 protect=1");
}

static void other_users_of_sbrk(void **state)
{
	(void)state;
	compare_program("heaps", "sbrk=5 chunks=5000");
}

static void heap_that_sbrk_cannot_extend(void **state)
{
	(void)state;
	compare_program("heaps", "blocked=1 chunks=5000 mapped=3");
}

static void static_program(void **state)
{
	(void)state;
	compare_program("heaps_static", "threads=3 chunks=20000 mapped=3 sbrk=1");
}

static void forked_process(void **state)
{
	(void)state;
	compare_program("heaps", "fork=1 chunks=3000");
}

/** Compares the heap of a core file with the facts, with its page states and without them. */
static void compare_core(const char *path, const struct target *target)
{
	struct pm_error error = { 0 };
	struct pm_regions regions;
	struct pm_core *core;

	must(pm_core_open(path, &core, &error), &error);
	pm_regions_init(&regions);
	must(pm_core_regions(core, &regions, &error), &error);
	struct pm_reader reader = pm_core_reader(core);
	const struct pm_page_source pages = pm_core_source(core);

	for (int with_pages = 0; with_pages < 2; with_pages++) {
		struct pm_heap_source source = { .regions = &regions,
			                         .reader = &reader,
			                         .stopped = true };
		struct pm_heap *heap;

		if (with_pages)
			source.pages = &pages;
		must(pm_heap_open(&source, &heap, &error), &error);
		compare_heap(heap, target);
		pm_heap_close(heap);
	}

	pm_reader_close(&reader);
	pm_regions_deinit(&regions);
	pm_core_close(core);
}

static void core_file(void **state)
{
	(void)state;
	char *folder = tree_create(), prefix[4200], path[4300], pid[16];
	struct target target, gcore;
	siginfo_t info;

	target_start(&target, "heaps", "threads=3", "mapped=5", "aligned=5", "sbrk=2", NULL);
	snprintf(pid, sizeof pid, "%d", (int)target.pid);
	snprintf(prefix, sizeof prefix, "%s/heap", folder);
	program_start(&gcore, "gcore", "-a", "-o", prefix, pid, NULL);
	free(target_await(&gcore, "Saved corefile"));
	assert_int_equal(waitid(P_PID, (id_t)gcore.pid, &info, WEXITED | WNOWAIT), 0);
	target_stop(&gcore);

	snprintf(path, sizeof path, "%s.%s", prefix, pid);
	compare_core(path, &target);
	target_stop(&target);
	tree_remove(folder);
}

/** Returns whether a break has a reason. */
static bool has_break(const struct pm_heap *heap, const char *why)
{
	for (size_t i = 0; i < heap->break_count; i++)
		if (strcmp(heap->breaks[i].why, why) == 0)
			return true;
	return false;
}

/**
 * Compares the states of the chunks of a damaged list: the chunks up to the damage were freed.
 * Those after it seem to be in use.
 */
static void compare_freed(const struct pm_heap *heap, const struct target *target)
{
	size_t count = 0;

	for (size_t i = 0; i < target->count; i++) {
		uint64_t address;
		struct pm_chunk chunk;
		if (sscanf(target->facts[i], "freed %" SCNx64, &address) != 1)
			continue;
		assert_true(pm_heap_find(heap, address, &chunk));
		heap_subject_expect("freed chunk", chunk.start, address);
		heap_subject_expect("state of a freed chunk", chunk.state,
		                    count < 3 ? PM_CHUNK_CACHED : PM_CHUNK_IN_USE);
		count++;
	}
	heap_subject_expect("freed chunks", count, 7);
}

/** A write to a freed chunk is reported, also if the process is stopped. */
static void write_to_a_freed_chunk(void **state)
{
	(void)state;
	struct target target;

	target_start(&target, "heaps", "chunks=0", "dangling=1", NULL);
	for (int stopped = 0; stopped < 2; stopped++) {
		struct heap_subject subject;
		open_heap(&subject, target.pid, stopped);
		assert_false(subject.heap->complete);
		assert_true(has_break(subject.heap,
		                      stopped ? "the lists of a tcache are not valid"
		                              : "a tcache has changed each time that it was read"));
		compare_freed(subject.heap, &target);
		heap_subject_close(&subject);
	}
	target_stop(&target);
}

/** A program that never calls the malloc of its libc. */
static void malloc_that_was_never_called(void **state)
{
	(void)state;
	struct target target;
	struct heap_subject subject;

	target_start(&target, "no_malloc", NULL);
	open_heap(&subject, target.pid, false);
	assert_int_equal(subject.heap->allocator, PM_HEAP_ALLOCATOR_GLIBC);
	assert_true(subject.heap->unused);
	heap_subject_expect("chunks", subject.heap->chunk_count, 0);
	heap_subject_close(&subject);
	target_stop(&target);
}

/** A process without glibc: its main arena is not found, which does not mean that it is empty. */
static void program_without_glibc(void **state)
{
	(void)state;
	struct heap_subject subject;
	struct target target;
	struct pm_error error = { 0 };

	target_start(&target, "heaps", "chunks=1000", NULL);
	look_open(&subject.look, target.pid);

	/* Without the regions of files, there is no libc. */
	struct pm_regions others;
	pm_regions_init(&others);
	for (size_t i = 0; i < subject.look.regions.count; i++)
		if (subject.look.regions.items[i].mapping[0] != '/')
			must(pm_regions_append(&others, &subject.look.regions.items[i], &error),
			     &error);

	const struct pm_heap_source source = { .regions = &others,
		                               .reader = &subject.look.memory,
		                               .pages = &subject.look.pages };
	must(pm_heap_open(&source, &subject.heap, &error), &error);
	assert_int_equal(subject.heap->allocator, PM_HEAP_ALLOCATOR_UNKNOWN);
	assert_false(subject.heap->unused);
	assert_string_equal(subject.heap->version, "");
	heap_subject_close(&subject);
	pm_regions_deinit(&others);
	target_stop(&target);
}

/** Finds the smallest and the largest fact `kept`. */
static void find_kept(const struct target *target, uint64_t *least, uint64_t *most)
{
	*least = UINT64_MAX;
	*most = 0;
	for (size_t i = 0; i < target->count; i++) {
		uint64_t kept;
		if (sscanf(target->facts[i], "kept %" SCNu64, &kept) != 1)
			continue;
		*least = kept < *least ? kept : *least;
		*most = kept > *most ? kept : *most;
	}
	assert_true(*least <= *most);
}

/**
 * Threads that allocate all the time: what cannot be read consistently is reported. The chunks that
 * a thread keeps are always found, unless they are in bytes that were skipped. Each thread has up
 * to 20000 other chunks, each of which can be seen twice, at its old and at its new address.
 */
static void busy_process(void **state)
{
	(void)state;
	struct target target;
	uint64_t least, most;

	target_start(&target, "heaps", "threads=3", "chunks=20000", "churn=1", NULL);
	find_kept(&target, &least, &most);
	for (int i = 0; i < 5; i++) {
		struct heap_subject subject;
		open_heap(&subject, target.pid, false);

		const struct pm_heap *heap = subject.heap;
		assert_int_equal(heap->arena_count, 4);
		if (!heap->complete)
			assert_true(heap->breaks_total > 0);

		uint64_t skipped = 0;
		for (size_t k = 0; k < heap->break_count; k++) {
			assert_non_null(heap->breaks[k].why);
			skipped += heap->breaks[k].skipped;
		}

		/* The first thread is idle. */
		compare_arena(&heap->arenas[0], first_arena(&target));
		assert_true(heap->arenas[0].complete);

		for (size_t k = 1; k < heap->arena_count; k++) {
			uint64_t found = heap->arenas[k].chunks + heap->arenas[k].cached_count;
			assert_in_range(found + skipped / 32, least, most + 41000);
		}
		heap_subject_compare(heap);
		heap_subject_close(&subject);
	}
	target_stop(&target);
}

/**
 * Returns the resident size of the arenas according to smaps. The whole process also has pages of
 * files, of which the kernel maps 16 at a time when the target calls a function for the first time.
 */
static uint64_t resident_size(const struct heap_subject *subject)
{
	const struct pm_heap *heap = subject->heap;
	const struct pm_regions *regions = &subject->look.regions;
	uint64_t sum = 0;

	for (size_t i = 0; i < regions->count; i++)
		if (strcmp(regions->items[i].mapping, "[heap]") == 0)
			sum += regions->items[i].bytes[PM_SIZE_RSS];

	for (size_t i = 1; i < heap->arena_count; i++) {
		size_t region = look_region(&subject->look, heap->arenas[i].address);
		assert_int_equal(heap->arenas[i].heaps, 1);
		sum += regions->items[region].bytes[PM_SIZE_RSS];
	}
	return sum;
}

/** malloc_trim(3) returns the pages that were counted. Afterwards, they are no longer counted. */
static void trimmable_memory(void **state)
{
	(void)state;
	struct heap_subject before, after;
	struct target target;

	target_start(&target, "heaps", "threads=2", "chunks=50000", "holes=1", NULL);
	open_heap(&before, target.pid, true);
	uint64_t trimmable = before.heap->total.trimmable;

	target_tell(&target, "trim");
	open_heap(&after, target.pid, true);
	uint64_t returned = resident_size(&before) - resident_size(&after);

	assert_true(trimmable > 4 << 20);
	heap_subject_expect("memory that malloc_trim returned", trimmable, returned);
	assert_true(after.heap->total.trimmable < trimmable / 20);
	assert_int_equal(after.heap->total.in_use, before.heap->total.in_use);
	heap_subject_close(&after);
	heap_subject_close(&before);
	target_stop(&target);
}

/**
 * malloc_trim(3) merges chunks in fastbins with free chunks first, and chunks in tcaches never. In
 * a running process, too, the estimate is what it returns.
 */
static void trimmable_memory_with_fastbins(void **state)
{
	(void)state;
	struct heap_subject before, running, after;
	struct target target;

	target_start(&target, "heaps", "threads=2", "chunks=1000", "fast=40000", NULL);
	open_heap(&running, target.pid, false);
	open_heap(&before, target.pid, true);
	uint64_t trimmable = before.heap->total.trimmable;

	target_tell(&target, "trim");
	open_heap(&after, target.pid, true);
	uint64_t returned = resident_size(&before) - resident_size(&after);

	for (size_t i = 0; i < before.heap->arena_count; i++)
		assert_true(before.heap->arenas[i].fast > 1 << 20);
	assert_true(returned > 8 << 20);
	heap_subject_expect("memory that malloc_trim returned", trimmable, returned);
	heap_subject_expect("estimate in a running process", running.heap->total.trimmable,
	                    returned);
	assert_true(after.heap->total.trimmable < trimmable / 20);
	assert_int_equal(after.heap->total.fast, 0);
	assert_int_equal(after.heap->total.in_use, before.heap->total.in_use);
	/* The chunks in tcaches are still there. */
	heap_subject_expect("chunks in tcaches", after.heap->total.cached,
	                    before.heap->total.cached - before.heap->total.fast);
	heap_subject_close(&after);
	heap_subject_close(&running);
	heap_subject_close(&before);
	target_stop(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_arena),
		cmocka_unit_test(many_arenas),
		cmocka_unit_test(arenas_with_several_heaps),
		cmocka_unit_test(mapped_chunks),
		cmocka_unit_test(aligned_chunks_that_were_made_smaller),
		cmocka_unit_test(aligned_chunks_that_were_moved),
		cmocka_unit_test(chunks_in_several_regions),
		cmocka_unit_test(other_users_of_sbrk),
		cmocka_unit_test(heap_that_sbrk_cannot_extend),
		cmocka_unit_test(static_program),
		cmocka_unit_test(forked_process),
		cmocka_unit_test(core_file),
		cmocka_unit_test(write_to_a_freed_chunk),
		cmocka_unit_test(malloc_that_was_never_called),
		cmocka_unit_test(program_without_glibc),
		cmocka_unit_test(busy_process),
		cmocka_unit_test(trimmable_memory),
		cmocka_unit_test(trimmable_memory_with_fastbins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
