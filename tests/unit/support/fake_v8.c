/* SPDX-License-Identifier: MIT */
#include "support/fake_v8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/minmax.h"

enum {
	HEAP_SIZE = 0x4000, /* of each isolate in the [heap]: the Heap, then its spaces */
	SPACE_OFFSET = 0x1000,
	METADATA_OFFSET = 0x80000,
	LIMITS = 10, /* word of the Heap where its sizes start */
	PAGE = 4096,
};

#define GIB         (UINT64_C(1) << 30)
#define SUPER_PAGE  (2 * MIB)
#define OILPAN_PAGE (UINT64_C(128) << 10)

/* The function of all vtables, the vtable, and the root of PartitionAlloc */
static const uint64_t function = FAKE_V8_CODE_START + 0x1230;
static const uint64_t vtable = FAKE_V8_DATA + 0x560;
static const uint64_t root = FAKE_V8_DATA + 0x2000;

static void put_words(struct fake_v8 *fake, uint64_t address, const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] != 0)
			fake_memory_put(&fake->memory, address + 8 * i, words[i]);
}

static void add_file(struct fake_v8 *fake, uint64_t start, unsigned perms, const char *path)
{
	struct pm_region *region = fake_memory_region(&fake->regions, start, MIB, perms);

	region->inode = 77;
	region->mapping = path;
}

void fake_v8_init(struct fake_v8 *fake, enum fake_v8_version version, const char *program)
{
	*fake = (struct fake_v8){ .version = version,
		                  .next_metadata = FAKE_V8_HEAPS + METADATA_OFFSET };
	pm_regions_init(&fake->regions);

	add_file(fake, FAKE_V8_CODE_START, PM_PERM_READ | PM_PERM_EXEC, program);
	add_file(fake, FAKE_V8_DATA, RW, program);
	fake_memory_put(&fake->memory, vtable, function);
	fake_memory_region(&fake->regions, FAKE_V8_HEAPS, FAKE_V8_HEAPS_END - FAKE_V8_HEAPS, RW)
		->mapping = "[heap]";
}

void fake_v8_deinit(struct fake_v8 *fake)
{
	pm_regions_deinit(&fake->regions);
}

uint64_t fake_v8_heap(unsigned isolate)
{
	return FAKE_V8_HEAPS + HEAP_SIZE * isolate + 8;
}

uint64_t fake_v8_space(unsigned isolate, enum fake_v8_space space)
{
	return FAKE_V8_HEAPS + HEAP_SIZE * isolate + SPACE_OFFSET + 0x100 * (unsigned)space;
}

void fake_v8_add_isolate(struct fake_v8 *fake, unsigned isolate, uint64_t limit)
{
	const uint64_t sizes[] = { 16 * MIB, MIB, 0, limit, 0, 2 * limit, limit };

	put_words(fake, fake_v8_heap(isolate) + 8 * LIMITS, sizes, 7);
	for (unsigned space = FAKE_V8_NEW; space <= FAKE_V8_LARGE; space++) {
		/* The upper half of the identifier is padding. */
		const uint64_t words[] = { vtable, fake_v8_heap(isolate),
			                   space | UINT64_C(0xdead) << 32, 64 * MIB, 96 * MIB };
		put_words(fake, fake_v8_space(isolate, space), words, 5);
	}
}

void fake_v8_put_header(struct fake_v8 *fake, unsigned isolate, enum fake_v8_space space,
                        uint64_t at, uint64_t start, uint64_t size, uint64_t flags)
{
	const uint64_t heap = fake_v8_heap(isolate), owner = fake_v8_space(isolate, space);
	const uint64_t area = start + 0x1140, end = start + size, allocator = FAKE_V8_DATA + 0x700;
	const uint64_t v11[] = { size, flags, heap,  area,      end,   size - 0x1140,
		                 0,    size,  owner, allocator, start, size };
	const uint64_t v12[] = { flags, start, size,  heap,      area,  end, size - 0x1140,
		                 0,     size,  owner, allocator, start, size };
	const uint64_t v13[] = { flags, fake->next_metadata };
	const uint64_t metadata[] = { allocator, start, size, size - 0x1140, 0,    size,
		                      size,      end,   heap, area,          owner };

	switch (fake->version) {
	case FAKE_V8_11:
		put_words(fake, at, v11, sizeof v11 / sizeof *v11);
		break;
	case FAKE_V8_12:
		put_words(fake, at, v12, sizeof v12 / sizeof *v12);
		break;
	default:
		put_words(fake, at, v13, sizeof v13 / sizeof *v13);
		put_words(fake, fake->next_metadata, metadata, sizeof metadata / sizeof *metadata);
		fake->next_metadata += 0x200;
	}
}

void fake_v8_add_chunk(struct fake_v8 *fake, unsigned isolate, enum fake_v8_space space,
                       uint64_t start, uint64_t size, uint64_t flags)
{
	fake_memory_region(&fake->regions, start, size,
	                   space == FAKE_V8_CODE ? RW | PM_PERM_EXEC : RW);
	fake_memory_put(&fake->memory, fake_v8_space(isolate, space) + 40,
	                fake->version == FAKE_V8_13 ? fake->next_metadata : start);
	fake_v8_put_header(fake, isolate, space, start, start, size, flags);
}

void fake_v8_add_cage(struct fake_v8 *fake, uint64_t start, unsigned chunks)
{
	const uint64_t first = start + 16 * MIB, end = first + chunks * FAKE_V8_CHUNK;

	fake_memory_region(&fake->regions, start, first - start, 0);
	fake_memory_region(&fake->regions, first, end - first, RW);
	fake_memory_region(&fake->regions, end, start + 4 * GIB - end, 0);
	for (uint64_t at = first; at < end; at += FAKE_V8_CHUNK) {
		fake_memory_put(&fake->memory, at, FAKE_V8_OTHER);
		fake_memory_put(&fake->memory, at + 8, (at - start) / FAKE_V8_CHUNK);
	}
}

void fake_v8_add_super_pages(struct fake_v8 *fake, uint64_t metadata, uint64_t start,
                             unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t at = metadata + i * SUPER_PAGE, page = start + i * SUPER_PAGE;
		/* The last super page has no free slot. */
		uint64_t free_slot = i + 1 < count ? page + 0x4080 : 0;
		uint64_t next = i + 1 < count ? at + SUPER_PAGE : 0;
		const uint64_t words[] = {
			root, next, 0x10001, 0, free_slot, 0, root + 0x138, 0x40
		};
		put_words(fake, at, words, 8);
	}
	for (unsigned i = 0; i < count; i++)
		fake_memory_region(&fake->regions, metadata + i * SUPER_PAGE, PAGE, RW);
	for (unsigned i = 0; i < count; i++) {
		uint64_t page = start + i * SUPER_PAGE;
		fake_memory_region(&fake->regions, page, 0x4000, 0);
		fake_memory_region(&fake->regions, page + 0x4000, SUPER_PAGE - 0x4000, RW);
	}
}

void fake_v8_add_oilpan(struct fake_v8 *fake, uint64_t start, unsigned pages)
{
	const uint64_t heap = fake_v8_heap(0), space = FAKE_V8_HEAPS + 0x8000;
	const uint64_t first = start + 32 * MIB, end = first + pages * OILPAN_PAGE;
	const uint64_t words[] = { vtable, heap + 8 };

	put_words(fake, space, words, 2);
	fake_memory_put(&fake->memory, heap + 8, heap - 8);
	fake_memory_region(&fake->regions, start, first - start, 0);
	fake_memory_region(&fake->regions, first, end - first, RW);
	fake_memory_region(&fake->regions, end, start + 4 * GIB - end, 0);
	for (uint64_t at = first; at < end; at += OILPAN_PAGE) {
		fake_memory_put(&fake->memory, at, heap);
		fake_memory_put(&fake->memory, at + 8, space);
	}
}

/** Reports all pages but those of the data as present. */
static int walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit, void *visitor,
                struct pm_error *error)
{
	const struct pm_page_run run = { start, end, PM_PAGE_PRESENT };

	(void)context;
	(void)error;
	if (start < FAKE_V8_DATA + MIB && end > FAKE_V8_DATA)
		return 0;
	return visit(visitor, &run);
}

struct pm_runtimes *fake_v8_open(struct fake_v8 *fake)
{
	struct pm_reader reader = fake_memory_reader(&fake->memory);
	const struct pm_page_source pages = { .walk = walk, .untouched = PM_SEGMENT_MISSING };
	struct pm_runtimes_source source = { .regions = &fake->regions,
		                             .reader = &reader,
		                             .time_ms = 600000 };
	struct pm_runtimes *runtimes;

	if (fake->without_data)
		source.pages = &pages;
	assert_int_equal(pm_runtimes_open(&source, &runtimes, NULL), 0);
	return runtimes;
}

uint64_t fake_v8_bytes(const struct pm_runtimes *runtimes, enum pm_owner owner, enum pm_proof proof,
                       uint64_t start, uint64_t end)
{
	const struct pm_range bounds = { start, end };
	uint64_t bytes = 0;

	for (size_t i = 0; i < runtimes->range_count; i++)
		if (runtimes->ranges[i].owner == owner && runtimes->ranges[i].proof == proof)
			bytes += pm_range_size(pm_range_clip(runtimes->ranges[i].range, bounds));

	return bytes;
}
