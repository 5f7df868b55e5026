/* SPDX-License-Identifier: MIT */
/*
 * Reads the regions of a target. The sizes of a live process come from pagemap if it gives exact
 * values, otherwise from smaps, because reading smaps disturbs the target more. Sizes are read only
 * if a column needs them.
 */
#include "target/regions_load.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/kinds.h>
#include <procmem/target_reader.h>

#include "base/clock.h"

/** Result of measuring sizes with pagemap. */
enum measured { MEASURED_FAILED = -1, MEASURED_INEXACT, MEASURED_EXACT };

/**
 * Fills the sizes of all regions from pagemap. If the result is MEASURED_INEXACT, the sizes must be
 * read from smaps instead.
 */
static enum measured measure(struct loaded *loaded, struct pm_error *error)
{
	struct pm_pagemap *pagemap;
	bool exact = false;

	if (pm_pagemap_open(loaded->target->process, PM_PAGEMAP_BEST, &pagemap, NULL) < 0)
		return MEASURED_INEXACT;

	int result = pm_pagemap_measure(pagemap, &loaded->regions, &exact, error);
	pm_pagemap_close(pagemap);
	if (result < 0)
		return MEASURED_FAILED;

	return exact ? MEASURED_EXACT : MEASURED_INEXACT;
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

		enum measured measured = measure(loaded, error);
		if (measured == MEASURED_FAILED)
			return -1;

		loaded->sizes_known = loaded->from_pagemap = measured == MEASURED_EXACT;
		if (measured == MEASURED_EXACT)
			return 0;

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

/**
 * Reads the runtimes of the target, if its memory and page states can be read. Failures are not
 * errors: the kinds are determined without runtimes.
 */
static int read_runtimes(struct loaded *loaded, struct pm_kinds_evidence *evidence,
                         struct pm_error *error)
{
	struct pm_page_source pages;
	struct pm_error failure;
	struct pm_runtimes_source source = { .regions = &loaded->regions,
		                             .reader = evidence->reader,
		                             .process = evidence->process };

	if (!evidence->reader || (!evidence->pagemap && !evidence->any_page))
		return 0;
	if (evidence->pagemap) {
		pages = pm_pagemap_source(evidence->pagemap);
		source.pages = &pages;
	}

	if (pm_runtimes_open(&source, &loaded->runtimes, &failure) < 0) {
		loaded->runtimes = NULL;
		if (failure.kind == PM_ERROR_GONE) {
			*error = failure;
			return -1;
		}
	}

	evidence->runtimes = loaded->runtimes;
	return 0;
}

/** Classifies the regions, using all evidence that procmem has permission to read. */
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

	int status = read_runtimes(loaded, &evidence, error);
	if (status == 0)
		status = pm_kinds_assign(&loaded->regions, &evidence, error);
	pm_pagemap_close(evidence.pagemap);
	pm_reader_close(&reader);

	return status;
}

/**
 * Reads the regions of a core file. The bytes of a region that the file contains count as resident.
 */
static int read_core(struct loaded *loaded, struct pm_error *error)
{
	loaded->source = PM_MAPS;
	loaded->sizes_known = true;

	if (pm_core_open(loaded->target->path, &loaded->core, error) < 0)
		return -1;
	return pm_core_regions(loaded->core, &loaded->regions, error);
}

/** Reads the regions of a recording. Their kinds were determined when the recording was written. */
static int read_recorded(struct loaded *loaded, struct pm_error *error)
{
	if (sampled_load(&loaded->recorded, loaded->target->word, error) < 0)
		return -1;

	loaded->source = PM_SMAPS;
	loaded->sizes_known = true;
	loaded->regions = loaded->recorded.regions;
	pm_regions_init(&loaded->recorded.regions);
	loaded->info.pid = loaded->recorded.id.pid;
	memcpy(loaded->info.comm, loaded->recorded.id.comm, sizeof loaded->info.comm);

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

/**
 * Copies the command line of a core file or recording. For a saved smaps or maps file, the copy is
 * an empty string.
 */
static int copy_command(struct loaded *loaded, struct pm_error *error)
{
	const char *command = loaded->recorded.id.command;

	if (loaded->core)
		command = pm_core_info(loaded->core)->command;

	loaded->command = strdup(command ? command : "");
	if (!loaded->command)
		return pm_error_set(error, PM_ERROR_RESOURCES, 0, "out of memory");
	return 0;
}

/**
 * Reads the data for the line above the table, and checks that the process did not exit or call
 * exec since the target was opened.
 */
static int read_about(struct loaded *loaded, struct pm_error *error)
{
	struct pm_process *process = loaded->target->process;

	if (!process)
		return copy_command(loaded, error);

	if (pm_process_read_info(process, &loaded->info, error) < 0 ||
	    pm_process_read_command(process, &loaded->command, error) < 0)
		return -1;

	/* The listing is useful without the limit, so failing to read the limit is not an error. */
	if (pm_cgroup_limit_read(process, NULL, &loaded->limit, NULL) < 0)
		loaded->limit.limited = false;

	return pm_process_check(process, error);
}

int regions_load(struct loaded *loaded, const struct target *target, unsigned needs,
                 struct pm_error *error)
{
	uint64_t begin = clock_us();

	*loaded = (struct loaded){ .target = target };
	pm_regions_init(&loaded->regions);

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
	pm_runtimes_close(loaded->runtimes);
	loaded->runtimes = NULL;
	sampled_deinit(&loaded->recorded);
	pm_core_close(loaded->core);
	loaded->core = NULL;
	free(loaded->command);
	loaded->command = NULL;
}
