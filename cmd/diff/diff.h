/* SPDX-License-Identifier: MIT */
/** @file What `procmem diff` found, for those who print it. Private to the command. */
#ifndef CMD_DIFF_DIFF_H
#define CMD_DIFF_DIFF_H

#include <procmem/growth.h>

#include "cli/command.h"
#include "cli/options.h"
#include "target/sampled.h"
#include "target/selection.h"

/** What differences are summed up by. */
enum diff_by {
	DIFF_BY_REGION,  /**< not at all */
	DIFF_BY_KIND,    /**< by what they are for */
	DIFF_BY_MAPPING, /**< by file or name */
};

/** What the user wants. */
struct diff_options {
	enum diff_by by;
	bool force;     /**< different processes may be compared */
	bool top_given; /**< `top` holds */
	uint64_t top;   /**< most rows */
	struct selection selection;
	struct output_options output;
};

/** One row: a part of the difference, or several summed up. */
struct diff_row {
	enum pm_change change; /**< what became of it; of a sum PM_CHANGE_GREW, _SHRANK or _SAME */
	const struct pm_region *region; /**< where it is, or was; of a sum one of it */
	size_t regions; /**< how many regions it has after, or where it is gone, had before */
	size_t count;   /**< of totals: how many parts */
	bool changed;   /**< anything of it did */
	struct pm_growth_sizes was;
	struct pm_growth_sizes is;
};

/**
 * How resident and swapped bytes changed.
 * @param row the row
 * @return bytes
 */
static inline int64_t diff_delta(const struct diff_row *row)
{
	return (int64_t)(pm_growth_weight(&row->is) - pm_growth_weight(&row->was));
}

/**
 * How the address space changed.
 * @param row the row
 * @return bytes
 */
static inline int64_t diff_size_delta(const struct diff_row *row)
{
	return (int64_t)(row->is.size - row->was.size);
}

/** The difference of two samples. */
struct diff {
	const struct diff_options *options;
	const struct sampled *before;
	const struct sampled *after;
	struct diff_row *rows; /**< what changed, the largest change first */
	size_t count;          /**< how many */
	size_t shown;          /**< how many of them are printed */
	size_t same;           /**< chosen parts that did not change */
	struct diff_row total; /**< of all chosen parts, the unchanged ones included */
};

/**
 * Runs `procmem diff`.
 * @see command.run
 */
enum status diff_run(struct out *out, int argc, char **argv);

/** The command line of `procmem diff`. */
extern const struct cli_spec diff_spec;

#endif
