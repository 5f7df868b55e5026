/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds text in one encoding: determines which bytes of a block belong to characters, and finds
 * runs of such bytes that are long enough.
 *
 * Characters of 16 and 32 bits may start at any byte. Two characters with different alignment
 * cannot overlap or be adjacent, because one has a nonzero byte where the other needs a zero. So in
 * every encoding, consecutive bytes that belong to characters are consecutive characters. Private.
 */
#ifndef PM_SCAN_TEXT_LANE_H
#define PM_SCAN_TEXT_LANE_H

#include <procmem/strings_scan.h>

#include "scan/byte_classes.h"

/** Value of pm_text_lane.open if no run is open. */
#define PM_NO_RUN SIZE_MAX

/**
 * The state of the search in one encoding. The caller initialises `open` with PM_NO_RUN, sets the
 * fields that are marked so, and sets all others to zero.
 */
struct pm_text_lane {
	enum pm_encoding encoding; /**< set by the caller */
	size_t min_length;         /**< minimum size of a run in bytes; set by the caller */
	uint64_t begins;  /**< offsets in a block at which a character may start, as a bit mask; set
	                     by the caller */
	size_t from;      /**< offset before which characters do not count; set by the caller */
	uint64_t spilled; /**< bytes of the next block that belong to characters which start in the
	                     current block, as a bit mask */
	size_t open; /**< offset of the run that reaches the end of the bytes scanned so far, or
	                PM_NO_RUN */
};

/**
 * Called for each run that is long enough.
 *
 * @param context  the context of pm_text_lane_runs()
 * @param lane     the lane of the run
 * @param start    offset of its first byte
 * @param end      offset after its last byte
 * @return         0 to continue; any other value ends the search
 */
typedef int pm_run_visitor(void *context, const struct pm_text_lane *lane, size_t start,
                           size_t end);

/** A chunk of bytes to search for runs. */
struct pm_text_chunk {
	const struct pm_byte_classes *classes; /**< classes of the chunk and of the next block */
	size_t at;                             /**< offset of the chunk; a multiple of PM_BLOCK */
	size_t blocks;                         /**< number of blocks, at most PM_BLOCKS */
	size_t decided; /**< all bytes from this offset are assumed to belong to characters, so that
	                   runs stay open; SIZE_MAX: no bytes */
};

/**
 * Finds the runs in a chunk.
 *
 * @param lane     the lane; its state is updated
 * @param chunk    the chunk; must directly follow the chunk of the previous call
 * @param visit    called for each run that ends in the chunk, by ascending address
 * @param context  passed to `visit`
 * @return         0, or the result of `visit` that ended the search
 */
int pm_text_lane_runs(struct pm_text_lane *lane, const struct pm_text_chunk *chunk,
                      pm_run_visitor *visit, void *context);

#endif
