/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The moments of a timeline, made safe to draw: times that ascend, totals, gaps, and the order in
 * which the kinds are stacked.
 */
#ifndef CMD_HTML_CURVE_H
#define CMD_HTML_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "html/model.h"

/** The moments of a timeline. */
struct html_curve {
	size_t count;   /**< number of moments */
	double *times;  /**< seconds since the first one, finite, never less than the one before;
	                 * owned */
	double *totals; /**< bytes of all kinds; owned */
	/**
	 * Indexes of the kinds in html_timeline.kinds, from the bottom of the stack to its top: the
	 * kind that grew most is the last one; owned
	 */
	size_t *order;
	/**
	 * A longer time than this between two moments is a gap: nothing is known about the time
	 * between them. At least ten times the median, and a fiftieth of the whole time.
	 */
	double gap;
};

/**
 * Prepares the moments of a timeline.
 *
 * @param curve     filled; release it with html_curve_deinit()
 * @param timeline  the timeline; its times may have any values
 */
void html_curve_init(struct html_curve *curve, const struct html_timeline *timeline);

/** Releases the moments. */
void html_curve_deinit(struct html_curve *curve);

/**
 * Checks whether there is a gap before a moment.
 *
 * @param curve    the curve
 * @param index    index of the moment
 * @return         true if it is not the first moment, and there is a gap before it
 */
bool html_curve_gap(const struct html_curve *curve, size_t index);

/**
 * Chooses moments that show the curve if not all can be shown: the first and the last moment, those
 * beside a gap, and of each of `buckets` equal parts the moments with the lowest and the highest
 * total.
 *
 * @param curve    the curve
 * @param buckets  number of parts, at least 1
 * @param chosen   receives the indexes, ascending; room for html_curve.count elements
 * @return         number of indexes; all moments if there are at most twice as many as buckets
 */
size_t html_curve_choose(const struct html_curve *curve, size_t buckets, size_t *chosen);

#endif
