/* SPDX-License-Identifier: MIT */
/**
 * @file One sample of a process, wherever it comes from: a recording, a saved smaps file, the
 * process now.
 */
#ifndef CMD_TARGET_SAMPLED_H
#define CMD_TARGET_SAMPLED_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/recording.h>
#include <procmem/region.h>
#include <procmem/sample.h>

#include "view/json.h"

/** A sample. */
struct sampled {
	const char *word;   /**< as the user wrote it */
	size_t file_length; /**< how many bytes of it name the file, not the sample; holds for a
	                       recording */
	struct pm_regions regions; /**< with their kinds */
	bool sizes_known;          /**< and with RSS and swap: not for a saved maps file */
	bool identified;           /**< `run` holds; not for saved text */
	struct pm_process_id run;  /**< the process; owns the command */
	int64_t wall_ns;           /**< when, in nanoseconds since 1970; 0 where unknown */
	uint64_t number;           /**< which sample of a recording, 0 for none */
};

/**
 * Finds a sample.
 *
 * @param sampled  filled; release with sampled_deinit()
 * @param word     FILE or FILE@WHICH of a recording (the last one where nothing is said), a saved
 * smaps or maps file, or a TARGET
 * @param error    what went wrong
 * @return         0 or -1
 */
int sampled_load(struct sampled *sampled, const char *word, struct pm_error *error);

/**
 * Looks at a living process once.
 *
 * @param process  the process
 * @param sampler  where to store what holds the sample; release with pm_sampler_close()
 * @param sample   filled, regions with their kinds
 * @param error    as pm_sampler_open() and pm_sampler_take()
 * @return         0; -1 with nothing to release
 */
int sampled_look(struct pm_process *process, struct pm_sampler **sampler, struct pm_sample *sample,
                 struct pm_error *error);

/**
 * Releases it.
 * @param sampled as filled, or zeroed
 */
void sampled_deinit(struct sampled *sampled);

/**
 * Adds what it is, in words: "java (31416), sample 3 of run.pmrec, 2026-01-31T12:00:00.000Z".
 * @param sampled it
 * @param text gets it
 */
void sampled_describe(const struct sampled *sampled, struct text *text);

/**
 * Writes what is known of it as members of an object: pid, command, sample, time.
 * @param json the text
 * @param sampled it
 */
void sampled_put_members(struct json *json, const struct sampled *sampled);

/**
 * Writes what it is as an object.
 * @param json the text
 * @param key of the object
 * @param sampled it
 */
void sampled_put_json(struct json *json, const char *key, const struct sampled *sampled);

/**
 * Copies a run of a recording, so that it outlives that.
 * @param run the run
 * @return it; release with run_free()
 */
struct pm_process_id run_copy(const struct pm_process_id *run);

/**
 * Frees the command line of a run that is not part of a recording.
 * @param run the run
 */
void run_free(struct pm_process_id *run);

#endif
