/* SPDX-License-Identifier: MIT */
/**
 * @file One sample of a process from any source: a recording, a saved smaps or maps file, or the
 * live process.
 */
#ifndef CMD_TARGET_SAMPLED_H
#define CMD_TARGET_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/owner_sums.h>
#include <procmem/process_id.h>
#include <procmem/recording.h>
#include <procmem/region.h>
#include <procmem/sample.h>

#include "base/text.h"
#include "view/json.h"

/** A sample. */
struct sampled {
	const char *word;   /**< the operand that the user wrote */
	size_t file_length; /**< number of bytes of `word` that name the file of a recording */
	struct pm_regions regions;   /**< the regions with their kinds */
	bool sizes_known;            /**< RSS and swap are known; false for a saved maps file */
	bool identified;             /**< `id` is set; false for a saved smaps or maps file */
	struct pm_process_id id;     /**< the process */
	int64_t wall_ns;             /**< time in nanoseconds since 1970; 0 if unknown */
	bool owners_known;           /**< `owners` is set */
	struct pm_owner_sums owners; /**< sums by owner over all regions */
	uint64_t number; /**< number of the sample in a recording; 0 for other sources */
};

/**
 * Loads a sample.
 *
 * @param sampled  filled; release with sampled_deinit()
 * @param word     FILE or FILE@SAMPLE of a recording (by default the last sample), a saved smaps or
 *                 maps file, or a TARGET; must outlive the sample
 * @param error    as for the functions that read recordings, saved files and targets
 * @return         0 or -1
 */
int sampled_load(struct sampled *sampled, const char *word, struct pm_error *error);

/**
 * Takes one sample of a live process, with kinds.
 *
 * @param process  the process
 * @param sampler  receives the sampler, which owns the regions; release with pm_sampler_close()
 * @param sample   filled
 * @param error    as for pm_sampler_open() and pm_sampler_take()
 * @return         0, or -1; on failure there is nothing to release
 */
int sampled_take_sample(struct pm_process *process, struct pm_sampler **sampler,
                        struct pm_sample *sample, struct pm_error *error);

/**
 * Measures the sums by owner of a sample.
 *
 * @param process  the process
 * @param sample   the sample, with its runtimes
 * @param sums     receives the sums over all regions
 * @return         whether the sums are known
 */
bool sampled_measure_owners(struct pm_process *process, const struct pm_sample *sample,
                            struct pm_owner_sums *sums);

/**
 * Sums up the memory of a sample by owner. If `measured` is false, or if not all regions are
 * selected, each region counts for its main owner.
 *
 * @param sampled   the sample
 * @param selected  for each region, whether it counts
 * @param measured  use the measured sums, if they are known
 * @param sums      receives the sums
 */
void sampled_sum_owners(const struct sampled *sampled, const bool *selected, bool measured,
                        struct pm_owner_sums *sums);

/**
 * Opens the recording of a sample again, for what sampled_load() does not read.
 *
 * @param sampled    the sample
 * @param recording  receives the recording; release with pm_recording_close()
 * @param error      as for pm_recording_open(), or PM_ERROR_NOT_FOUND
 * @return           1; 0 if the sample is not from a recording; -1 on errors
 */
int sampled_open_recording(const struct sampled *sampled, struct pm_recording **recording,
                           struct pm_error *error);

/**
 * Tests whether two samples are from the same recording.
 *
 * @param one    a sample
 * @param other  another sample
 * @return       true or false
 */
bool sampled_same_recording(const struct sampled *one, const struct sampled *other);

/**
 * Releases a sample.
 * @param sampled the sample; it may be zeroed
 */
void sampled_deinit(struct sampled *sampled);

/**
 * Appends a description: "java (31416), sample 3 of run.pmrec, 2026-01-31T12:00:00.000Z".
 *
 * @param sampled  the sample
 * @param text     receives the description
 */
void sampled_describe(const struct sampled *sampled, struct text *text);

/**
 * Writes the members `pid`, `name`, `command`, `sample` and `time` of an object, and leaves out
 * those that are not known for the sample.
 *
 * @param json     the output, within an object
 * @param sampled  the sample
 */
void sampled_put_members(struct json *json, const struct sampled *sampled);

/**
 * Writes an object with `path`, the file of a sample that does not come from a live process, the
 * members of sampled_put_members(), and `count`, the number of regions.
 *
 * @param json     the output, within an object
 * @param key      key of the new object
 * @param sampled  the sample
 */
void sampled_put_json(struct json *json, const char *key, const struct sampled *sampled);

/**
 * Checks whether a signal (state T of proc_pid_stat(5)) or a debugger (t) has stopped a process.
 * @param process  the process
 * @return         false also if the state cannot be read
 */
bool sampled_is_stopped(struct pm_process *process);

#endif
