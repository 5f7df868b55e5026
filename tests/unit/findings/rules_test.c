/* SPDX-License-Identifier: MIT */
/* The rules on hand-made evidence: for each one, evidence that has the cause, and evidence that
 * nearly has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <procmem/findings.h>

#include "support/scene.h"

static void nothing_gives_no_finding(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_HEAP, scene_flat(50 * MIB));
	scene_add_region(&scene, PM_KIND_ANON, scene_flat(40 * MIB));
	assert_null(scene_judge(&scene));
	assert_int_equal(scene.findings.count, 0);
	pm_findings_deinit(&scene.findings);
}

static void empty_evidence_gives_no_finding(void **state)
{
	(void)state;
	const struct pm_evidence evidence = { .comm = "" };
	struct pm_findings findings;

	assert_int_equal(pm_findings_make(&evidence, &findings, NULL), 0);
	assert_int_equal(findings.count, 0);
	pm_findings_deinit(&findings);
}

static void chunks_that_stay_are_a_leak(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_ARENA, scene_steady(10 * MIB, 25600))->arena = 3;
	scene_add_region(&scene, PM_KIND_HEAP, scene_flat(60 * MIB))->memory.trend.sawtooth = true;
	scene_add_chunks(&scene, 128, 200, 200)->arena = 3;
	scene_add_limit(&scene, 100 * MIB, 4000);

	const struct pm_finding *finding = scene_judge(&scene);
	assert_non_null(finding);
	assert_int_equal(finding->id, PM_FINDING_MALLOC_LEAK);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_SURE);
	assert_ptr_equal(finding->region, &scene.regions[0]);
	assert_true(finding->rate == 25600 && finding->count_rate == 200);
	assert_true(finding->time_known && finding->seconds_min == 3600);
	assert_ptr_equal(finding->limit, &scene.limits[0]);
	assert_int_equal(finding->against_count, 1);
	/* The growth of the arena is explained. */
	assert_int_equal(scene.findings.count, 1);
	pm_findings_deinit(&scene.findings);
}

static void chunks_that_are_released_are_no_leak(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_HEAP, scene_flat(60 * MIB));
	scene_add_chunks(&scene, 128, 200, 20);
	assert_null(scene_judge(&scene));
	scene_add_chunks(&scene, 64, 300, 0);
	assert_null(scene_judge(&scene));
	pm_findings_deinit(&scene.findings);
}

/** Without growth of the region, chunks fill what was free: that is possible, not sure. */
static void chunks_without_growth_are_not_sure(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_HEAP, scene_flat(60 * MIB));
	scene_add_chunks(&scene, 128, 200, 200);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);
	pm_findings_deinit(&scene.findings);
}

static void classes_of_one_structure_are_one_finding(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_HEAP, scene_steady(60 * MIB, 100000));
	scene_add_chunks(&scene, 400, 200, 200);
	scene_add_chunks(&scene, 96, 205, 205);
	scene_add_chunks(&scene, 48, 1000, 1000);

	const struct pm_finding *finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_MALLOC_LEAK);
	assert_true(finding->rate == 200.0 * 400 + 205.0 * 96);
	assert_int_equal(scene.findings.count, 2);
	assert_int_equal(scene.findings.items[1].id, PM_FINDING_MALLOC_LEAK);
	assert_true(scene.findings.items[1].rate == 1000.0 * 48);
	pm_findings_deinit(&scene.findings);
}

/** malloc takes a larger chunk if it has a free one: the class differs, the content does not. */
static void chunks_with_one_text_are_one_finding(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_HEAP, scene_steady(60 * MIB, 26880));
	scene_add_chunks(&scene, 128, 120, 120)->text = "AUDIT row=#";
	scene_add_chunks(&scene, 144, 80, 80)->text = "AUDIT row=#";

	const struct pm_finding *finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_MALLOC_LEAK);
	assert_true(finding->rate == 120 * 128 + 80 * 144 && finding->count_rate == 200);
	assert_int_equal(finding->bytes, 1000 * (128 + 144));
	assert_int_equal(scene.findings.count, 1);

	scene.chunks[1].text = "LOGIN user=#";
	scene_judge(&scene);
	assert_int_equal(scene.findings.count, 2);
	pm_findings_deinit(&scene.findings);
}

/** A few new chunks in a heap that does not grow are noise. */
static void a_few_chunks_are_noise(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_HEAP, scene_flat(60 * MIB));
	scene_add_chunks(&scene, 880, 1.2, 1.2);
	assert_null(scene_judge(&scene));

	scene.regions[0].memory = scene_steady(60 * MIB, 1056);
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_MALLOC_LEAK);
	pm_findings_deinit(&scene.findings);
}

static void large_blocks_are_reported_with_their_size(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_region *region = scene_add_region(&scene, PM_KIND_MALLOC,
	                                                     scene_steady(64 * MIB, 2 * MIB));
	region->chunk_min = region->chunk_max = MIB;

	const struct pm_finding *finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_MAPPED_CHUNKS);
	assert_true(finding->count_rate == 2);
	assert_int_equal(scene_fact(finding, PM_FACT_CHUNKS)->size, MIB);
	pm_findings_deinit(&scene.findings);
}

/** If the heap of a runtime is flat, the blocks are outside of it; if it grows, both are named. */
static void blocks_outside_of_a_runtime(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_MALLOC, scene_steady(64 * MIB, 2 * MIB));
	scene.owners[0] = (struct pm_evidence_owner){ .owner = PM_OWNER_JAVA_HEAP,
		                                      .memory = scene_flat(20 * MIB) };
	scene.evidence.owner_count = 1;
	const struct pm_finding *finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_OUTSIDE_RUNTIME);
	assert_int_equal(finding->against[0].owner, PM_OWNER_JAVA_HEAP);

	scene.owners[0].memory = scene_steady(20 * MIB, MIB);
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_MAPPED_CHUNKS);
	assert_true(scene_has(&scene, PM_FINDING_RUNTIME_GROWTH));
	pm_findings_deinit(&scene.findings);
}

static void python_objects_are_named_by_type(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_ANON, scene_steady(40 * MIB, MIB))->owner =
		PM_OWNER_PYTHON_OBJECTS;
	scene.owners[0] = (struct pm_evidence_owner){ .owner = PM_OWNER_PYTHON_OBJECTS,
		                                      .memory = scene_steady(40 * MIB, MIB) };
	scene.evidence.owner_count = 1;
	scene.types[0] = (struct pm_evidence_type){ PM_OWNER_PYTHON_OBJECTS, "shop.Order", 1000,
		                                    56000, 100 };
	scene.types[1] = (struct pm_evidence_type){ PM_OWNER_PYTHON_OBJECTS, "str", 9000, 9000, 0 };
	scene.evidence.type_count = 2;

	const struct pm_finding *finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_RUNTIME_GROWTH);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_SURE);
	assert_string_equal(scene_fact(finding, PM_FACT_TYPE)->text, "shop.Order");
	assert_int_equal(finding->fact_count, 1);
	assert_int_equal(scene.findings.count, 1);
	pm_findings_deinit(&scene.findings);
}

/** A heap with a collector grows until the next collection: its steady growth is not sure. */
static void collected_heaps_are_not_sure(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.owners[0] = (struct pm_evidence_owner){ .owner = PM_OWNER_JAVA_HEAP,
		                                      .memory = scene_steady(40 * MIB, MIB) };
	scene.evidence.owner_count = 1;
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	struct pm_trend *trend = &scene.owners[0].memory.trend;
	trend->sawtooth = trend->floor_known = true;
	trend->floor_rise = 3 * MIB;
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_LIKELY);
	pm_findings_deinit(&scene.findings);
}

static void a_growing_child_is_named(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.processes[0] = (struct pm_evidence_process){
		.pid = 4720, .comm = "worker", .child = true, .memory = scene_steady(40 * MIB, MIB)
	};
	scene.processes[1] = (struct pm_evidence_process){
		.pid = 4721, .comm = "worker", .child = true, .memory = scene_flat(40 * MIB)
	};
	scene.evidence.process_count = 2;
	scene_add_limit(&scene, 100 * MIB, 0);

	const struct pm_finding *finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_CHILD_GROWS);
	assert_int_equal(finding->pid, 4720);
	assert_int_equal(scene.findings.count, 1);
	assert_non_null(scene_fact(finding, PM_FACT_SELF_FLAT));
	/* The time is that of its own rate: 100 s, and an estimate. */
	assert_true(finding->seconds_min == 70 && finding->seconds_max == 130);
	pm_findings_deinit(&scene.findings);
}

static void files_in_a_tmpfs_are_named(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.tmpfs[0] = (struct pm_evidence_tmpfs){ .path = "/dev/shm/spool/",
		                                     .files = 812,
		                                     .charged = true,
		                                     .bytes = scene_steady(290 * MIB, 210000) };
	scene.parts[0] = (struct pm_evidence_part){ PM_CGROUP_SHMEM,
		                                    scene_steady(300 * MIB, 212000) };
	scene.evidence.tmpfs_count = scene.evidence.part_count = 1;
	const struct pm_finding *finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_TMPFS);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_SURE);
	assert_int_equal(scene_fact(finding, PM_FACT_FILES)->count, 812);

	/* Without a limit of the cgroup, files of others matter if they soon fill the machine. */
	scene.evidence.part_count = 0;
	scene_add_limit(&scene, UINT64_C(1) << 40, 0);
	scene.limits[0].limit.kind = PM_LIMIT_SYSTEM;
	assert_null(scene_judge(&scene));
	scene.limits[0].limit.max = 101 * MIB;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_TMPFS);

	scene.tmpfs[0].charged = false;
	assert_null(scene_judge(&scene));
	pm_findings_deinit(&scene.findings);
}

static void shared_files_need_a_foreign_writer(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_SHM, scene_steady(40 * MIB, MIB));
	scene.shared[0] = (struct pm_evidence_shared){ .name = "/dev/shm/ring",
		                                       .start = scene.regions[0].start,
		                                       .writer = 4712,
		                                       .writer_name = "feeder",
		                                       .length = scene_steady(40 * MIB, MIB) };
	scene.evidence.shared_count = 1;
	const struct pm_finding *finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_SHARED_FILE);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_SURE);
	assert_int_equal(scene.findings.count, 1);

	scene.shared[0].writer = 0;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_GROWTH);
	scene.shared[0].nameless = true;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_NAMELESS_FILE);
	pm_findings_deinit(&scene.findings);
}

static void page_cache_is_harmless(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.parts[0] = (struct pm_evidence_part){ PM_CGROUP_FILE_INACTIVE,
		                                    scene_steady(300 * MIB, 5 * MIB) };
	scene.evidence.part_count = 1;
	assert_null(scene_judge(&scene));
	assert_true(scene_has(&scene, PM_FINDING_PAGE_CACHE));
	pm_findings_deinit(&scene.findings);
}

static void memory_of_the_kernel_is_not_harmless(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.parts[0] = (struct pm_evidence_part){ PM_CGROUP_SOCKETS,
		                                    scene_steady(30 * MIB, MIB) };
	scene.evidence.part_count = 1;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_KERNEL_MEMORY);
	scene.parts[0].part = PM_CGROUP_SLAB_RECLAIMABLE;
	assert_null(scene_judge(&scene));
	pm_findings_deinit(&scene.findings);
}

/** New threads bring mappings and chunks: these are not findings of their own. */
static void threads_explain_mappings_and_chunks(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.evidence.numbers[PM_EVIDENCE_THREADS] = scene_steady(200, 5);
	scene.evidence.numbers[PM_EVIDENCE_MAPPINGS] = scene_steady(400, 10);
	scene_add_region(&scene, PM_KIND_HEAP, scene_steady(10 * MIB, 1440));
	scene_add_chunks(&scene, 288, 5, 5);
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_THREADS);
	assert_int_equal(scene.findings.items[0].count, 200);
	assert_false(scene_has(&scene, PM_FINDING_MAPPINGS));
	assert_false(scene_has(&scene, PM_FINDING_MALLOC_LEAK));

	scene.evidence.numbers[PM_EVIDENCE_THREADS] = scene_flat(200);
	assert_non_null(scene_judge(&scene));
	assert_true(scene_has(&scene, PM_FINDING_MAPPINGS) &&
	            scene_has(&scene, PM_FINDING_MALLOC_LEAK));
	pm_findings_deinit(&scene.findings);
}

static void free_memory_in_arenas_is_reported_once_nothing_grows(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.arenas[0] = (struct pm_evidence_arena){ .main = true,
		                                      .complete = true,
		                                      .system = 80 * MIB,
		                                      .in_use = 10 * MIB,
		                                      .free = 70 * MIB,
		                                      .free_always = 70 * MIB,
		                                      .trimmable = 60 * MIB,
		                                      .thread_name = "",
		                                      .use_trend = scene_flat(10 * MIB) };
	scene.evidence.arena_count = 1;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_ARENA_RETENTION);
	scene.arenas[0].use_trend = scene_steady(10 * MIB, MIB);
	assert_null(scene_judge(&scene));
	scene.arenas[0].use_trend = scene_flat(10 * MIB);
	scene.arenas[0].free_always = 10 * MIB;
	assert_null(scene_judge(&scene));
	pm_findings_deinit(&scene.findings);
}

static void a_reserve_has_an_end(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_region *region = scene_add_region(&scene, PM_KIND_ANON,
	                                                     scene_steady(40 * MIB, MIB));
	region->reserve = 60 * MIB;
	region->length = scene_steady(40 * MIB, MIB);
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_RESERVE);
	assert_true(scene.findings.items[0].seconds_min == 60);

	region->owner = PM_OWNER_JAVA_HEAP;
	scene_judge(&scene);
	assert_false(scene_has(&scene, PM_FINDING_RESERVE));

	/* Some KiB are what a runtime keeps about its heap. */
	region->owner = PM_OWNER_UNKNOWN;
	region->length = scene_steady(MIB / 8, 4096);
	region->reserve = MIB / 32;
	scene_judge(&scene);
	assert_false(scene_has(&scene, PM_FINDING_RESERVE));
	pm_findings_deinit(&scene.findings);
}

static void a_plateau_is_harmless(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.evidence.kept = scene_flat(90 * MIB);
	scene.evidence.kept.first = 20 * MIB;
	scene.evidence.kept.trend.verdict = PM_VERDICT_PLATEAU;
	assert_null(scene_judge(&scene));
	assert_true(scene_has(&scene, PM_FINDING_PLATEAU));

	/* What rises and falls around a level has not stopped. */
	scene.evidence.kept.trend.sawtooth = true;
	assert_null(scene_judge(&scene));
	assert_int_equal(scene.findings.count, 0);
	pm_findings_deinit(&scene.findings);
}

/** malloc maps the first blocks separately, and takes the next ones from its heap. */
static void growth_that_moves_between_regions(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_MALLOC, scene_flat(50 * MIB));
	scene_add_region(&scene, PM_KIND_HEAP, scene_flat(30 * MIB));
	scene.evidence.kept = scene_steady(90 * MIB, MIB);
	scene_add_owner(&scene, PM_OWNER_MALLOC, scene_steady(80 * MIB, MIB));
	const struct pm_finding *finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_GROWTH);
	assert_int_equal(finding->owner, PM_OWNER_MALLOC);
	assert_true(finding->rate == MIB && scene.findings.count == 1);

	scene_add_owner(&scene, PM_OWNER_V8_HEAP, scene_flat(10 * MIB));
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_OUTSIDE_RUNTIME);

	/* A region explains it. */
	scene.regions[1].memory = scene_steady(30 * MIB, MIB);
	scene_judge(&scene);
	assert_int_equal(scene.findings.count, 1);
	assert_ptr_equal(scene.findings.items[0].region, &scene.regions[1]);
	pm_findings_deinit(&scene.findings);
}

/** Variables of a program can grow only until all their pages are used. */
static void variables_have_an_end(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_BSS, scene_steady(40 * MIB, MIB))->size = 70 * MIB;
	assert_null(scene_judge(&scene));
	assert_int_equal(scene.findings.items[0].id, PM_FINDING_GROWTH);
	assert_true(scene.findings.items[0].seconds_min == 30);

	/* The cgroup is full before. */
	scene_add_limit(&scene, 20 * MIB, 0);
	assert_non_null(scene_judge(&scene));
	pm_findings_deinit(&scene.findings);
}

/** A sawtooth with a flat floor is not growth; one whose floor rises is. */
static void the_floor_of_a_sawtooth_decides(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_region *region = scene_add_region(&scene, PM_KIND_HEAP,
	                                                     scene_flat(40 * MIB));
	struct pm_trend *trend = &region->memory.trend;
	*trend = (struct pm_trend){ .verdict = PM_VERDICT_PLATEAU,
		                    .sawtooth = true,
		                    .floor_known = true,
		                    .swing = 20 * MIB };
	assert_null(scene_judge(&scene));

	trend->verdict = PM_VERDICT_STEADY;
	trend->rate = 50000;
	trend->floor_rise = 2 * MIB;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_RISING_FLOOR);
	assert_int_equal(scene.findings.items[0].confidence, PM_CONFIDENCE_LIKELY);

	/* It rises as much as the memory falls, but not steadily: 12 MiB in the half of 30 s. */
	*trend = (struct pm_trend){ .verdict = PM_VERDICT_UNEVEN,
		                    .sawtooth = true,
		                    .floor_known = true,
		                    .swing = 20 * MIB,
		                    .floor_rise = 12 * MIB };
	const struct pm_finding *finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_RISING_FLOOR);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_POSSIBLE);
	assert_true(finding->estimate && finding->rate == 12 * MIB / 15.0);
	trend->floor_rise = 5 * MIB;
	assert_null(scene_judge(&scene));
	trend->floor_rise = 12 * MIB;
	scene.evidence.samples = 11;
	assert_null(scene_judge(&scene));
	pm_findings_deinit(&scene.findings);
}

/** What grows weighs more than what is only large, and what ends soon more than what ends late. */
static void what_ends_soon_comes_first(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_region(&scene, PM_KIND_ANON, scene_steady(40 * MIB, 100000));
	scene_add_region(&scene, PM_KIND_ANON, scene_steady(10 * MIB, 2000000))->locked = 90 * MIB;
	scene_add_limit(&scene, 100 * MIB, 60);
	scene_judge(&scene);
	assert_int_equal(scene.findings.count, 3);
	assert_ptr_equal(scene.findings.items[0].region, &scene.regions[1]);
	assert_ptr_equal(scene.findings.items[1].region, &scene.regions[0]);
	assert_int_equal(scene.findings.items[2].id, PM_FINDING_LOCKED);
	pm_findings_deinit(&scene.findings);
}

static void names_are_unique(void **state)
{
	(void)state;

	for (unsigned i = 0; i < PM_FINDING_COUNT; i++) {
		assert_true(*pm_finding_name((enum pm_finding_id)i) != '\0');
		for (unsigned other = 0; other < i; other++)
			assert_string_not_equal(pm_finding_name((enum pm_finding_id)i),
			                        pm_finding_name((enum pm_finding_id)other));
	}
	assert_string_equal(pm_finding_name(PM_FINDING_COUNT), "");
	assert_string_equal(pm_confidence_name(PM_CONFIDENCE_SURE), "sure");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_gives_no_finding),
		cmocka_unit_test(empty_evidence_gives_no_finding),
		cmocka_unit_test(chunks_that_stay_are_a_leak),
		cmocka_unit_test(chunks_that_are_released_are_no_leak),
		cmocka_unit_test(chunks_without_growth_are_not_sure),
		cmocka_unit_test(classes_of_one_structure_are_one_finding),
		cmocka_unit_test(chunks_with_one_text_are_one_finding),
		cmocka_unit_test(a_few_chunks_are_noise),
		cmocka_unit_test(large_blocks_are_reported_with_their_size),
		cmocka_unit_test(blocks_outside_of_a_runtime),
		cmocka_unit_test(python_objects_are_named_by_type),
		cmocka_unit_test(collected_heaps_are_not_sure),
		cmocka_unit_test(a_growing_child_is_named),
		cmocka_unit_test(files_in_a_tmpfs_are_named),
		cmocka_unit_test(shared_files_need_a_foreign_writer),
		cmocka_unit_test(page_cache_is_harmless),
		cmocka_unit_test(memory_of_the_kernel_is_not_harmless),
		cmocka_unit_test(threads_explain_mappings_and_chunks),
		cmocka_unit_test(free_memory_in_arenas_is_reported_once_nothing_grows),
		cmocka_unit_test(a_reserve_has_an_end),
		cmocka_unit_test(a_plateau_is_harmless),
		cmocka_unit_test(growth_that_moves_between_regions),
		cmocka_unit_test(variables_have_an_end),
		cmocka_unit_test(the_floor_of_a_sawtooth_decides),
		cmocka_unit_test(what_ends_soon_comes_first),
		cmocka_unit_test(names_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
