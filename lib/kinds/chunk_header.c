/* SPDX-License-Identifier: MIT */
#include "kinds/chunk_header.h"

#include "kinds/evidence_read.h"

enum { FLAG_BITS = 7, IS_MMAPPED = 2, USES_HUGE_PAGES = 1 };

/**
 * Returns the size of a mapping whose chunk begins `offset` bytes after the start of the mapping.
 * Otherwise like pm_chunk_mapped_size().
 */
static uint64_t size_at(const char *header, unsigned offset, unsigned word, uint64_t page,
                        uint64_t max)
{
	uint64_t prev_size = pm_kinds_word(header + offset, word);
	uint64_t size = pm_kinds_word(header + offset + word, word);
	uint64_t bytes = size & ~(uint64_t)FLAG_BITS;
	if ((prev_size & ~(uint64_t)USES_HUGE_PAGES) != offset ||
	    (size & FLAG_BITS) != IS_MMAPPED || bytes > max)
		return 0;

	uint64_t mapped = offset + bytes;
	if (mapped % page != 0)
		mapped += UINT64_C(2) * word;

	if (mapped % page != 0 || mapped < page || mapped > max)
		return 0;
	return mapped;
}

uint64_t pm_chunk_mapped_size(const void *header, unsigned word, uint64_t page, uint64_t max)
{
	uint64_t size = size_at(header, 0, word, page, max);
	if (size == 0 && word == 4)
		return size_at(header, 8, word, page, max);
	return size;
}
