/* SPDX-License-Identifier: MIT */
/* The rules about runtimes on hand-made evidence: healthy heaps, and those that are full or grow;
 * and memory that has an end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <procmem/findings.h>

enum { MIB = 1 << 20, ITEMS_MAX = 4 };

/** Evidence about a process with a runtime. */
struct scene {
	struct pm_evidence evidence;
	struct pm_evidence_region regions[ITEMS_MAX];
	struct pm_evidence_owner owners[ITEMS_MAX];
	struct pm_evidence_chunks chunks[ITEMS_MAX];
	struct pm_evidence_shared shared[ITEMS_MAX];
	struct pm_evidence_limit limits[ITEMS_MAX];
	struct pm_findings findings;
};

static struct pm_evidence_trend flat(uint64_t value)
{
	return (struct pm_evidence_trend){ .known = true,
		                           .first = value,
		                           .last = value,
		                           .trend = { .verdict = PM_VERDICT_NO_GROWTH } };
}

static struct pm_evidence_trend steady(uint64_t value, double rate)
{
	return (struct pm_evidence_trend){ .known = true,
		                           .first = value / 2,
		                           .last = value,
		                           .trend = { .verdict = PM_VERDICT_STEADY,
		                                      .rate = rate } };
}

static struct pm_evidence_trend counted(uint64_t first, uint64_t last)
{
	return (struct pm_evidence_trend){ .known = true, .first = first, .last = last };
}

static void scene_init(struct scene *scene)
{
	memset(scene, 0, sizeof *scene);
	scene->evidence = (struct pm_evidence){ .pid = 4711,
		                                .comm = "target",
		                                .seconds = 30,
		                                .samples = 31,
		                                .memory = flat(100 * MIB),
		                                .kept = flat(90 * MIB),
		                                .regions = scene->regions,
		                                .owners = scene->owners,
		                                .chunks = scene->chunks,
		                                .shared = scene->shared,
		                                .limits = scene->limits };
}

static struct pm_evidence_owner *add_owner(struct scene *scene, enum pm_owner owner,
                                           struct pm_evidence_trend memory)
{
	struct pm_evidence_owner *item = &scene->owners[scene->evidence.owner_count++];

	*item = (struct pm_evidence_owner){ .owner = owner, .memory = memory };
	return item;
}

static struct pm_evidence_limit *add_limit(struct scene *scene, enum pm_limit_kind kind,
                                           uint64_t max, uint64_t used)
{
	struct pm_evidence_limit *limit = &scene->limits[scene->evidence.limit_count++];

	*limit = (struct pm_evidence_limit){ .limit = { .kind = kind, .max = max, .used = used } };
	return limit;
}

static struct pm_evidence_region *add_region(struct scene *scene, enum pm_kind kind,
                                             struct pm_evidence_trend memory)
{
	struct pm_evidence_region *region = &scene->regions[scene->evidence.region_count++];

	*region = (struct pm_evidence_region){ .start = 0x7f0000000000,
		                               .end = 0x7f0000000000 + memory.last,
		                               .kind = kind,
		                               .owner = PM_OWNER_MALLOC,
		                               .mapping = "",
		                               .thread_name = "",
		                               .memory = memory,
		                               .count = flat(1) };
	return region;
}

/** Makes the findings, and returns the first. NULL if there is none that is not harmless. */
static const struct pm_finding *judge(struct scene *scene)
{
	pm_findings_deinit(&scene->findings);
	assert_int_equal(pm_findings_make(&scene->evidence, &scene->findings, NULL), 0);
	if (scene->findings.count == 0 || scene->findings.items[0].harmless)
		return NULL;
	return &scene->findings.items[0];
}

/** Tests whether a time is in the range of a finding, and the range is not too wide. */
static void assert_time(const struct pm_finding *finding, double seconds)
{
	assert_true(finding->time_known);
	assert_true(finding->seconds_min <= seconds && seconds <= finding->seconds_max);
	assert_true(finding->seconds_max <= 1.5 * finding->seconds_min);
}

/** A heap that grows, but was not collected as a whole, has no leak that is known. */
static void growth_between_collections_is_harmless(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_owner *heap = add_owner(&scene, PM_OWNER_JAVA_HEAP,
	                                           steady(60 * MIB, MIB));
	heap->used = steady(40 * MIB, MIB);
	heap->used_max = 100 * MIB;
	heap->collections = counted(10, 20);
	heap->old_collections = counted(0, 0);
	add_limit(&scene, PM_LIMIT_JAVA_HEAP, 100 * MIB, 40 * MIB);
	assert_null(judge(&scene));
	assert_int_equal(scene.findings.count, 1);
	assert_int_equal(scene.findings.items[0].id, PM_FINDING_RUNTIME_GROWTH);
	assert_true(scene.findings.items[0].harmless);

	/* Collections of old objects have not made it smaller: it is live. */
	heap->old_collections = counted(0, 2);
	const struct pm_finding *finding = judge(&scene);
	assert_non_null(finding);
	assert_int_equal(finding->id, PM_FINDING_RUNTIME_GROWTH);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_LIKELY);
	assert_int_equal(finding->limit->limit.kind, PM_LIMIT_JAVA_HEAP);
	assert_time(finding, 60);

	/* The heap of Java is mapped at the start: its memory says nothing. */
	heap->used = flat(40 * MIB);
	heap->memory = flat(100 * MIB);
	assert_null(judge(&scene));
	pm_findings_deinit(&scene.findings);
}

static void old_objects_fill_the_heap(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_owner *heap = add_owner(&scene, PM_OWNER_JAVA_HEAP, flat(64 * MIB));
	heap->used = flat(60 * MIB);
	heap->used_max = 64 * MIB;
	heap->collections = counted(10, 20);
	heap->old_collections = counted(1, 3);
	add_limit(&scene, PM_LIMIT_JAVA_HEAP, 64 * MIB, 62 * MIB);
	const struct pm_finding *finding = judge(&scene);
	assert_non_null(finding);
	assert_int_equal(finding->id, PM_FINDING_RUNTIME_HEAP);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_LIKELY);
	assert_false(finding->time_known);

	/* Without a collection of old objects, they can be garbage. */
	heap->old_collections = counted(1, 1);
	assert_int_equal(judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	/* A heap that is filled with young objects is normal. */
	heap->used = flat(20 * MIB);
	assert_null(judge(&scene));
	pm_findings_deinit(&scene.findings);
}

/** V8 shows no collections: its growth is possible if its maximum is near. */
static void the_old_space_of_v8_has_garbage(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_owner *heap = add_owner(&scene, PM_OWNER_V8_HEAP, flat(60 * MIB));
	heap->used = steady(30 * MIB, 0);
	heap->used.trend = (struct pm_trend){ .verdict = PM_VERDICT_STEPS,
		                              .estimate = true,
		                              .estimated_rate = MIB / 2.0 };
	heap->used_max = UINT64_C(4096) * MIB;
	add_limit(&scene, PM_LIMIT_V8_OLD_SPACE, heap->used_max, 30 * MIB);
	assert_null(judge(&scene));

	heap->used_max = scene.limits[0].limit.max = 64 * MIB;
	assert_int_equal(judge(&scene)->id, PM_FINDING_RUNTIME_GROWTH);
	assert_int_equal(judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	scene.limits[0].limit.used = 62 * MIB;
	assert_int_equal(judge(&scene)->id, PM_FINDING_RUNTIME_HEAP);
	assert_int_equal(judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);
	pm_findings_deinit(&scene.findings);
}

/** The limit of Go is soft: a full heap is normal, but not if collections follow each other. */
static void the_limit_of_go_is_soft(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_owner *heap = add_owner(&scene, PM_OWNER_GO_HEAP, flat(95 * MIB));
	heap->used = flat(95 * MIB);
	heap->collections = counted(100, 104);
	add_limit(&scene, PM_LIMIT_GO_MEMORY, 100 * MIB, 99 * MIB);
	assert_null(judge(&scene));

	heap->collections = counted(100, 400);
	assert_non_null(judge(&scene));
	assert_int_equal(judge(&scene)->id, PM_FINDING_RUNTIME_HEAP);
	pm_findings_deinit(&scene.findings);
}

static void direct_buffers_fill_their_limit(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	add_owner(&scene, PM_OWNER_JAVA_HEAP, flat(20 * MIB));
	add_region(&scene, PM_KIND_MALLOC, steady(40 * MIB, MIB));
	add_limit(&scene, PM_LIMIT_JAVA_DIRECT, 100 * MIB, 40 * MIB);
	const struct pm_finding *finding = judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_JAVA_DIRECT);
	assert_int_equal(finding->limit->limit.kind, PM_LIMIT_JAVA_DIRECT);
	assert_true(finding->rate == MIB);
	assert_time(finding, 60);
	assert_int_equal(scene.findings.count, 1);

	/* Buffers that malloc does not map separately are chunks. */
	scene.regions[0].kind = PM_KIND_ARENA;
	scene.chunks[0] = (struct pm_evidence_chunks){ .size = 64 << 10,
		                                       .count = 640,
		                                       .bytes = 40 * MIB,
		                                       .growth_known = true,
		                                       .rate = 16,
		                                       .net_rate = 16,
		                                       .certain = true,
		                                       .type = "",
		                                       .text = "",
		                                       .module = "" };
	scene.evidence.chunk_count = 1;
	finding = judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_JAVA_DIRECT);
	assert_time(finding, 60);
	assert_int_equal(scene.findings.count, 1);

	/* Four threads have their buffers in four arenas: one finding, with the texts in them. */
	scene.chunks[0].text = "upload=#";
	for (int i = 0; i < 3; i++)
		add_region(&scene, PM_KIND_ARENA, steady(10 * MIB, MIB / 4.0));
	scene.regions[0].memory = steady(10 * MIB, MIB / 4.0);
	finding = judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_JAVA_DIRECT);
	assert_int_equal(finding->facts[0].id, PM_FACT_CHUNKS);
	assert_int_equal(finding->facts[1].id, PM_FACT_TEXT);
	assert_int_equal(scene.findings.count, 1);

	/* What other memory of malloc grows is reported if it grows faster. */
	scene.regions[1].memory = steady(50 * MIB, 5.0 * MIB);
	judge(&scene);
	assert_true(scene.findings.count > 1);
	scene.evidence.region_count = 1;
	scene.regions[0].memory = steady(40 * MIB, MIB);

	/* Small chunks are not direct buffers. */
	scene.chunks[0].size = 128;
	scene.chunks[0].net_rate = scene.chunks[0].rate = 8192;
	assert_int_equal(judge(&scene)->id, PM_FINDING_MALLOC_LEAK);

	/* Neither are a few blocks of the compilers of the JVM. */
	scene.chunks[0].size = 32 << 10;
	scene.chunks[0].net_rate = scene.chunks[0].rate = 0.1;
	scene.regions[0].memory = flat(40 * MIB);
	assert_null(judge(&scene));

	/* Without growth, they are worth a finding if little is left. */
	scene.limits[0].limit.used = 95 * MIB;
	assert_int_equal(judge(&scene)->id, PM_FINDING_JAVA_DIRECT);
	pm_findings_deinit(&scene.findings);
}

/** Classes and code grow during the start of a program. */
static void classes_pile_up_after_the_start(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	add_owner(&scene, PM_OWNER_JAVA_METASPACE, steady(30 * MIB, MIB));
	struct pm_evidence_owner *code = add_owner(&scene, PM_OWNER_JAVA_CODE,
	                                           steady(10 * MIB, MIB));
	add_limit(&scene, PM_LIMIT_JAVA_METASPACE, 90 * MIB, 30 * MIB);
	add_limit(&scene, PM_LIMIT_JAVA_CODE, 240 * MIB, 10 * MIB);
	assert_null(judge(&scene));

	code->memory = flat(10 * MIB);
	const struct pm_finding *finding = judge(&scene);
	assert_non_null(finding);
	assert_int_equal(finding->id, PM_FINDING_JAVA_METASPACE);
	assert_time(finding, 60);

	scene.owners[0].memory = flat(30 * MIB);
	assert_null(judge(&scene));
	scene.limits[1].limit.used = 230 * MIB;
	assert_int_equal(judge(&scene)->id, PM_FINDING_JAVA_CODE);
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
		                                       .length = steady(40 * MIB, MIB) };
	scene.evidence.shared_count = 1;
	add_limit(&scene, PM_LIMIT_SYSTEM, UINT64_C(1024) * MIB, 0);
	assert_null(judge(&scene));
	assert_int_equal(scene.findings.count, 1);
	assert_true(scene.findings.items[0].seconds_min == 60);

	/* A limit that is reached before it is full matters. */
	scene.limits[0].limit.max = 50 * MIB;
	const struct pm_finding *finding = judge(&scene);
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
		                                       .length = steady(40 * MIB, MIB) };
	scene.evidence.shared_count = 1;
	struct pm_evidence_limit *machine = add_limit(&scene, PM_LIMIT_SYSTEM, UINT64_C(1000) * MIB,
	                                              0);
	machine->time_known = true;
	machine->seconds_min = machine->seconds_max = 20;
	assert_int_equal(judge(&scene)->id, PM_FINDING_SHARED_FILE);
	assert_true(judge(&scene)->seconds_min > 500);

	machine->seconds_min = machine->seconds_max = 900;
	assert_true(judge(&scene)->seconds_min == 900);
	pm_findings_deinit(&scene.findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growth_between_collections_is_harmless),
		cmocka_unit_test(old_objects_fill_the_heap),
		cmocka_unit_test(the_old_space_of_v8_has_garbage),
		cmocka_unit_test(the_limit_of_go_is_soft),
		cmocka_unit_test(direct_buffers_fill_their_limit),
		cmocka_unit_test(classes_pile_up_after_the_start),
		cmocka_unit_test(memory_of_a_fixed_length_is_harmless),
		cmocka_unit_test(others_use_up_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
