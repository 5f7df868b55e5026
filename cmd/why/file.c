/* SPDX-License-Identifier: MIT */
#include "why/file.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/core.h>
#include <procmem/recording.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "target/owner_source.h"

/** Forecasts when the recorded limits are reached. */
static void forecast(struct why_observation *observation)
{
	const struct forecast_source source = headroom_rates_source(&observation->rates);

	for (size_t i = 0; i < observation->headroom.count; i++)
		forecast_make(&source, &observation->headroom.limits[i],
		              &observation->forecasts[i]);
}

/**
 * Adds the limits inside the runtime that an earlier sample has: they are not read for each sample.
 * The limits stay in the order of their kinds.
 */
static void keep_runtime_limits(struct pm_headroom *headroom, const struct pm_headroom *earlier)
{
	for (size_t i = 0; i < earlier->count && headroom->count < PM_LIMITS_MAX; i++) {
		const struct pm_limit *limit = &earlier->limits[i];
		size_t at = 0;

		if (!pm_limit_is_of_runtime(limit->kind) || pm_headroom_find(headroom, limit->kind))
			continue;

		while (at < headroom->count && headroom->limits[at].kind < limit->kind)
			at++;
		memmove(&headroom->limits[at + 1], &headroom->limits[at],
		        (headroom->count - at) * sizeof *headroom->limits);
		headroom->limits[at] = *limit;
		headroom->count++;
	}
}

/** Adds the sums by owner of a sample, and its limits if there are any. */
static int add_recorded(struct why_observation *observation, struct pm_recording *recording,
                        const struct pm_listed *listed, struct pm_error *error)
{
	struct why_owners *owners = &observation->owners;
	const struct pm_recorded *recorded = &listed->recorded;
	struct pm_headroom headroom;

	if (pm_series_add(&observation->mappings, recorded->time, listed->regions, error) < 0 ||
	    pm_recording_read_headroom(recording, recorded->number, &headroom, error) < 0)
		return -1;
	if (headroom.count > 0) {
		keep_runtime_limits(&headroom, &observation->headroom);
		observation->headroom = headroom;
	}

	int known = pm_recording_read_owners(recording, recorded->number, &owners->last, error);
	return known <= 0 ? known : why_owners_add_sums(owners, recorded->time, error);
}

/** Reads the chunks of the first and of the last sample that have some. */
static int read_chunks(struct why_observation *observation, struct pm_recording *recording,
                       const struct pm_listed *samples, size_t count, struct pm_error *error)
{
	struct why_histograms *chunks = &observation->histograms;
	const struct pm_listed *first = NULL, *last = NULL;
	uint64_t found;

	for (size_t i = 0; i < count; i++) {
		if (!samples[i].chunks)
			continue;
		first = first ? first : &samples[i];
		last = &samples[i];
	}
	if (!last)
		return 0;

	if (pm_recording_read_chunks(recording, last->recorded.number, &found, &chunks->last,
	                             error) < 0)
		return -1;
	chunks->known = true;
	if (first == last)
		return 0;
	chunks->seconds = last->recorded.time - first->recorded.time;
	return pm_recording_read_chunks(recording, first->recorded.number, &found, &chunks->first,
	                                error) < 0
	               ? -1
	               : 0;
}

/** Reads the last call sites, if there are some. */
static int read_sites(struct why_observation *observation, struct pm_recording *recording,
                      uint64_t number, struct pm_error *error)
{
	uint64_t found;

	return pm_recording_read_sites(recording, number, &found, &observation->sites, error) < 0
	               ? -1
	               : 0;
}

/** Reads the regions of the last sample: their owners, and their sizes if they were recorded. */
static int read_last(struct why_observation *observation, struct pm_recording *recording,
                     uint64_t number, struct pm_error *error)
{
	struct pm_recorded recorded;
	struct pm_regions regions;

	pm_regions_init(&regions);
	int result = pm_recording_read(recording, number, &recorded, &regions, error);
	if (result == 0) {
		observation->info.vm_swap = recorded.totals.swap;
		why_owners_note_regions(&observation->owners, &regions);
		why_observe_add_sizes(observation, &regions);
	}
	pm_regions_deinit(&regions);
	return result;
}

/** Adds the memory by kind of a sample. */
static int add_moment(void *context, const struct pm_recorded *recorded,
                      const struct pm_regions *regions, struct pm_error *error)
{
	struct why_observation *observation = context;

	(void)error;
	html_moments_add_regions(&observation->moments, recorded->time,
	                         (double)recorded->wall_ns / 1e9, regions);
	return 0;
}

static int read_samples(struct why_observation *observation, struct pm_recording *recording,
                        struct pm_error *error)
{
	const struct pm_process_id *id = pm_recording_process_id(recording);
	const struct headroom_hook hook = { .recorded = add_moment, .context = observation };
	const struct headroom_hook *needed = observation->options->html ? &hook : NULL;
	struct pm_listed *samples = NULL;
	size_t count = 0;

	if (headroom_rates_read(&observation->rates, recording, needed, error) < 0 ||
	    pm_recording_list(recording, &samples, &count, error) < 0)
		return -1;

	int result = count > 0 ? read_last(observation, recording,
	                                   samples[count - 1].recorded.number, error)
	                       : 0;
	for (size_t i = 0; result == 0 && i < count; i++)
		result = add_recorded(observation, recording, &samples[i], error);
	if (result == 0)
		result = read_chunks(observation, recording, samples, count, error);
	if (result == 0 && count > 0 && observation->options->html)
		result = read_sites(observation, recording, samples[count - 1].recorded.number,
		                    error);
	if (result == 0 && count > 0)
		observation->seconds = samples[count - 1].recorded.time - samples[0].recorded.time;

	observation->samples = count;
	observation->info.pid = id->pid;
	memcpy(observation->info.comm, id->comm, sizeof observation->info.comm);
	memcpy(observation->host, id->host, sizeof observation->host);
	observation->command = alloc_string(id->command ? id->command : "");
	forecast(observation);
	free(samples);
	return result;
}

static int read_recording(struct why_observation *observation, struct pm_error *error)
{
	const char *which, *word = observation->target.word;
	struct pm_recording *recording;
	char *path = target_recording(word, &which);

	if (path && strlen(path) < strlen(word)) {
		free(path);
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		                    "one sample does not show what grows: leave out @%.64s, or use "
		                    "procmem map %.128s",
		                    which, word);
	}

	int result = pm_recording_open(path ? path : word, &recording, error);
	free(path);
	if (result < 0)
		return -1;
	observation->source = PM_EVIDENCE_RECORDING;
	result = read_samples(observation, recording, error);
	pm_recording_close(recording);
	return result;
}

/** Adds the sums by owner of the only moment. If they cannot be read, they are not known. */
static int add_owners(struct why_observation *observation, struct pm_error *error)
{
	struct why_owners *owners = &observation->owners;
	struct owner_source source;

	owner_source_open(&source, &observation->loaded, interrupt_flag());
	int result = pm_owner_sums_read(&source.division, &observation->loaded.regions,
	                                &owners->last, error);
	owner_source_close(&source);
	if (result == 0)
		return why_owners_add_sums(owners, 0, error);
	return error->kind == PM_ERROR_CANCELLED ? -1 : 0;
}

/** Reads one moment: a core file or a saved smaps file. */
static int read_moment(struct why_observation *observation, struct pm_error *error)
{
	struct loaded *loaded = &observation->loaded;
	struct headroom_rates *rates = &observation->rates;
	uint64_t bytes = 0, swap = 0;

	if (regions_load(loaded, &observation->target, REGION_NEEDS_KINDS | REGION_NEEDS_SMAPS,
	                 error) < 0)
		return -1;
	if (!loaded->sizes_known)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		                    "%.128s has no sizes: save /proc/PID/smaps instead of maps",
		                    observation->target.word);

	for (size_t i = 0; i < loaded->regions.count; i++) {
		bytes += loaded->regions.items[i].bytes[PM_SIZE_RSS];
		swap += loaded->regions.items[i].bytes[PM_SIZE_SWAP];
	}
	observation->samples = 1;
	observation->source = loaded->core ? PM_EVIDENCE_CORE : PM_EVIDENCE_SMAPS;
	observation->info = loaded->info;
	observation->info.vm_swap = swap;
	observation->command = alloc_string(loaded->command);
	if (loaded->core) {
		const struct pm_core_info *info = pm_core_info(loaded->core);

		observation->info.pid = info->pid;
		memcpy(observation->info.comm, info->comm, sizeof observation->info.comm);
	}

	if (pm_tracker_create(&rates->tracker, error) < 0 ||
	    pm_reserves_create(&rates->reserves, error) < 0 ||
	    pm_tracker_add(rates->tracker, 0, &loaded->regions, error) < 0 ||
	    pm_reserves_add(rates->reserves, 0, &loaded->regions, NULL, error) < 0 ||
	    pm_series_add(&rates->memory, 0, bytes + swap, error) < 0 ||
	    pm_series_add(&observation->mappings, 0, loaded->regions.count, error) < 0)
		return -1;

	why_owners_note_regions(&observation->owners, &loaded->regions);
	if (!loaded->core)
		why_observe_add_sizes(observation, &loaded->regions);
	if (add_owners(observation, error) < 0)
		return -1;
	return loaded->core ? why_walks_read(&observation->walks, loaded, interrupt_flag(), error)
	                    : 0;
}

int why_file_read(struct why_observation *observation, struct pm_error *error)
{
	const char *name = observation->target.word;

	observation->file = name;
	if (observation->target.recording)
		return read_recording(observation, error);
	return read_moment(observation, error);
}
