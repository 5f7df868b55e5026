/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One encoding in the search for text: which bytes of a block belong to characters, and where
 * enough of them follow each other.
 *
 * Characters of 16 and 32 bits may start at any byte. Yet two of them with different alignment
 * neither overlap nor touch: each has a byte that is not zero where the other needs a zero. So a
 * run of bytes that belong to characters is a run of characters, in every encoding. Private.
 */
#ifndef PM_SCAN_TEXT_LANE_H
#define PM_SCAN_TEXT_LANE_H

#include <procmem/strings_scan.h>

#include "scan/byte_classes.h"

/** Value of pm_text_lane.open if no run is open. */
#define PM_NO_RUN SIZE_MAX

/**
 * The state of one encoding. All fields are zero at first, except `open`, which is PM_NO_RUN, and
 * those set by the caller.
 */
struct pm_text_lane {
	enum pm_encoding encoding; /**< set by the caller */
	size_t min_length;         /**< minimum number of bytes of a run; set by the caller */
	uint64_t begins;  /**< offsets in a block at which a character may start; set by the caller,
	                     ~0 for all */
	size_t from;      /**< offset before which characters do not count; set by the caller */
	uint64_t spilled; /**< bytes of the next block that belong to characters which started in
	                     this one */
	size_t open;      /**< offset of the run that extends to the end of the bytes seen so far */
};

/**
 * Called for each run that is long enough.
 *
 * @param context  the context of pm_text_lane_runs()
 * @param lane     the lane of the run
 * @param start    offset of its first byte
 * @param end      offset after its last byte
 * @return         0 to continue; any other value to end
 */
typedef int pm_run_visitor(void *context, const struct pm_text_lane *lane, size_t start,
                           size_t end);

/** A chunk of bytes to search for runs. */
struct pm_text_chunk {
	const struct pm_byte_classes *classes; /**< of its bytes, and of the block after them */
	size_t at;                             /**< offset of the chunk; a multiple of PM_BLOCK */
	size_t blocks;                         /**< number of blocks, at most PM_BLOCKS */
	size_t decided; /**< offset from which on all bytes are assumed to belong to characters;
	                   SIZE_MAX: none */
};

/**
 * Finds runs.
 *
 * @param lane     the lane; `open` is updated
 * @param chunk    the chunk, directly after the last one
 * @param visit    called for each run that ends in the chunk, by ascending address
 * @param context  passed to `visit`
 * @return         0, or the result of `visit` that ended the search
 */
int pm_text_lane_runs(struct pm_text_lane *lane, const struct pm_text_chunk *chunk,
                      pm_run_visitor *visit, void *context);

#endif
