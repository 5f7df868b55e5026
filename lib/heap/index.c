/* SPDX-License-Identifier: MIT */
#include "heap/index.h"

struct pm_heap_segment *pm_heap_index_add_segment(struct pm_heap_index *index, uint64_t start,
                                                  uint64_t end, uint32_t arena,
                                                  struct pm_error *error)
{
	(void)index, (void)start, (void)end, (void)arena, (void)error;
	return NULL;
}

int pm_heap_index_add_mapped(struct pm_heap_index *index, uint64_t address, uint64_t size,
                             uint64_t lead, struct pm_error *error)
{
	(void)index, (void)address, (void)size, (void)lead, (void)error;
	return 0;
}

void pm_heap_index_add(struct pm_heap_index *index, uint64_t address, uint64_t size, unsigned state)
{
	(void)index, (void)address, (void)size, (void)state;
}

int pm_heap_index_finish(struct pm_heap_index *index, struct pm_error *error)
{
	(void)index, (void)error;
	return 0;
}

void pm_heap_index_deinit(struct pm_heap_index *index)
{
	(void)index;
}

const struct pm_heap_segment *pm_heap_index_segment(const struct pm_heap_index *index,
                                                    uint64_t address)
{
	(void)index, (void)address;
	return NULL;
}

bool pm_heap_index_find(const struct pm_heap_index *index, uint64_t address, struct pm_chunk *chunk)
{
	(void)index, (void)address, (void)chunk;
	return false;
}

void pm_heap_index_chunk(const struct pm_heap_index *index, uint32_t number, struct pm_chunk *chunk)
{
	(void)index, (void)number;
	*chunk = (struct pm_chunk){ 0 };
}

uint32_t pm_heap_index_points_to(const struct pm_heap_index *index, uint64_t pointer, size_t *last)
{
	(void)index, (void)pointer, (void)last;
	return UINT32_MAX;
}

void pm_heap_index_set_state(struct pm_heap_index *index, uint64_t address,
                             enum pm_chunk_state state)
{
	(void)index, (void)address, (void)state;
}
