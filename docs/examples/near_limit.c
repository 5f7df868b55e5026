/* SPDX-License-Identifier: MIT */
/*
 * usage: near_limit TARGET SIZE
 *
 * Waits until a process holds nine tenths of SIZE, prints the region that has grown most since the
 * start, and exits with status 1. Regions are measured only when the totals change, and the sampler
 * uses at most one percent of a CPU.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include <procmem/procmem.h>

/** The bytes that a track has gained since the first sample. */
static uint64_t growth_of(const struct pm_track *track)
{
	return track->weight > track->baseline ? track->weight - track->baseline : 0;
}

static void report_growth(struct pm_tracker *tracker)
{
	const struct pm_track *largest = NULL;
	uint64_t growth = 0;
	size_t count;
	const struct pm_track *const *tracks = pm_tracker_tracks(tracker, &count);

	for (size_t i = 0; i < count; i++) {
		if (growth_of(tracks[i]) > growth) {
			largest = tracks[i];
			growth = growth_of(largest);
		}
	}

	if (!largest) {
		printf("no region has grown\n");
		return;
	}

	char size[PM_SIZE_TEXT_SIZE];

	pm_format_size(growth, size);
	printf("%" PRIx64 "-%" PRIx64 " grew by %s  %s  %s\n", largest->start, largest->end, size,
	       pm_kind_name(largest->kind), largest->mapping);
}

/** Takes samples until the process is near the limit. */
static int watch(struct pm_sampler *sampler, struct pm_tracker *tracker, uint64_t limit,
                 struct pm_error *error)
{
	const struct timespec interval = { .tv_nsec = 200 * 1000 * 1000 };
	struct pm_sample sample;

	for (bool started = false;; started = true) {
		if (pm_sampler_take(sampler, &sample, error) < 0)
			return -1;

		const struct pm_regions *regions = sample.fresh ? sample.regions : NULL;

		if (pm_tracker_add(tracker, sample.time, regions, error) < 0)
			return -1;

		if (!started) {
			printf("watching %" PRIu64 " bytes in %zu regions\n", sample.totals.rss,
			       sample.regions->count);
			fflush(stdout);
		}

		uint64_t held = sample.totals.rss + sample.totals.swap;

		/* Regions that were held back by the budget are measured with a later sample. */
		if (held >= limit - limit / 10 && !sample.held_back)
			return 0;

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
		report_growth(tracker);

	pm_tracker_destroy(tracker);
	pm_sampler_close(sampler);
	pm_process_close(process);
	return failed ? 2 : 1;
}
