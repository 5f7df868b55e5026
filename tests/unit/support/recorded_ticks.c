/* SPDX-License-Identifier: MIT */
#include "support/recorded_ticks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <procmem/recording_walk.h>

enum { PAGE = 4096 };

void recorded_ticks_simulate(unsigned tick, size_t count, struct pm_regions *regions)
{
	for (size_t i = 0; i < count; i++) {
		struct pm_region region = {
			.start = (i + 1) << 32,
			.end = ((i + 1) << 32) + 100 * PAGE,
			.perms = PM_PERM_READ | PM_PERM_WRITE,
			.kind = i % 7 == 0 ? PM_KIND_ARENA : PM_KIND_ANON,
			.proof = PM_PROOF_PROVEN,
			.arena = i % 7 == 0 ? i : 0,
			.thread = (pid_t)i,
			.inode = i % 3,
			.deleted = i % 5 == 0,
			.mapping = i % 3 ? "/lib/\xff odd\nname.so" : "",
			.detail = { .type = PM_DETAIL_TEXT, .text = "some detail" },
			.known = PM_SIZE_BIT(PM_SIZE_RSS) | PM_SIZE_BIT(PM_SIZE_SWAP),
		};

		if (i == 3 && tick % 4 == 1)
			continue;

		if (i < 2)
			region.start -= (uint64_t)tick * PAGE * (i + 1);
		if (i == count - 1)
			region.start = 0xffffffffff600000u, region.end = region.start + PAGE;
		region.bytes[PM_SIZE_RSS] = (i < 4 ? tick + 7 : i) * PAGE;
		region.bytes[PM_SIZE_SWAP] = i == 5 ? tick / 10 * PAGE : 0;

		if (i == 6) {
			region.bytes[PM_SIZE_PSS] = tick / 3 * PAGE;
			region.bytes[PM_SIZE_LOCKED] = 0;
			region.known |= PM_SIZE_BIT(PM_SIZE_PSS) | PM_SIZE_BIT(PM_SIZE_LOCKED);
		}

		assert_int_equal(pm_regions_append(regions, &region, NULL), 0);
	}
}

void recorded_ticks_record(struct pm_recorder *recorder, unsigned tick, size_t count)
{
	struct pm_regions regions = { 0 };
	struct pm_error error = { 0 };

	recorded_ticks_simulate(tick, count, &regions);
	struct pm_sample sample = { .time = 1000 + tick * 2.0,
		                    .wall_ns = (1767225600 + tick * 60) * 1000000000ll,
		                    .regions = &regions,
		                    .fresh = tick % 5 != 4 };

	sample.totals.rss = tick * 1000;
	sample.totals.threads = tick;
	if (pm_recorder_add(recorder, &sample, NULL, &error) < 0)
		fail_msg("%s", error.text);
	pm_regions_deinit(&regions);
}

void recorded_ticks_assert_same(const struct pm_region *one, const struct pm_region *other)
{
	assert_int_equal(one->start, other->start);
	assert_int_equal(one->end, other->end);
	assert_int_equal(one->perms, other->perms);
	assert_int_equal(one->kind, other->kind);
	assert_int_equal(one->proof, other->proof);
	assert_int_equal(one->arena, other->arena);
	assert_int_equal(one->thread, other->thread);
	assert_int_equal(one->inode, other->inode);

	assert_int_equal(one->deleted, other->deleted);
	assert_int_equal(one->known, other->known);
	assert_memory_equal(one->bytes, other->bytes, sizeof one->bytes);
	assert_string_equal(one->mapping, other->mapping);
	assert_true(pm_detail_equal(&one->detail, &other->detail));
	assert_string_equal(one->why, other->why);
}

/** Checks that a walk reads every sample as simulated, but only RSS and swap. */
static void check_walk(struct pm_recording *recording, unsigned samples, size_t count)
{
	const uint64_t both = PM_SIZE_BIT(PM_SIZE_RSS) | PM_SIZE_BIT(PM_SIZE_SWAP);
	struct pm_recording_walk *walk;
	const struct pm_regions *read;
	struct pm_recorded recorded, single;
	struct pm_headroom headroom;

	assert_int_equal(pm_recording_walk_open(recording, &walk, NULL), 0);
	for (unsigned tick = 0; tick < samples; tick++) {
		struct pm_regions truth = { 0 };

		assert_int_equal(pm_recording_walk_next(walk, &recorded, &read, NULL), 1);
		assert_int_equal(recorded.number, tick + 1);
		assert_int_equal(recorded.totals.rss, tick * 1000);
		recorded_ticks_simulate(tick % 5 == 4 ? tick - 1 : tick, count, &truth);
		assert_int_equal(read->count, truth.count);
		for (size_t i = 0; i < truth.count; i++) {
			for (unsigned size = 0; size < PM_SIZE_COUNT; size++)
				if (!(both & PM_SIZE_BIT(size)))
					truth.items[i].bytes[size] = 0;
			truth.items[i].known = both;
			recorded_ticks_assert_same(&read->items[i], &truth.items[i]);
		}
		pm_regions_deinit(&truth);

		/* The recording can be used during a walk. */
		assert_int_equal(pm_recording_read_headroom(recording, tick + 1, &headroom, NULL),
		                 0);
		assert_int_equal(pm_recording_read(recording, samples, &single, NULL, NULL), 0);
	}
	assert_int_equal(pm_recording_walk_next(walk, &recorded, &read, NULL), 0);
	pm_recording_walk_close(walk);
}

void recorded_ticks_check(struct pm_recording *recording, unsigned samples, size_t count)
{
	for (unsigned tick = 0; tick < samples; tick++) {
		struct pm_regions read = { 0 }, truth = { 0 };
		struct pm_recorded recorded;
		struct pm_error error = { 0 };
		if (pm_recording_read(recording, tick + 1, &recorded, &read, &error) < 0)
			fail_msg("%s", error.text);
		assert_int_equal(recorded.number, tick + 1);
		assert_int_equal(recorded.totals.rss, tick * 1000);
		assert_int_equal(recorded.totals.threads, tick);

		assert_int_equal(recorded.fresh, tick % 5 != 4);
		assert_true(recorded.time == 1000 + tick * 2.0);
		recorded_ticks_simulate(tick % 5 == 4 ? tick - 1 : tick, count, &truth);
		assert_int_equal(read.count, truth.count);

		for (size_t i = 0; i < truth.count; i++)
			recorded_ticks_assert_same(&read.items[i], &truth.items[i]);

		pm_regions_deinit(&read);
		pm_regions_deinit(&truth);
	}
	check_walk(recording, samples, count);
}
