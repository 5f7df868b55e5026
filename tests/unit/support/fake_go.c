/* SPDX-License-Identifier: MIT */
#include "support/fake_go.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/target.h"

/* Offsets in structures; mheap_ is at the start of the data. */
static const uint64_t fields[PM_GO_FIELDS] = {
	[PM_GO_MHEAP_ALLSPANS] = 0x100,     [PM_GO_MHEAP_ALLARENAS] = 0x118,
	[PM_GO_MHEAP_ARENAS] = 0x130,       [PM_GO_MHEAP_PAGES] = 0x200,
	[PM_GO_PAGES_SUMMARY] = 0,          [PM_GO_PAGES_CHUNKS] = 0x100,
	[PM_GO_PALLOC_SIZE] = 0x80,         [PM_GO_ARENA_SIZE] = 0x200000,
	[PM_GO_SPAN_START] = 0x18,          [PM_GO_SPAN_PAGES] = 0x20,
	[PM_GO_SPAN_STATE] = 0x63,          [PM_GO_SPAN_ELEMENT] = 0x68,
	[PM_GO_STATS_HEAP] = 0x40,          [PM_GO_STATS_COLLECTIONS] = 0x400,
	[PM_GO_STATS_PAUSES] = 0x408,       [PM_GO_CONSISTENT_STATS] = 0x10,
	[PM_GO_DELTA_SIZE] = 0x80,          [PM_GO_DELTA_HEAP] = 8,
	[PM_GO_DELTA_STACKS] = 0x18,        [PM_GO_CONTROLLER_LIMIT] = 8,
	[PM_GO_CONTROLLER_READY] = 0x10,    [PM_GO_CONTROLLER_FREE] = 0x18,
	[PM_GO_CONTROLLER_RELEASED] = 0x20, [PM_GO_CONTROLLER_MARKED] = 0x28,
	[PM_GO_SCHED_SYSTEM] = 0x48,        [PM_GO_G_STATUS] = 0x90,
	[PM_GO_G_LOCKED] = 0x100,
};

static const uint64_t variables[PM_GO_VARIABLES] = {
	[PM_GO_MHEAP] = FAKE_GO_DATA,
	[PM_GO_MEMSTATS] = FAKE_GO_DATA + FAKE_GO_MEMSTATS,
	[PM_GO_CONTROLLER] = FAKE_GO_DATA + FAKE_GO_CONTROLLER,
	[PM_GO_ALLGS] = FAKE_GO_DATA + FAKE_GO_ALLGS,
	[PM_GO_SCHED] = FAKE_GO_DATA + FAKE_GO_SCHED,
	[PM_GO_PERSISTENT_CHUNKS] = FAKE_GO_DATA + FAKE_GO_PERSISTENT,
	[PM_GO_BITS_ARENAS] = FAKE_GO_DATA + FAKE_GO_BITS,
	[PM_GO_BUCKHASH] = FAKE_GO_DATA + FAKE_GO_BUCKHASH,
};

/* The entry of the first arena: the index has the upper half of addresses added to it. */
static const uint64_t arena_index = (FAKE_GO_HEAP >> 26) + (UINT64_C(1) << 21);

static void put(unsigned char *to, uint64_t word)
{
	memcpy(to, &word, sizeof word);
}

void fake_go_put(struct fake_go *go, uint64_t offset, uint64_t word)
{
	put(go->data + offset, word);
}

/** Stores a slice whose length is its capacity. */
static void put_slice(struct fake_go *go, uint64_t offset, uint64_t array, uint64_t length)
{
	fake_go_put(go, offset, array);
	fake_go_put(go, offset + 8, length);
	fake_go_put(go, offset + 16, length);
}

static void add_region(struct fake_go *go, uint64_t start, uint64_t size, const char *mapping,
                       uint64_t inode)
{
	const struct pm_region region = { .start = start,
		                          .end = start + size,
		                          .perms = PM_PERM_READ | PM_PERM_WRITE,
		                          .inode = inode,
		                          .mapping = mapping };
	assert_int_equal(pm_regions_append(&go->regions, &region, NULL), 0);
}

static void fill(struct fake_go *go)
{
	put_slice(go, fields[PM_GO_MHEAP_ALLARENAS], FAKE_GO_META + FAKE_GO_ARENA_LIST, 1);
	put(go->meta + FAKE_GO_ARENA_LIST, arena_index);
	fake_go_put(go, fields[PM_GO_MHEAP_ARENAS], FAKE_GO_TABLE);
	put(go->table + arena_index * 8 % FAKE_GO_PAGE, FAKE_GO_ARENA);
	put_slice(go, fields[PM_GO_MHEAP_ALLSPANS], FAKE_GO_META + FAKE_GO_SPANS, 0);
	put_slice(go, FAKE_GO_ALLGS, FAKE_GO_META + FAKE_GO_GOROUTINES, 0);

	/* Two persistent chunks; the second one is the last. */
	fake_go_put(go, FAKE_GO_PERSISTENT, FAKE_GO_CHUNKS);
	put(go->chunks[0], FAKE_GO_CHUNKS + 0x40000);
}

struct fake_go *fake_go_create(void)
{
	struct fake_go *go = calloc(1, sizeof *go);
	struct pm_error error = { 0 };

	assert_non_null(go);
	pm_regions_init(&go->regions);
	add_region(go, FAKE_GO_DATA, sizeof go->data, "/usr/bin/server", 7);
	add_region(go, FAKE_GO_HEAP, 64 << 20, "", 0);
	add_region(go, FAKE_GO_META, sizeof go->meta, "", 0);
	add_region(go, FAKE_GO_TABLE, 32 << 20, "", 0);
	add_region(go, FAKE_GO_ARENA, 4 << 20, "", 0);
	add_region(go, FAKE_GO_CHUNKS, 0x80000, "", 0);

	go->ranges[0] = (struct pm_fake_range){ FAKE_GO_DATA, go->data, sizeof go->data };
	go->ranges[1] = (struct pm_fake_range){ FAKE_GO_META, go->meta, sizeof go->meta };
	go->ranges[2] = (struct pm_fake_range){ FAKE_GO_TABLE + arena_index * 8 / FAKE_GO_PAGE *
		                                                        FAKE_GO_PAGE,
		                                go->table, sizeof go->table };
	go->ranges[3] = (struct pm_fake_range){ FAKE_GO_CHUNKS, go->chunks[0], FAKE_GO_PAGE };
	go->ranges[4] = (struct pm_fake_range){ FAKE_GO_CHUNKS + 0x40000, go->chunks[1],
		                                FAKE_GO_PAGE };
	go->target = (struct pm_fake_target){ .ranges = go->ranges, .count = 5 };
	go->reader = pm_fake_reader(&go->target);

	memcpy(go->layout.fields, fields, sizeof fields);
	memcpy(go->layout.variables, variables, sizeof variables);
	go->source = (struct pm_runtimes_source){ .regions = &go->regions, .reader = &go->reader };
	go->context = (struct pm_runtimes_context){
		.source = &go->source,
		.memory = { .regions = &go->regions, .reader = &go->reader },
		.result = &go->result,
		.deadline_ns = UINT64_MAX,
	};
	must(pm_heap_window_open(&go->context.memory, &go->context.window, &error), &error);
	fill(go);
	return go;
}

void fake_go_reset(struct fake_go *go)
{
	pm_heap_window_forget(go->context.window);
	free(go->result.ranges);
	free(go->result.items);
	go->result = (struct pm_runtimes){ 0 };
	go->context.range_capacity = go->context.capacity = 0;
}

void fake_go_destroy(struct fake_go *go)
{
	fake_go_reset(go);
	pm_heap_window_close(go->context.window);
	pm_regions_deinit(&go->regions);
	free(go);
}

void fake_go_add_span(struct fake_go *go, uint64_t page, uint64_t pages, unsigned state,
                      uint64_t element)
{
	uint64_t offset = FAKE_GO_SPAN_OBJECTS + go->spans * FAKE_GO_SPAN_SIZE;
	unsigned char *span = go->meta + offset;

	put(go->meta + FAKE_GO_SPANS + go->spans * 8, FAKE_GO_META + offset);
	put(span + fields[PM_GO_SPAN_START], FAKE_GO_HEAP + page * 8192);
	put(span + fields[PM_GO_SPAN_PAGES], pages);
	span[fields[PM_GO_SPAN_STATE]] = (unsigned char)state;
	put(span + fields[PM_GO_SPAN_ELEMENT], element);
	go->spans++;
	put_slice(go, fields[PM_GO_MHEAP_ALLSPANS], FAKE_GO_META + FAKE_GO_SPANS, go->spans);
}

void fake_go_add_goroutine(struct fake_go *go, uint32_t status, bool locked)
{
	uint64_t offset = FAKE_GO_GOROUTINE_OBJECTS + go->goroutines * FAKE_GO_GOROUTINE_SIZE;

	put(go->meta + FAKE_GO_GOROUTINES + go->goroutines * 8, FAKE_GO_META + offset);
	memcpy(go->meta + offset + fields[PM_GO_G_STATUS], &status, sizeof status);
	put(go->meta + offset + fields[PM_GO_G_LOCKED], locked ? FAKE_GO_META : 0);
	go->goroutines++;
	put_slice(go, FAKE_GO_ALLGS, FAKE_GO_META + FAKE_GO_GOROUTINES, go->goroutines);
}

enum pm_owner fake_go_owner(const struct fake_go *go, uint64_t address, bool *proven)
{
	/* The first range that was added wins. */
	for (size_t i = 0; i < go->result.range_count; i++) {
		const struct pm_owner_range *range = &go->result.ranges[i];
		if (!pm_range_contains(range->range, address))
			continue;
		*proven = range->proof == PM_PROOF_PROVEN;
		return (enum pm_owner)range->owner;
	}

	*proven = false;
	return PM_OWNER_UNKNOWN;
}

bool fake_go_counter(const struct fake_go *go, const char *name, uint64_t *value)
{
	for (size_t i = 0; i < go->result.counter_count; i++) {
		if (strcmp(go->result.counters[i].name, name) != 0)
			continue;
		*value = go->result.counters[i].value;
		return true;
	}

	return false;
}
