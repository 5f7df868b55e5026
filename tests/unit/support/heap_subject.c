/* SPDX-License-Identifier: MIT */
#include "support/heap_subject.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void heap_subject_close(struct heap_subject *subject)
{
	pm_heap_close(subject->heap);
	look_close(&subject->look);
}

void heap_subject_expect(const char *what, uint64_t ours, uint64_t theirs)
{
	if (ours != theirs)
		fail_msg("%s: %" PRIu64 ", but malloc says %" PRIu64, what, ours, theirs);
}

void heap_subject_compare(const struct pm_heap *heap)
{
	uint64_t bytes[PM_CHUNK_TOP + 1] = { 0 }, counts[PM_CHUNK_TOP + 1] = { 0 };
	uint64_t mapped = 0, last = 0;

	for (uint32_t i = 0; i < heap->chunk_count; i++) {
		struct pm_chunk chunk;
		pm_heap_chunk(heap, i, &chunk);
		assert_int_equal(chunk.number, i);
		assert_true(chunk.address >= last);
		last = chunk.address + chunk.size;
		if (chunk.arena == PM_CHUNK_MAPPED) {
			mapped++;
			continue;
		}
		assert_true(chunk.arena < heap->arena_count);
		bytes[chunk.state] += chunk.size;
		counts[chunk.state]++;
	}

	heap_subject_expect("chunks in use", bytes[PM_CHUNK_IN_USE], heap->total.in_use);
	heap_subject_expect("cached chunks", bytes[PM_CHUNK_CACHED], heap->total.cached);
	heap_subject_expect("free chunks", bytes[PM_CHUNK_FREE], heap->total.free);
	heap_subject_expect("top chunks", bytes[PM_CHUNK_TOP], heap->total.top);
	heap_subject_expect("number of chunks in use", counts[PM_CHUNK_IN_USE], heap->total.chunks);
	heap_subject_expect("number of cached chunks", counts[PM_CHUNK_CACHED],
	                    heap->total.cached_count);
	heap_subject_expect("number of free chunks", counts[PM_CHUNK_FREE], heap->total.free_count);
	heap_subject_expect("mapped chunks in the index", mapped, heap->mapped_count);
}
