/* SPDX-License-Identifier: MIT */
#include "watch/replay.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/recording.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "target/sampled.h"

/* Limits of the values in a recording, which is untrusted: bytes of a size, seconds since the first
 * sample, and seconds between two samples. A recording with other values is refused, so that sums,
 * differences and rates do not overflow. */
static const uint64_t max_bytes = UINT64_C(1) << 57;
static const double max_seconds = 1e10, min_step = 1e-6;

struct watch_replay {
	struct pm_recording *recording;
	char *path;
	struct pm_listed *samples;
	size_t count;
	size_t next;               /* index of the next sample */
	struct pm_regions regions; /* regions of the last sample in which they were measured */
	struct pm_regions spare;   /* receives the regions of the next sample */
	struct pm_totals measured; /* totals of the sample to which `regions` belongs */
};

void watch_replay_close(struct watch_replay *replay)
{
	if (!replay)
		return;

	pm_recording_close(replay->recording);
	pm_regions_deinit(&replay->regions);
	pm_regions_deinit(&replay->spare);
	free(replay->samples);
	free(replay->path);
	free(replay);
}

int watch_replay_open(const char *path, struct watch_replay **replay, struct pm_process_id *process,
                      struct pm_error *error)
{
	struct watch_replay *opened = alloc_array(NULL, 1, sizeof *opened);
	*opened = (struct watch_replay){ .path = alloc_string(path) };
	pm_regions_init(&opened->regions);
	pm_regions_init(&opened->spare);

	int result = pm_recording_open(path, &opened->recording, error);
	if (result == 0)
		result = pm_recording_list(opened->recording, &opened->samples, &opened->count,
		                           error);

	if (result == 0 && opened->count == 0)
		result = pm_error_set(error, PM_ERROR_FORMAT, 0,
		                      "%s has no samples; if a program wrote to the recording "
		                      "while you copied it, copy %s-wal, too",
		                      path, path);

	if (result < 0) {
		watch_replay_close(opened);
		return -1;
	}

	if (pm_process_id_copy(pm_recording_process_id(opened->recording), process, error) < 0) {
		watch_replay_close(opened);
		return -1;
	}

	*replay = opened;
	return 0;
}

bool watch_replay_has_more(const struct watch_replay *replay)
{
	return replay->next < replay->count;
}

/**
 * Checks whether two totals differ. Only those members are compared whose change makes a sampler
 * measure the regions.
 */
static bool has_moved(const struct pm_totals *was, const struct pm_totals *is)
{
	return was->size != is->size || was->rss != is->rss || was->anon != is->anon ||
	       was->file != is->file || was->shmem != is->shmem || was->swap != is->swap;
}

static int set_damaged(const struct watch_replay *replay, const char *how, struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_FORMAT, 0, "%s is damaged: %s", replay->path, how);
}

static int check_sizes(const struct watch_replay *replay, const struct pm_regions *regions,
                       struct pm_error *error)
{
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		if (region->bytes[PM_SIZE_RSS] > max_bytes ||
		    region->bytes[PM_SIZE_SWAP] > max_bytes)
			return set_damaged(replay, "a region is larger than an address space",
			                   error);
	}
	return 0;
}

static int check(const struct watch_replay *replay, const struct pm_recorded *recorded,
                 struct pm_error *error)
{
	const struct pm_recorded *before = NULL;
	const struct pm_totals *totals = &recorded->totals;

	if (replay->next > 0)
		before = &replay->samples[replay->next - 1].recorded;

	/* The conditions are negated because a comparison with NaN is false: NaN is refused,
	 * too. */
	if (!(recorded->time >= 0 && recorded->time <= max_seconds) ||
	    (before && !(recorded->time - before->time >= min_step)))
		return set_damaged(replay, "its samples are not in order of time", error);
	if (totals->size > max_bytes || totals->rss > max_bytes || totals->swap > max_bytes ||
	    totals->threads > max_bytes)
		return set_damaged(replay, "a process is larger than an address space", error);

	return 0;
}

/**
 * Reads the regions of a sample into `regions`. On failure `regions` keeps the regions of the
 * previous sample.
 */
static int read_regions(struct watch_replay *replay, uint64_t number, struct pm_error *error)
{
	struct pm_recorded recorded;
	struct pm_regions former = replay->regions;
	pm_regions_clear(&replay->spare);
	if (pm_recording_read(replay->recording, number, &recorded, &replay->spare, error) < 0 ||
	    check_sizes(replay, &replay->spare, error) < 0)
		return -1;

	replay->regions = replay->spare;
	replay->spare = former;
	return 0;
}

int watch_replay_next(struct watch_replay *replay, struct pm_sample *sample, struct pm_error *error)
{
	const struct pm_recorded *recorded = &replay->samples[replay->next].recorded;
	bool fresh = recorded->fresh || replay->next == 0;
	if (check(replay, recorded, error) < 0 ||
	    (fresh && read_regions(replay, recorded->number, error) < 0))
		return -1;

	if (fresh)
		replay->measured = recorded->totals;
	replay->next++;
	*sample = (struct pm_sample){
		.time = recorded->time,
		.wall_ns = recorded->wall_ns,
		.totals = recorded->totals,
		.regions = &replay->regions,
		.fresh = fresh,
		/* The totals changed, but the sample contains no regions: --budget did not allow
		 * the regions to be measured when the sample was recorded. */
		.held_back = !fresh && has_moved(&replay->measured, &recorded->totals),
	};

	return 0;
}

void watch_replay_headroom(struct watch_replay *replay, struct pm_headroom *headroom)
{
	*headroom = (struct pm_headroom){ 0 };
	if (replay->next > 0 &&
	    pm_recording_read_headroom(replay->recording,
	                               replay->samples[replay->next - 1].recorded.number, headroom,
	                               NULL) < 0)
		*headroom = (struct pm_headroom){ 0 };
}

bool watch_replay_owners(struct watch_replay *replay, struct pm_owner_sums *sums)
{
	return replay->next > 0 &&
	       pm_recording_read_owners(replay->recording,
	                                replay->samples[replay->next - 1].recorded.number, sums,
	                                NULL) > 0;
}

bool watch_replay_ending(struct watch_replay *replay, struct text *why)
{
	char words[PM_ENDING_TEXT_SIZE];
	if (pm_recording_ending(replay->recording, words, NULL) <= 0)
		return false;
	utf8_escape(why, words, strlen(words));
	return true;
}

size_t watch_replay_walks(const struct watch_replay *replay)
{
	size_t walks = 0;

	for (size_t i = 0; i < replay->count; i++)
		walks += replay->samples[i].chunks;
	return walks;
}
