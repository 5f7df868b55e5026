/* SPDX-License-Identifier: MIT */
/* Evidence that looks like a cause, and is explained by another one: it is not claimed, or not
 * claimed twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <procmem/findings.h>

#include "support/scene.h"

/** A brk heap that grows by the chunks of one size. */
static void init(struct scene *scene)
{
	scene_init(scene);
	scene_add_region(scene, PM_KIND_HEAP, scene_steady(90 * MIB, 128 * 200));
	scene_add_chunks(scene, 128, 200, 200);
}

static void a_short_observation_is_not_sure(void **state)
{
	(void)state;
	struct scene scene;

	init(&scene);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_SURE);
	scene.evidence.seconds = 6;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_MALLOC_LEAK);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_LIKELY);
	pm_findings_deinit(&scene.findings);
}

/** A recording has two counts, so that its rates are known about exactly. */
static void rates_of_a_recording_are_estimates(void **state)
{
	(void)state;
	struct scene scene;

	init(&scene);
	assert_false(scene_judge(&scene)->estimate);
	scene.evidence.source = PM_EVIDENCE_RECORDING;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_MALLOC_LEAK);
	assert_true(scene_judge(&scene)->estimate);
	pm_findings_deinit(&scene.findings);
}

static void chunks_of_a_peak_are_no_leak(void **state)
{
	(void)state;
	struct scene scene;

	init(&scene);
	scene.regions[0].memory = scene_flat(90 * MIB);
	scene.regions[0].memory.trend.verdict = PM_VERDICT_PLATEAU;
	scene.regions[0].memory.trend.sawtooth = true;
	scene.regions[0].memory.trend.swing = 90 * MIB;
	scene.chunks[0].size = 32768;
	assert_null(scene_judge(&scene));

	/* A slow leak is lost in the noise of its region, but its chunks show it. */
	scene.chunks[0].size = 128;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_MALLOC_LEAK);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	/* All were allocated in the first half of the time. */
	scene.chunks[0].rate = 2 * scene.chunks[0].net_rate;
	assert_null(scene_judge(&scene));
	pm_findings_deinit(&scene.findings);
}

/** What falls between two walks by half of what it gains in all comes and goes. */
static void chunks_that_fall_once_are_no_leak(void **state)
{
	(void)state;
	struct scene scene;

	init(&scene);
	double gained = scene.chunks[0].net_rate * scene.evidence.seconds;

	scene.regions[0].memory.trend = (struct pm_trend){ .verdict = PM_VERDICT_UNEVEN };
	scene.chunks[0].fall = (uint64_t)(0.6 * gained);
	scene_judge(&scene);
	assert_false(scene_has(&scene, PM_FINDING_MALLOC_LEAK));

	/* A queue of such chunks varies. It is not called steady if its arena is not. */
	scene.chunks[0].fall = (uint64_t)(0.2 * gained);
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_MALLOC_LEAK);
	assert_int_equal(scene.findings.items[0].confidence, PM_CONFIDENCE_POSSIBLE);
	assert_int_equal(scene.findings.items[0].verdict, PM_VERDICT_UNEVEN);
	pm_findings_deinit(&scene.findings);
}

static void growth_in_steps_is_that_of_the_chunks(void **state)
{
	(void)state;
	struct scene scene;

	init(&scene);
	scene.regions[0].memory = scene_steps(90 * MIB, 128 * 200);
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_MALLOC_LEAK);
	assert_int_equal(scene.findings.count, 1);
	assert_ptr_equal(scene.findings.items[0].region, &scene.regions[0]);
	assert_int_equal(scene.findings.items[0].confidence, PM_CONFIDENCE_POSSIBLE);

	/* One for each new thread */
	scene.evidence.numbers[PM_EVIDENCE_THREADS] = scene_steady(500, 200);
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_THREADS);
	assert_int_equal(scene.findings.count, 1);
	pm_findings_deinit(&scene.findings);
}

static void memory_without_a_runtime_is_not_outside_of_one(void **state)
{
	(void)state;
	struct scene scene;

	init(&scene);
	scene.evidence.chunk_count = 0;
	scene.regions[0].kind = PM_KIND_MALLOC;
	scene.owners[0] = (struct pm_evidence_owner){ .owner = PM_OWNER_UNKNOWN,
		                                      .memory = scene_flat(10 * MIB) };
	scene.evidence.owner_count = 1;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_MAPPED_CHUNKS);
	scene.owners[0].owner = PM_OWNER_JAVA_HEAP;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_OUTSIDE_RUNTIME);
	pm_findings_deinit(&scene.findings);
}

static void mapped_files_are_page_cache(void **state)
{
	(void)state;
	struct scene scene;

	init(&scene);
	scene.evidence.chunk_count = 0;
	scene.regions[0].kind = PM_KIND_FILE;
	scene.regions[0].owner = PM_OWNER_FILE;
	scene.regions[0].mapping = "/data/index";
	scene.regions[0].memory = scene_steady(90 * MIB, MIB);
	assert_null(scene_judge(&scene));
	assert_int_equal(scene.findings.count, 1);
	assert_int_equal(scene.findings.items[0].id, PM_FINDING_PAGE_CACHE);

	/* Pages of a private mapping that are written are kept. */
	scene.evidence.kept = scene_steady(90 * MIB, MIB);
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_GROWTH);
	pm_findings_deinit(&scene.findings);
}

static void descriptors_have_a_limit(void **state)
{
	(void)state;
	struct scene scene;

	init(&scene);
	scene.evidence.chunk_count = scene.evidence.region_count = 0;
	scene.evidence.numbers[PM_EVIDENCE_DESCRIPTORS] = scene_steady(200, 10);
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_DESCRIPTORS);
	assert_false(scene.findings.items[0].time_known);
	scene.evidence.descriptors_max = 1000;
	assert_true(scene_judge(&scene)->time_known);
	assert_int_equal(scene.findings.items[0].count_max, 1000);
	assert_true(scene.findings.items[0].seconds_min == 80);
	pm_findings_deinit(&scene.findings);
}

static void a_file_is_reported_without_its_directory(void **state)
{
	(void)state;
	struct scene scene;

	init(&scene);
	scene.evidence.chunk_count = 0;
	scene.regions[0].kind = PM_KIND_SHM;
	scene.regions[0].memory = scene.regions[0].length = scene_steady(40 * MIB, MIB);
	scene.regions[0].reserve = 100 * MIB;
	scene.shared[0] = (struct pm_evidence_shared){ .name = "/dev/shm/queue/ring",
		                                       .start = scene.regions[0].start,
		                                       .writer = 4712,
		                                       .writer_name = "feeder",
		                                       .length = scene_steady(40 * MIB, MIB) };
	scene.tmpfs[0] = (struct pm_evidence_tmpfs){ .path = "/dev/shm/queue/",
		                                     .files = 1,
		                                     .charged = true,
		                                     .bytes = scene_steady(40 * MIB, MIB) };
	scene.evidence.shared_count = scene.evidence.tmpfs_count = 1;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_SHARED_FILE);
	assert_int_equal(scene.findings.count, 1);
	assert_true(scene.findings.items[0].time_known);
	assert_true(scene.findings.items[0].seconds_min == 100);

	/* Other files of the directory grow, too. */
	scene.tmpfs[0].bytes = scene_steady(40 * MIB, 4 * MIB);
	assert_non_null(scene_judge(&scene));
	assert_int_equal(scene.findings.count, 2);
	pm_findings_deinit(&scene.findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_observation_is_not_sure),
		cmocka_unit_test(rates_of_a_recording_are_estimates),
		cmocka_unit_test(chunks_of_a_peak_are_no_leak),
		cmocka_unit_test(chunks_that_fall_once_are_no_leak),
		cmocka_unit_test(growth_in_steps_is_that_of_the_chunks),
		cmocka_unit_test(memory_without_a_runtime_is_not_outside_of_one),
		cmocka_unit_test(mapped_files_are_page_cache),
		cmocka_unit_test(descriptors_have_a_limit),
		cmocka_unit_test(a_file_is_reported_without_its_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
