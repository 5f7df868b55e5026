/* SPDX-License-Identifier: MIT */
#include "support/fake_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "kinds/recount.h"

static int read_memory(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                       size_t *done, struct pm_error *error)
{
	(void)error;
	struct fake_memory *memory = context;
	char *to = buffer;
	*done = 0;

	for (size_t i = 0; i < count; i++) {
		size_t size = pm_range_size(ranges[i]);

		memset(to, 0, size);
		for (size_t w = 0; w < memory->count; w++) {
			uint64_t at = memory->words[w].address - ranges[i].start;
			if (memory->words[w].address >= ranges[i].start && at + 8 <= size)
				memcpy(to + at, &memory->words[w].value, 8);
		}
		to += size;
		*done += size;
	}

	memory->reads += *done;
	return 0;
}

static void close_memory(void *context)
{
	(void)context;
}

static const struct pm_reader_ops memory_ops = { read_memory, close_memory };

void fake_memory_put(struct fake_memory *memory, uint64_t address, uint64_t value)
{
	assert_true(memory->count < MADE_UP_WORDS);
	memory->words[memory->count].address = address;
	memory->words[memory->count++].value = value;
}

void fake_memory_heap(struct fake_memory *memory, uint64_t start, uint64_t arena, uint64_t previous,
                      uint64_t used, uint64_t open)
{
	fake_memory_put(memory, start, arena);
	fake_memory_put(memory, start + 8, previous);
	fake_memory_put(memory, start + 16, used);
	fake_memory_put(memory, start + 24, open);
}

void fake_memory_chunk(struct fake_memory *memory, uint64_t at, uint64_t size)
{
	fake_memory_put(memory, at + 8, size | 2);
}

struct pm_region *fake_memory_region(struct pm_regions *regions, uint64_t start, uint64_t size,
                                     unsigned perms)
{
	struct pm_region region = { .start = start,
		                    .end = start + size,
		                    .perms = (uint8_t)perms,
		                    .known = PM_SIZE_BIT(PM_SIZE_RSS) };

	region.bytes[PM_SIZE_RSS] = perms ? size : 0;
	assert_int_equal(pm_regions_append(regions, &region, NULL), 0);
	return &regions->items[regions->count - 1];
}

struct pm_reader fake_memory_reader(struct fake_memory *memory)
{
	return (struct pm_reader){ &memory_ops, memory };
}

void fake_memory_assign(struct pm_regions *regions, struct fake_memory *memory)
{
	struct pm_reader reader = fake_memory_reader(memory);
	struct pm_kinds_evidence evidence = { .reader = &reader };
	assert_int_equal(pm_kinds_assign(regions, &evidence, NULL), 0);
}

bool fake_memory_recount(struct pm_regions *regions, const struct pm_regions *before,
                         struct fake_memory *memory)
{
	struct pm_reader reader = fake_memory_reader(memory);
	struct pm_kinds_evidence evidence = { .reader = &reader };
	bool wrong = true;
	assert_int_equal(pm_kinds_recount(regions, before, &evidence, &wrong, NULL), 0);
	return wrong;
}
