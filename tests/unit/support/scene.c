/* SPDX-License-Identifier: MIT */
#include "support/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct pm_evidence_trend scene_flat(uint64_t bytes)
{
	return (struct pm_evidence_trend){ .known = true,
		                           .first = bytes,
		                           .last = bytes,
		                           .trend = { .verdict = PM_VERDICT_NO_GROWTH } };
}

struct pm_evidence_trend scene_steady(uint64_t bytes, double rate)
{
	return (struct pm_evidence_trend){ .known = true,
		                           .first = bytes / 2,
		                           .last = bytes,
		                           .trend = { .verdict = PM_VERDICT_STEADY,
		                                      .rate = rate } };
}

struct pm_evidence_trend scene_steps(uint64_t bytes, double rate)
{
	return (struct pm_evidence_trend){
		.known = true,
		.last = bytes,
		.trend = { .verdict = PM_VERDICT_STEPS, .estimate = true, .estimated_rate = rate }
	};
}

struct pm_evidence_trend scene_counted(uint64_t first, uint64_t last)
{
	return (struct pm_evidence_trend){ .known = true, .first = first, .last = last };
}

void scene_init(struct scene *scene)
{
	memset(scene, 0, sizeof *scene);
	scene->evidence = (struct pm_evidence){ .pid = 4711,
		                                .comm = "target",
		                                .seconds = 30,
		                                .samples = 31,
		                                .memory = scene_flat(100 * MIB),
		                                .kept = scene_flat(90 * MIB),
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

struct pm_evidence_region *scene_add_region(struct scene *scene, enum pm_kind kind,
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
		.count = scene_flat(1),
	};
	region->end = region->start + memory.last;
	return region;
}

struct pm_evidence_chunks *scene_add_chunks(struct scene *scene, uint64_t size, double rate,
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

void scene_add_limit(struct scene *scene, uint64_t left, double seconds)
{
	struct pm_evidence_limit *limit = &scene->limits[scene->evidence.limit_count++];

	*limit = (struct pm_evidence_limit){
		.limit = { .kind = PM_LIMIT_CGROUP, .max = 100 * MIB + left, .used = 100 * MIB },
		.time_known = seconds > 0,
		.seconds_min = seconds * 0.9,
		.seconds_max = seconds * 1.1
	};
}

struct pm_evidence_limit *scene_add_limit_of(struct scene *scene, enum pm_limit_kind kind,
                                             uint64_t max, uint64_t used)
{
	struct pm_evidence_limit *limit = &scene->limits[scene->evidence.limit_count++];

	*limit = (struct pm_evidence_limit){ .limit = { .kind = kind, .max = max, .used = used } };
	return limit;
}

struct pm_evidence_owner *scene_add_owner(struct scene *scene, enum pm_owner owner,
                                          struct pm_evidence_trend memory)
{
	struct pm_evidence_owner *item = &scene->owners[scene->evidence.owner_count++];

	*item = (struct pm_evidence_owner){ .owner = owner, .memory = memory };
	return item;
}

const struct pm_finding *scene_judge(struct scene *scene)
{
	pm_findings_deinit(&scene->findings);
	assert_int_equal(pm_findings_make(&scene->evidence, &scene->findings, NULL), 0);
	if (scene->findings.count == 0 || scene->findings.items[0].harmless)
		return NULL;
	return &scene->findings.items[0];
}

bool scene_has(const struct scene *scene, enum pm_finding_id id)
{
	for (size_t i = 0; i < scene->findings.count; i++)
		if (scene->findings.items[i].id == id)
			return true;
	return false;
}

const struct pm_finding_fact *scene_fact(const struct pm_finding *finding, enum pm_fact_id id)
{
	for (size_t i = 0; i < finding->fact_count; i++)
		if (finding->facts[i].id == id)
			return &finding->facts[i];
	return NULL;
}
