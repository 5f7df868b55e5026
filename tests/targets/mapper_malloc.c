/* SPDX-License-Identifier: MIT */
#include "mapper.h"
#include "support.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/**
 * Allocates blocks of M_MMAP_THRESHOLD or more, which are mapped one by one: a header of 16 bytes
 * at the start, whole pages. Neighbours merge into one region.
 */
static void mapped_blocks(void)
{
	static const size_t sizes[] = { 200 * 1024, MEGABYTE, MEGABYTE, 3 * MEGABYTE,
		                        16 * MEGABYTE };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char *block = malloc(sizes[i]);
		target_check(block ? 0 : -1, "malloc");
		snprintf(block, sizes[i], "malloc block %zu", i);
		char name[32];
		snprintf(name, sizeof name, "block_%zu", i);
		target_region(name, block - 16, malloc_usable_size(block) + 16, "kind=malloc");
		printf("malloc %zu %" PRIxPTR " %zu\n", i, (uintptr_t)block, sizes[i]);
	}
}

/**
 * Allocates small blocks from the brk heap. They are never freed, so that the heap is not trimmed.
 */
static void brk_heap(void)
{
	char *before = sbrk(0);
	char *block = NULL;
	for (size_t i = 0; i < 3000; i++) {
		block = malloc(1000);
		snprintf(block, 1000, "heap block %zu", i);
	}

	char *after = sbrk(0);
	target_region("heap_growth", before, (size_t)(after - before), "kind=heap");
	printf("heap_block %" PRIxPTR "\n", (uintptr_t)block);
}

void mapper_malloc(void)
{
	mapped_blocks();
	brk_heap();
}
