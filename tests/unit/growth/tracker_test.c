/* SPDX-License-Identifier: MIT */
/* Tracks over many samples of simulated processes whose growth is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/followed_process.h"

/** Returns the track that has grown most. */
static const struct pm_track *fastest(const struct process *process)
{
	size_t count;
	const struct pm_track *const *tracks = pm_tracker_tracks(process->tracker, &count),
				     *found = NULL;
	for (size_t i = 0; i < count; i++)
		if (!found || (int64_t)(tracks[i]->weight - tracks[i]->baseline) >
		                      (int64_t)(found->weight - found->baseline))
			found = tracks[i];

	assert_non_null(found);
	return found;
}

static void assert_steady(const struct pm_trend *trend, double rate, double share)
{
	if (trend->verdict != PM_VERDICT_STEADY || fabs(trend->rate - rate) > share * rate)
		fail_msg("%s at %f and not steady at %f: %s", pm_verdict_name(trend->verdict),
		         trend->rate, rate, trend->reason);
}

/** Blocks of 1 MiB below each other, which the kernel merges, next to a heap that does not grow. */
static void merged_blocks_are_one_track(void **state)
{
	(void)state;
	struct process process;
	struct pm_trend trend;
	begin(&process);

	for (unsigned tick = 0; tick <= 15; tick++) {
		add(&process, 0xf0000000, 256 * MEGA, 254 * MEGA, PM_KIND_ANON, "");
		uint64_t size = (16 + tick * 4ull) * MEGA;
		add(&process, 0x7f0000000000 - size, size, size, PM_KIND_MALLOC, "");
		sample(&process, 2);
	}

	const struct pm_track *track = fastest(&process);
	assert_int_equal(track->end, 0x7f0000000000);
	assert_int_equal(track->weight - track->baseline, 60 * MEGA);
	assert_int_equal(track->delta, 4 * MEGA);
	assert_false(track->born);
	pm_track_judge(process.tracker, track, &trend);
	assert_steady(&trend, 2 * MEGA, 0.01);

	size_t count;
	const struct pm_track *const *tracks = pm_tracker_tracks(process.tracker, &count);
	assert_int_equal(count, 2);
	pm_track_judge(process.tracker, tracks[0], &trend);
	assert_int_equal(trend.verdict, PM_VERDICT_NO_GROWTH);
	assert_int_equal(tracks[0]->series.count, 0);
	end(&process);
}

/** Two new threads a second, each with a stack of 8 MiB of which 12 KiB are used. */
static void piled_up_threads_are_one_track(void **state)
{
	(void)state;
	struct process process;
	struct pm_trend trend;
	begin(&process);

	for (unsigned tick = 0; tick <= 20; tick++) {
		add(&process, 0x10000000, 4 * MEGA, 4 * MEGA, PM_KIND_HEAP, "");
		for (unsigned thread = 0; thread < 3 + tick * 4; thread++) {
			char name[32];
			snprintf(name, sizeof name, "%u worker-%u", 5000 + thread, thread);
			add(&process, 0x7f0000000000 + thread * 9ull * MEGA, 8 * MEGA, 12 * KILO,
			    PM_KIND_STACK, name)
				->thread = (pid_t)(5000 + thread);
		}
		sample(&process, 2);
	}

	const struct pm_track *track = fastest(&process);
	assert_true(track->born);
	assert_int_equal(track->kind, PM_KIND_STACK);
	assert_int_equal(track->regions, 80);
	assert_int_equal(track->weight, 80 * 12 * KILO);
	pm_track_judge_count(process.tracker, track, &trend);
	assert_steady(&trend, 2, 0.05);
	pm_track_judge(process.tracker, track, &trend);

	assert_steady(&trend, 24 * KILO, 0.05);
	end(&process);
}

static void slow_leak_next_to_a_saw_tooth(void **state)
{
	(void)state;
	struct process process;
	struct pm_trend trend;
	begin(&process);

	for (unsigned tick = 0; tick <= 30; tick++) {
		unsigned phase = tick * 2 % 10;
		uint64_t saw = (phase < 5 ? phase : 10 - phase) * 8ull * MEGA;
		add(&process, 0x700000000000, 64 * MEGA, 20 * MEGA + saw, PM_KIND_ARENA, "")
			->arena = 0x700000000030;
		add(&process, 0x710000000000, 64 * MEGA, 2 * MEGA + tick * 80ull * KILO,
		    PM_KIND_ARENA, "")
			->arena = 0x710000000030;
		sample(&process, 2);
	}

	size_t count;
	const struct pm_track *const *tracks = pm_tracker_tracks(process.tracker, &count);
	assert_int_equal(count, 2);

	for (size_t i = 0; i < count; i++) {
		pm_track_judge(process.tracker, tracks[i], &trend);
		if (tracks[i]->start == 0x710000000000)
			assert_steady(&trend, 40 * KILO, 0.05);
		else
			assert_int_not_equal(trend.verdict, PM_VERDICT_STEADY);
	}

	/* The leak is found, although the other one is larger and rose last. */
	trend = (struct pm_trend){ 0 };
	const struct pm_track *growing = pm_tracker_find_growing(process.tracker, &trend);
	assert_non_null(growing);
	assert_int_equal(growing->start, 0x710000000000);
	assert_steady(&trend, 40 * KILO, 0.05);

	/* Nothing is known about a sample without measurements. */
	assert_int_not_equal(growing->delta, 0);
	pm_tracker_skip(process.tracker);
	assert_int_equal(growing->delta, 0);
	assert_int_equal(growing->weight, 2 * MEGA + 30 * 80 * KILO);
	end(&process);
}

/** Arenas that rise and fall by more than a leak has grown do not hide it. */
static void leak_among_many_saw_teeth(void **state)
{
	(void)state;
	struct process process;
	struct pm_trend trend;
	begin(&process);

	for (unsigned tick = 0; tick <= 60; tick++) {
		for (unsigned i = 0; i < 40; i++) {
			uint64_t start = 0x700000000000 + i * UINT64_C(0x1000000000);
			uint64_t saw = (tick * (900ull + i * 31) + i * 200) % 8000 * KILO;
			add(&process, start, 64 * MEGA, MEGA + saw, PM_KIND_ARENA, "")->arena =
				start + 0x30;
		}
		add(&process, 0x7f0000000000, 64 * MEGA, MEGA + tick * 80ull * KILO, PM_KIND_ARENA,
		    "")
			->arena = 0x7f0000000030;
		sample(&process, 1);
		if (tick < 15)
			continue;

		const struct pm_track *growing = pm_tracker_find_growing(process.tracker, &trend);
		assert_non_null(growing);
		assert_int_equal(trend.verdict, PM_VERDICT_STEADY);
		assert_int_equal(growing->start, 0x7f0000000000);
	}

	end(&process);
}

/** Two growing regions are merged: the history is the sum of both. */
static void merged_history_is_the_sum(void **state)
{
	(void)state;
	struct process process;
	struct pm_trend trend;
	begin(&process);

	for (unsigned tick = 0; tick <= 20; tick++) {
		uint64_t each = (10ull + tick) * MEGA;
		if (tick < 12) {
			add(&process, 0x100000000, 100 * MEGA, each, PM_KIND_ANON, "");
			add(&process, 0x100000000 + 200 * MEGA, 100 * MEGA, each, PM_KIND_ANON, "");
		} else {
			add(&process, 0x100000000, 300 * MEGA, 2 * each, PM_KIND_ANON, "");
		}
		sample(&process, 1);
	}

	const struct pm_track *track = fastest(&process);
	assert_int_equal(track->weight - track->baseline, 40 * MEGA);
	assert_true(fabs(pm_series_at(&track->series, 6) - 32 * MEGA) < 1);
	pm_track_judge(process.tracker, track, &trend);
	assert_steady(&trend, 2 * MEGA, 0.01);
	end(&process);
}

static void unchanged_samples_count(void **state)
{
	(void)state;
	struct process process;
	struct pm_trend trend;
	begin(&process);
	add(&process, 0x100000000, 100 * MEGA, 10 * MEGA, PM_KIND_ANON, "");
	sample(&process, 2);

	for (unsigned tick = 1; tick < 10; tick++, process.time += 2)
		assert_int_equal(pm_tracker_add(process.tracker, process.time, NULL, NULL), 0);

	pm_track_judge(process.tracker, fastest(&process), &trend);
	assert_int_equal(trend.verdict, PM_VERDICT_NO_GROWTH);
	assert_non_null(strstr(trend.reason, "no growth seen in 18s"));

	/* Growth that starts now has the right start time. */
	add(&process, 0x100000000, 100 * MEGA, 90 * MEGA, PM_KIND_ANON, "");
	sample(&process, 2);
	assert_true(pm_series_at(&fastest(&process)->series, 18) == 10 * MEGA);
	assert_true(pm_series_at(&fastest(&process)->series, 20) == 90 * MEGA);
	pm_tracker_rebase(process.tracker);
	assert_int_equal(fastest(&process)->weight, fastest(&process)->baseline);
	end(&process);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/** The sum of all tracks is that of the regions, and their deltas add up to its change. */
static void tracks_account_for_all_regions(void **state)
{
	(void)state;
	struct process process;
	uint32_t seed = 3;
	uint64_t before = 0;

	begin(&process);
	for (unsigned round = 0; round < 400; round++) {
		uint64_t total = 0, number = 0;
		int64_t deltas = 0;

		for (uint64_t at = 0x10000000; at < 0x20000000;) {
			uint64_t size = (1 + next_random(&seed) % 4000) * (uint64_t)PAGE,
				 gap = next_random(&seed) % 3 * PAGE;
			uint64_t rss = next_random(&seed) % (size / PAGE + 1) * PAGE;
			struct pm_region *region = add(&process, at, size, rss, PM_KIND_ANON, "");
			region->perms = next_random(&seed) % 3 ? RW : PM_PERM_READ;
			region->arena = next_random(&seed) % 20 == 0 ? 7 + next_random(&seed) % 3
			                                             : 0;
			total += rss;
			number++;
			at += size + gap;
		}

		sample(&process, 1);
		size_t count;
		const struct pm_track *const *tracks = pm_tracker_tracks(process.tracker, &count);
		uint64_t weight = 0, regions = 0;

		for (size_t i = 0; i < count; i++) {
			weight += tracks[i]->weight;
			regions += tracks[i]->regions;
			deltas += tracks[i]->delta;
		}

		assert_int_equal(weight, total);
		assert_int_equal(regions, number);
		assert_int_equal(deltas, (int64_t)(total - before));
		before = total;
	}

	end(&process);
}

/** The heaps and the reserve of an arena are one track from the first sample on: nothing is new at
 * the second. */
static void an_arena_is_one_track_from_the_first(void **state)
{
	(void)state;
	struct process process;
	size_t count;
	begin(&process);

	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 4; i++)
			add(&process, 0x700000000000 + i * 64ul * MEGA, 8 * MEGA, 100 * PAGE,
			    PM_KIND_ARENA, "")
				->arena = i < 3 ? 0x30 : 0x40;
		sample(&process, 1);
		const struct pm_track *const *tracks = pm_tracker_tracks(process.tracker, &count);
		assert_int_equal(count, 2);
		assert_int_equal(tracks[0]->regions, 3);
		assert_int_equal(tracks[0]->counts.count, 0);
		assert_int_equal(tracks[0]->baseline, 300 * PAGE);
	}

	end(&process);
}

/**
 * Adds a sample with the heaps of one arena.
 * @param pages  resident pages of each heap
 * @return       the address that represents the arena
 */
static uint64_t sample_heaps(struct process *process, const unsigned *pages, size_t count)
{
	size_t tracks;
	for (unsigned i = 0; i < count; i++)
		add(process, 0x700000000000 + i * 64ul * MEGA, 64 * MEGA, pages[i] * PAGE,
		    PM_KIND_ARENA, "")
			->arena = 0x30;

	sample(process, 1);
	const struct pm_track *track = pm_tracker_tracks(process->tracker, &tracks)[0];
	assert_int_equal(tracks, 1);
	assert_int_equal(track->regions, count);
	assert_int_equal(track->own, pages[(track->start - 0x700000000000) / (64ul * MEGA)] * PAGE);

	return (track->start - 0x700000000000) / (64ul * MEGA);
}

/**
 * Of several regions the one that grew last represents the track: not the heaviest, which may have
 * been full for a long time.
 */
static void region_that_grew_last_represents_the_track(void **state)
{
	(void)state;
	struct process process;
	begin(&process);
	assert_int_equal(sample_heaps(&process, (unsigned[]){ 10000, 100, 50 }, 3), 0);
	assert_int_equal(sample_heaps(&process, (unsigned[]){ 10000, 200, 50 }, 3), 1);

	/* It stays while nothing grows, when it shrinks, and when another one grows a little more.
	 */
	assert_int_equal(sample_heaps(&process, (unsigned[]){ 10000, 200, 50 }, 3), 1);
	assert_int_equal(sample_heaps(&process, (unsigned[]){ 10000, 180, 50 }, 3), 1);
	assert_int_equal(sample_heaps(&process, (unsigned[]){ 10000, 190, 65 }, 3), 1);
	assert_int_equal(sample_heaps(&process, (unsigned[]){ 10000, 200, 90 }, 3), 2);

	/* A new heap is growth, and lists of other regions are followed the same way. */
	assert_int_equal(sample_heaps(&process, (unsigned[]){ 10000, 200, 90, 500 }, 4), 3);
	assert_int_equal(sample_heaps(&process, (unsigned[]){ 10000, 200, 90, 500, 1 }, 5), 4);
	assert_int_equal(sample_heaps(&process, (unsigned[]){ 10000, 200, 95, 500 }, 4), 2);
	end(&process);
}

static const struct pm_track *track_at(const struct process *process, uint64_t start)
{
	size_t count;
	const struct pm_track *const *tracks = pm_tracker_tracks(process->tracker, &count);
	for (size_t i = 0; i < count; i++)
		if (tracks[i]->start == start && tracks[i]->regions > 0)
			return tracks[i];

	fail_msg("no track at %lx", (unsigned long)start);
	return NULL;
}

/**
 * An unchanged list is not compared again. A second tracker gets the same list with one more region
 * that moves, so that it is compared. Both must give the same result.
 */
static void unchanged_lists_give_the_same_result(void **state)
{
	(void)state;
	enum { REGIONS = 60 };

	struct process same, other;
	uint32_t seed = 9;
	begin(&same);
	begin(&other);

	for (unsigned round = 0; round < 60; round++) {
		for (unsigned i = 0; i < REGIONS; i++) {
			/* Some regions rise and fall, some grow, some are constant; every seventh
			 * is a heap of one of three arenas. */
			uint64_t rss = i % 3 == 0   ? 50
			               : i % 3 == 1 ? round * i % 1000
			                            : next_random(&seed) % 500;
			struct pm_region *region[] = { add(&same, (1 + i) * 16ul * MEGA, 8 * MEGA,
				                           rss * PAGE, PM_KIND_ANON, ""),
				                       add(&other, (1 + i) * 16ul * MEGA, 8 * MEGA,
				                           rss * PAGE, PM_KIND_ANON, "") };
			region[0]->arena = region[1]->arena = i % 7 == 0 ? 1 + i % 3 : 0;
		}

		add(&other, 1ul << 40 | (round % 2) * 64ul * MEGA, PAGE, PAGE, PM_KIND_ANON, "");
		sample(&same, 1);
		sample(&other, 1);

		size_t count, more;
		const struct pm_track *const *tracks = pm_tracker_tracks(same.tracker, &count);
		pm_tracker_tracks(other.tracker, &more);
		assert_true(more > count);

		for (size_t i = 0; i < count; i++) {
			if (tracks[i]->regions == 0)
				continue;

			const struct pm_track *twin = track_at(&other, tracks[i]->start);
			struct pm_trend trend, its;
			pm_track_judge(same.tracker, tracks[i], &trend);
			pm_track_judge(other.tracker, twin, &its);
			assert_int_equal(tracks[i]->weight, twin->weight);
			assert_int_equal(tracks[i]->delta, twin->delta);
			assert_int_equal(tracks[i]->regions, twin->regions);
			assert_int_equal(tracks[i]->baseline, twin->baseline);

			assert_int_equal(tracks[i]->series.count, twin->series.count);
			assert_int_equal(trend.verdict, its.verdict);
			assert_true(fabs(trend.rate - its.rate) < 1e-9);
		}

		for (size_t i = 0; i < REGIONS; i++)
			assert_true(pm_tracker_owner(same.tracker, i)->regions > 0);
	}

	end(&same);
	end(&other);
}

/** Writes a number as a unique name without digits. */
static void spell(unsigned number, char name[16])
{
	for (int i = 0; i < 15; i++, number /= 26)
		name[i] = (char)('a' + number % 26);
	name[15] = '\0';
}

static void unlimited_names_need_limited_memory(void **state)
{
	enum { AT_ONCE = 1000, SAMPLES = 20, MOST = 4096 + 2 * AT_ONCE };
	(void)state;

	struct process process;
	size_t count;
	begin(&process);
	add(&process, 0x10000, PAGE, PAGE, PM_KIND_HEAP, "");
	sample(&process, 2);

	for (unsigned tick = 0; tick < SAMPLES; tick++) {
		/* Never at addresses that others had. */
		uint64_t start = 0x7f0000000000 + (uint64_t)(tick % 2) * 4096 * MEGA;

		add(&process, 0x10000, PAGE, PAGE, PM_KIND_HEAP, "");
		for (unsigned i = 0; i < AT_ONCE; i++) {
			char name[16];
			spell(tick * AT_ONCE + i, name);
			struct pm_region region = { .start = start + i * 2 * MEGA,
				                    .end = start + i * 2 * MEGA + PAGE,
				                    .perms = RW,
				                    .kind = PM_KIND_SHM,
				                    .mapping = name,
				                    .inode = tick * AT_ONCE + i + 1 };
			region.bytes[PM_SIZE_RSS] = PAGE;
			assert_int_equal(pm_regions_append(&process.regions, &region, NULL), 0);
		}

		sample(&process, 2);
	}

	const struct pm_track *const *tracks = pm_tracker_tracks(process.tracker, &count);
	assert_in_range(count, AT_ONCE, MOST);

	/* All of them are counted. */
	size_t regions = 0;
	for (size_t i = 0; i < count; i++)
		regions += tracks[i]->regions;

	assert_int_equal(regions, AT_ONCE + 1);
	end(&process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merged_blocks_are_one_track),
		cmocka_unit_test(piled_up_threads_are_one_track),
		cmocka_unit_test(slow_leak_next_to_a_saw_tooth),
		cmocka_unit_test(leak_among_many_saw_teeth),
		cmocka_unit_test(merged_history_is_the_sum),
		cmocka_unit_test(unchanged_samples_count),
		cmocka_unit_test(tracks_account_for_all_regions),
		cmocka_unit_test(an_arena_is_one_track_from_the_first),
		cmocka_unit_test(region_that_grew_last_represents_the_track),
		cmocka_unit_test(unchanged_lists_give_the_same_result),
		cmocka_unit_test(unlimited_names_need_limited_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
