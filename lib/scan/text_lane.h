/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One encoding in the search for text: which bytes of a block belong to characters, and where
 * enough of them follow each other.
 *
 * Characters of 16 and 32 bits may begin at any byte, yet two of them never overlap nor touch in
 * different alignment: each holds a byte that is not zero at a place where the other needs a zero.
 * So a run of bytes that belong to characters is a run of characters, in every encoding. Private.
 */
#ifndef PM_SCAN_TEXT_LANE_H
#define PM_SCAN_TEXT_LANE_H

#include <procmem/strings_scan.h>

#include "scan/byte_classes.h"

/** Where no run is open. */
#define PM_NO_RUN SIZE_MAX

/** The state of one encoding; all zero but what the caller sets, and `open`, which is PM_NO_RUN. */
struct pm_text_lane {
	enum pm_encoding encoding; /**< set by the caller */
	size_t min_length;         /**< fewest bytes of a run; set by the caller */
	uint64_t begins;  /**< offsets in a block where a character may begin; set by the caller, ~0
	                     for all */
	size_t from;      /**< characters before this offset do not count; for the caller */
	uint64_t spilled; /**< bytes of the next block that belong to characters which began in this
	                     one */
	size_t open;      /**< begin of the run that reaches the end of the bytes seen so far */
};

/**
 * Told of each run that is long enough.
 *
 * @param context as given
 * @param lane its lane
 * @param start its begin
 * @param end behind its last byte
 * @return 0, or anything else to end
 */
typedef int pm_run_visitor(void *context, const struct pm_text_lane *lane, size_t start,
                           size_t end);

/** A chunk of bytes to look for runs in. */
struct pm_text_chunk {
	const struct pm_byte_classes *classes; /**< of its bytes, and of the block behind them */
	size_t at;                             /**< offset of the chunk; a multiple of PM_BLOCK */
	size_t blocks;                         /**< how many blocks, at most PM_BLOCKS */
	size_t decided; /**< from this offset on all bytes are taken to belong to characters;
	                   SIZE_MAX: none are so */
};

/**
 * Finds runs.
 *
 * @param lane     the lane; `open` is kept up to date
 * @param chunk    where; directly behind the one before
 * @param visit    told of the runs that end in it, by ascending address
 * @param context  handed to it
 * @return         0, or what visit returned
 */
int pm_text_lane_runs(struct pm_text_lane *lane, const struct pm_text_chunk *chunk,
                      pm_run_visitor *visit, void *context);

#endif
