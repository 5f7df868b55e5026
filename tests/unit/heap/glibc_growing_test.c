/* SPDX-License-Identifier: MIT */
/* Heaps that grow after the regions of the process were read, and during the walk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <sys/uio.h>

#include <procmem/chunk_type.h>
#include <procmem/heap.h>

#include "support/heap_subject.h"
#include "support/target.h"

/** What a target `growing` says about its heap. */
struct counters {
	uint64_t made;   /* chunks that its thread has allocated */
	uint64_t system; /* bytes of all arenas */
	uint64_t top;    /* bytes of the top chunk of the main arena */
	uint64_t mapped; /* bytes of mapped chunks */
};

static struct counters read_counters(const struct target *target)
{
	struct counters counters;
	unsigned long long address;

	assert_int_equal(sscanf(target_fact(target, "counters"), "%llx", &address), 1);
	const struct iovec local = { &counters, sizeof counters };
	const struct iovec remote = { (void *)(uintptr_t)address, sizeof counters };
	assert_int_equal(process_vm_readv(target->pid, &local, 1, &remote, 1, 0), sizeof counters);
	return counters;
}

/** Returns where the heap of a target is read from. */
static struct pm_heap_source source_of(struct heap_subject *subject)
{
	return (struct pm_heap_source){ .regions = &subject->look.regions,
		                        .reader = &subject->look.memory,
		                        .process = subject->look.process,
		                        .pages = &subject->look.pages };
}

/** Opens the heap of a process whose regions were read before. */
static void open_later(struct heap_subject *subject)
{
	struct pm_error error = { 0 };
	const struct pm_heap_source source = source_of(subject);

	must(pm_heap_open(&source, &subject->heap, &error), &error);
}

/** Returns the number of chunks of malloc(100000) in use. */
static uint64_t count_grown(const struct pm_heap *heap)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < heap->chunk_count; i++) {
		struct pm_chunk chunk;

		pm_heap_chunk(heap, i, &chunk);
		count += chunk.state == PM_CHUNK_IN_USE && chunk.size == 100016;
	}
	return count;
}

/** The regions were read before the heap grew far beyond them, into new heaps, too. */
static void memory_that_is_newer_than_the_regions(void **state)
{
	static const char *const arenas[] = { "main", "other" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct target target;
		struct heap_subject subject;

		target_start(&target, "growing", arenas[i], NULL);
		look_open(&subject.look, target.pid);
		target_tell(&target, "grow 3000");
		open_later(&subject);

		const struct pm_heap *heap = subject.heap;
		const struct counters counters = read_counters(&target);
		heap_subject_expect("chunks", count_grown(subject.heap), counters.made);
		heap_subject_expect("system", heap->total.system, counters.system);
		heap_subject_expect("top", heap->arenas[0].top, counters.top);
		heap_subject_expect("mapped", heap->mapped, counters.mapped);
		heap_subject_expect("breaks", heap->breaks_total, 0);
		assert_true(heap->complete);
		heap_subject_compare(heap);

		heap_subject_close(&subject);
		target_stop(&target);
	}
}

/** Checks that pointers to the mapped chunk with the lowest address are taken for pointers. */
static void compare_pointers(const struct heap_subject *subject,
                             const struct pm_heap_source *memory)
{
	const struct pm_chunk_type_source source = { .memory = memory, .heap = subject->heap };
	const struct pm_chunk_type *type;
	struct pm_chunk_types *types;
	struct pm_error error;
	struct pm_chunk chunk = { 0 };
	uint64_t words[8];

	for (uint32_t i = 0; i < subject->heap->chunk_count && chunk.arena != PM_CHUNK_MAPPED; i++)
		pm_heap_chunk(subject->heap, i, &chunk);
	for (size_t i = 0; i < 8; i++)
		words[i] = chunk.start + 16 * i;

	must(pm_chunk_types_open(&source, &types, &error), &error);
	must(pm_chunk_types_find(types, words, sizeof words, &type, &error), &error);
	assert_int_equal(type->content, PM_CONTENT_POINTERS);
	pm_chunk_types_close(types);
}

/** The regions were read before malloc mapped more chunks, next to others and alone. */
static void mapped_chunks_that_are_newer_than_the_regions(void **state)
{
	struct target target;
	struct heap_subject subject;

	(void)state;
	target_start(&target, "allocations", "0", NULL);
	target_tell(&target, "mapped 2");
	look_open(&subject.look, target.pid);
	target_tell(&target, "mapped 300");
	open_later(&subject);

	const struct pm_heap *heap = subject.heap;
	heap_subject_expect("mapped chunks", heap->mapped_count, heap->mapped_count_counter);
	heap_subject_expect("mapped", heap->mapped, heap->mapped_counter);
	assert_true(heap->mapped_count >= 302);
	heap_subject_expect("breaks", heap->breaks_total, 0);
	assert_true(heap->complete);
	heap_subject_compare(heap);

	const struct pm_heap_source memory = source_of(&subject);
	compare_pointers(&subject, &memory);
	heap_subject_close(&subject);
	target_stop(&target);
}

/** An arena that grows as fast as it can during the walk: no chunk is lost. */
static void arena_that_grows_all_the_time(void **state)
{
	static const char *const arenas[] = { "main", "other" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct target target;

		target_start(&target, "growing", arenas[i], NULL);
		for (int k = 0; k < 5; k++) {
			struct heap_subject subject;

			look_open(&subject.look, target.pid);
			const uint64_t before = read_counters(&target).made;
			target_tell(&target, "run 5000");
			open_later(&subject);
			const uint64_t after = read_counters(&target).made;

			for (size_t b = 0; b < subject.heap->break_count; b++)
				print_message("%zu: %" PRIx64 ", %" PRIu64 " skipped: %s\n", i,
				              subject.heap->breaks[b].address,
				              subject.heap->breaks[b].skipped,
				              subject.heap->breaks[b].why);
			/* The last chunk can have been allocated, and not counted yet. */
			assert_in_range(count_grown(subject.heap), before, after + 1);
			assert_true(subject.heap->complete);
			assert_int_not_equal(subject.heap->arenas[i].top, 0);
			heap_subject_compare(subject.heap);
			heap_subject_close(&subject);
			target_tell(&target, "grow 1");
		}
		target_stop(&target);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_that_is_newer_than_the_regions),
		cmocka_unit_test(mapped_chunks_that_are_newer_than_the_regions),
		cmocka_unit_test(arena_that_grows_all_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
