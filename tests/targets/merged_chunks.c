/* SPDX-License-Identifier: MIT */
/*
 * A block that malloc mapped, with other memory mapped right below it, which the kernel merges into one region.
 * Prints `region below start-end` and `region chunk start-end`.
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

int main(void)
{
	target_begin();
	size_t size = (size_t)8 * MEGABYTE;
	char *block = malloc(size);
	target_check(block ? 0 : -1, "malloc");
	memset(block, 'm', size);
	char *chunk = block - HEADER;
	char *below = mmap(chunk - MEGABYTE, MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	target_check(below == MAP_FAILED ? -1 : 0, "mmap");
	memset(below, 'b', MEGABYTE);
	target_region("below", below, MEGABYTE, "");
	target_region("chunk", chunk, malloc_usable_size(block) + HEADER, "");
	target_ready();
	target_obey(NULL);
}
