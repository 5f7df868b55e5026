/* SPDX-License-Identifier: MIT */
#include "target/regions_load.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/kinds.h>
#include <procmem/target_reader.h>

#include "base/clock.h"

/**
 * Fills sizes through pagemap.
 * @return 1: done; 0: it cannot be done exactly; -1: an error
 */
static int measure(struct loaded *loaded, struct pm_error *error)
{
	struct pm_pagemap *pagemap;
	bool exact = false;
	if (pm_pagemap_open(loaded->target->process, PM_PAGEMAP_BEST, &pagemap, NULL) < 0)
		return 0;

	int status = pm_pagemap_measure(pagemap, &loaded->regions, &exact, error);
	pm_pagemap_close(pagemap);
	return status < 0 ? -1 : exact;
}

static int read_live(struct loaded *loaded, unsigned needs, struct pm_error *error)
{
	struct pm_process *process = loaded->target->process;
	if (!(needs & REGION_NEEDS_SMAPS)) {
		loaded->source = PM_MAPS;
		if (pm_maps_read(process, PM_MAPS, &loaded->regions, error) < 0)
			return -1;
		if (!(needs & REGION_NEEDS_RSS))
			return 0;
		int measured = measure(loaded, error);
		loaded->sizes_known = loaded->from_pagemap = measured > 0;
		if (measured != 0)
			return measured < 0 ? -1 : 0;
		pm_regions_deinit(&loaded->regions);
	}

	loaded->source = PM_SMAPS;
	loaded->sizes_known = true;

	return pm_maps_read(process, PM_SMAPS, &loaded->regions, error);
}

struct pm_kinds_evidence regions_load_evidence(const struct pm_core *core, struct pm_reader *reader)
{
	struct pm_kinds_evidence evidence = { .reader = reader, .any_page = true };
	evidence.threads = pm_core_threads(core, &evidence.thread_count);
	return evidence;
}

/** Classifies the regions with all the evidence that our rights allow. */
static int classify(struct loaded *loaded, struct pm_error *error)
{
	struct pm_process *process = loaded->target->process;
	struct pm_reader reader = { 0 };
	struct pm_kinds_evidence evidence = { .process = process };
	if (process) {
		if (pm_target_reader_open(process, &loaded->regions, &reader,
		                          &loaded->reader_failure) == 0)
			evidence.reader = &reader;
		else
			evidence.refusal = loaded->reader_failure.text;
		if (pm_pagemap_open(process, PM_PAGEMAP_BEST, &evidence.pagemap, NULL) < 0)
			evidence.pagemap = NULL;
	} else if (loaded->core) {
		reader = pm_core_reader(loaded->core);
		evidence = regions_load_evidence(loaded->core, &reader);
	}

	int status = pm_kinds_assign(&loaded->regions, &evidence, error);
	pm_pagemap_close(evidence.pagemap);
	pm_reader_close(&reader);

	return status;
}

/** Regions of a core file: what it holds of each counts as resident. */
static int read_core(struct loaded *loaded, struct pm_error *error)
{
	loaded->source = PM_MAPS;
	loaded->sizes_known = true;
	if (pm_core_open(loaded->target->path, &loaded->core, error) < 0)
		return -1;
	return pm_core_regions(loaded->core, &loaded->regions, error);
}

/** Regions of a recording: their kinds and proofs were found when it was made. */
static int read_recorded(struct loaded *loaded, struct pm_error *error)
{
	if (sampled_load(&loaded->recorded, loaded->target->word, error) < 0)
		return -1;

	loaded->source = PM_SMAPS;
	loaded->sizes_known = true;
	loaded->regions = loaded->recorded.regions;
	pm_regions_init(&loaded->recorded.regions);
	loaded->info.pid = loaded->recorded.run.pid;
	memcpy(loaded->info.comm, loaded->recorded.run.comm, sizeof loaded->info.comm);
	return 0;
}

static int read_regions(struct loaded *loaded, unsigned needs, struct pm_error *error)
{
	if (loaded->target->process)
		return read_live(loaded, needs, error);
	if (loaded->target->recording)
		return read_recorded(loaded, error);
	if (pm_core_is_one(loaded->target->path))
		return read_core(loaded, error);
	if (pm_maps_read_saved(loaded->target->path, &loaded->regions, &loaded->source, error) < 0)
		return -1;

	loaded->sizes_known = loaded->source == PM_SMAPS;
	return 0;
}

/** Reads what the heading tells, and makes sure that all of it is of one process. */
static int read_about(struct loaded *loaded, struct pm_error *error)
{
	struct pm_process *process = loaded->target->process;
	if (!process) {
		const char *command = loaded->core ? pm_core_info(loaded->core)->command
		                                   : loaded->recorded.run.command;
		loaded->command = strdup(command ? command : "");
		return loaded->command
		               ? 0
		               : pm_error_set(error, PM_ERROR_RESOURCES, 0, "out of memory");
	}

	if (pm_process_read_info(process, &loaded->info, error) < 0 ||
	    pm_process_read_command(process, &loaded->command, error) < 0)
		return -1;

	/* A limit that cannot be read is no reason to show nothing. */
	if (pm_cgroup_limit_read(process, NULL, &loaded->limit, NULL) < 0)
		loaded->limit.limited = false;

	return pm_process_check(process, error);
}

int regions_load(struct loaded *loaded, const struct target *target, unsigned needs,
                 struct pm_error *error)
{
	*loaded = (struct loaded){ .target = target };
	pm_regions_init(&loaded->regions);

	uint64_t begin = clock_us();
	if (read_regions(loaded, needs, error) < 0)
		goto fail;

	uint64_t middle = clock_us();
	if ((needs & REGION_NEEDS_KINDS) && !target->recording && classify(loaded, error) < 0)
		goto fail;

	loaded->read_us = middle - begin;
	loaded->kinds_us = clock_us() - middle;
	if (read_about(loaded, error) < 0)
		goto fail;

	return 0;
fail:
	regions_load_deinit(loaded);

	return -1;
}

void regions_load_deinit(struct loaded *loaded)
{
	pm_regions_deinit(&loaded->regions);
	sampled_deinit(&loaded->recorded);
	pm_core_close(loaded->core);
	loaded->core = NULL;
	free(loaded->command);
	loaded->command = NULL;
}
