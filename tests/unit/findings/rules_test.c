/* SPDX-License-Identifier: MIT */
/* The rules on hand-made evidence: for each one, evidence that has the cause, and evidence that
 * nearly has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <procmem/findings.h>

enum { MIB = 1 << 20, ITEMS_MAX = 8 };

/** Evidence with room for a few items. */
struct scene {
	struct pm_evidence evidence;
	struct pm_evidence_region regions[ITEMS_MAX];
	struct pm_evidence_owner owners[ITEMS_MAX];
	struct pm_evidence_arena arenas[ITEMS_MAX];
	struct pm_evidence_chunks chunks[ITEMS_MAX];
	struct pm_evidence_text texts[ITEMS_MAX];
	struct pm_evidence_type types[ITEMS_MAX];
	struct pm_evidence_process processes[ITEMS_MAX];
	struct pm_evidence_part parts[ITEMS_MAX];
	struct pm_evidence_tmpfs tmpfs[ITEMS_MAX];
	struct pm_evidence_shared shared[ITEMS_MAX];
	struct pm_evidence_limit limits[ITEMS_MAX];
	struct pm_sign signs[ITEMS_MAX];
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
		                           .first = bytes / 2,
		                           .last = bytes,
		                           .trend = { .verdict = PM_VERDICT_STEADY,
		                                      .rate = rate } };
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
		                                .arenas = scene->arenas,
		                                .chunks = scene->chunks,
		                                .texts = scene->texts,
		                                .types = scene->types,
		                                .processes = scene->processes,
		                                .parts = scene->parts,
		                                .tmpfs = scene->tmpfs,
		                                .shared = scene->shared,
		                                .limits = scene->limits,
		                                .signs = scene->signs };
}

static struct pm_evidence_region *add_region(struct scene *scene, enum pm_kind kind,
                                             struct pm_evidence_trend memory)
{
	struct pm_evidence_region *region = &scene->regions[scene->evidence.region_count++];

	*region = (struct pm_evidence_region){
		.start = 0x7f0000000000 + scene->evidence.region_count * (UINT64_C(1) << 30),
		.kind = kind,
		.owner = kind == PM_KIND_ANON ? PM_OWNER_UNKNOWN : PM_OWNER_MALLOC,
		.mapping = "",
		.thread_name = "",
		.memory = memory,
		.count = flat(1),
	};
	region->end = region->start + memory.last;
	return region;
}

static struct pm_evidence_chunks *add_chunks(struct scene *scene, uint64_t size, double rate,
                                             double net_rate)
{
	struct pm_evidence_chunks *chunks = &scene->chunks[scene->evidence.chunk_count++];

	*chunks = (struct pm_evidence_chunks){ .size = size,
		                               .count = 1000,
		                               .bytes = 1000 * size,
		                               .growth_known = true,
		                               .rate = rate,
		                               .net_rate = net_rate,
		                               .certain = true,
		                               .type = "",
		                               .text = "",
		                               .module = "" };
	return chunks;
}

/** Adds a limit of a cgroup that is reached in some time. */
static void add_limit(struct scene *scene, uint64_t left, double seconds)
{
	struct pm_evidence_limit *limit = &scene->limits[scene->evidence.limit_count++];

	*limit = (struct pm_evidence_limit){
		.limit = { .kind = PM_LIMIT_CGROUP, .max = 100 * MIB + left, .used = 100 * MIB },
		.time_known = seconds > 0,
		.seconds_min = seconds * 0.9,
		.seconds_max = seconds * 1.1
	};
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

static bool has(const struct scene *scene, enum pm_finding_id id)
{
	for (size_t i = 0; i < scene->findings.count; i++)
		if (scene->findings.items[i].id == id)
			return true;
	return false;
}

static const struct pm_finding_fact *fact_of(const struct pm_finding *finding, enum pm_fact_id id)
{
	for (size_t i = 0; i < finding->fact_count; i++)
		if (finding->facts[i].id == id)
			return &finding->facts[i];
	return NULL;
}

static void nothing_gives_no_finding(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	add_region(&scene, PM_KIND_HEAP, flat(50 * MIB));
	add_region(&scene, PM_KIND_ANON, flat(40 * MIB));
	assert_null(judge(&scene));
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
	add_region(&scene, PM_KIND_ARENA, steady(10 * MIB, 25600))->arena = 3;
	add_region(&scene, PM_KIND_HEAP, flat(60 * MIB))->memory.trend.sawtooth = true;
	add_chunks(&scene, 128, 200, 200)->arena = 3;
	add_limit(&scene, 100 * MIB, 4000);

	const struct pm_finding *finding = judge(&scene);
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
	add_region(&scene, PM_KIND_HEAP, flat(60 * MIB));
	add_chunks(&scene, 128, 200, 20);
	assert_null(judge(&scene));
	add_chunks(&scene, 64, 300, 0);
	assert_null(judge(&scene));
	pm_findings_deinit(&scene.findings);
}

/** Without growth of the region, chunks fill what was free: that is possible, not sure. */
static void chunks_without_growth_are_not_sure(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	add_region(&scene, PM_KIND_HEAP, flat(60 * MIB));
	add_chunks(&scene, 128, 200, 200);
	assert_int_equal(judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);
	pm_findings_deinit(&scene.findings);
}

static void classes_of_one_structure_are_one_finding(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	add_region(&scene, PM_KIND_HEAP, steady(60 * MIB, 100000));
	add_chunks(&scene, 400, 200, 200);
	add_chunks(&scene, 96, 205, 205);
	add_chunks(&scene, 48, 1000, 1000);

	const struct pm_finding *finding = judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_MALLOC_LEAK);
	assert_true(finding->rate == 200.0 * 400 + 205.0 * 96);
	assert_int_equal(scene.findings.count, 2);
	assert_int_equal(scene.findings.items[1].id, PM_FINDING_MALLOC_LEAK);
	assert_true(scene.findings.items[1].rate == 1000.0 * 48);
	pm_findings_deinit(&scene.findings);
}

static void large_blocks_are_reported_with_their_size(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_region *region = add_region(&scene, PM_KIND_MALLOC,
	                                               steady(64 * MIB, 2 * MIB));
	region->chunk_min = region->chunk_max = MIB;

	const struct pm_finding *finding = judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_MAPPED_CHUNKS);
	assert_true(finding->count_rate == 2);
	assert_int_equal(fact_of(finding, PM_FACT_CHUNKS)->size, MIB);
	pm_findings_deinit(&scene.findings);
}

/** If the heap of a runtime is flat, the blocks are outside of it; if it grows, both are named. */
static void blocks_outside_of_a_runtime(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	add_region(&scene, PM_KIND_MALLOC, steady(64 * MIB, 2 * MIB));
	scene.owners[0] = (struct pm_evidence_owner){ .owner = PM_OWNER_JAVA_HEAP,
		                                      .memory = flat(20 * MIB) };
	scene.evidence.owner_count = 1;
	const struct pm_finding *finding = judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_OUTSIDE_RUNTIME);
	assert_int_equal(finding->against[0].owner, PM_OWNER_JAVA_HEAP);

	scene.owners[0].memory = steady(20 * MIB, MIB);
	assert_int_equal(judge(&scene)->id, PM_FINDING_MAPPED_CHUNKS);
	assert_true(has(&scene, PM_FINDING_RUNTIME_GROWTH));
	pm_findings_deinit(&scene.findings);
}

static void python_objects_are_named_by_type(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	add_region(&scene, PM_KIND_ANON, steady(40 * MIB, MIB))->owner = PM_OWNER_PYTHON_OBJECTS;
	scene.owners[0] = (struct pm_evidence_owner){ .owner = PM_OWNER_PYTHON_OBJECTS,
		                                      .memory = steady(40 * MIB, MIB) };
	scene.evidence.owner_count = 1;
	scene.types[0] = (struct pm_evidence_type){ PM_OWNER_PYTHON_OBJECTS, "shop.Order", 1000,
		                                    56000, 100 };
	scene.types[1] = (struct pm_evidence_type){ PM_OWNER_PYTHON_OBJECTS, "str", 9000, 9000, 0 };
	scene.evidence.type_count = 2;

	const struct pm_finding *finding = judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_RUNTIME_GROWTH);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_SURE);
	assert_string_equal(fact_of(finding, PM_FACT_TYPE)->text, "shop.Order");
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
		                                      .memory = steady(40 * MIB, MIB) };
	scene.evidence.owner_count = 1;
	assert_int_equal(judge(&scene)->confidence, PM_CONFIDENCE_POSSIBLE);

	struct pm_trend *trend = &scene.owners[0].memory.trend;
	trend->sawtooth = trend->floor_known = true;
	trend->floor_rise = 3 * MIB;
	assert_int_equal(judge(&scene)->confidence, PM_CONFIDENCE_LIKELY);
	pm_findings_deinit(&scene.findings);
}

static void a_growing_child_is_named(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.processes[0] = (struct pm_evidence_process){
		.pid = 4720, .comm = "worker", .child = true, .memory = steady(40 * MIB, MIB)
	};
	scene.processes[1] = (struct pm_evidence_process){
		.pid = 4721, .comm = "worker", .child = true, .memory = flat(40 * MIB)
	};
	scene.evidence.process_count = 2;
	add_limit(&scene, 100 * MIB, 0);

	const struct pm_finding *finding = judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_CHILD_GROWS);
	assert_int_equal(finding->pid, 4720);
	assert_int_equal(scene.findings.count, 1);
	assert_non_null(fact_of(finding, PM_FACT_SELF_FLAT));
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
		                                     .bytes = steady(290 * MIB, 210000) };
	scene.parts[0] = (struct pm_evidence_part){ PM_CGROUP_SHMEM, steady(300 * MIB, 212000) };
	scene.evidence.tmpfs_count = scene.evidence.part_count = 1;
	const struct pm_finding *finding = judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_TMPFS);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_SURE);
	assert_int_equal(fact_of(finding, PM_FACT_FILES)->count, 812);

	scene.tmpfs[0].charged = false;
	assert_null(judge(&scene));
	pm_findings_deinit(&scene.findings);
}

static void shared_files_need_a_foreign_writer(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	add_region(&scene, PM_KIND_SHM, steady(40 * MIB, MIB));
	scene.shared[0] = (struct pm_evidence_shared){ .name = "/dev/shm/ring",
		                                       .start = scene.regions[0].start,
		                                       .writer = 4712,
		                                       .writer_name = "feeder",
		                                       .length = steady(40 * MIB, MIB) };
	scene.evidence.shared_count = 1;
	const struct pm_finding *finding = judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_SHARED_FILE);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_SURE);
	assert_int_equal(scene.findings.count, 1);

	scene.shared[0].writer = 0;
	assert_int_equal(judge(&scene)->id, PM_FINDING_GROWTH);
	scene.shared[0].nameless = true;
	assert_int_equal(judge(&scene)->id, PM_FINDING_NAMELESS_FILE);
	pm_findings_deinit(&scene.findings);
}

static void page_cache_is_harmless(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.parts[0] = (struct pm_evidence_part){ PM_CGROUP_FILE_INACTIVE,
		                                    steady(300 * MIB, 5 * MIB) };
	scene.evidence.part_count = 1;
	assert_null(judge(&scene));
	assert_true(has(&scene, PM_FINDING_PAGE_CACHE));
	pm_findings_deinit(&scene.findings);
}

static void memory_of_the_kernel_is_not_harmless(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.parts[0] = (struct pm_evidence_part){ PM_CGROUP_SOCKETS, steady(30 * MIB, MIB) };
	scene.evidence.part_count = 1;
	assert_int_equal(judge(&scene)->id, PM_FINDING_KERNEL_MEMORY);
	scene.parts[0].part = PM_CGROUP_SLAB_RECLAIMABLE;
	assert_null(judge(&scene));
	pm_findings_deinit(&scene.findings);
}

/** New threads bring mappings and chunks: these are not findings of their own. */
static void threads_explain_mappings_and_chunks(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.evidence.numbers[PM_EVIDENCE_THREADS] = steady(200, 5);
	scene.evidence.numbers[PM_EVIDENCE_MAPPINGS] = steady(400, 10);
	add_region(&scene, PM_KIND_HEAP, steady(10 * MIB, 1440));
	add_chunks(&scene, 288, 5, 5);
	assert_int_equal(judge(&scene)->id, PM_FINDING_THREADS);
	assert_int_equal(scene.findings.items[0].count, 200);
	assert_false(has(&scene, PM_FINDING_MAPPINGS));
	assert_false(has(&scene, PM_FINDING_MALLOC_LEAK));

	scene.evidence.numbers[PM_EVIDENCE_THREADS] = flat(200);
	assert_non_null(judge(&scene));
	assert_true(has(&scene, PM_FINDING_MAPPINGS) && has(&scene, PM_FINDING_MALLOC_LEAK));
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
		                                      .use_trend = flat(10 * MIB) };
	scene.evidence.arena_count = 1;
	assert_int_equal(judge(&scene)->id, PM_FINDING_ARENA_RETENTION);
	scene.arenas[0].use_trend = steady(10 * MIB, MIB);
	assert_null(judge(&scene));
	scene.arenas[0].use_trend = flat(10 * MIB);
	scene.arenas[0].free_always = 10 * MIB;
	assert_null(judge(&scene));
	pm_findings_deinit(&scene.findings);
}

static void a_reserve_has_an_end(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_region *region = add_region(&scene, PM_KIND_ANON, steady(40 * MIB, MIB));
	region->reserve = 60 * MIB;
	region->length = steady(40 * MIB, MIB);
	assert_int_equal(judge(&scene)->id, PM_FINDING_RESERVE);
	assert_true(scene.findings.items[0].seconds_min == 60);

	region->owner = PM_OWNER_JAVA_HEAP;
	judge(&scene);
	assert_false(has(&scene, PM_FINDING_RESERVE));
	pm_findings_deinit(&scene.findings);
}

static void a_plateau_is_harmless(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.evidence.kept = flat(90 * MIB);
	scene.evidence.kept.first = 20 * MIB;
	scene.evidence.kept.trend.verdict = PM_VERDICT_PLATEAU;
	assert_null(judge(&scene));
	assert_true(has(&scene, PM_FINDING_PLATEAU));
	pm_findings_deinit(&scene.findings);
}

/** A sawtooth with a flat floor is no growth; one whose floor rises is. */
static void the_floor_of_a_sawtooth_decides(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_region *region = add_region(&scene, PM_KIND_HEAP, flat(40 * MIB));
	struct pm_trend *trend = &region->memory.trend;
	*trend = (struct pm_trend){ .verdict = PM_VERDICT_PLATEAU,
		                    .sawtooth = true,
		                    .floor_known = true,
		                    .swing = 20 * MIB };
	assert_null(judge(&scene));

	trend->verdict = PM_VERDICT_STEADY;
	trend->rate = 50000;
	trend->floor_rise = 2 * MIB;
	assert_int_equal(judge(&scene)->id, PM_FINDING_RISING_FLOOR);
	pm_findings_deinit(&scene.findings);
}

static void locked_and_shared_memory_weigh(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_region *region = add_region(&scene, PM_KIND_ANON, flat(80 * MIB));
	region->shared = 60 * MIB;
	assert_null(judge(&scene));
	assert_true(has(&scene, PM_FINDING_SHARED_COUNTED));
	region->locked = 70 * MIB;
	assert_int_equal(judge(&scene)->id, PM_FINDING_LOCKED);
	pm_findings_deinit(&scene.findings);
}

/** What grows weighs more than what is only large, and what ends soon more than what ends late. */
static void what_ends_soon_comes_first(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	add_region(&scene, PM_KIND_ANON, steady(40 * MIB, 100000));
	add_region(&scene, PM_KIND_ANON, steady(10 * MIB, 2000000))->locked = 90 * MIB;
	add_limit(&scene, 100 * MIB, 60);
	judge(&scene);
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

/** Adds a sign of a level of its own. */
static void add_sign(struct scene *scene, struct pm_pressure_level *level,
                     enum pm_pressure_scope scope, enum pm_pressure_rule rule)
{
	memset(level, 0, sizeof *level);
	level->scope = scope;
	strcpy(level->name, "level");
	scene->evidence.levels = level;
	scene->evidence.level_count = 1;
	scene->signs[0] = (struct pm_sign){ .rule = rule, .value = 50 };
	scene->evidence.sign_count = 1;
}

static void signs_of_pressure(void **state)
{
	static const struct {
		enum pm_pressure_scope scope;
		enum pm_pressure_rule rule;
		enum pm_finding_id id; /* PM_FINDING_COUNT: nothing is found */
	} cases[] = {
		{ PM_PRESSURE_CGROUP, PM_SIGN_STALL, PM_FINDING_PRESSURE },
		{ PM_PRESSURE_CGROUP, PM_SIGN_THRASHING, PM_FINDING_SWAPPING },
		/* What the machine swaps can be memory of others. */
		{ PM_PRESSURE_HOST, PM_SIGN_SWAPPING, PM_FINDING_PRESSURE },
		{ PM_PRESSURE_PROCESS, PM_SIGN_MAPPINGS, PM_FINDING_COUNT },
	};
	struct pm_pressure_level level;
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		scene_init(&scene);
		add_sign(&scene, &level, cases[i].scope, cases[i].rule);
		assert_int_equal(pm_findings_make(&scene.evidence, &scene.findings, NULL), 0);
		if (cases[i].id == PM_FINDING_COUNT) {
			assert_int_equal(scene.findings.count, 0);
		} else {
			assert_true(scene.findings.count > 0);
			assert_int_equal(scene.findings.items[0].id, cases[i].id);
			assert_int_equal(scene.findings.items[0].facts[0].id, PM_FACT_SIGN);
			assert_string_equal(scene.findings.items[0].facts[0].text, "level");
		}
		pm_findings_deinit(&scene.findings);
	}
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
		cmocka_unit_test(the_floor_of_a_sawtooth_decides),
		cmocka_unit_test(locked_and_shared_memory_weigh),
		cmocka_unit_test(what_ends_soon_comes_first),
		cmocka_unit_test(names_are_unique),
		cmocka_unit_test(signs_of_pressure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
