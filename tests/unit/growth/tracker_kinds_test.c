/* SPDX-License-Identifier: MIT */
/* Kinds of tracks: the tracks of a kind weigh as much as the regions of that kind, whatever moves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/followed_process.h"

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/** Adds the regions as a sample, and checks the weight of the tracks of each kind. */
static void sample_by_kind(struct process *process)
{
	uint64_t weights[PM_KIND_COUNT] = { 0 };
	size_t numbers[PM_KIND_COUNT] = { 0 }, count;
	for (size_t i = 0; i < process->regions.count; i++) {
		weights[process->regions.items[i].kind] +=
			process->regions.items[i].bytes[PM_SIZE_RSS];
		numbers[process->regions.items[i].kind]++;
	}

	sample(process, 1);
	const struct pm_track *const *tracks = pm_tracker_tracks(process->tracker, &count);
	for (size_t i = 0; i < count; i++) {
		weights[tracks[i]->kind] -= tracks[i]->weight;
		numbers[tracks[i]->kind] -= tracks[i]->regions;
	}

	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++) {
		assert_int_equal(weights[kind], 0);
		assert_int_equal(numbers[kind], 0);
	}
}

/**
 * Other memory takes the addresses that a block of malloc's moves away from: the block is one
 * track, and contains no other memory.
 */
static void a_moving_block_is_one_track(void **state)
{
	(void)state;
	struct process process;
	size_t count, blocks = 0;
	begin(&process);

	for (unsigned tick = 0; tick <= 20; tick++) {
		/* The block grows, and moves down by twice its size; each of its former ranges has
		 * a pool. */
		uint64_t at = 0x7f0000000000 - tick * 8ull * MEGA;
		add(&process, at, (1 + tick / 4) * MEGA, (1 + tick / 4) * MEGA, PM_KIND_MALLOC,
		    "1 malloc chunk");
		for (unsigned pool = tick; pool > 0; pool--)
			add(&process, 0x7f0000000000 - (pool - 1) * 8ull * MEGA, 512 * KILO,
			    512 * KILO, PM_KIND_ANON, "");
		sample_by_kind(&process);
	}

	const struct pm_track *const *tracks = pm_tracker_tracks(process.tracker, &count);
	for (size_t i = 0; i < count; i++) {
		if (tracks[i]->kind != PM_KIND_MALLOC)
			continue;
		blocks++;
		assert_int_equal(tracks[i]->weight, 6 * MEGA);
		assert_int_equal(tracks[i]->baseline, MEGA);
		assert_int_equal(tracks[i]->max_regions, 1);
	}

	assert_int_equal(blocks, 1);
	end(&process);
}

/** Returns the detail of a region with one chunk. */
static struct pm_detail chunks_of(uint64_t size)
{
	return (struct pm_detail){ .type = PM_DETAIL_CHUNKS,
		                   .count = 1,
		                   .chunks = { size, size, size } };
}

/** Random regions and kinds with random changes. */
static void tracks_have_one_kind(void **state)
{
	(void)state;
	static const enum pm_kind kinds[] = { PM_KIND_ANON, PM_KIND_MALLOC, PM_KIND_ARENA,
		                              PM_KIND_RESERVE };
	struct process process;
	uint32_t seed = 5;

	begin(&process);
	for (unsigned round = 0; round < 400; round++) {
		for (uint64_t at = 0x10000000; at < 0x14000000;) {
			uint64_t size = (1 + next_random(&seed) % 1000) * (uint64_t)PAGE;
			struct pm_region *region = add(&process, at, size, size,
			                               kinds[next_random(&seed) % 4], "");
			region->arena = region->kind >= PM_KIND_ARENA ? 7 + next_random(&seed) % 3
			                                              : 0;
			if (region->kind == PM_KIND_MALLOC && next_random(&seed) % 2)
				region->detail = chunks_of(size >> next_random(&seed) % 5);
			at += size + next_random(&seed) % 3 * PAGE;
		}
		sample_by_kind(&process);
	}

	end(&process);
}

/** Adds a region of several blocks of malloc's that grows downwards. */
static void add_blocks(struct process *process, uint64_t end, unsigned count, uint64_t block)
{
	if (count > 0)
		add(process, end - count * block, count * block, count * block, PM_KIND_MALLOC, "")
			->detail = chunks_of(block);
}

/**
 * Leaking blocks fill one hole of the address space after the other, some next to older blocks: one
 * leak, whatever the holes.
 */
static void blocks_in_many_holes_are_one_leak(void **state)
{
	(void)state;
	enum { BLOCK = MEGA + PAGE, OTHER = 33 * MEGA };

	struct process process;
	struct pm_trend trend;
	size_t count;
	begin(&process);

	for (unsigned tick = 0; tick < 30; tick++) {
		add_blocks(&process, 0x7f0030000000,
		           1 + (tick < 8    ? 0
		                : tick < 15 ? tick - 8
		                            : 7),
		           BLOCK);
		add_blocks(&process, 0x7f0040000000, tick < 15 ? 0 : tick - 15, BLOCK);
		add_blocks(&process, 0x7f0050000000, 10 + (tick < 8 ? tick : 8), BLOCK);
		/* Another size, which does not leak. */
		add_blocks(&process, 0x7f0060000000, 1, OTHER);
		sample_by_kind(&process);
	}

	const struct pm_track *const *tracks = pm_tracker_tracks(process.tracker, &count);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++) {
		pm_track_judge(process.tracker, tracks[i], &trend);
		if (tracks[i]->weight == OTHER)
			continue;
		assert_int_equal(tracks[i]->regions, 3);
		assert_int_equal(tracks[i]->block_min, BLOCK);
		assert_int_equal(tracks[i]->block_max, BLOCK);
		assert_int_equal(tracks[i]->baseline, 11 * BLOCK);
		assert_int_equal(tracks[i]->start, 0x7f0040000000 - 14 * (uint64_t)BLOCK);
		assert_int_equal(trend.verdict, PM_VERDICT_STEADY);
		assert_true(trend.rate > 0.9 * BLOCK && trend.rate < 1.1 * BLOCK);
	}

	end(&process);
}

/** A region that is now known to be of another kind is the same memory; a new region of its former
 * kind is not. */
static void track_continues_with_another_kind(void **state)
{
	(void)state;
	struct process process;
	size_t count;
	begin(&process);
	add(&process, 0x10000000, MEGA, MEGA, PM_KIND_HEAP, "");
	sample_by_kind(&process);

	for (unsigned tick = 0; tick < 3; tick++) {
		add(&process, 0x10000000, MEGA, MEGA, PM_KIND_HEAP, "");
		add(&process, 0x20000000, MEGA, (1 + tick) * 100 * KILO,
		    tick == 0 ? PM_KIND_ANON : PM_KIND_MALLOC, "");
		if (tick == 2)
			add(&process, 0x30000000, MEGA, MEGA, PM_KIND_ANON, "");
		sample_by_kind(&process);
	}

	const struct pm_track *const *tracks = pm_tracker_tracks(process.tracker, &count);
	assert_int_equal(count, 3);
	assert_int_equal(tracks[1]->kind, PM_KIND_MALLOC);
	assert_int_equal(tracks[1]->weight, 300 * KILO);
	assert_true(pm_series_at(&tracks[1]->series, 1) == 100 * KILO);
	assert_int_equal(tracks[2]->kind, PM_KIND_ANON);
	end(&process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_moving_block_is_one_track),
		cmocka_unit_test(tracks_have_one_kind),
		cmocka_unit_test(blocks_in_many_holes_are_one_leak),
		cmocka_unit_test(track_continues_with_another_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
