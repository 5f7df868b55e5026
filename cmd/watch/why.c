/* SPDX-License-Identifier: MIT */
#include "watch/why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/new_file.h"
#include "why/judge.h"

/** Lends the history to an observation, which must not be released as a whole. */
static void lend(const struct watch_why *why, struct why_observation *observation)
{
	const struct watch_history *history = why->history;
	const struct pm_process_id *process = &why->run->process;
	struct headroom_rates *rates = &observation->rates;

	observation->watched = true;
	observation->info.pid = process->pid;
	memcpy(observation->info.comm, process->comm, sizeof observation->info.comm);
	observation->info.vm_swap = history->sample.totals.swap;
	observation->command = process->command;
	observation->samples = history->samples;
	observation->first_time = history->began;
	observation->seconds = history->sample.time - history->began;
	observation->cpu_seconds = (double)history->sample.cost.cpu_ns / 1e9;
	observation->headroom = history->headroom;
	memcpy(observation->forecasts, history->forecasts, sizeof observation->forecasts);

	rates->known = true;
	rates->pid = process->pid;
	rates->tracker = history->tracker;
	rates->reserves = history->reserves.found;
	rates->memory = history->memory.series;
	rates->threads = history->threads.series;
	rates->size = history->size;
	rates->counters = history->counters;

	observation->owners.known = history->owners_known;
	observation->owners.last = history->owner_sums;
	for (unsigned i = 0; i < PM_OWNER_COUNT; i++)
		observation->owners.series[i] = history->owners[i].series;
	if (history->sample.regions)
		why_owners_note_regions(&observation->owners, history->sample.regions);
}

/** Walks over malloc's heap once, if the process lives. */
static int walk(const struct watch_why *why, struct why_observation *observation,
                struct pm_error *error)
{
	struct pm_process *process = why->run->target->process;

	if (!why->walk || !process)
		return 0;
	why_walks_begin(&observation->walks, process, interrupt_flag());
	return why_walks_make(&observation->walks, why->history->sample.runtimes, error);
}

/* Number of moments of the timeline in a report. */
enum { MOMENTS = 1000 };

/** Fills the timeline of a report from the sums by kind. */
static void fill_moments(const struct watch_history *history, struct html_moments *moments)
{
	double began = history->began, last = history->sample.time;
	double wall = (double)history->sample.wall_ns / 1e9;

	for (unsigned i = 0; history->kinds_known && last > began && i <= MOMENTS; i++) {
		double time = began + (last - began) * i / MOMENTS;
		struct html_moment moment = { .time = time };

		for (unsigned kind = 0; kind < PM_KIND_COUNT; kind++) {
			const struct pm_series *series = &history->kinds[kind].series;

			if (series->count > 0)
				moment.bytes[kind] = (uint64_t)pm_series_at(series, time);
		}
		html_moments_add(moments, &moment, wall - (last - time));
	}
}

/** Judges, and prints the findings, or writes a report. */
static int judge(const struct watch_why *why, const struct why_options *options, struct out *out,
                 struct pm_error *error)
{
	struct why_observation observation = { .options = options };

	lend(why, &observation);
	if (options->html) {
		fill_moments(why->history, &observation.moments);
		memcpy(observation.host, why->run->process.host, sizeof observation.host);
	}
	int result = walk(why, &observation, error);
	if (result == 0)
		result = why_judge(&observation, out, error);

	why_walks_deinit(&observation.walks);
	html_moments_deinit(&observation.moments);
	free(observation.owners.regions);
	return result;
}

int watch_why_print(const struct watch_why *why, struct out *out, struct pm_error *error)
{
	const struct why_options options = { 0 };

	return judge(why, &options, out, error);
}

/** Tests whether the name of a file asks for a report. */
static bool is_html(const char *path)
{
	static const char suffix[] = ".html";
	size_t length = strlen(path);

	return length >= sizeof suffix && strcmp(path + length + 1 - sizeof suffix, suffix) == 0;
}

int watch_why_write(const struct watch_why *why, const char *path, struct pm_error *error)
{
	const struct why_options report = { .html = path, .html_new = true };
	struct new_file file;
	struct out out;

	if (is_html(path))
		return judge(why, &report, NULL, error);
	if (new_file_open(&file, path, error) < 0)
		return -1;
	file.only_new = true;

	out_init(&out, file.fd);
	int result = watch_why_print(why, &out, error);
	if (out_close(&out) < 0 && result >= 0)
		result = pm_error_set(error, PM_ERROR_IO, 0, "%.128s cannot be written", path);
	if (result < 0) {
		new_file_drop(&file);
		return -1;
	}
	return new_file_keep(&file, error) < 0 ? -1 : result;
}

/** Reads a whole file. */
static int read_all(int fd, struct text *text, struct pm_error *error)
{
	char bytes[4096];
	ssize_t length;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return pm_error_set(error, PM_ERROR_IO, errno, "lseek: %s", strerror(errno));
	while ((length = read(fd, bytes, sizeof bytes)) > 0)
		text_bytes(text, bytes, (size_t)length);
	if (length < 0)
		return pm_error_set(error, PM_ERROR_IO, errno, "read: %s", strerror(errno));
	return 0;
}

int watch_why_read(const struct watch_why *why, size_t columns, struct text *text,
                   struct pm_error *error)
{
	/* An output needs a descriptor. */
	int fd = memfd_create("procmem-why", MFD_CLOEXEC);
	struct out out;

	if (fd < 0)
		return pm_error_set(error, PM_ERROR_IO, errno, "memfd_create: %s", strerror(errno));

	out_init(&out, fd);
	out.width = columns;
	int result = watch_why_print(why, &out, error);
	if (out_close(&out) < 0 && result >= 0)
		result = pm_error_set(error, PM_ERROR_IO, 0, "the findings cannot be written");
	if (result >= 0 && read_all(fd, text, error) < 0)
		result = -1;
	close(fd);
	return result;
}
