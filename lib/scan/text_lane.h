/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds text in one encoding: determines which bytes belong to characters, and finds runs of such
 * bytes. A run is a maximal sequence of consecutive characters.
 *
 * Characters of 16 and 32 bits may start at any byte. Two such characters cannot overlap, because
 * each has one byte that is not zero, at a place where the other one needs a zero. So consecutive
 * bytes that belong to characters are treated as consecutive characters. Private.
 */
#ifndef PM_SCAN_TEXT_LANE_H
#define PM_SCAN_TEXT_LANE_H

#include <procmem/strings_scan.h>

#include "scan/byte_classes.h"

/** Value of pm_text_lane.open if no run is open. */
#define PM_NO_RUN SIZE_MAX

/**
 * The state of the search in one encoding. The caller sets the fields that are marked "set by the
 * caller", sets `open` to PM_NO_RUN, and sets all other fields to zero.
 */
struct pm_text_lane {
	enum pm_encoding encoding; /**< set by the caller */
	size_t min_length;         /**< minimum size of a run in bytes; set by the caller */
	uint64_t begins; /**< offsets in a block at which a character may start, as a bit mask; set
	                    by the caller */
	size_t from;     /**< offset before which bytes are ignored; set by the caller */
	/**
	 * Bit mask of the bytes of the next block that belong to characters that start in the block
	 * scanned last.
	 */
	uint64_t spilled;
	/**
	 * The open run: the offset of the run that reaches the end of the bytes scanned so far.
	 * PM_NO_RUN if there is no such run.
	 */
	size_t open;
};

/**
 * Called for each run that is long enough.
 *
 * @param context  the context of pm_text_lane_runs()
 * @param lane     the lane of the run
 * @param start    offset of the first byte of the run
 * @param end      offset after the last byte of the run
 * @return         0 to continue; any other value ends the search
 */
typedef int pm_run_visitor(void *context, const struct pm_text_lane *lane, size_t start,
                           size_t end);

/** A chunk of bytes to search for runs. */
struct pm_text_chunk {
	const struct pm_byte_classes *classes; /**< classes of the chunk and of the next block */
	size_t at;                             /**< offset of the chunk in the window; a multiple
	                                          of PM_BLOCK */
	size_t blocks;                         /**< number of blocks, at most PM_BLOCKS */
	/**
	 * All bytes from this offset are assumed to belong to characters, so that runs remain open.
	 * SIZE_MAX if there are no such bytes.
	 */
	size_t decided;
};

/**
 * Finds the runs of at least `min_length` bytes that end in a chunk.
 *
 * @param lane     the lane; its state is updated
 * @param chunk    the chunk; must directly follow the chunk of the previous call, if a run is open
 * @param visit    called for each of these runs, by ascending offset
 * @param context  passed to `visit`
 * @return         0, or the result of `visit` that ended the search
 */
int pm_text_lane_runs(struct pm_text_lane *lane, const struct pm_text_chunk *chunk,
                      pm_run_visitor *visit, void *context);

#endif
