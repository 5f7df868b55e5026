/* SPDX-License-Identifier: MIT */
/** @file The difference between two samples, as rows to print. Private to `procmem diff`. */
#ifndef CMD_DIFF_ROWS_H
#define CMD_DIFF_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/growth.h>

#include "cli/options.h"
#include "target/sampled.h"
#include "target/selection.h"

/** How changes of regions are summed up (--by). */
enum diff_by {
	DIFF_BY_REGION,  /**< not summed up: one row for each part */
	DIFF_BY_KIND,    /**< by kind */
	DIFF_BY_MAPPING, /**< by file or name */
	DIFF_BY_OWNER,   /**< by owner: who manages the memory */
	DIFF_BY_SITE,    /**< no rows: only the call sites of traces are compared */
};

/** The parsed options of `procmem diff`. */
struct diff_options {
	enum diff_by by;
	bool force;       /**< compare the samples even if they are of different processes */
	bool top_given;   /**< --top was given, so that `top` is set */
	uint64_t top;     /**< maximum number of rows */
	const char *html; /**< --html: also write a report to this file; NULL: do not */
	struct selection selection;
	struct output_options output;
};

/** One row: a part of the difference, or a sum over parts. */
struct diff_row {
	/**
	 * How the part changed. A sum has only the values PM_CHANGE_GREW, PM_CHANGE_SHRANK and
	 * PM_CHANGE_SAME.
	 */
	enum pm_change change;
	/**
	 * The region that represents the part. For a sum, this is the region of one of its parts.
	 */
	const struct pm_region *region;
	/** With DIFF_BY_OWNER, the owner; `region` is then empty. */
	enum pm_owner owner;
	/**
	 * Number of regions in the second sample. If the part is gone, number of regions in the
	 * first one.
	 */
	size_t regions;
	size_t count;   /**< number of parts; set only in diff_rows.total */
	uint64_t kinds; /**< kinds of the representative regions of its parts, as a set of bits */
	size_t files;   /**< with DIFF_BY_MAPPING, number of different file names if the row is the
	                   sum of files with similar names; otherwise 0 */
	char *pattern;  /**< the pattern of these names; owned; NULL if `files` is 0 */
	bool changed;   /**< the part changed or, for a sum, at least one of its parts */
	struct pm_growth_sizes was; /**< sizes before */
	struct pm_growth_sizes is;  /**< sizes after */
};

/** The difference between two samples. */
struct diff_rows {
	const struct diff_options *options;
	const struct sampled *before;
	const struct sampled *after;
	struct diff_row *rows; /**< changed parts or, with --by, changed sums, the largest change
	                          first; owned */
	size_t count;          /**< number of rows */
	size_t shown;          /**< number of rows to print */
	size_t same;           /**< number of selected parts that did not change */
	struct diff_row total; /**< sums of all selected parts, including unchanged ones */
};

/**
 * Returns the change of resident and swapped bytes from the first to the second sample.
 * @param row the row
 * @return bytes
 */
static inline int64_t diff_rows_delta(const struct diff_row *row)
{
	return (int64_t)(pm_growth_weight(&row->is) - pm_growth_weight(&row->was));
}

/**
 * Returns the change of the size in the address space from the first to the second sample.
 * @param row the row
 * @return bytes
 */
static inline int64_t diff_rows_size_delta(const struct diff_row *row)
{
	return (int64_t)(row->is.size - row->was.size);
}

/**
 * Marks the selected regions of a sample.
 *
 * @param options   the options
 * @param regions   the regions of the sample
 * @param selected  receives true for each selected region; the caller has zeroed the array
 * @param error     as pm_select_apply()
 * @return          0, also if no region matches; or -1
 */
int diff_rows_mark(const struct diff_options *options, const struct pm_regions *regions,
                   bool *selected, struct pm_error *error);

/**
 * Turns the selected parts of a difference into rows.
 *
 * @param rows     filled; release with diff_rows_deinit()
 * @param options  the options; must outlive the rows
 * @param before   the first sample; must outlive the rows
 * @param after    the second sample; must outlive the rows
 * @param growth   the difference between the two samples
 * @param error    as pm_select_apply(), PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int diff_rows_init(struct diff_rows *rows, const struct diff_options *options,
                   const struct sampled *before, const struct sampled *after,
                   const struct pm_growth *growth, struct pm_error *error);

/**
 * Releases the rows.
 * @param rows the rows, may be zeroed
 */
void diff_rows_deinit(struct diff_rows *rows);

#endif
