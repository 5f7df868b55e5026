/* SPDX-License-Identifier: MIT */
/* Samples of a process that logs exactly what it changes, and when a sampler measures regions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <procmem/growth.h>
#include <procmem/maps.h>
#include <procmem/sample.h>

#include "support/watching.h"

static void copy_regions(const struct pm_regions *from, struct pm_regions *to)
{
	pm_regions_deinit(to);
	for (size_t i = 0; i < from->count; i++)
		assert_int_equal(pm_regions_append(to, &from->items[i], NULL), 0);
}

/**
 * Adds up the change of private memory over the parts of the difference. Code that was executed for
 * the first time is not counted: the grower does not log it.
 */
static void add_private_change(const struct pm_regions *before, const struct pm_regions *after,
                               int64_t *size, int64_t *resident)
{
	struct pm_growth growth;
	assert_int_equal(pm_growth_compare(before, after, &growth, NULL), 0);
	*size = *resident = 0;

	for (size_t i = 0; i < growth.count; i++) {
		const struct pm_growth_part *part = &growth.parts[i];
		const struct pm_region *region = part->after != PM_GROWTH_NONE
		                                         ? &after->items[part->after]
		                                         : &before->items[part->before];
		if (region->inode != 0 || strcmp(region->mapping, "[stack]") == 0)
			continue;
		*size += (int64_t)(part->is.size - part->was.size);
		*resident += (int64_t)(part->is.rss - part->was.rss);
	}

	pm_growth_deinit(&growth);
}

static void every_byte_is_accounted_for(void **state)
{
	(void)state;
	static const char *const steps[] = {
		"map a 300",   "grow a 500",     "map b 100",   "cut a 120",
		"brk 64",      "reserve c 1000", "touch c 333", "map d 10\ngrow d 90",
		"grow b 1000", "unmap a",        "drop c",      "touch c 10",
		"brk 700",     "map e 5",        "cut b 1",     "grow e 995",
		"unmap c",     "unmap d",        "map f 2000",  "drop f",
		"cut f 1999",  "unmap b"
	};

	struct watching watching;
	watching_begin(&watching, &(struct pm_sampler_options){ .kinds = true });

	struct pm_regions before = { 0 };
	struct pm_sample sample;
	watching_take(&watching, &sample);
	assert_true(sample.fresh);
	copy_regions(sample.regions, &before);

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		int64_t size, resident;
		watching.size = watching.resident = 0;

		char *step = strdup(steps[i]), *rest = NULL;
		for (char *line = strtok_r(step, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest))
			watching_command(&watching, "%s", line);

		watching_take(&watching, &sample);
		add_private_change(&before, sample.regions, &size, &resident);
		if (size != watching.size || resident != watching.resident)
			fail_msg("%s: %" PRId64 " and %" PRId64 " resident, but it was %" PRId64
			         " and %" PRId64,
			         step, size, resident, watching.size, watching.resident);

		free(step);
		copy_regions(sample.regions, &before);
	}

	pm_regions_deinit(&before);
	watching_end(&watching);
}

static void measures_only_after_changes(void **state)
{
	(void)state;
	struct watching watching;
	struct pm_sample sample;
	watching_begin(&watching, &(struct pm_sampler_options){ 0 });
	watching_take(&watching, &sample);
	assert_true(sample.fresh);
	assert_true(sample.cost.lock_ns > 0);
	watching_take(&watching, &sample);

	assert_false(sample.fresh);
	assert_true(sample.regions->count > 0);
	watching_command(&watching, "map a 10");
	watching_take(&watching, &sample);
	assert_true(sample.fresh);
	assert_true(sample.cost.last_cpu_ns > 0 && sample.cost.cpu_ns >= sample.cost.last_cpu_ns);
	watching_end(&watching);
}

static uint64_t rss_at(const struct pm_regions *regions, uint64_t address)
{
	const struct pm_region *region = pm_regions_find(regions, address);
	return region ? region->bytes[PM_SIZE_RSS] : 0;
}

/** The virtual size is the same, but the mappings are others. */
static void replaced_mappings_are_found(void **state)
{
	(void)state;
	struct watching watching;
	struct pm_sample sample;
	watching_begin(&watching, &(struct pm_sampler_options){ 0 });
	watching_command(&watching, "map a 300");
	watching_take(&watching, &sample);

	uint64_t size = sample.totals.size;
	watching_command(&watching, "reserve b 300");
	watching_command(&watching, "unmap a");
	watching_command(&watching, "touch b 77");
	watching_take(&watching, &sample);
	assert_int_equal(sample.totals.size, size);
	assert_true(sample.fresh);

	struct pm_regions truth = { 0 };
	assert_int_equal(pm_maps_read(watching.process, PM_SMAPS, &truth, NULL), 0);
	assert_int_equal(truth.count, sample.regions->count);

	size_t found = 0;
	for (size_t i = 0; i < truth.count; i++) {
		found += truth.items[i].bytes[PM_SIZE_RSS] == 77 * PAGE;
		assert_int_equal(truth.items[i].bytes[PM_SIZE_RSS],
		                 rss_at(sample.regions, truth.items[i].start));
	}

	assert_int_equal(found, 1);
	pm_regions_deinit(&truth);
	watching_end(&watching);
}

/** Like a growing arena of malloc: mprotect opens more of a reserve, and the virtual size is the
 * same. */
static void opened_reserve_is_found(void **state)
{
	(void)state;
	struct watching watching;
	struct pm_sample sample;
	watching_begin(&watching, &(struct pm_sampler_options){ 0 });
	watching_command(&watching, "reserve a 1000");
	watching_command(&watching, "shut a");

	for (unsigned pages = 10; pages < 30; pages += 5) {
		watching_take(&watching, &sample);
		watching_command(&watching, "open a %u", pages);
		watching_take(&watching, &sample);
		size_t found = 0;
		for (size_t i = 0; i < sample.regions->count; i++)
			found += sample.regions->items[i].bytes[PM_SIZE_RSS] == pages * PAGE &&
			         pm_region_size(&sample.regions->items[i]) == pages * PAGE;
		assert_true(found >= 1);
	}

	watching_end(&watching);
}

/** Other regions are measured only if the new mappings do not explain the change of the totals. */
static void changes_beside_a_new_mapping_are_found(void **state)
{
	(void)state;
	static const char *const steps[] = {
		"map a 10",         "reserve b 400\nmap c 30", "touch b 100\nmap d 20",
		"unmap c",          "touch b 50\nunmap d",     "drop b\nmap e 150",
		"unmap a\nmap f 11"
	};
	struct watching watching;
	struct pm_sample sample;

	watching_begin(&watching, &(struct pm_sampler_options){ 0 });
	watching_take(&watching, &sample);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		char *step = strdup(steps[i]), *rest = NULL;
		for (char *line = strtok_r(step, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest))
			watching_command(&watching, "%s", line);

		free(step);
		watching_take(&watching, &sample);

		struct pm_regions truth = { 0 };
		assert_int_equal(pm_maps_read(watching.process, PM_SMAPS, &truth, NULL), 0);
		assert_int_equal(truth.count, sample.regions->count);

		for (size_t at = 0; at < truth.count; at++)
			assert_int_equal(truth.items[at].bytes[PM_SIZE_RSS],
			                 rss_at(sample.regions, truth.items[at].start));

		pm_regions_deinit(&truth);
	}

	watching_end(&watching);
}

/** The pages that appeared are as many as the target touched, in the right region. */
static void new_pages_are_reported(void **state)
{
	(void)state;
	static const struct {
		const char *command;
		uint64_t pages;
	} steps[] = { { "touch a 100", 100 }, { "touch a 7", 7 },   { "map b 33", 33 },
		      { "drop a", 0 },        { "touch a 12", 12 }, { "grow b 40", 40 } };

	struct watching watching;
	struct pm_sample sample;
	watching_begin(&watching, &(struct pm_sampler_options){ .pages = true });
	watching_command(&watching, "reserve a 1000");
	watching_take(&watching, &sample);
	assert_int_equal(sample.appeared_count, 0);

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		watching_command(&watching, "%s", steps[i].command);
		watching_take(&watching, &sample);
		assert_true(sample.fresh);

		uint64_t pages = 0;
		for (size_t at = 0; at < sample.appeared_count; at++) {
			const struct pm_region *region =
				&sample.regions->items[sample.appeared[at].region];
			assert_true(sample.appeared[at].range.start >= region->start &&
			            sample.appeared[at].range.end <= region->end);
			/* The first run of a command may load a page of code. */
			if (region->inode == 0 && strcmp(region->mapping, "[stack]") != 0)
				pages += (sample.appeared[at].range.end -
				          sample.appeared[at].range.start) /
				         PAGE;
		}

		/* If mremap moved the mapping, all its pages are at new addresses. */
		if (strncmp(steps[i].command, "grow", 4) == 0)
			assert_true(pages == steps[i].pages || pages == steps[i].pages + 33);
		else
			assert_int_equal(pages, steps[i].pages);
	}

	watching_end(&watching);
}

static void measures_all_from_time_to_time(void **state)
{
	(void)state;
	struct watching watching;
	struct pm_sample sample;
	watching_begin(&watching, &(struct pm_sampler_options){ .full_every = 1e-6 });
	watching_take(&watching, &sample);
	watching_take(&watching, &sample);
	assert_true(sample.fresh);
	watching_end(&watching);
}

static void budget_holds_back(void **state)
{
	(void)state;
	struct watching watching;
	struct pm_sample first, second;
	watching_begin(&watching, &(struct pm_sampler_options){ .budget = 1e-9 });
	watching_take(&watching, &first);

	/* One more measurement is allowed: the first one is not charged. The budget cannot pay for
	 * its successor. */
	watching_command(&watching, "map b 1000");
	watching_take(&watching, &first);
	assert_true(first.fresh);

	size_t count = first.regions->count;
	watching_command(&watching, "map a 1000");
	watching_take(&watching, &second);
	assert_true(second.held_back);
	assert_false(second.fresh);
	assert_int_equal(second.regions->count, count);

	/* The totals are current nevertheless. */
	assert_true(second.totals.rss >= first.totals.rss + 1000 * PAGE);
	watching_end(&watching);
}

/** Taking samples alone costs more than the budget here; the part reserved for measuring must add
 * up nevertheless, and end the waiting. */
static void budget_does_not_stop_measuring(void **state)
{
	(void)state;
	const double budget = 0.002;
	struct watching watching;
	struct pm_sample sample, before;

	watching_begin(&watching, &(struct pm_sampler_options){ .budget = budget });
	watching_take(&watching, &sample);
	for (unsigned looks = 0; !sample.held_back; looks++) {
		assert_in_range(looks, 0, 1000);
		watching_command(&watching, "map b%u 10", looks);
		watching_take(&watching, &sample);
	}

	/* At least half of the budget is saved from one sample to the next, so that the loop ends;
	 * otherwise it fails at once. */
	do {
		before = sample;
		watching_take(&watching, &sample);
		double saved = sample.cost.credit - before.cost.credit,
		       least = budget / 2 * (sample.time - before.time);
		if (sample.held_back && saved < least - 1e-9)
			fail_msg("%g s of credit more in %g s", saved, sample.time - before.time);
	} while (sample.held_back);

	assert_true(sample.fresh);
	watching_end(&watching);
}

static void smaps_gives_all_sizes(void **state)
{
	(void)state;
	struct watching watching;
	struct pm_sample sample;
	watching_begin(&watching, &(struct pm_sampler_options){ .smaps = true, .kinds = true });
	watching_command(&watching, "map a 1000");
	watching_take(&watching, &sample);
	watching_command(&watching, "touch a 0");
	watching_command(&watching, "cut a 10");

	watching_take(&watching, &sample);
	assert_true(sample.fresh);

	struct pm_regions truth = { 0 };
	assert_int_equal(pm_maps_read(watching.process, PM_SMAPS, &truth, NULL), 0);
	assert_int_equal(truth.count, sample.regions->count);

	for (size_t i = 0; i < truth.count; i++) {
		assert_int_not_equal(sample.regions->items[i].kind, PM_KIND_UNKNOWN);
		/* The proportional sizes of files change when another process starts or ends. */
		if (truth.items[i].inode != 0)
			continue;
		assert_int_equal(truth.items[i].bytes[PM_SIZE_RSS],
		                 sample.regions->items[i].bytes[PM_SIZE_RSS]);
		assert_int_equal(truth.items[i].bytes[PM_SIZE_PSS],
		                 sample.regions->items[i].bytes[PM_SIZE_PSS]);
	}

	pm_regions_deinit(&truth);
	watching_end(&watching);
}

static void exit_of_the_target_is_reported(void **state)
{
	(void)state;
	struct watching watching;
	struct pm_sample sample;
	struct pm_error error = { 0 };

	watching_begin(&watching, &(struct pm_sampler_options){ 0 });
	watching_take(&watching, &sample);
	kill(watching.target.pid, SIGKILL);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)watching.target.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(pm_sampler_take(watching.sampler, &sample, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);

	/* The last regions remain readable. */
	assert_true(sample.regions->count > 0);
	watching_end(&watching);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_is_accounted_for),
		cmocka_unit_test(measures_only_after_changes),
		cmocka_unit_test(replaced_mappings_are_found),
		cmocka_unit_test(opened_reserve_is_found),
		cmocka_unit_test(changes_beside_a_new_mapping_are_found),
		cmocka_unit_test(new_pages_are_reported),
		cmocka_unit_test(measures_all_from_time_to_time),
		cmocka_unit_test(budget_holds_back),
		cmocka_unit_test(budget_does_not_stop_measuring),
		cmocka_unit_test(smaps_gives_all_sizes),
		cmocka_unit_test(exit_of_the_target_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
