/* SPDX-License-Identifier: MIT */
/* The rules about runtimes on hand-made evidence: healthy heaps, and those that are full or grow;
 * and memory that has an end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <procmem/findings.h>

#include "support/scene.h"

/** Tests whether a time is in the range of a finding, and the range is not too wide. */
static void assert_time(const struct pm_finding *finding, double seconds)
{
	assert_true(finding->time_known);
	assert_true(finding->seconds_min <= seconds && seconds <= finding->seconds_max);
	assert_true(finding->seconds_max <= (finding->estimate ? 1.9 : 1.5) * finding->seconds_min);
}

/** A heap that grows, but was not collected as a whole, has no leak that is known. */
static void growth_between_collections_is_harmless(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_owner *heap = scene_add_owner(&scene, PM_OWNER_JAVA_HEAP,
	                                                 scene_steady(60 * MIB, MIB));
	heap->used = scene_steady(40 * MIB, MIB);
	heap->used_max = 100 * MIB;
	heap->collections = scene_counted(10, 20);
	heap->old_collections = scene_counted(0, 0);
	scene_add_limit_of(&scene, PM_LIMIT_JAVA_HEAP, 100 * MIB, 40 * MIB);
	assert_null(scene_judge(&scene));
	assert_int_equal(scene.findings.count, 1);
	assert_int_equal(scene.findings.items[0].id, PM_FINDING_RUNTIME_GROWTH);
	assert_true(scene.findings.items[0].harmless);

	/* Collections of old objects have not made it smaller: it is live. */
	heap->old_collections = scene_counted(0, 2);
	const struct pm_finding *finding = scene_judge(&scene);
	assert_non_null(finding);
	assert_int_equal(finding->id, PM_FINDING_RUNTIME_GROWTH);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_LIKELY);
	assert_int_equal(finding->limit->limit.kind, PM_LIMIT_JAVA_HEAP);
	assert_time(finding, 60);

	/* It is known only after each of them: it grows in steps. */
	heap->used = scene_steps(40 * MIB, MIB);
	assert_time(scene_judge(&scene), 60);

	/* Small steps are usual. */
	heap->used.first = heap->used.last - MIB / 4;
	assert_null(scene_judge(&scene));

	/* G1 uses new pages while there is garbage: its memory grows, and its objects do not. */
	heap->used = scene_flat(40 * MIB);
	heap->memory = scene_steps(60 * MIB, MIB);
	scene.evidence.kept = scene_steady(90 * MIB, MIB);
	assert_null(scene_judge(&scene));
	scene.evidence.kept = scene_flat(90 * MIB);

	/* The heap of Java is mapped at the start: its memory says nothing. */
	heap->used = scene_flat(40 * MIB);
	heap->memory = scene_flat(100 * MIB);
	assert_null(scene_judge(&scene));
	pm_findings_deinit(&scene.findings);
}

static void old_objects_fill_the_heap(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_owner *heap = scene_add_owner(&scene, PM_OWNER_JAVA_HEAP,
	                                                 scene_flat(64 * MIB));
	heap->used = scene_flat(60 * MIB);
	heap->used_max = 64 * MIB;
	heap->collections = scene_counted(10, 20);
	heap->old_collections = scene_counted(1, 3);
	scene_add_limit_of(&scene, PM_LIMIT_JAVA_HEAP, 64 * MIB, 62 * MIB);
	const struct pm_finding *finding = scene_judge(&scene);
	assert_non_null(finding);
	assert_int_equal(finding->id, PM_FINDING_RUNTIME_HEAP);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_LIKELY);
	assert_false(finding->time_known);

	/* Without a collection of old objects, they can be garbage. */
	heap->old_collections = scene_counted(1, 1);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	/* A heap that is filled with young objects is normal. */
	heap->used = scene_flat(20 * MIB);
	assert_null(scene_judge(&scene));
	pm_findings_deinit(&scene.findings);
}

/** V8 shows no collections: its growth is possible if its maximum is near. */
static void the_old_space_of_v8_has_garbage(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_owner *heap = scene_add_owner(&scene, PM_OWNER_V8_HEAP,
	                                                 scene_flat(60 * MIB));
	heap->used = scene_steady(30 * MIB, 0);
	heap->used.trend = (struct pm_trend){ .verdict = PM_VERDICT_STEPS,
		                              .estimate = true,
		                              .estimated_rate = MIB / 2.0 };
	heap->used_max = UINT64_C(4096) * MIB;
	scene_add_limit_of(&scene, PM_LIMIT_V8_OLD_SPACE, heap->used_max, 30 * MIB);
	assert_null(scene_judge(&scene));

	heap->used_max = scene.limits[0].limit.max = 64 * MIB;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_RUNTIME_GROWTH);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	scene.limits[0].limit.used = 62 * MIB;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_RUNTIME_HEAP);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);
	pm_findings_deinit(&scene.findings);
}

/** The limit of Go is soft: a full heap is normal, but not if collections follow each other. */
static void the_limit_of_go_is_soft(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_owner *heap = scene_add_owner(&scene, PM_OWNER_GO_HEAP,
	                                                 scene_flat(95 * MIB));
	heap->used = scene_flat(95 * MIB);
	heap->collections = scene_counted(100, 104);
	scene_add_limit_of(&scene, PM_LIMIT_GO_MEMORY, 100 * MIB, 99 * MIB);
	assert_null(scene_judge(&scene));

	heap->collections = scene_counted(100, 400);
	assert_non_null(scene_judge(&scene));
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_RUNTIME_HEAP);
	pm_findings_deinit(&scene.findings);
}

/** Go tells what its collections leave. */
static void go_tells_what_is_live(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_owner *heap = scene_add_owner(&scene, PM_OWNER_GO_HEAP,
	                                                 scene_steady(90 * MIB, MIB));
	heap->used = scene_steady(80 * MIB, MIB);
	heap->collections = scene_counted(7, 7);
	heap->live = scene_flat(40 * MIB);
	assert_null(scene_judge(&scene));
	assert_int_equal(scene.findings.count, 1);

	/* Each collection leaves the same. */
	heap->collections = scene_counted(7, 12);
	assert_null(scene_judge(&scene));

	/* One has left more than the one before. */
	heap->collections = scene_counted(7, 8);
	heap->live = scene_steps(60 * MIB, MIB);
	heap->live.first = 40 * MIB;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_RUNTIME_GROWTH);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	heap->collections = scene_counted(7, 9);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_LIKELY);

	/* It rises under garbage that comes and goes. */
	heap->used = scene_flat(80 * MIB);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);
	assert_true(scene_judge(&scene)->rate == MIB);
	pm_findings_deinit(&scene.findings);
}

/** Growth that can be garbage, and that ends the process soon, is not left out. */
static void growth_that_ends_soon_is_possible(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_owner *heap = scene_add_owner(&scene, PM_OWNER_GO_HEAP,
	                                                 scene_steady(90 * MIB, MIB));
	heap->used = scene_steady(80 * MIB, MIB);
	heap->collections = scene_counted(7, 7);
	scene_add_limit(&scene, 300 * MIB, 300);
	assert_null(scene_judge(&scene));

	scene.limits[0].limit.used = scene.limits[0].limit.max - 30 * MIB;
	assert_non_null(scene_judge(&scene));
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);
	pm_findings_deinit(&scene.findings);
}

/** V8 shows no collections: a heap that doubles and never becomes smaller was collected. */
static void a_heap_of_v8_that_doubles_is_live(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_owner *heap = scene_add_owner(&scene, PM_OWNER_V8_HEAP,
	                                                 scene_steady(450 * MIB, MIB));
	heap->used = scene_steady(400 * MIB, MIB);
	heap->used_max = UINT64_C(4096) * MIB;
	scene_add_limit_of(&scene, PM_LIMIT_V8_OLD_SPACE, heap->used_max, 400 * MIB);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_LIKELY);

	heap->used.first = 300 * MIB;
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	/* A large heap that grows in steps ends in less than an hour. */
	heap->used = scene_steps(1600 * MIB, MIB);
	heap->used.first = 1570 * MIB;
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	heap->used = scene_steps(400 * MIB, MIB);
	heap->used.first = 370 * MIB;
	assert_null(scene_judge(&scene));

	/* Each fall leaves more. */
	heap->used.trend.sawtooth = heap->used.trend.floor_known = true;
	heap->used.trend.floor_rise = heap->used.trend.swing = 10.0 * MIB;
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);
	heap->used.trend.floor_rise = 3.0 * MIB;
	assert_null(scene_judge(&scene));
	pm_findings_deinit(&scene.findings);
}

/** Buffers of which a collection has released some can all be garbage. */
static void buffers_that_are_released_are_possible(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_owner(&scene, PM_OWNER_V8_HEAP, scene_flat(20 * MIB));
	scene_add_region(&scene, PM_KIND_HEAP, scene_steady(50 * MIB, MIB));
	scene_add_chunks(&scene, 256 << 10, 4, 4);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_LIKELY);

	scene.chunks[0].rate = 5.5;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_MALLOC_LEAK);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	/* They do not grow steadily. */
	scene.chunks[0].rate = 4;
	scene.regions[0].memory = scene_steps(50 * MIB, MIB);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);
	pm_findings_deinit(&scene.findings);
}

/** What grows much faster than the heap of the runtime is outside of it. */
static void growth_beside_a_slow_heap_is_outside(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_owner(&scene, PM_OWNER_V8_HEAP, scene_steady(20 * MIB, MIB / 20.0));
	scene_add_region(&scene, PM_KIND_MALLOC, scene_steady(50 * MIB, MIB));
	scene.regions[0].owner = PM_OWNER_MALLOC;
	scene.regions[0].kind = PM_KIND_ANON;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_OUTSIDE_RUNTIME);

	scene.owners[0].memory = scene_steady(20 * MIB, MIB / 2.0);
	scene_judge(&scene);
	assert_false(scene_has(&scene, PM_FINDING_OUTSIDE_RUNTIME));
	pm_findings_deinit(&scene.findings);
}

/** The tables of a collector grow with its heap: they are no growth of their own. */
static void tables_of_a_collector_are_not_reported(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_owner(&scene, PM_OWNER_GO_HEAP, scene_steady(90 * MIB, 4.0 * MIB));
	scene_add_region(&scene, PM_KIND_ANON, scene_steady(8 * MIB, MIB / 5.0));
	scene.regions[0].owner = PM_OWNER_UNKNOWN;
	scene_judge(&scene);
	assert_false(scene_has(&scene, PM_FINDING_GROWTH));

	scene.regions[0].owner = PM_OWNER_GO_INTERNAL;
	scene_judge(&scene);
	assert_false(scene_has(&scene, PM_FINDING_GROWTH));

	scene.regions[0].memory = scene_steady(8 * MIB, MIB);
	scene_judge(&scene);
	assert_true(scene_has(&scene, PM_FINDING_GROWTH));
	pm_findings_deinit(&scene.findings);
}

static void direct_buffers_fill_their_limit(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_owner(&scene, PM_OWNER_JAVA_HEAP, scene_flat(20 * MIB));
	scene_add_region(&scene, PM_KIND_MALLOC, scene_steady(40 * MIB, MIB));
	scene_add_limit_of(&scene, PM_LIMIT_JAVA_DIRECT, 100 * MIB, 40 * MIB);
	const struct pm_finding *finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_JAVA_DIRECT);
	assert_int_equal(finding->limit->limit.kind, PM_LIMIT_JAVA_DIRECT);
	assert_true(finding->rate == MIB);
	assert_time(finding, 60);
	assert_int_equal(scene.findings.count, 1);

	/* The used part is that of all large blocks: they can be those of native code. */
	scene.limits[0].limit.approximate = true;
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	/* Buffers that malloc does not map separately are chunks. */
	scene.regions[0].kind = PM_KIND_ARENA;
	scene_add_chunks(&scene, 64 << 10, 16, 16);
	finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_JAVA_DIRECT);
	assert_time(finding, 60);
	assert_int_equal(scene.findings.count, 1);

	/* Four threads have their buffers in four arenas: one finding, with the texts in them. */
	scene.chunks[0].text = "upload=#";
	for (int i = 0; i < 3; i++)
		scene_add_region(&scene, PM_KIND_ARENA, scene_steady(10 * MIB, MIB / 4.0));
	scene.regions[0].memory = scene_steady(10 * MIB, MIB / 4.0);
	finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_JAVA_DIRECT);
	assert_int_equal(finding->facts[0].id, PM_FACT_CHUNKS);
	assert_int_equal(finding->facts[1].id, PM_FACT_TEXT);
	assert_int_equal(scene.findings.count, 1);

	/* What other memory of malloc grows is reported if it grows faster. */
	scene.regions[1].memory = scene_steady(50 * MIB, 5.0 * MIB);
	scene_judge(&scene);
	assert_true(scene.findings.count > 1);
	scene.evidence.region_count = 1;
	scene.regions[0].memory = scene_steady(40 * MIB, MIB);

	/* Small chunks are not direct buffers. */
	scene.chunks[0].size = 128;
	scene.chunks[0].net_rate = scene.chunks[0].rate = 8192;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_MALLOC_LEAK);

	/* Neither are a few blocks of the compilers of the JVM. */
	scene.chunks[0].size = 32 << 10;
	scene.chunks[0].net_rate = scene.chunks[0].rate = 0.1;
	scene.regions[0].memory = scene_flat(40 * MIB);
	assert_null(scene_judge(&scene));

	/* Without growth, they are worth a finding if little is left. */
	scene.limits[0].limit.used = 95 * MIB;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_JAVA_DIRECT);
	pm_findings_deinit(&scene.findings);
}

/** Classes and code grow during the start of a program. */
static void classes_pile_up_after_the_start(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene_add_owner(&scene, PM_OWNER_JAVA_METASPACE, scene_steady(30 * MIB, MIB));
	struct pm_evidence_owner *code = scene_add_owner(&scene, PM_OWNER_JAVA_CODE,
	                                                 scene_steady(10 * MIB, MIB));
	scene_add_limit_of(&scene, PM_LIMIT_JAVA_METASPACE, 90 * MIB, 30 * MIB);
	scene_add_limit_of(&scene, PM_LIMIT_JAVA_CODE, 240 * MIB, 10 * MIB);
	assert_null(scene_judge(&scene));

	/* Some code for classes that pile up is not a start. */
	code->memory = scene_steady(MIB, 4096);
	const struct pm_finding *finding = scene_judge(&scene);
	assert_non_null(finding);
	assert_int_equal(finding->id, PM_FINDING_JAVA_METASPACE);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_LIKELY);

	code->memory = scene_flat(10 * MIB);
	finding = scene_judge(&scene);
	assert_non_null(finding);
	assert_int_equal(finding->id, PM_FINDING_JAVA_METASPACE);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_LIKELY);
	assert_time(finding, 60);
	scene.owners[0].memory = scene_steps(30 * MIB, MIB);
	assert_int_equal(scene_judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	/* A full code cache matters more than slow growth, even if it is small. */
	code->memory = scene_flat(MIB);
	scene.owners[0].memory = scene_steps(30 * MIB, 2000);
	scene.limits[1].limit.used = 239 * MIB;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_JAVA_CODE);
	assert_int_equal(scene.findings.count, 2);
	scene.limits[1].limit.used = 10 * MIB;

	scene.owners[0].memory = scene_flat(30 * MIB);
	assert_null(scene_judge(&scene));
	scene.limits[1].limit.used = 230 * MIB;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_JAVA_CODE);
	pm_findings_deinit(&scene.findings);
}

/** Shared memory whose length does not change fills up, and then grows no more. */
static void memory_of_a_fixed_length_is_harmless(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.shared[0] = (struct pm_evidence_shared){ .name = "/dev/zero",
		                                       .nameless = true,
		                                       .writer = 4712,
		                                       .writer_name = "worker",
		                                       .size = 100 * MIB,
		                                       .length = scene_steady(40 * MIB, MIB) };
	scene.evidence.shared_count = 1;
	scene_add_limit_of(&scene, PM_LIMIT_SYSTEM, UINT64_C(1024) * MIB, 0);
	assert_null(scene_judge(&scene));
	assert_int_equal(scene.findings.count, 1);
	assert_true(scene.findings.items[0].seconds_min == 60);

	/* A limit that is reached before it is full matters. */
	scene.limits[0].limit.max = 50 * MIB;
	const struct pm_finding *finding = scene_judge(&scene);
	assert_non_null(finding);
	assert_true(finding->seconds_min < 50 && finding->seconds_max > 50);
	pm_findings_deinit(&scene.findings);
}

/** If others use up the memory of the machine, the time until then is not that of the finding. */
static void others_use_up_the_machine(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.shared[0] = (struct pm_evidence_shared){ .name = "/dev/shm/ring",
		                                       .writer = 4712,
		                                       .writer_name = "feeder",
		                                       .length = scene_steady(40 * MIB, MIB) };
	scene.evidence.shared_count = 1;
	struct pm_evidence_limit *machine = scene_add_limit_of(&scene, PM_LIMIT_SYSTEM,
	                                                       UINT64_C(1000) * MIB, 0);
	machine->time_known = true;
	machine->seconds_min = machine->seconds_max = 20;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_SHARED_FILE);
	assert_true(scene_judge(&scene)->seconds_min > 500);

	machine->seconds_min = machine->seconds_max = 900;
	assert_true(scene_judge(&scene)->seconds_min == 900);

	/* The forecast does not know this growth: it needs 1000 s. */
	machine->seconds_min = machine->seconds_max = 90000;
	assert_true(scene_judge(&scene)->seconds_min == 700);
	pm_findings_deinit(&scene.findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growth_between_collections_is_harmless),
		cmocka_unit_test(old_objects_fill_the_heap),
		cmocka_unit_test(the_old_space_of_v8_has_garbage),
		cmocka_unit_test(the_limit_of_go_is_soft),
		cmocka_unit_test(go_tells_what_is_live),
		cmocka_unit_test(growth_that_ends_soon_is_possible),
		cmocka_unit_test(a_heap_of_v8_that_doubles_is_live),
		cmocka_unit_test(buffers_that_are_released_are_possible),
		cmocka_unit_test(growth_beside_a_slow_heap_is_outside),
		cmocka_unit_test(tables_of_a_collector_are_not_reported),
		cmocka_unit_test(direct_buffers_fill_their_limit),
		cmocka_unit_test(classes_pile_up_after_the_start),
		cmocka_unit_test(memory_of_a_fixed_length_is_harmless),
		cmocka_unit_test(others_use_up_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
