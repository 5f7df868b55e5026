/* SPDX-License-Identifier: MIT */
/* The rules about what weighs although it does not grow, on hand-made evidence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <procmem/findings.h>

#include "support/scene.h"

static void locked_and_shared_memory_weigh(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_region *region = scene_add_region(&scene, PM_KIND_ANON,
	                                                     scene_flat(80 * MIB));
	region->shared = 60 * MIB;
	assert_null(scene_judge(&scene));
	assert_true(scene_has(&scene, PM_FINDING_SHARED_COUNTED));
	region->locked = 70 * MIB;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_LOCKED);
	pm_findings_deinit(&scene.findings);
}

/** Huge pages, and pages that are swapped out, weigh if they are a large part of the target. */
static void huge_and_swapped_pages_weigh(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	struct pm_evidence_region *region = scene_add_region(&scene, PM_KIND_ANON,
	                                                     scene_flat(80 * MIB));
	region->huge = 15 * MIB;
	assert_null(scene_judge(&scene));
	region->huge = 64 * MIB;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_HUGE_PAGES);
	assert_int_equal(scene.findings.items[0].bytes, 64 * MIB);
	assert_ptr_equal(scene.findings.items[0].region, region);

	region->huge = 0;
	scene.evidence.swapped = 15 * MIB;
	assert_null(scene_judge(&scene));
	scene.evidence.swapped = 40 * MIB;
	assert_int_equal(scene_judge(&scene)->id, PM_FINDING_SWAPPING);
	assert_int_equal(scene.findings.items[0].confidence, PM_CONFIDENCE_LIKELY);
	pm_findings_deinit(&scene.findings);
}

/** Another process of the cgroup uses up its limit; a child is not counted twice. */
static void a_process_of_the_cgroup_grows(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.processes[0] = (struct pm_evidence_process){ .pid = 4720,
		                                           .comm = "indexer",
		                                           .memory = scene_steady(40 * MIB, MIB) };
	scene.evidence.process_count = 1;
	scene_add_limit(&scene, 100 * MIB, 0);
	const struct pm_finding *finding = scene_judge(&scene);
	assert_int_equal(finding->id, PM_FINDING_GROUP_PROCESS);
	assert_true(finding->pid == 4720 && finding->rate == MIB);
	assert_int_equal(finding->limit->limit.kind, PM_LIMIT_CGROUP);
	assert_int_equal(scene.findings.count, 1);

	scene.processes[0].memory = scene_flat(40 * MIB);
	assert_null(scene_judge(&scene));
	pm_findings_deinit(&scene.findings);
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
		/* Other cgroups of the machine reach their limits all the time. */
		{ PM_PRESSURE_HOST, PM_SIGN_OOM_KILL, PM_FINDING_COUNT },
		{ PM_PRESSURE_HOST, PM_SIGN_STALL, PM_FINDING_PRESSURE },
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

/** A core file shows what is there, not what grows. */
static void chunks_of_a_core_weigh(void **state)
{
	(void)state;
	struct scene scene;

	scene_init(&scene);
	scene.evidence.source = PM_EVIDENCE_CORE;
	scene.evidence.seconds = 0;
	struct pm_evidence_chunks *chunks = scene_add_chunks(&scene, 128, 0, 0);
	chunks->growth_known = false;
	chunks->text = "AUDIT row=#";
	chunks->count = 250000;
	chunks->bytes = 32 * MIB;
	const struct pm_finding *finding = scene_judge(&scene);
	assert_non_null(finding);
	assert_int_equal(finding->id, PM_FINDING_MANY_CHUNKS);
	assert_int_equal(finding->confidence, PM_CONFIDENCE_POSSIBLE);
	assert_true(finding->rate == 0);
	assert_non_null(scene_fact(finding, PM_FACT_TEXT));

	/* Of a process that was observed, what grows matters. */
	scene.evidence.source = PM_EVIDENCE_LIVE;
	assert_null(scene_judge(&scene));
	scene.evidence.source = PM_EVIDENCE_CORE;
	chunks->bytes = 20 * MIB;
	assert_null(scene_judge(&scene));
	pm_findings_deinit(&scene.findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_of_a_core_weigh),
		cmocka_unit_test(locked_and_shared_memory_weigh),
		cmocka_unit_test(huge_and_swapped_pages_weigh),
		cmocka_unit_test(a_process_of_the_cgroup_grows),
		cmocka_unit_test(signs_of_pressure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
