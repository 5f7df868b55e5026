/* SPDX-License-Identifier: MIT */
/*
 * What chunks contain, in a target whose memory is the input: the first half of the input is the
 * data of a library, with type information; the second half contains the first bytes of chunks.
 */
#include <procmem/census.h>

#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "reader/fake_reader.h"

enum { DATA = 0x10000, CODE = 0x20000, HEAP = 0x30000, RANGE = 0x1000, HEAD = 64 };

static void add_region(struct pm_regions *regions, uint64_t start, unsigned perms,
                       const char *mapping)
{
	const struct pm_region region = {
		.start = start,
		.end = start + RANGE,
		.perms = (uint8_t)perms,
		.mapping = mapping,
	};
	fuzz_check(pm_regions_append(regions, &region, NULL) == 0);
}

static void check_type(const struct pm_chunk_type *type)
{
	fuzz_check(type->content < PM_CONTENT_COUNT);
	fuzz_check(strlen(pm_chunk_type_label(type)) > 0);
	fuzz_check((type->proof == PM_TYPE_PROOF_NONE) || type->name[0] != '\0');
}

static void check_text(const uint8_t *head, size_t size)
{
	struct pm_chunk_text text = pm_chunk_text_find(head, size);
	if (text.length == 0)
		return;

	fuzz_check(text.offset + text.length <= size && text.offset + text.length <= HEAD);
	fuzz_check((const uint8_t *)text.text == head + text.offset);
	fuzz_check(memchr(text.text, '\0', text.length) == NULL);
}

static void check_census(struct pm_census *census, uint64_t count, uint64_t bytes)
{
	uint64_t sum = 0;

	fuzz_check(pm_census_sort(census, PM_CENSUS_BY_BYTES, NULL) == 0);
	for (size_t i = 0; i < pm_census_count(census); i++) {
		const struct pm_census_class *class = pm_census_get(census, i);
		fuzz_check(class->text_length <= HEAD);
		fuzz_check(class->type_count <= class->count && class->equal <= class->count);
		check_type(class->type);
		sum += class->bytes;
	}
	fuzz_check(pm_census_total(census).count == count && sum == bytes);
}

/** Counts the chunks whose first bytes are in the input. */
static void count(struct pm_chunk_types *types, unsigned keys, const uint8_t *data, size_t size)
{
	const struct pm_census_options options = { .keys = keys, .types = types };
	struct pm_census *census;
	uint64_t added = 0, bytes = 0;

	fuzz_check(pm_census_create(&options, &census, NULL) == 0);
	while (size > 0) {
		size_t part = size < HEAD ? size : HEAD;
		uint8_t *head = malloc(part);
		fuzz_check(head != NULL);
		memcpy(head, data, part);

		struct pm_chunk chunk = { .start = HEAP + added,
			                  .size = 32 + 16 * (uint64_t)(data[0] % 4) };
		fuzz_check(pm_census_add(census, &chunk, head, part, NULL) == 0);
		check_text(head, part);
		free(head);
		bytes += chunk.size;
		added++;
		data += part;
		size -= part;
	}
	check_census(census, added, bytes);
	pm_census_destroy(census);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pm_fake_range range = { DATA, data, size / 2 < RANGE ? size / 2 : RANGE };
	struct pm_fake_target target = { .ranges = &range, .count = 1 };
	struct pm_reader reader = pm_fake_reader(&target);
	struct pm_chunk_types *types;
	struct pm_regions regions;

	pm_regions_init(&regions);
	add_region(&regions, DATA, PM_PERM_READ, "/lib/libx.so");
	add_region(&regions, CODE, PM_PERM_READ | PM_PERM_EXEC, "/lib/libx.so");
	add_region(&regions, HEAP, PM_PERM_READ | PM_PERM_WRITE, "[heap]");

	const struct pm_heap_source memory = { .regions = &regions, .reader = &reader };
	const struct pm_chunk_type_source source = { .memory = &memory };
	fuzz_check(pm_chunk_types_open(&source, &types, NULL) == 0);
	count(types, PM_CENSUS_SIZE | PM_CENSUS_TYPE, data + size / 2, size - size / 2);
	count(types, PM_CENSUS_TEXT, data + size / 2, size - size / 2);

	pm_chunk_types_close(types);
	pm_regions_deinit(&regions);
	return 0;
}
