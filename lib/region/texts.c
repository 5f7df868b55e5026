/* SPDX-License-Identifier: MIT */
#include "region/texts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"

/*
 * Minimum size of a block in bytes. The store is a list of blocks instead of one growing array, so
 * that the texts never move in memory and pointers to the texts stay valid.
 */
enum { BLOCK_SIZE = 16 * 1024 };

struct pm_texts {
	struct pm_texts *older;
	size_t used;
	size_t capacity;
	_Alignas(uint64_t) char bytes[];
};

static struct pm_texts *new_block(struct pm_texts *older, size_t min)
{
	size_t capacity = pm_max_size(min, BLOCK_SIZE);
	struct pm_texts *block = malloc(sizeof *block + capacity);
	if (!block)
		return NULL;

	block->older = older;
	block->used = 0;
	block->capacity = capacity;
	return block;
}

/**
 * Reserves `size` bytes in the newest block, at the next multiple of `align`. If the newest block
 * does not have enough space, a new block is allocated.
 * @return the bytes; NULL if out of memory
 */
static char *reserve(struct pm_texts **texts, size_t size, size_t align)
{
	size_t start = *texts ? ((*texts)->used + align - 1) / align * align : 0;

	if (!*texts || start > (*texts)->capacity || (*texts)->capacity - start < size) {
		struct pm_texts *block = new_block(*texts, size);
		if (!block)
			return NULL;
		*texts = block;
		start = 0;
	}

	(*texts)->used = start + size;
	return (*texts)->bytes + start;
}

void *pm_texts_reserve(struct pm_texts **texts, size_t size)
{
	return reserve(texts, size, sizeof(uint64_t));
}

const char *pm_texts_add(struct pm_texts **texts, const char *text, size_t length)
{
	if (length == 0)
		return "";

	char *copy = reserve(texts, length + 1, 1);
	if (!copy)
		return NULL;

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

void pm_texts_clear(struct pm_texts *texts)
{
	if (!texts)
		return;
	pm_texts_destroy(texts->older);
	texts->older = NULL;
	texts->used = 0;
}

void pm_texts_destroy(struct pm_texts *texts)
{
	while (texts) {
		struct pm_texts *older = texts->older;
		free(texts);
		texts = older;
	}
}
