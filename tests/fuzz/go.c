/* SPDX-License-Identifier: MIT */
/*
 * Go programs: whatever their memory contains, it is read in finite time, and all labels are those
 * of Go. The first byte of the input selects what is read: build information, a limit, or memory.
 * For memory, each of the following groups of 12 bytes changes a word: part (1), how (1), offset in
 * words (2), value (8).
 */
#include "input.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "runtimes/go_buildinfo.h"
#include "runtimes/go_figures.h"
#include "runtimes/go_heap.h"
#include "runtimes/go_metadata.h"
#include "support/fake_go.h"

enum { BUILDINFO, LIMIT, MEMORY, WHAT };
enum { GROUP = 12, WORD = 8, GROUPS_MAX = 1024 };

/** What is changed. */
enum part { PART_VARIABLES, PART_META, PART_TABLE, PART_CHUNKS, PART_FIELDS, PARTS };

/** How a word is changed. */
enum change { SET, ADD, ADDRESS, SMALL, CHANGES };

static void parse_buildinfo(const uint8_t *data, size_t size)
{
	struct pm_go_buildinfo info;

	if (!pm_go_buildinfo_parse(data, size, &info))
		return;
	fuzz_check(strlen(info.version) < sizeof info.version);
	fuzz_check(strlen(info.path) < sizeof info.path);
	fuzz_check(strlen(info.module) < sizeof info.module);
}

static void parse_limit(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	uint64_t limit = 0;

	fuzz_check(!pm_go_figures_parse_limit(text, &limit) || limit < INT64_MAX);
	free(text);
}

/** Returns the memory of a part, and its size in words. */
static unsigned char *memory_of(struct fake_go *go, unsigned part, size_t *words)
{
	switch (part) {
	case PART_VARIABLES:
		*words = sizeof go->data / WORD;
		return go->data;
	case PART_META:
		*words = sizeof go->meta / WORD;
		return go->meta;
	case PART_TABLE:
		*words = sizeof go->table / WORD;
		return go->table;
	case PART_CHUNKS:
		*words = sizeof go->chunks / WORD;
		return go->chunks[0];
	default:
		*words = PM_GO_FIELDS;
		return (unsigned char *)go->layout.fields;
	}
}

static void change(struct fake_go *go, const uint8_t *group)
{
	static const uint64_t places[] = { FAKE_GO_DATA,  FAKE_GO_META,   FAKE_GO_TABLE,
		                           FAKE_GO_ARENA, FAKE_GO_CHUNKS, FAKE_GO_HEAP };
	uint16_t offset;
	uint64_t value, word;
	size_t words;
	unsigned char *memory = memory_of(go, group[0] % PARTS, &words);

	memcpy(&offset, group + 2, sizeof offset);
	memcpy(&value, group + 4, sizeof value);
	memory += offset % words * WORD;
	memcpy(&word, memory, sizeof word);

	switch (group[1] % CHANGES) {
	case SET:
		word = value;
		break;
	case ADD:
		word += value;
		break;
	case SMALL:
		word = value % 1024;
		break;
	default:
		word = places[value % 6] + (value >> 8) % FAKE_GO_META_BYTES;
		break;
	}
	memcpy(memory, &word, sizeof word);
}

static struct fake_go *create(void)
{
	struct fake_go *go = fake_go_create();

	for (unsigned i = 0; i < 40; i++)
		fake_go_add_span(go, i * 4, 4, i % 3, i % 2 * 1024);
	for (unsigned i = 0; i < 20; i++)
		fake_go_add_goroutine(go, i % 10, i % 4 == 0);
	return go;
}

static void check(const struct fake_go *go)
{
	for (size_t i = 0; i < go->result.range_count; i++) {
		const struct pm_owner_range *range = &go->result.ranges[i];
		fuzz_check(range->range.start < range->range.end);
		fuzz_check(range->owner >= PM_OWNER_GO_HEAP &&
		           range->owner <= PM_OWNER_GO_INTERNAL);
	}
	for (size_t i = 0; i < go->result.limit_count; i++)
		fuzz_check(go->result.limits[i].max < INT64_MAX);
	fuzz_check(go->result.counter_count <= PM_RUNTIME_COUNTERS_MAX);
}

static void read_memory(const uint8_t *data, size_t size)
{
	struct fake_go *go = create();
	struct pm_go_heap heap;

	for (size_t at = 0; size - at >= GROUP && at < (size_t)GROUPS_MAX * GROUP; at += GROUP)
		change(go, data + at);

	pm_go_heap_read(&go->context, &go->layout, &heap);
	fuzz_check(heap.proven || go->result.range_count == 0);
	pm_go_metadata_read(&go->context, &go->layout);
	pm_go_figures_read(&go->context, &go->layout);
	pm_go_heap_guess(&go->context);
	pm_go_metadata_guess(&go->context);
	check(go);
	fake_go_destroy(go);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;

	if (data[0] % WHAT == BUILDINFO)
		parse_buildinfo(data + 1, size - 1);
	else if (data[0] % WHAT == LIMIT)
		parse_limit(data + 1, size - 1);
	else
		read_memory(data + 1, size - 1);
	return 0;
}
