/* SPDX-License-Identifier: MIT */
#include "support/open_heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/target.h"

void open_heap(struct open_heap *heap, pid_t pid)
{
	struct pm_error error;

	*heap = (struct open_heap){ 0 };
	look_open(&heap->look, pid);
	pm_regions_init(&heap->now);
	heap->source = (struct pm_heap_source){
		.regions = &heap->look.regions,
		.reader = &heap->look.memory,
		.pages = &heap->look.pages,
	};
	must(pm_heap_open(&heap->source, &heap->heap, &error), &error);
	assert_int_equal(heap->heap->allocator, PM_HEAP_ALLOCATOR_GLIBC);
	must(pm_symbols_open(heap->look.process, &heap->look.regions, &heap->symbols, &error),
	     &error);

	const struct pm_chunk_type_source source = {
		.memory = &heap->source,
		.heap = heap->heap,
		.symbols = heap->symbols,
		.files = &heap->look.files,
	};
	must(pm_chunk_types_open(&source, &heap->types, &error), &error);
}

void open_heap_again(struct open_heap *heap)
{
	struct pm_error error;
	struct pm_heap_source source = heap->source;

	pm_heap_close(heap->heap);
	heap->heap = NULL;

	/* Types refer to the first list of regions, which stays. */
	pm_regions_deinit(&heap->now);
	pm_regions_init(&heap->now);
	must(pm_maps_read(heap->look.process, PM_SMAPS, &heap->now, &error), &error);
	source.regions = &heap->now;
	must(pm_heap_open(&source, &heap->heap, &error), &error);
}

void open_heap_close(struct open_heap *heap)
{
	pm_chunk_types_close(heap->types);
	pm_symbols_close(heap->symbols);
	pm_heap_close(heap->heap);
	pm_regions_deinit(&heap->now);
	look_close(&heap->look);
}
