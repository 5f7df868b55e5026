/* SPDX-License-Identifier: MIT */
/*
 * Processes of node and Chromium: with any changes of their structures, reading must end, and the
 * ranges must be consistent. The first byte of the input selects the program and the version. Each
 * of the following groups of 11 bytes changes something: what (1), which (2), value (8).
 */
#include "input.h"

#include <string.h>

#include "support/fake_v8.h"

enum { GROUP = 11, GROUPS_MAX = 32 };

/** What a group changes. */
enum change { SET, ADD, XOR, COPY, MOVE, RESIZE, PERMISSIONS, CHANGES };

#define FIRST UINT64_C(0x100000000)
#define CAGE  UINT64_C(0x7000000000)

static void add_node(struct fake_v8 *fake)
{
	fake_v8_add_isolate(fake, 0, 512 * MIB);
	fake_v8_add_isolate(fake, 1, 64 * MIB);
	for (unsigned i = 0; i < 8; i++)
		fake_v8_add_chunk(fake, i % 2, (enum fake_v8_space)(FAKE_V8_NEW + i / 2),
		                  FIRST + i * 2 * MIB, i < 6 ? FAKE_V8_CHUNK : MIB,
		                  i < 2 ? FAKE_V8_TO_PAGE : FAKE_V8_OTHER);
	fake_memory_region(&fake->regions, FIRST + 32 * MIB, MIB, RW)->mapping = "[anon:v8]";
}

static void add_chromium(struct fake_v8 *fake)
{
	fake_v8_add_isolate(fake, 0, 512 * MIB);
	fake_v8_add_super_pages(fake, FIRST + 0x3000, FIRST + 64 * MIB, 3);
	fake_v8_add_cage(fake, CAGE, 6);
	fake_v8_add_oilpan(fake, 2 * CAGE, 6);
}

/** Changes a word, or a region. Regions stay ascending. */
static void change(struct fake_v8 *fake, const uint8_t *group)
{
	unsigned which = group[1] | (unsigned)group[2] << 8;
	size_t word = which % fake->memory.count, region = which % fake->regions.count;
	struct pm_region *at = &fake->regions.items[region];
	uint64_t value;

	memcpy(&value, group + 3, sizeof value);
	switch ((enum change)(group[0] % CHANGES)) {
	case SET:
		fake->memory.words[word].value = value;
		break;
	case ADD:
		fake->memory.words[word].value += value;
		break;
	case XOR:
		fake->memory.words[word].value ^= value;
		break;
	case COPY:
		fake->memory.words[word].value =
			fake->memory.words[value % fake->memory.count].value;
		break;
	case MOVE:
		fake->memory.words[word].address += value;
		break;
	case RESIZE:
		at->end = at->start + 4096 + value % (at->end - at->start) / 4096 * 4096;
		break;
	case PERMISSIONS:
	default:
		at->perms = (uint8_t)(value & 0xf);
		break;
	}
}

static void check(const struct pm_runtimes *runtimes)
{
	uint64_t end = 0;

	for (size_t i = 0; i < runtimes->range_count; i++) {
		const struct pm_owner_range *range = &runtimes->ranges[i];

		fuzz_check(range->range.start >= end && range->range.end > range->range.start);
		fuzz_check(range->owner > PM_OWNER_UNKNOWN && range->owner < PM_OWNER_COUNT);
		end = range->range.end;
	}
	for (size_t i = 0; i < runtimes->limit_count; i++)
		fuzz_check(runtimes->limits[i].max > 0);
	for (size_t i = 0; i < runtimes->count; i++)
		fuzz_check(strnlen(runtimes->items[i].variant, PM_RUNTIME_TEXT_SIZE) <
		           PM_RUNTIME_TEXT_SIZE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fake_v8 fake;
	bool chromium = size > 0 && data[0] & 0x80;
	unsigned version = size > 0 ? data[0] % FAKE_V8_VERSIONS : 0;

	fake_v8_init(&fake, (enum fake_v8_version)version,
	             chromium ? "/usr/lib/chromium/chromium" : "/usr/bin/node");
	fake.without_data = size > 0 && data[0] & 0x40;
	if (chromium)
		add_chromium(&fake);
	else
		add_node(&fake);
	for (size_t i = 0; i < GROUPS_MAX && 1 + (i + 1) * GROUP <= size; i++)
		change(&fake, data + 1 + i * GROUP);

	struct pm_runtimes *runtimes = fake_v8_open(&fake);
	check(runtimes);
	pm_runtimes_close(runtimes);
	fake_v8_deinit(&fake);
	return 0;
}
