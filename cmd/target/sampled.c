/* SPDX-License-Identifier: MIT */
#include "target/sampled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <procmem/core.h>
#include <procmem/kinds.h>
#include <procmem/maps.h>
#include <procmem/recording.h>

#include "base/delta.h"
#include "base/utf8.h"
#include "target/json_parts.h"
#include "target/target.h"

static int load_recorded(struct sampled *sampled, const char *path, const char *which,
                         struct pm_error *error)
{
	struct pm_recording *recording;
	struct pm_recorded recorded;

	if (pm_recording_open(path, &recording, error) < 0)
		return -1;

	int result = pm_recording_find(recording, which, &sampled->number, error);
	if (result == 0)
		result = pm_recording_read(recording, sampled->number, &recorded, &sampled->regions,
		                           error);
	if (result == 0)
		result = pm_process_id_copy(pm_recording_process_id(recording), &sampled->id,
		                            error);
	if (result == 0) {
		int owners = pm_recording_read_owners(recording, sampled->number, &sampled->owners,
		                                      error);

		sampled->owners_known = owners > 0;
		if (owners < 0)
			result = -1;
	}
	if (result == 0) {
		sampled->identified = sampled->sizes_known = true;
		sampled->wall_ns = recorded.wall_ns;
	}

	pm_recording_close(recording);
	return result;
}

static int load_saved(struct sampled *sampled, const char *path, struct pm_error *error)
{
	enum pm_maps_source source;
	const struct pm_kinds_evidence none = { 0 };

	if (pm_core_is_one(path))
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "%s is a core file, which has no resident sizes: use 'procmem "
		                    "map' to list it",
		                    path);
	if (pm_maps_read_saved(path, &sampled->regions, &source, error) < 0)
		return -1;

	sampled->sizes_known = source == PM_SMAPS;
	return pm_kinds_assign(&sampled->regions, &none, error);
}

int sampled_take_sample(struct pm_process *process, struct pm_sampler **sampler,
                        struct pm_sample *sample, struct pm_error *error)
{
	const struct pm_sampler_options options = { .kinds = true, .runtimes = HUGE_VAL };
	struct pm_sampler *opened;

	if (pm_sampler_open(process, &options, &opened, error) < 0)
		return -1;
	if (pm_sampler_take(opened, sample, error) < 0) {
		pm_sampler_close(opened);
		return -1;
	}

	*sampler = opened;
	return 0;
}

bool sampled_measure_owners(struct pm_process *process, const struct pm_sample *sample,
                            struct pm_owner_sums *sums)
{
	struct pm_owner_sums_source source = { .runtimes = sample->runtimes };
	struct pm_pagemap *pagemap = NULL;
	struct pm_page_source pages;

	if (pm_pagemap_open(process, PM_PAGEMAP_BEST, &pagemap, NULL) == 0) {
		pages = pm_pagemap_source(pagemap);
		source.pages = &pages;
	}

	bool known = pm_owner_sums_read(&source, sample->regions, sums, NULL) == 0;
	pm_pagemap_close(pagemap);
	return known;
}

void sampled_sum_owners(const struct sampled *sampled, const bool *selected, bool measured,
                        struct pm_owner_sums *sums)
{
	static const struct pm_owner_sums_source none = { 0 };
	bool all = true;

	*sums = (struct pm_owner_sums){ 0 };
	for (size_t i = 0; i < sampled->regions.count; i++) {
		all = all && selected[i];
		/* Without runtimes, nothing is read, so this does not fail. */
		if (selected[i])
			pm_owner_sums_add(&none, &sampled->regions.items[i], sums, NULL);
	}

	if (all && measured && sampled->owners_known)
		*sums = sampled->owners;
}

static int load_live(struct sampled *sampled, struct pm_process *process, struct pm_error *error)
{
	struct pm_sampler *sampler;
	struct pm_sample sample;

	if (sampled_take_sample(process, &sampler, &sample, error) < 0)
		return -1;

	int result = 0;
	for (size_t i = 0; result == 0 && i < sample.regions->count; i++)
		result = pm_regions_append(&sampled->regions, &sample.regions->items[i], error);

	if (result == 0)
		sampled->owners_known = sampled_measure_owners(process, &sample, &sampled->owners);
	if (result == 0)
		result = pm_process_id_read(process, &sampled->id, error);
	if (result == 0) {
		sampled->identified = sampled->sizes_known = true;
		sampled->wall_ns = sample.wall_ns;
	}

	pm_sampler_close(sampler);
	return result;
}

int sampled_load(struct sampled *sampled, const char *word, struct pm_error *error)
{
	struct sampled loaded = { .word = word };
	struct target target = { 0 };
	const char *which;
	char *path = target_recording(word, &which);
	int result = 0;

	pm_regions_init(&loaded.regions);
	if (path) {
		loaded.file_length = strlen(path);
		result = load_recorded(&loaded, path, which, error);
	} else if (target_open(&target, word, error) < 0) {
		result = -1;
	} else if (target.process) {
		result = load_live(&loaded, target.process, error);
	} else {
		result = load_saved(&loaded, target.path, error);
	}

	target_close(&target);
	free(path);
	if (result == 0)
		*sampled = loaded;
	else
		sampled_deinit(&loaded);

	return result;
}

int sampled_open_recording(const struct sampled *sampled, struct pm_recording **recording,
                           struct pm_error *error)
{
	const char *which;

	if (sampled->number == 0)
		return 0;

	char *path = target_recording(sampled->word, &which);
	if (!path)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "%s cannot be read again",
		                    sampled->word);

	int result = pm_recording_open(path, recording, error);
	free(path);
	return result < 0 ? -1 : 1;
}

/** Finds the file of a sample. Returns false if it is not in a recording. */
static bool find_file(const struct sampled *sampled, struct stat *file)
{
	const char *which;
	char *path = sampled->number > 0 ? target_recording(sampled->word, &which) : NULL;
	bool found = path && stat(path, file) == 0;

	free(path);
	return found;
}

bool sampled_same_recording(const struct sampled *one, const struct sampled *other)
{
	struct stat file, other_file;

	return find_file(one, &file) && find_file(other, &other_file) &&
	       file.st_dev == other_file.st_dev && file.st_ino == other_file.st_ino;
}

void sampled_deinit(struct sampled *sampled)
{
	pm_regions_deinit(&sampled->regions);
	pm_process_id_deinit(&sampled->id);
}

void sampled_describe(const struct sampled *sampled, struct text *text)
{
	if (sampled->identified) {
		utf8_escape(text, sampled->id.comm, strlen(sampled->id.comm));
		text_format(text, " (%d), ", (int)sampled->id.pid);
	}

	if (sampled->number) {
		text_format(text, "sample %llu of ", (unsigned long long)sampled->number);
		utf8_escape(text, sampled->word, sampled->file_length);
		text_string(text, ", ");
	} else if (!sampled->identified) {
		utf8_escape(text, sampled->word, strlen(sampled->word));
	}

	if (sampled->wall_ns)
		delta_put_time(text, sampled->wall_ns);
}

void sampled_put_members(struct json *json, const struct sampled *sampled)
{
	if (sampled->identified)
		json_parts_process(json, sampled->id.pid, sampled->id.comm, sampled->id.command);
	if (sampled->number)
		json_put(json, "sample", json_number(sampled->number));
	if (sampled->wall_ns)
		json_put(json, "time", json_time(sampled->wall_ns));
}

void sampled_put_json(struct json *json, const char *key, const struct sampled *sampled)
{
	json_open(json, key, '{');
	if (sampled->number)
		json_put(json, "path", json_bytes(sampled->word, sampled->file_length));
	else if (!sampled->identified)
		json_put(json, "path", json_text(sampled->word));
	sampled_put_members(json, sampled);
	json_put(json, "count", json_number(sampled->regions.count));
	json_shut(json, '}');
}

bool sampled_is_stopped(struct pm_process *process)
{
	struct pm_process_info info;

	return pm_process_read_info(process, &info, NULL) == 0 &&
	       (info.state == 'T' || info.state == 't');
}
