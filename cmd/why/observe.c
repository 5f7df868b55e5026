/* SPDX-License-Identifier: MIT */
/*
 * The measurement of `headroom` takes the samples and follows limits, processes and files. At each
 * sample, this adds the walks over malloc's heap, the texts in new pages, and numbers.
 */
#include "why/observe.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <procmem/number.h>
#include <procmem/process_rollup.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "why/file.h"

/* How long the processes of a cgroup are observed to choose one of them, in seconds, at most. */
static const double choice_seconds = 2;

/** Counts the open descriptors of a process. Returns false if they cannot be read. */
static bool count_descriptors(struct pm_process *process, uint64_t *count)
{
	int fd;

	if (pm_process_open_file(process, "fd", O_RDONLY | O_DIRECTORY, &fd, NULL) < 0)
		return false;

	DIR *directory = fdopendir(fd);
	if (!directory) {
		close(fd);
		return false;
	}

	*count = 0;
	for (struct dirent *entry; (entry = readdir(directory));)
		*count += entry->d_name[0] != '.';
	closedir(directory);
	return true;
}

/** Returns whether a walk over the heap is due: at the start, in the middle, and at the end. */
static bool walk_is_due(const struct why_observation *observation, double time)
{
	if (observation->walks.count == PM_SURVIVORS_WALKS)
		return false;

	double seconds = observation->options->seconds;
	double due = observation->walks.count * seconds / (PM_SURVIVORS_WALKS - 1);

	/* The last walk comes a little before the end, so that a sample follows it. */
	return time - observation->first_time >= due - seconds / 8;
}

static int add_numbers(struct why_observation *observation, const struct pm_sample *sample,
                       struct pm_error *error)
{
	uint64_t descriptors;

	if (pm_series_add(&observation->mappings, sample->time, sample->regions->count, error) < 0)
		return -1;
	if (!count_descriptors(observation->process, &descriptors))
		return 0;
	return pm_series_add(&observation->descriptors, sample->time, descriptors, error);
}

/** Walks over the heap and, at the first and the last walk, over the objects of Python. */
static int walk(struct why_observation *observation, const struct pm_sample *sample,
                struct pm_error *error)
{
	if (observation->walks.count != 1 &&
	    why_owners_count_types(&observation->owners, observation->process, sample, error) < 0)
		return -1;
	return why_walks_make(&observation->walks, sample->runtimes, error);
}

/**
 * Shows on a terminal how far the observation is. The line is cleared with the first one, which
 * headroom_rates_measure() prints, at the end.
 */
static void show_progress(const struct why_observation *observation,
                          const struct headroom_rates *rates)
{
	const struct pm_series *memory = &rates->memory;
	char passed[PM_DURATION_TEXT_SIZE], all[PM_DURATION_TEXT_SIZE];
	char size[PM_SIZE_TEXT_SIZE];

	if (observation->options->output.quiet || !isatty(STDERR_FILENO) || memory->count == 0)
		return;

	pm_format_duration(observation->seconds, passed);
	pm_format_duration(observation->options->seconds, all);
	pm_format_size(memory->points[memory->count - 1].value, size);
	fprintf(stderr, "\r\033[Kwatching: %s of %s, %s resident and swapped (Ctrl-C ends this)",
	        passed, all, size);
	fflush(stderr);
}

/**
 * Tests whether the observation can end early: then it ends with the sample after the last walk.
 * The time that the user gives is kept.
 * @return 1 if it ends now, 0, or -1
 */
static int end_early(struct why_observation *observation, const struct headroom_rates *rates,
                     const struct pm_sample *sample, struct pm_error *error)
{
	struct why_walks *walks = &observation->walks;

	if (observation->options->seconds_given)
		return 0;
	if (!observation->sure)
		observation->sure = why_early_is_sure(&observation->early, &rates->memory,
		                                      rates->tracker);
	if (!observation->sure)
		return 0;
	if (walks->failure.kind != PM_ERROR_NONE || walks->count == PM_SURVIVORS_WALKS)
		return 1;
	return walk(observation, sample, error);
}

/** Adds what the samples of headroom do not have. */
static int sampled(void *context, const struct headroom_rates *rates,
                   const struct pm_sample *sample, struct pm_error *error)
{
	struct why_observation *observation = context;

	if (observation->samples++ == 0)
		observation->first_time = sample->time;
	observation->seconds = sample->time - observation->first_time;
	if (observation->options->html)
		html_moments_add_regions(&observation->moments, sample->time,
		                         (double)sample->wall_ns / 1e9, sample->regions);
	if (add_numbers(observation, sample, error) < 0 ||
	    why_texts_add(&observation->texts, rates->tracker, sample, error) < 0)
		return -1;
	if (why_group_add(&observation->group, sample->time, &observation->rates.around.neighbours,
	                  error) < 0)
		return -1;
	if (why_owners_add(&observation->owners, observation->process, sample, error) < 0)
		return -1;
	show_progress(observation, rates);

	/* Ctrl-C ends a walk, too. What was seen until then is judged. */
	int result = walk_is_due(observation, sample->time)
	                     ? walk(observation, sample, error)
	                     : end_early(observation, rates, sample, error);
	return result < 0 && error->kind == PM_ERROR_CANCELLED ? 0 : result;
}

void why_observe_add_sizes(struct why_observation *observation, const struct pm_regions *regions)
{
	observation->sizes = alloc_array(NULL, regions->count + 1, sizeof *observation->sizes);
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		observation->sizes[i] = (struct why_sizes){
			.start = region->start,
			.end = region->end,
			.huge = region->bytes[PM_SIZE_ANON_HUGE],
			.locked = region->bytes[PM_SIZE_LOCKED],
			.swap = region->bytes[PM_SIZE_SWAP],
			.shared = region->bytes[PM_SIZE_SHARED_CLEAN] +
			          region->bytes[PM_SIZE_SHARED_DIRTY],
		};
		observation->unique += region->bytes[PM_SIZE_PRIVATE_CLEAN] +
		                       region->bytes[PM_SIZE_PRIVATE_DIRTY];
	}
	observation->size_count = regions->count;
}

/** Reads sizes of regions that only smaps has. Without them, nothing is said about them. */
static void read_sizes(struct why_observation *observation)
{
	struct pm_regions regions;

	pm_regions_init(&regions);
	if (pm_maps_read(observation->process, PM_SMAPS, &regions, NULL) == 0)
		why_observe_add_sizes(observation, &regions);
	pm_regions_deinit(&regions);
}

static void read_descriptor_limit(struct why_observation *observation)
{
	struct rlimit limit;

	if (prlimit(observation->rates.pid, RLIMIT_NOFILE, NULL, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY)
		observation->descriptors_max = limit.rlim_cur;
}

/** Adds the limits inside runtimes, as the last sample had them. */
static void add_runtime_limits(struct why_observation *observation)
{
	const struct pm_headroom *last = &observation->rates.last.headroom;
	struct pm_headroom *headroom = &observation->headroom;

	for (size_t i = 0; i < last->count && headroom->count < PM_LIMITS_MAX; i++)
		if (pm_limit_is_of_runtime(last->limits[i].kind))
			headroom->limits[headroom->count++] = last->limits[i];
}

/** Reads what is known at the end. */
static int finish(struct why_observation *observation, struct pm_error *error)
{
	struct pm_process *process = observation->process;

	if (observation->rates.ended)
		return pm_error_set(error, PM_ERROR_GONE, 0, "process %d %s",
		                    (int)observation->rates.pid,
		                    observation->rates.last.reason.bytes);
	if (pm_process_read_info(process, &observation->info, error) < 0 ||
	    pm_process_read_command(process, &observation->command, error) < 0 ||
	    pm_headroom_read(process, NULL, &observation->headroom, error) < 0)
		return -1;
	add_runtime_limits(observation);

	const struct forecast_source source = headroom_rates_source(&observation->rates);
	for (size_t i = 0; i < observation->headroom.count; i++)
		forecast_make(&source, &observation->headroom.limits[i],
		              &observation->forecasts[i]);
	read_sizes(observation);
	read_descriptor_limit(observation);
	return 0;
}

/** Opens the process that is investigated. With --cgroup, it is one of that cgroup. */
static int open_target(struct why_observation *observation, const char *word,
                       struct pm_error *error)
{
	const struct why_options *options = observation->options;
	char number[24];
	pid_t pid;

	if (options->cgroup) {
		double seconds = options->seconds / 10;

		if (seconds > choice_seconds)
			seconds = choice_seconds;
		if (why_group_choose(&observation->group, options->cgroup, seconds, &pid, error) <
		    0)
			return -1;
		snprintf(number, sizeof number, "%d", (int)pid);
		if (target_open_process(&observation->target, number, error) < 0)
			return -1;
		observation->target.word = options->cgroup;
	} else if (target_open(&observation->target, word, error) < 0) {
		return -1;
	}

	observation->process = observation->target.process;
	if (!observation->process && options->deep)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "--deep stops a living process; %.128s is a file", word);
	if (!observation->process && options->seconds_given)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "--for observes a living process; %.128s is a file", word);
	return 0;
}

int why_observe(struct why_observation *observation, const char *word, struct pm_error *error)
{
	const struct headroom_hook hook = { .sampled = sampled,
		                            .context = observation,
		                            .pages = true };
	const struct headroom_source source = { .seconds = observation->options->seconds,
		                                .quiet = observation->options->output.quiet,
		                                .hook = &hook };
	double began = clock_cpu_seconds();

	if (open_target(observation, word, error) < 0)
		return -1;
	if (!observation->process) {
		int result = why_file_read(observation, error);

		observation->cpu_seconds = clock_cpu_seconds() - began;
		return result;
	}

	struct pm_process *process = observation->process;
	if (why_group_find(&observation->group, process, error) < 0)
		return -1;
	bool known = pm_process_read_info(process, &observation->info, NULL) == 0;
	why_early_begin(&observation->early, observation->options->seconds,
	                known ? &observation->info : NULL);
	/* Without the name, the report does not have it. */
	if (gethostname(observation->host, sizeof observation->host - 1) < 0)
		observation->host[0] = '\0';
	why_walks_begin(&observation->walks, process, interrupt_flag());
	why_texts_begin(&observation->texts, process);
	why_signs_begin(&observation->pressure, process);

	int result = headroom_rates_measure(&observation->rates, process, &source, error);
	observation->interrupted = result > 0;
	if (result < 0)
		observation->rates = (struct headroom_rates){ 0 };
	why_signs_end(&observation->pressure);
	if (result >= 0)
		result = finish(observation, error);
	observation->cpu_seconds = clock_cpu_seconds() - began;
	return result < 0 ? -1 : 0;
}

void why_observe_deinit(struct why_observation *observation)
{
	why_walks_deinit(&observation->walks);
	why_texts_deinit(&observation->texts);
	why_owners_deinit(&observation->owners);
	why_deep_deinit(&observation->deep);
	why_group_deinit(&observation->group);
	why_signs_deinit(&observation->pressure);

	headroom_rates_deinit(&observation->rates);
	html_moments_deinit(&observation->moments);
	pm_site_list_deinit(&observation->sites);
	pm_series_deinit(&observation->mappings);
	pm_series_deinit(&observation->descriptors);
	free(observation->sizes);
	free(observation->command);

	pm_histogram_deinit(&observation->histograms.first);
	pm_histogram_deinit(&observation->histograms.last);
	regions_load_deinit(&observation->loaded);
	target_close(&observation->target);
}
