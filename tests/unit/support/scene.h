/* SPDX-License-Identifier: MIT */
/** @file Hand-made evidence for the rules of findings. */
#ifndef TESTS_SUPPORT_SCENE_H
#define TESTS_SUPPORT_SCENE_H

#include <stdbool.h>
#include <stdint.h>

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

/** Returns the trend of something that does not change. */
struct pm_evidence_trend scene_flat(uint64_t bytes);

/** Returns the trend of something that grows at a rate. */
struct pm_evidence_trend scene_steady(uint64_t bytes, double rate);

/** Returns the trend of something that grows in steps, at an estimated rate. */
struct pm_evidence_trend scene_steps(uint64_t bytes, double rate);

/** Returns the trend of a number whose first and last value are known. */
struct pm_evidence_trend scene_counted(uint64_t first, uint64_t last);

/** Starts with a process of 100 MiB that does not change. */
void scene_init(struct scene *scene);

/** Adds a region. @return the region, to be changed */
struct pm_evidence_region *scene_add_region(struct scene *scene, enum pm_kind kind,
                                            struct pm_evidence_trend memory);

/** Adds chunks of a size, with rates of new chunks and of their growth. @return the chunks */
struct pm_evidence_chunks *scene_add_chunks(struct scene *scene, uint64_t size, double rate,
                                            double net_rate);

/** Adds a limit of a cgroup that is reached in some time; 0: not known. */
void scene_add_limit(struct scene *scene, uint64_t left, double seconds);

/** Adds a limit of a kind. @return the limit, to be changed */
struct pm_evidence_limit *scene_add_limit_of(struct scene *scene, enum pm_limit_kind kind,
                                             uint64_t max, uint64_t used);

/** Adds the memory of an owner. @return the owner, to be changed */
struct pm_evidence_owner *scene_add_owner(struct scene *scene, enum pm_owner owner,
                                          struct pm_evidence_trend memory);

/** Makes the findings. @return the first; NULL if there is none that is not harmless */
const struct pm_finding *scene_judge(struct scene *scene);

/** Tests whether there is a finding. */
bool scene_has(const struct scene *scene, enum pm_finding_id id);

/** Returns the first fact with an identifier; NULL if there is none. */
const struct pm_finding_fact *scene_fact(const struct pm_finding *finding, enum pm_fact_id id);

#endif
