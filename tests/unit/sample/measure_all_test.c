/* SPDX-License-Identifier: MIT */
/* pm_sampler_measure_all(): measuring all regions for a sample that measured too few. */
#include <procmem/maps.h>

#include "support/watching.h"

/** Checks that the sizes of a sample are those that the kernel reports now. */
static void expect_truth(const struct watching *watching, const struct pm_sample *sample)
{
	struct pm_regions truth = { 0 };
	assert_int_equal(pm_maps_read(watching->process, PM_SMAPS, &truth, NULL), 0);
	assert_int_equal(truth.count, sample->regions->count);

	for (size_t i = 0; i < truth.count; i++) {
		assert_int_equal(truth.items[i].start, sample->regions->items[i].start);
		assert_int_equal(truth.items[i].bytes[PM_SIZE_RSS],
		                 sample->regions->items[i].bytes[PM_SIZE_RSS]);
	}

	pm_regions_deinit(&truth);
}

static void measure_all(struct watching *watching, struct pm_sample *sample)
{
	struct pm_error error = { 0 };
	if (pm_sampler_measure_all(watching->sampler, sample, &error) < 0)
		fail_msg("%s", error.text);
}

/** Two mappings of one size that replace each other change no total: only measuring all regions
 * finds them. */
static void measuring_all_finds_changes_without_new_totals(void **state)
{
	(void)state;
	struct watching watching;
	struct pm_sample sample;
	watching_begin(&watching, &(struct pm_sampler_options){ .kinds = true });
	watching_command(&watching, "map a 300");
	watching_command(&watching, "unmap a");
	watching_command(&watching, "map b 300");
	watching_take(&watching, &sample);

	watching_command(&watching, "unmap b");
	watching_command(&watching, "map c 300");
	watching_take(&watching, &sample);
	assert_false(sample.fresh);

	const double time = sample.time;
	const uint64_t rss = sample.totals.rss;
	measure_all(&watching, &sample);
	assert_true(sample.fresh);
	assert_true(sample.time == time);
	assert_int_equal(sample.totals.rss, rss);
	expect_truth(&watching, &sample);

	/* The next sample continues from there. */
	watching_take(&watching, &sample);
	assert_false(sample.fresh);
	expect_truth(&watching, &sample);
	watching_command(&watching, "grow c 5");
	watching_take(&watching, &sample);
	expect_truth(&watching, &sample);
	watching_end(&watching);
}

static void measuring_all_ignores_the_budget(void **state)
{
	(void)state;
	struct watching watching;
	struct pm_sample sample;
	watching_begin(&watching, &(struct pm_sampler_options){ .budget = 1e-9, .pages = true });
	watching_take(&watching, &sample);
	watching_command(&watching, "map a 1000");
	watching_take(&watching, &sample);
	watching_command(&watching, "map b 1000");

	watching_take(&watching, &sample);
	assert_true(sample.held_back);

	const struct pm_sample_cost cost = sample.cost;
	measure_all(&watching, &sample);
	assert_true(sample.fresh);
	assert_false(sample.held_back);
	expect_truth(&watching, &sample);

	/* Its cost is charged. */
	assert_true(sample.cost.credit < cost.credit);
	assert_true(sample.cost.last_cpu_ns > cost.last_cpu_ns && sample.cost.cpu_ns > cost.cpu_ns);

	/* Its pages appeared. */
	uint64_t pages = 0;
	for (size_t i = 0; i < sample.appeared_count; i++)
		pages += (sample.appeared[i].range.end - sample.appeared[i].range.start) / PAGE;

	assert_in_range(pages, 1000, 1100);
	/* A second call has nothing to do. */
	const uint64_t cpu = sample.cost.cpu_ns;
	measure_all(&watching, &sample);
	assert_int_equal(sample.cost.cpu_ns, cpu);
	watching_end(&watching);
}

/** Adds up the bytes that appeared at an address, and checks that each range is in its region. */
static uint64_t appeared_in(const struct pm_sample *sample, uint64_t size)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < sample->appeared_count; i++) {
		const struct pm_region *region =
			&sample->regions->items[sample->appeared[i].region];
		assert_true(sample->appeared[i].range.start >= region->start &&
		            sample->appeared[i].range.end <= region->end);
		if (pm_region_size(region) == size)
			bytes += sample->appeared[i].range.end - sample->appeared[i].range.start;
	}

	return bytes;
}

/**
 * Pages that appeared at the sample are kept when the list of regions is read again; pages that
 * appeared since then belong to the next sample.
 */
static void measuring_all_keeps_new_regions(void **state)
{
	(void)state;
	struct watching watching;
	struct pm_sample sample;
	watching_begin(&watching, &(struct pm_sampler_options){ .pages = true });
	watching_command(&watching, "reserve a 1000");
	watching_command(&watching, "map b 300");
	watching_take(&watching, &sample);
	watching_command(&watching, "touch a 100");

	watching_take(&watching, &sample);
	assert_int_equal(appeared_in(&sample, 1000 * PAGE), 100 * PAGE);

	/* The indexes of regions differ from those of the sample. */
	watching_command(&watching, "unmap b");
	watching_command(&watching, "map c 77");
	watching_command(&watching, "touch a 11");
	measure_all(&watching, &sample);
	expect_truth(&watching, &sample);
	assert_int_equal(appeared_in(&sample, 1000 * PAGE), 100 * PAGE);
	assert_int_equal(appeared_in(&sample, 77 * PAGE), 0);

	watching_command(&watching, "touch a 3");
	watching_take(&watching, &sample);
	assert_int_equal(appeared_in(&sample, 1000 * PAGE), 14 * PAGE);
	assert_int_equal(appeared_in(&sample, 77 * PAGE), 77 * PAGE);
	watching_end(&watching);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measuring_all_finds_changes_without_new_totals),
		cmocka_unit_test(measuring_all_ignores_the_budget),
		cmocka_unit_test(measuring_all_keeps_new_regions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
