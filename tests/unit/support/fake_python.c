/* SPDX-License-Identifier: MIT */
#include "support/fake_python.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_HEADER = 48, TYPE_BYTES = 512, NAME_AT = 448, READY = 1 << 12, TYPE_SIZE = 880 };

const uint64_t fake_python_data = UINT64_C(0x7f0000200000);
const uint64_t fake_python_heap = UINT64_C(0x600000000000);
const uint64_t fake_python_arena = UINT64_C(0x7e0000001000);

/** Adds a region with bytes. */
static void add_region(struct fake_python *fake, unsigned index, uint64_t start, void *bytes,
                       size_t size, const char *mapping)
{
	fake->items[index] = (struct pm_region){ .start = start,
		                                 .end = start + size,
		                                 .perms = PM_PERM_READ | PM_PERM_WRITE,
		                                 .inode = mapping[0] == '/' ? 7 : 0,
		                                 .mapping = mapping,
		                                 .why = "" };
	fake->ranges[index] = (struct pm_fake_range){ start, bytes, size };
}

/** Writes the version text, and the array of arenas with one entry. */
static void put_arena(struct fake_python *fake)
{
	uint64_t array = fake_python_heap + FAKE_PYTHON_ARRAY, mask = fake->pool_size - 1;

	snprintf((char *)fake->data + FAKE_PYTHON_TEXT, 200,
	         "3.%u.2 (main, Apr 28 2025, 14:11:48) [GCC 12.2.0]", fake->minor);
	fake_python_put(fake, fake_python_data + FAKE_PYTHON_POINTER, array);
	fake_python_put_u32(fake, fake_python_data + FAKE_PYTHON_COUNT, FAKE_PYTHON_ENTRIES);

	fake->base = (fake_python_arena + mask) & ~mask;
	uint64_t pools = (fake_python_arena + fake->arena_size - fake->base) / fake->pool_size;
	fake_python_put(fake, array, fake_python_arena);
	fake_python_put(fake, array + 8, fake->base);
	fake_python_put_u32(fake, array + 16, (uint32_t)pools);
	fake_python_put_u32(fake, array + 20, (uint32_t)pools);
}

struct fake_python *fake_python_create(unsigned minor)
{
	struct fake_python *fake = calloc(1, sizeof *fake);

	fake->minor = minor;
	fake->arena_size = minor >= 10 ? 1 << 20 : 1 << 18;
	fake->pool_size = minor >= 10 ? 16384 : 4096;
	fake->arena = calloc(1, fake->arena_size);
	fake->data = calloc(1, FAKE_PYTHON_DATA);
	fake->heap = calloc(1, FAKE_PYTHON_HEAP);
	add_region(fake, 0, fake_python_heap, fake->heap, FAKE_PYTHON_HEAP, "[heap]");
	add_region(fake, 1, fake_python_arena, fake->arena, fake->arena_size, "");
	add_region(fake, 2, fake_python_data, fake->data, FAKE_PYTHON_DATA,
	           "/usr/lib/libpython3.x.so.1.0");
	fake->regions = (struct pm_regions){ .items = fake->items, .count = 3, .capacity = 3 };
	fake->target = (struct pm_fake_target){ .ranges = fake->ranges, .count = 3 };
	fake->reader = pm_fake_reader(&fake->target);
	put_arena(fake);

	fake->next_type = fake_python_data + 4096;
	fake->metatype = fake->next_type;
	fake_python_add_type(fake, "type", FAKE_PYTHON_GC | UINT64_C(1) << 31, TYPE_SIZE, 40);
	return fake;
}

void fake_python_destroy(struct fake_python *fake)
{
	free(fake->arena);
	free(fake->data);
	free(fake->heap);
	free(fake);
}

unsigned char *fake_python_at(struct fake_python *fake, uint64_t address)
{
	if (address >= fake_python_data)
		return fake->data + (address - fake_python_data);
	if (address >= fake_python_arena)
		return fake->arena + (address - fake_python_arena);
	return fake->heap + (address - fake_python_heap);
}

void fake_python_put(struct fake_python *fake, uint64_t address, uint64_t word)
{
	memcpy(fake_python_at(fake, address), &word, sizeof word);
}

void fake_python_put_u32(struct fake_python *fake, uint64_t address, uint32_t number)
{
	memcpy(fake_python_at(fake, address), &number, sizeof number);
}

uint64_t fake_python_add_type(struct fake_python *fake, const char *name, uint64_t flags,
                              uint64_t size, uint64_t item_size)
{
	uint64_t address = fake->next_type;

	fake->next_type += TYPE_BYTES;
	fake_python_put(fake, address, 5);
	fake_python_put(fake, address + 8, fake->metatype);
	fake_python_put(fake, address + 24, address + NAME_AT);
	fake_python_put(fake, address + 32, size);
	fake_python_put(fake, address + 40, item_size);
	fake_python_put(fake, address + 168, flags | READY);
	strcpy((char *)fake_python_at(fake, address + NAME_AT), name);
	return address;
}

uint64_t fake_python_add_pool(struct fake_python *fake, uint32_t size, uint32_t blocks)
{
	uint64_t pool = fake->base + (uint64_t)fake->pools++ * fake->pool_size;
	uint64_t entry = fake_python_heap + FAKE_PYTHON_ARRAY;
	uint32_t free;

	fake_python_put_u32(fake, pool, blocks);
	fake_python_put_u32(fake, pool + 32, 0);
	fake_python_put_u32(fake, pool + 36, size / 16 - 1);
	fake_python_put_u32(fake, pool + 40, POOL_HEADER + blocks * size);
	fake_python_put_u32(fake, pool + 44, fake->pool_size - size);

	fake_python_put(fake, entry + 8, pool + fake->pool_size);
	memcpy(&free, fake_python_at(fake, entry + 16), sizeof free);
	fake_python_put_u32(fake, entry + 16, free - 1);
	return pool;
}

uint64_t fake_python_block(struct fake_python *fake, uint64_t pool, uint32_t index)
{
	uint32_t class;

	memcpy(&class, fake_python_at(fake, pool + 36), sizeof class);
	return pool + POOL_HEADER + (uint64_t)index * (class + 1) * 16;
}

void fake_python_free(struct fake_python *fake, uint64_t pool, uint32_t index)
{
	uint64_t block = fake_python_block(fake, pool, index), next;
	uint32_t used;

	memcpy(&next, fake_python_at(fake, pool + 8), sizeof next);
	memcpy(&used, fake_python_at(fake, pool), sizeof used);
	fake_python_put(fake, block, next);
	fake_python_put(fake, pool + 8, block);
	fake_python_put_u32(fake, pool, used - 1);
}

void fake_python_put_object(struct fake_python *fake, uint64_t pool, uint32_t index, uint64_t type,
                            uint32_t before, uint64_t references)
{
	uint64_t block = fake_python_block(fake, pool, index);

	fake_python_put(fake, block + before, references);
	fake_python_put(fake, block + before + 8, type);
}

void fake_python_fill(struct fake_python *fake)
{
	const bool managed = fake->minor >= 11;
	const uint32_t before = managed ? 32 : 16;
	uint64_t session = fake_python_add_type(
		fake, "Session", FAKE_PYTHON_GC | (managed ? FAKE_PYTHON_DICT : 0), 80 - before, 0);
	uint64_t number = fake_python_add_type(fake, "int", 0, 24, 4);
	uint64_t text = fake_python_add_type(fake, "str", FAKE_PYTHON_STR, 80, 0);
	uint64_t pool = fake_python_add_pool(fake, 80, 40);

	for (uint32_t i = 0; i < 40; i++)
		fake_python_put_object(fake, pool, i, session, before, 1 + i);
	for (uint32_t i = 0; i < 10; i++)
		fake_python_free(fake, pool, i * 3);

	pool = fake_python_add_pool(fake, 32, 20);
	for (uint32_t i = 0; i < 15; i++)
		fake_python_put_object(fake, pool, i, number, 0, i == 0 ? UINT32_MAX : 2);

	pool = fake_python_add_pool(fake, 64, 8);
	for (uint32_t i = 0; i < 8; i++)
		fake_python_put_object(fake, pool, i, text, 0, 1);

	/* An empty pool */
	pool = fake_python_add_pool(fake, 512, 2);
	fake_python_free(fake, pool, 1);
	fake_python_free(fake, pool, 0);
}

struct pm_runtimes_source fake_python_source(struct fake_python *fake)
{
	return (struct pm_runtimes_source){ .regions = &fake->regions,
		                            .reader = &fake->reader,
		                            .time_ms = 60000 };
}
