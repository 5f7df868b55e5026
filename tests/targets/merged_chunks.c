/* SPDX-License-Identifier: MIT */
/*
 * One region of three mappings that the kernel merged: a block that malloc mapped, other memory
 * right below it, and a smaller block below that. The program creates the last one itself, because
 * it cannot choose where malloc maps the next block. Prints `region NAME start-end` for `chunk`,
 * `below` and `lowest`.
 */
#include "support.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Linux 4.17; missing in the headers of older C libraries. */
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { MEGABYTE = 1024 * 1024, HEADER = 2 * sizeof(size_t) };

enum { UPPER = 24 * MEGABYTE, MIDDLE = 4 * MEGABYTE, LOWER = 20 * MEGABYTE };

/** Maps memory that ends at an address, and fills it. */
static char *map_below(char *end, size_t size, int byte)
{
	char *memory = mmap(end - size, size, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
	memset(memory, byte, size);
	return memory;
}

int main(void)
{
	target_begin();
	char *block = malloc(UPPER);
	target_check(block ? 0 : -1, "malloc");
	memset(block, 'm', UPPER);

	char *chunk = block - HEADER;
	char *below = map_below(chunk, MIDDLE, 'b');
	char *lowest = map_below(below, LOWER, 'l');

	/* prev_size, and size with IS_MMAPPED. */
	size_t header[2] = { 0, LOWER | 2 };
	memcpy(lowest, header, sizeof header);
	target_region("chunk", chunk, malloc_usable_size(block) + HEADER, "");
	target_region("below", below, MIDDLE, "");
	target_region("lowest", lowest, LOWER, "");
	target_ready();
	target_obey(NULL);
}
