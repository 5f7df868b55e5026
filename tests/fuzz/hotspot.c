/* SPDX-License-Identifier: MIT */
/*
 * JVMs with any changes in their data must be read in finite time, and the result must be
 * consistent. Each group of 12 bytes of the input changes a word: how (2), offset (2), value (8).
 */
#include "input.h"

#include <string.h>

#include "support/fake_hotspot.h"

enum { GROUP = 12, WORD = 8 };

/** How a word is changed. ADDRESS sets an address in the data. SYMBOLS removes the symbols. */
enum change { SET, ADD, XOR, ADDRESS, BYTE, SYMBOLS, CHANGES };

static void change(struct fake_hotspot *jvm, const uint8_t *group)
{
	uint16_t how, offset;
	uint64_t value, word;

	memcpy(&how, group, sizeof how);
	memcpy(&offset, group + 2, sizeof offset);
	memcpy(&value, group + 4, sizeof value);
	unsigned char *at = jvm->data + offset % (FAKE_JVM_SIZE - WORD);
	memcpy(&word, at, sizeof word);

	switch (how % CHANGES) {
	case SET:
		word = value;
		break;
	case ADD:
		word += value;
		break;
	case XOR:
		word ^= value;
		break;
	case ADDRESS:
		word = FAKE_JVM_DATA_START + value % FAKE_JVM_SIZE;
		break;
	case BYTE:
		word = (word & ~UINT64_C(0xff)) | (value & 0xff);
		break;
	default:
		jvm->places.metaspace = value & 1 ? 0 : jvm->places.metaspace;
		jvm->places.tracker = value & 2 ? 0 : jvm->places.tracker;
		break;
	}
	memcpy(at, &word, sizeof word);
}

/** Ranges must be in regions, of known owners. */
static void check(const struct fake_hotspot *jvm, const struct pm_runtimes *runtimes)
{
	for (size_t i = 0; i < runtimes->range_count; i++) {
		const struct pm_owner_range *range = &runtimes->ranges[i];

		fuzz_check(range->range.start < range->range.end);
		fuzz_check(range->range.start % 4096 == 0 && range->range.end % 4096 == 0);
		fuzz_check(pm_regions_find(&jvm->regions, range->range.start) != NULL);
		fuzz_check(pm_regions_find(&jvm->regions, range->range.end - 1) != NULL);
		fuzz_check(range->range.end <= FAKE_JVM_LIBRARY_START ||
		           range->range.start >= FAKE_JVM_DATA_START);
		fuzz_check(range->owner == PM_OWNER_MALLOC || range->owner == PM_OWNER_UNKNOWN ||
		           strcmp(pm_owner_family((enum pm_owner)range->owner), "java") == 0);
	}

	fuzz_check(runtimes->count == 1 && runtimes->counter_count <= 5);
	fuzz_check(memchr(runtimes->items[0].version, 0, PM_RUNTIME_TEXT_SIZE) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake_hotspot made;
	static struct fake_hotspot jvm;
	struct pm_error error = { 0 };
	struct pm_runtimes *runtimes;

	if (made.regions.count == 0)
		fake_hotspot_init(&made);
	jvm = made;
	jvm.range.bytes = jvm.data;
	jvm.target.ranges = &jvm.range;
	jvm.reader = pm_fake_reader(&jvm.target);

	for (size_t at = 0; size - at >= GROUP; at += GROUP)
		change(&jvm, data + at);
	fuzz_check(fake_hotspot_read(&jvm, &runtimes, &error) == 0);
	check(&jvm, runtimes);
	pm_runtimes_close(runtimes);

	return 0;
}
