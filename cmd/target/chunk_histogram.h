/* SPDX-License-Identifier: MIT */
/** @file The chunks in use of a process or of a recorded sample, counted by size and type. */
#ifndef CMD_TARGET_CHUNK_HISTOGRAM_H
#define CMD_TARGET_CHUNK_HISTOGRAM_H

#include <procmem/histogram.h>
#include <procmem/process.h>
#include <procmem/region.h>

#include "base/text.h"
#include "target/sampled.h"
#include "view/json.h"

/**
 * Walks the heap of a process, which is not stopped, and counts its chunks in use.
 *
 * @param process  the process
 * @param regions  its regions
 * @param word     the TARGET, for errors
 * @param chunks   filled; release with pm_histogram_deinit()
 * @param error    PM_ERROR_UNSUPPORTED if no known allocator was found; otherwise as for
 *                 pm_heap_open()
 * @return         0 or -1
 */
int chunk_histogram_take(struct pm_process *process, const struct pm_regions *regions,
                         const char *word, struct pm_histogram *chunks, struct pm_error *error);

/**
 * Reads the chunks of a sample of a recording, or of the last sample before it that has chunks.
 *
 * @param sampled  the sample
 * @param found    receives the number of the sample that has the chunks
 * @param chunks   filled if there is such a sample; release with pm_histogram_deinit()
 * @param error    as for pm_recording_read_chunks()
 * @return         1 if there is such a sample; 0 if not, or if `sampled` is not one of a recording;
 *                 -1 on errors
 */
int chunk_histogram_load(const struct sampled *sampled, uint64_t *found,
                         struct pm_histogram *chunks, struct pm_error *error);

/**
 * Walks the heap of the process of a sample that was taken from a living process.
 *
 * @param sampled  the sample
 * @param chunks   filled; release with pm_histogram_deinit()
 * @param error    PM_ERROR_GONE; otherwise as for chunk_histogram_take()
 * @return         0 or -1
 */
int chunk_histogram_walk(const struct sampled *sampled, struct pm_histogram *chunks,
                         struct pm_error *error);

/**
 * Adds what the chunks of a class contain, escaped.
 *
 * @param class  the class
 * @param text   receives the words
 */
void chunk_histogram_put_what(const struct pm_histogram_class *class, struct text *text);

/**
 * Writes the members `size`, `type`, `text` and `example` of a class.
 *
 * @param json   the output, within an object
 * @param class  the class
 */
void chunk_histogram_put_class(struct json *json, const struct pm_histogram_class *class);

/**
 * Adds the sums: "1,234 chunks in use, 5.6M", and that the walk was not complete.
 *
 * @param chunks  the chunks
 * @param bytes   print sizes in bytes
 * @param text    receives the words
 */
void chunk_histogram_put_sums(const struct pm_histogram *chunks, bool bytes, struct text *text);

/**
 * Writes the sums: the members `chunks`, `in_use` and `complete`.
 *
 * @param json    the output, within an object
 * @param chunks  the chunks
 */
void chunk_histogram_put_sums_json(struct json *json, const struct pm_histogram *chunks);

#endif
