/* SPDX-License-Identifier: MIT */
/* Recordings, which are SQLite databases: a file that opens must give a finite number of samples
 * with ascending regions, or errors. */
#include "input.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <procmem/recording.h>
#include <procmem/recording_walk.h>

/* Maximum number of samples to read: a hostile file can promise any number. */
enum { SAMPLES_MAX = 8 };

static void read_samples(struct pm_recording *recording)
{
	static const char *const words[] = { "first", "last", "2", "2026-01-31T12:00", "12:00" };
	struct pm_regions regions;
	struct pm_recorded recorded;
	struct pm_headroom headroom;
	struct pm_error error = { 0 };
	uint64_t count = 0, number;

	if (pm_recording_count(recording, &count, &error) < 0)
		fuzz_check_error(&error);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (pm_recording_find(recording, words[i], &number, &error) < 0)
			fuzz_check_error(&error);

	char why[PM_ENDING_TEXT_SIZE];
	if (pm_recording_ending(recording, why, &error) < 0)
		fuzz_check_error(&error);

	for (number = 1; number <= count && number <= SAMPLES_MAX; number++) {
		if (pm_recording_read_headroom(recording, number, &headroom, &error) < 0)
			fuzz_check_error(&error);
		pm_regions_init(&regions);
		if (pm_recording_read(recording, number, &recorded, &regions, &error) < 0) {
			fuzz_check_error(&error);
			pm_regions_deinit(&regions);
			continue;
		}

		for (size_t i = 0; i < regions.count; i++) {
			fuzz_check(regions.items[i].start < regions.items[i].end);
			fuzz_check(i == 0 || regions.items[i - 1].end <= regions.items[i].start);
		}

		pm_regions_deinit(&regions);
	}
}

/** Reads the chunks of the samples, and compares them with those of the sample before. */
static void read_chunks(struct pm_recording *recording)
{
	struct pm_histogram last = { 0 };

	for (uint64_t number = 1; number <= SAMPLES_MAX; number++) {
		struct pm_histogram_change *changes;
		struct pm_histogram chunks;
		struct pm_error error = { 0 };
		uint64_t found;
		size_t count;
		int result = pm_recording_read_chunks(recording, number, &found, &chunks, &error);

		if (result < 0)
			fuzz_check_error(&error);
		if (result <= 0)
			continue;

		fuzz_check(found <= number && chunks.class_count <= PM_HISTOGRAM_CLASSES_MAX);
		if (pm_histogram_compare(&last, &chunks, &changes, &count, &error) == 0)
			free(changes);
		pm_histogram_deinit(&last);
		last = chunks;
	}

	pm_histogram_deinit(&last);
}

/** Reads the sites of the samples, and compares them with those of the sample before. */
static void read_sites(struct pm_recording *recording)
{
	struct pm_site_list last = { 0 };

	for (uint64_t number = 1; number <= SAMPLES_MAX; number++) {
		struct pm_site_change *changes;
		struct pm_site_list sites;
		struct pm_error error = { 0 };
		uint64_t found;
		size_t count;
		int result = pm_recording_read_sites(recording, number, &found, &sites, &error);

		if (result < 0)
			fuzz_check_error(&error);
		if (result <= 0)
			continue;

		fuzz_check(found <= number && sites.count <= PM_SITE_LIST_MAX);
		if (pm_site_list_compare(&last, &sites, &changes, &count, &error) == 0)
			free(changes);
		pm_site_list_deinit(&last);
		last = sites;
	}

	pm_site_list_deinit(&last);
}

/** Walks over all samples: as pm_recording_read(), a walk gives ascending regions, or an error. */
static void walk_samples(struct pm_recording *recording)
{
	struct pm_recording_walk *walk;
	struct pm_recorded recorded;
	const struct pm_regions *regions;
	struct pm_error error = { 0 };
	int result;

	if (pm_recording_walk_open(recording, &walk, &error) < 0) {
		fuzz_check_error(&error);
		return;
	}

	while ((result = pm_recording_walk_next(walk, &recorded, &regions, &error)) > 0) {
		for (size_t i = 0; i < regions->count; i++) {
			fuzz_check(regions->items[i].start < regions->items[i].end);
			fuzz_check(i == 0 || regions->items[i - 1].end <= regions->items[i].start);
		}
	}
	if (result < 0)
		fuzz_check_error(&error);

	pm_recording_walk_close(walk);
}

static void list_samples(struct pm_recording *recording)
{
	struct pm_listed *samples = NULL;
	struct pm_error error = { 0 };
	size_t count = 0;
	if (pm_recording_list(recording, &samples, &count, &error) < 0)
		fuzz_check_error(&error);
	free(samples);
}

/** Walks through the samples: their times ascend, and their regions do not overlap. */
static void walk(struct pm_recording *recording)
{
	struct pm_recording_walk *walk;
	const struct pm_regions *regions;
	struct pm_recorded recorded;
	struct pm_error error = { 0 };
	double before = 0;
	int result = 0;

	if (pm_recording_walk_open(recording, &walk, &error) < 0) {
		fuzz_check_error(&error);
		return;
	}

	for (unsigned i = 0; i < SAMPLES_MAX; i++) {
		result = pm_recording_walk_next(walk, &recorded, &regions, &error);
		if (result <= 0)
			break;
		fuzz_check(recorded.time >= before);
		before = recorded.time;
		for (size_t j = 1; j < regions->count; j++)
			fuzz_check(regions->items[j - 1].end <= regions->items[j].start);
	}

	if (result < 0)
		fuzz_check_error(&error);
	pm_recording_walk_close(walk);
}

static char path[] = "/tmp/procmem-fuzz-XXXXXX";

static void remove_file(void)
{
	unlink(path);
}

/** SQLite opens files by name only, not by descriptor. */
static void write_file(const uint8_t *data, size_t size)
{
	static int fd = -1;
	if (fd < 0) {
		fd = mkostemp(path, O_CLOEXEC);
		atexit(remove_file);
	}

	fuzz_check(fd >= 0 && ftruncate(fd, 0) == 0);
	fuzz_check(pwrite(fd, data, size, 0) == (ssize_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pm_recording *recording;
	struct pm_error error = { 0 };

	write_file(data, size);
	pm_recording_is(path);
	if (pm_recording_open(path, &recording, &error) < 0) {
		fuzz_check_error(&error);
		return 0;
	}

	read_samples(recording);
	read_chunks(recording);
	read_sites(recording);
	walk_samples(recording);
	list_samples(recording);
	walk(recording);
	pm_recording_close(recording);

	return 0;
}
