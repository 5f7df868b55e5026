/* SPDX-License-Identifier: MIT */
#include "runtimes/malloc_blocks.h"

enum {
	PAGE = 4096,
	BLOCKS_MAX = 1 << 16, /* of one call */
};

/** Returns the size of the block at an address; 0 if there is none that ends before `end`. */
static uint64_t block_size(struct pm_runtimes_context *context, uint64_t address, uint64_t end)
{
	uint64_t header[2];

	if (end - address < PM_MALLOC_BLOCK_MIN ||
	    !pm_runtime_read(context, address, header, sizeof header) || header[0] != 0 ||
	    (header[1] & (PAGE - 1)) != 2)
		return 0;

	uint64_t size = header[1] - 2;
	return size >= PM_MALLOC_BLOCK_MIN && size <= end - address ? size : 0;
}

uint64_t pm_malloc_blocks_end(struct pm_runtimes_context *context, uint64_t address, uint64_t end)
{
	uint64_t size;

	for (size_t i = 0; i < BLOCKS_MAX && address < end; i++) {
		size = block_size(context, address, end);
		if (size == 0)
			break;
		address += size;
	}

	return address;
}
