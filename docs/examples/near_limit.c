/* SPDX-License-Identifier: MIT */
/*
 * usage: near_limit TARGET SIZE: waits until a process holds nine tenths of SIZE, tells what has
 * grown most since the begin, and ends with
 * 1. It looks at the regions only when the totals move, and uses no more than one percent of a CPU.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include <procmem/procmem.h>

/** Bytes that a track has gained since the first sample. */
static uint64_t growth(const struct pm_track *track)
{
	return track->weight > track->baseline ? track->weight - track->baseline : 0;
}

static void tell(struct pm_tracker *tracker)
{
	const struct pm_track *most = NULL;
	size_t count;
	const struct pm_track *const *tracks = pm_tracker_tracks(tracker, &count);
	for (size_t i = 0; i < count; i++)
		if (growth(tracks[i]) > (most ? growth(most) : 0))
			most = tracks[i];

	if (!most) {
		printf("nothing has grown since\n");
		return;
	}

	char size[PM_SIZE_TEXT_SIZE];
	pm_format_size(growth(most), size);
	printf("%" PRIx64 "-%" PRIx64 " grew by %s  %s  %s\n", most->start, most->end, size,
	       pm_kind_name(most->kind), most->mapping);
}

/** Samples until the limit is near. */
static int watch(struct pm_sampler *sampler, struct pm_tracker *tracker, uint64_t limit,
                 struct pm_error *error)
{
	const struct timespec interval = { .tv_nsec = 200 * 1000 * 1000 };
	struct pm_sample sample;
	for (bool begun = false;; begun = true) {
		if (pm_sampler_take(sampler, &sample, error) < 0 ||
		    pm_tracker_add(tracker, sample.time, sample.fresh ? sample.regions : NULL,
		                   error) < 0)
			return -1;
		if (!begun)
			printf("watching %" PRIu64 " bytes in %zu regions\n", sample.totals.rss,
			       sample.regions->count);
		if (sample.totals.rss + sample.totals.swap >= limit - limit / 10 &&
		    !sample.held_back)
			return 0;
		fflush(stdout);
		nanosleep(&interval, NULL);
	}
}

int main(int argc, char **argv)
{
	const struct pm_sampler_options options = { .budget = 0.01, .kinds = true };
	struct pm_process *process = NULL;
	struct pm_sampler *sampler = NULL;
	struct pm_tracker *tracker = NULL;
	struct pm_error error;
	uint64_t limit;
	pid_t pid;

	if (argc != 3) {
		fprintf(stderr, "usage: near_limit TARGET SIZE\n");
		return 2;
	}

	int failed = pm_parse_size(argv[2], &limit, &error) < 0 ||
	             pm_process_find(argv[1], &pid, &error) < 0 ||
	             pm_process_open(NULL, pid, &process, &error) < 0 ||
	             pm_sampler_open(process, &options, &sampler, &error) < 0 ||
	             pm_tracker_create(&tracker, &error) < 0 ||
	             watch(sampler, tracker, limit, &error) < 0;

	if (failed)
		fprintf(stderr, "near_limit: %s\n", error.text);
	else
		tell(tracker);

	pm_tracker_destroy(tracker);
	pm_sampler_close(sampler);
	pm_process_close(process);

	return failed ? 2 : 1;
}
