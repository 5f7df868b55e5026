/* SPDX-License-Identifier: MIT */
#include "kinds/chunk_header.h"

#include "kinds/evidence_read.h"

enum { FLAG_BITS = 7, IS_MMAPPED = 2, USES_HUGE_PAGES = 1 };

/**
 * As pm_chunk_mapped_size(), for a chunk that begins `offset` bytes behind the start of its
 * mapping.
 */
static uint64_t size_at(const char *header, unsigned offset, unsigned word, uint64_t page,
                        uint64_t most)
{
	uint64_t prev_size = pm_kinds_word(header + offset, word),
		 size = pm_kinds_word(header + offset + word, word);
	uint64_t bytes = size & ~(uint64_t)FLAG_BITS;
	if ((prev_size & ~(uint64_t)USES_HUGE_PAGES) != offset ||
	    (size & FLAG_BITS) != IS_MMAPPED || bytes > most)
		return 0;

	uint64_t mapped = offset + bytes;
	if (mapped % page != 0)
		mapped += UINT64_C(2) * word;

	return mapped % page == 0 && mapped >= page && mapped <= most ? mapped : 0;
}

uint64_t pm_chunk_mapped_size(const void *header, unsigned word, uint64_t page, uint64_t most)
{
	uint64_t size = size_at(header, 0, word, page, most);
	return size == 0 && word == 4 ? size_at(header, 8, word, page, most) : size;
}
