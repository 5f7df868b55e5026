/* SPDX-License-Identifier: MIT */
/* Evidence that looks like a cause, and is explained by another one: it is not claimed, or not
 * claimed twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <procmem/findings.h>

enum { MIB = 1 << 20 };

/** Evidence with one or two items of each sort that is needed here. */
struct scene {
	struct pm_evidence evidence;
	struct pm_evidence_region region;
	struct pm_evidence_chunks chunks;
	struct pm_evidence_owner owner;
	struct pm_evidence_arena arena;
	struct pm_evidence_shared shared;
	struct pm_evidence_tmpfs tmpfs;
	struct pm_findings findings;
};

static struct pm_evidence_trend flat(uint64_t bytes)
{
	return (struct pm_evidence_trend){ .known = true,
		                           .first = bytes,
		                           .last = bytes,
		                           .trend = { .verdict = PM_VERDICT_NO_GROWTH } };
}

static struct pm_evidence_trend steady(uint64_t bytes, double rate)
{
	return (struct pm_evidence_trend){ .known = true,
		                           .last = bytes,
		                           .trend = { .verdict = PM_VERDICT_STEADY,
		                                      .rate = rate } };
}

static struct pm_evidence_trend steps(uint64_t bytes, double rate)
{
	return (struct pm_evidence_trend){
		.known = true,
		.last = bytes,
		.trend = { .verdict = PM_VERDICT_STEPS, .estimate = true, .estimated_rate = rate }
	};
}

/** A brk heap that grows by the chunks of one size. */
static void scene_init(struct scene *scene)
{
	*scene = (struct scene){
		.region = { .start = 0x550000000000,
		            .end = 0x550000000000 + 100 * MIB,
		            .kind = PM_KIND_HEAP,
		            .owner = PM_OWNER_MALLOC,
		            .mapping = "[heap]",
		            .thread_name = "",
		            .memory = steady(90 * MIB, 128 * 200),
		            .count = flat(1) },
		.chunks = { .size = 128,
		            .count = 1000,
		            .bytes = 128000,
		            .growth_known = true,
		            .rate = 200,
		            .net_rate = 200,
		            .certain = true,
		            .type = "",
		            .text = "",
		            .module = "" },
		.evidence = { .pid = 4711,
		              .comm = "target",
		              .seconds = 30,
		              .samples = 31,
		              .memory = flat(100 * MIB),
		              .kept = flat(90 * MIB),
		              .region_count = 1,
		              .chunk_count = 1 },
	};
	scene->evidence.regions = &scene->region;
	scene->evidence.chunks = &scene->chunks;
	scene->evidence.owners = &scene->owner;
	scene->evidence.arenas = &scene->arena;
	scene->evidence.shared = &scene->shared;
	scene->evidence.tmpfs = &scene->tmpfs;
}

/** Makes the findings, and returns the first; NULL if there is none that is not harmless. */
static const struct pm_finding *judge(struct scene *scene)
{
	pm_findings_deinit(&scene->findings);
	assert_int_equal(pm_findings_make(&scene->evidence, &scene->findings, NULL), 0);
	if (scene->findings.count == 0 || scene->findings.items[0].harmless)
		return NULL;
	return &scene->findings.items[0];
}

static void a_short_observation_is_not_sure(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	assert_int_equal(judge(&scene)->confidence, PM_CONFIDENCE_SURE);
	scene.evidence.seconds = 6;
	assert_int_equal(judge(&scene)->id, PM_FINDING_MALLOC_LEAK);
	assert_int_equal(judge(&scene)->confidence, PM_CONFIDENCE_LIKELY);
	pm_findings_deinit(&scene.findings);
}

static void chunks_of_a_peak_are_no_leak(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.region.memory = flat(90 * MIB);
	scene.region.memory.trend.verdict = PM_VERDICT_PLATEAU;
	scene.region.memory.trend.sawtooth = true;
	scene.region.memory.trend.swing = 90 * MIB;
	scene.chunks.size = 32768;
	assert_null(judge(&scene));

	/* A slow leak is lost in the noise of its region, but its chunks show it. */
	scene.chunks.size = 128;
	assert_int_equal(judge(&scene)->id, PM_FINDING_MALLOC_LEAK);
	assert_int_equal(judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	/* All were allocated in the first half of the time. */
	scene.chunks.rate = 2 * scene.chunks.net_rate;
	assert_null(judge(&scene));
	pm_findings_deinit(&scene.findings);
}

static void growth_in_steps_is_that_of_the_chunks(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.region.memory = steps(90 * MIB, 128 * 200);
	assert_int_equal(judge(&scene)->id, PM_FINDING_MALLOC_LEAK);
	assert_int_equal(scene.findings.count, 1);
	assert_ptr_equal(scene.findings.items[0].region, &scene.region);
	assert_int_equal(scene.findings.items[0].confidence, PM_CONFIDENCE_POSSIBLE);

	/* One for each new thread */
	scene.evidence.numbers[PM_EVIDENCE_THREADS] = steady(500, 200);
	assert_int_equal(judge(&scene)->id, PM_FINDING_THREADS);
	assert_int_equal(scene.findings.count, 1);
	pm_findings_deinit(&scene.findings);
}

static void memory_without_a_runtime_is_not_outside_of_one(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.evidence.chunk_count = 0;
	scene.region.kind = PM_KIND_MALLOC;
	scene.owner = (struct pm_evidence_owner){ .owner = PM_OWNER_UNKNOWN,
		                                  .memory = flat(10 * MIB) };
	scene.evidence.owner_count = 1;
	assert_int_equal(judge(&scene)->id, PM_FINDING_MAPPED_CHUNKS);
	scene.owner.owner = PM_OWNER_JAVA_HEAP;
	assert_int_equal(judge(&scene)->id, PM_FINDING_OUTSIDE_RUNTIME);
	pm_findings_deinit(&scene.findings);
}

static void mapped_files_are_page_cache(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.evidence.chunk_count = 0;
	scene.region.kind = PM_KIND_FILE;
	scene.region.owner = PM_OWNER_FILE;
	scene.region.mapping = "/data/index";
	scene.region.memory = steady(90 * MIB, MIB);
	assert_null(judge(&scene));
	assert_int_equal(scene.findings.count, 1);
	assert_int_equal(scene.findings.items[0].id, PM_FINDING_PAGE_CACHE);

	/* Pages of a private mapping that are written are kept. */
	scene.evidence.kept = steady(90 * MIB, MIB);
	assert_int_equal(judge(&scene)->id, PM_FINDING_GROWTH);
	pm_findings_deinit(&scene.findings);
}

static void descriptors_have_a_limit(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.evidence.chunk_count = scene.evidence.region_count = 0;
	scene.evidence.numbers[PM_EVIDENCE_DESCRIPTORS] = steady(200, 10);
	assert_int_equal(judge(&scene)->id, PM_FINDING_DESCRIPTORS);
	assert_false(scene.findings.items[0].time_known);
	scene.evidence.descriptors_max = 1000;
	assert_true(judge(&scene)->time_known);
	assert_int_equal(scene.findings.items[0].count_max, 1000);
	assert_true(scene.findings.items[0].seconds_min == 80);
	pm_findings_deinit(&scene.findings);
}

static void a_file_is_reported_without_its_directory(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.evidence.chunk_count = 0;
	scene.region.kind = PM_KIND_SHM;
	scene.region.memory = scene.region.length = steady(40 * MIB, MIB);
	scene.region.reserve = 100 * MIB;
	scene.shared = (struct pm_evidence_shared){ .name = "/dev/shm/queue/ring",
		                                    .start = scene.region.start,
		                                    .writer = 4712,
		                                    .writer_name = "feeder",
		                                    .length = steady(40 * MIB, MIB) };
	scene.tmpfs = (struct pm_evidence_tmpfs){ .path = "/dev/shm/queue/",
		                                  .files = 1,
		                                  .charged = true,
		                                  .bytes = steady(40 * MIB, MIB) };
	scene.evidence.shared_count = scene.evidence.tmpfs_count = 1;
	assert_int_equal(judge(&scene)->id, PM_FINDING_SHARED_FILE);
	assert_int_equal(scene.findings.count, 1);
	assert_true(scene.findings.items[0].time_known);
	assert_true(scene.findings.items[0].seconds_min == 100);

	/* Other files of the directory grow, too. */
	scene.tmpfs.bytes = steady(40 * MIB, 4 * MIB);
	assert_non_null(judge(&scene));
	assert_int_equal(scene.findings.count, 2);
	pm_findings_deinit(&scene.findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_observation_is_not_sure),
		cmocka_unit_test(chunks_of_a_peak_are_no_leak),
		cmocka_unit_test(growth_in_steps_is_that_of_the_chunks),
		cmocka_unit_test(memory_without_a_runtime_is_not_outside_of_one),
		cmocka_unit_test(mapped_files_are_page_cache),
		cmocka_unit_test(descriptors_have_a_limit),
		cmocka_unit_test(a_file_is_reported_without_its_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
