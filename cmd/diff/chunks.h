/* SPDX-License-Identifier: MIT */
/** @file The chunks of malloc in two samples, compared. Private to `procmem diff`. */
#ifndef CMD_DIFF_CHUNKS_H
#define CMD_DIFF_CHUNKS_H

#include "base/out.h"
#include "diff/rows.h"
#include "target/chunk_histogram.h"
#include "view/json.h"

/** The chunks of two samples. Zeroed before use. */
struct diff_chunks {
	bool known;                 /**< both samples have chunks */
	struct pm_histogram before; /**< the chunks of the first sample; owned */
	struct pm_histogram after;  /**< the chunks of the second sample; owned */
	uint64_t sample_before; /**< if the first chunks are those of an earlier sample: its number;
	                           otherwise 0 */
	uint64_t sample_after;  /**< the same for the second chunks */
	struct pm_histogram_change *changes; /**< classes that differ, largest first; owned */
	size_t count;                        /**< number of changes */
	size_t shown;                        /**< number of changes to print */
};

/**
 * Reads the chunks of two samples, and compares them. If a sample of a recording has no chunks,
 * those of the last earlier sample that has them are used. If one sample is of a living process,
 * and the other one has chunks, the heap of the process is walked. If it cannot be walked, a note
 * says why.
 *
 * @param chunks   filled; release with diff_chunks_deinit(), even on failure
 * @param options  the options; if they select regions, the chunks are not compared
 * @param before   the first sample
 * @param after    the second sample
 * @param error    as for pm_recording_read_chunks() and pm_histogram_compare()
 * @return         0 or -1
 */
int diff_chunks_init(struct diff_chunks *chunks, const struct diff_options *options,
                     const struct sampled *before, const struct sampled *after,
                     struct pm_error *error);

/**
 * Releases the chunks.
 * @param chunks  as filled by diff_chunks_init(), or zeroed
 */
void diff_chunks_deinit(struct diff_chunks *chunks);

/**
 * Prints the classes that changed as a table. Prints nothing if the chunks are not known.
 *
 * @param chunks  the chunks
 * @param bytes   print sizes in bytes
 * @param out     receives the table
 */
void diff_chunks_print(const struct diff_chunks *chunks, bool bytes, struct out *out);

/**
 * Writes the members `malloc` and `classes`, if the chunks are known.
 *
 * @param chunks  the chunks
 * @param json    the output, within an object
 */
void diff_chunks_put_json(const struct diff_chunks *chunks, struct json *json);

#endif
