/* SPDX-License-Identifier: MIT */
/*
 * What grows in the cgroup beside the memory of processes: files in a tmpfs, memory of the kernel,
 * and page cache, which is harmless.
 *
 * Needs: the parts of the cgroup over time; for tmpfs, the directories over time, too.
 */
#include "findings/rules.h"

#include <string.h>

/** Returns the part of a cgroup; NULL if it is not known. */
static const struct pm_evidence_part *find_part(const struct pm_evidence *evidence,
                                                enum pm_cgroup_part part)
{
	for (size_t i = 0; i < evidence->part_count; i++)
		if (evidence->parts[i].part == part)
			return &evidence->parts[i];
	return NULL;
}

/** Tests whether a shared file that a finding reports makes up most of the growth of a directory.
 */
static bool is_reported(const struct pm_findings *findings, const struct pm_evidence_tmpfs *tmpfs)
{
	size_t length = strlen(tmpfs->path);

	for (size_t i = 0; i < findings->count; i++) {
		const struct pm_finding *finding = &findings->items[i];

		if (finding->shared && strncmp(finding->shared->name, tmpfs->path, length) == 0 &&
		    finding->rate >= pm_evidence_rate(&tmpfs->bytes) / 2)
			return true;
	}

	return false;
}

/* Files that fill the memory of the machine later than this say nothing about the target. */
static const double machine_seconds = 3600;

/**
 * Tests whether growing files are those of any program of the machine: no cgroup of the target has
 * a limit that they use up, and the machine has memory for a long time.
 */
static bool is_of_others(const struct pm_evidence *evidence, double rate)
{
	const struct pm_evidence_limit *machine = pm_finding_limit(evidence, PM_LIMIT_SYSTEM);

	if (pm_finding_limit(evidence, PM_LIMIT_CGROUP))
		return false;
	return machine && (double)pm_limit_left(&machine->limit) > rate * machine_seconds;
}

void pm_finding_tmpfs(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	const struct pm_evidence_part *shmem = find_part(evidence, PM_CGROUP_SHMEM);

	for (size_t i = 0; i < evidence->tmpfs_count; i++) {
		const struct pm_evidence_tmpfs *tmpfs = &evidence->tmpfs[i];
		double rate = pm_evidence_rate(&tmpfs->bytes);
		enum pm_confidence confidence = PM_CONFIDENCE_POSSIBLE;

		if (rate <= 0 || !tmpfs->charged || !pm_finding_matters(context, rate) ||
		    is_reported(context->findings, tmpfs))
			continue;
		if (shmem && pm_evidence_rate(&shmem->memory) > rate / 2)
			confidence = PM_CONFIDENCE_SURE;
		if (confidence != PM_CONFIDENCE_SURE && is_of_others(evidence, rate))
			continue;

		struct pm_finding *finding = pm_finding_add(context, PM_FINDING_TMPFS, confidence);
		if (!finding)
			return;

		finding->tmpfs = tmpfs;
		finding->owner = PM_OWNER_SHARED;
		pm_finding_set_trend(finding, &tmpfs->bytes);
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_FILES,
		                                                      .count = tmpfs->files,
		                                                      .bytes = tmpfs->bytes.last,
		                                                      .text = tmpfs->path });
		if (pm_evidence_is_flat(&evidence->kept))
			pm_finding_support(
				finding, (struct pm_finding_fact){ .id = PM_FACT_SELF_FLAT,
			                                           .bytes = evidence->kept.last });
		pm_finding_set_limit(context, finding);
		pm_finding_weigh(context, finding);
	}
}

void pm_finding_kernel_memory(struct pm_finding_context *context)
{
	static const enum pm_cgroup_part parts[] = {
		PM_CGROUP_SLAB_UNRECLAIMABLE,
		PM_CGROUP_PAGE_TABLES,
		PM_CGROUP_STACKS,
		PM_CGROUP_PERCPU,
		PM_CGROUP_VMALLOC,
		PM_CGROUP_SOCKETS,
		PM_CGROUP_KERNEL_OTHER,
	};
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct pm_evidence_part *part = find_part(evidence, parts[i]);

		if (!part || !pm_evidence_grows(&part->memory) ||
		    !pm_finding_matters(context, pm_evidence_rate(&part->memory)))
			continue;

		struct pm_finding *finding = pm_finding_add(context, PM_FINDING_KERNEL_MEMORY,
		                                            PM_CONFIDENCE_SURE);
		if (!finding)
			return;

		finding->owner = PM_OWNER_KERNEL;
		pm_finding_set_trend(finding, &part->memory);
		pm_finding_support(finding, (struct pm_finding_fact){
						    .id = PM_FACT_PART,
						    .bytes = part->memory.last,
						    .rate = finding->rate,
						    .text = pm_cgroup_parts_name(parts[i]) });
		pm_finding_set_limit(context, finding);
		pm_finding_weigh(context, finding);
	}
}

/** Adds the finding that page cache grows; `region` is NULL for that of the cgroup. */
static void report_page_cache(struct pm_finding_context *context,
                              const struct pm_evidence_region *region,
                              const struct pm_evidence_trend *trend)
{
	struct pm_finding *finding = pm_finding_add(context, PM_FINDING_PAGE_CACHE,
	                                            PM_CONFIDENCE_SURE);
	if (!finding)
		return;

	finding->harmless = true;
	finding->region = region;
	finding->owner = PM_OWNER_FILE;
	pm_finding_set_trend(finding, trend);
	pm_finding_weigh(context, finding);
}

/**
 * Reports pages of mapped files that become resident. The kernel can drop them: they are not part
 * of the kept memory of the target, which grows less than half as fast.
 */
static void report_mapped_files(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	double kept = pm_evidence_rate(&evidence->kept);

	for (size_t i = 0; i < evidence->region_count && evidence->kept.known; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];
		double rate = pm_evidence_rate(&region->memory);

		if (pm_finding_is_explained(context, region) || region->mapping[0] != '/' ||
		    region->owner != PM_OWNER_FILE || rate <= 2 * kept ||
		    !pm_finding_matters(context, rate))
			continue;

		report_page_cache(context, region, &region->memory);
		pm_finding_explain(context, region);
	}
}

void pm_finding_page_cache(struct pm_finding_context *context)
{
	static const enum pm_cgroup_part parts[] = { PM_CGROUP_FILE_INACTIVE,
		                                     PM_CGROUP_FILE_ACTIVE };

	report_mapped_files(context);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct pm_evidence_part *part = find_part(context->evidence, parts[i]);

		if (!part || pm_evidence_rate(&part->memory) <= 0)
			continue;
		report_page_cache(context, NULL, &part->memory);
		return;
	}
}
