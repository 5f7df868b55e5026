/* SPDX-License-Identifier: MIT */
#include "support/made_up.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "kinds/recount.h"

static int read_memory(void *context, const struct pm_piece *pieces, size_t count, void *buffer,
                       size_t *done, struct pm_error *error)
{
	(void)error;
	struct made_up *memory = context;
	char *to = buffer;
	*done = 0;
	for (size_t i = 0; i < count; i++) {
		memset(to, 0, pieces[i].size);
		for (size_t w = 0; w < memory->count; w++) {
			uint64_t at = memory->words[w].address - pieces[i].address;
			if (memory->words[w].address >= pieces[i].address &&
			    at + 8 <= pieces[i].size)
				memcpy(to + at, &memory->words[w].value, 8);
		}
		to += pieces[i].size;
		*done += pieces[i].size;
	}
	memory->reads += *done;
	return 0;
}

static void close_memory(void *context)
{
	(void)context;
}

static const struct pm_reader_ops memory_ops = { read_memory, close_memory };

void made_up_put(struct made_up *memory, uint64_t address, uint64_t value)
{
	assert_true(memory->count < MADE_UP_WORDS);
	memory->words[memory->count].address = address;
	memory->words[memory->count++].value = value;
}

void made_up_heap(struct made_up *memory, uint64_t start, uint64_t arena, uint64_t previous,
                  uint64_t used, uint64_t open)
{
	made_up_put(memory, start, arena);
	made_up_put(memory, start + 8, previous);
	made_up_put(memory, start + 16, used);
	made_up_put(memory, start + 24, open);
}

void made_up_chunk(struct made_up *memory, uint64_t at, uint64_t size)
{
	made_up_put(memory, at + 8, size | 2);
}

struct pm_region *made_up_region(struct pm_regions *regions, uint64_t start, uint64_t size,
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

struct pm_reader made_up_reader(struct made_up *memory)
{
	return (struct pm_reader){ &memory_ops, memory };
}

void made_up_assign(struct pm_regions *regions, struct made_up *memory)
{
	struct pm_reader reader = made_up_reader(memory);
	struct pm_kinds_evidence evidence = { .reader = &reader };
	assert_int_equal(pm_kinds_assign(regions, &evidence, NULL), 0);
}

bool made_up_recount(struct pm_regions *regions, const struct pm_regions *before,
                     struct made_up *memory)
{
	struct pm_reader reader = made_up_reader(memory);
	struct pm_kinds_evidence evidence = { .reader = &reader };
	bool wrong = true;
	assert_int_equal(pm_kinds_recount(regions, before, &evidence, &wrong, NULL), 0);
	return wrong;
}
