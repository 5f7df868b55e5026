/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Memory by kind over time, in bounded memory. Up to HTML_MOMENTS_MAX moments, all samples are
 * kept. Beyond that, each stretch of equal numbers of samples keeps two of them: the one with the
 * smallest sum and the one with the largest, so that no peak is lost. The first and the last sample
 * are always kept.
 */
#ifndef CMD_HTML_MOMENTS_H
#define CMD_HTML_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>

#include "html/model.h"

/** Resident and swapped bytes by kind at one moment. */
struct html_moment {
	double time;                   /**< seconds, from any origin */
	uint64_t bytes[PM_KIND_COUNT]; /**< by kind */
};

/** Moments. A zeroed structure is empty. */
struct html_moments {
	struct html_moment *items;   /**< private: ascending; owned */
	size_t count;                /**< private: number of elements of `items` */
	uint64_t stretch;            /**< private: samples of a stretch; 0: all are kept */
	uint64_t pending;            /**< private: samples since the last whole stretch */
	struct html_moment smallest; /**< private: the smallest of these */
	struct html_moment largest;  /**< private: the largest of these */
	struct html_moment first;    /**< the first sample, if `samples` > 0 */
	struct html_moment last;     /**< the last sample, if `samples` > 0 */
	uint64_t samples;            /**< number of samples that were added */
	double start;                /**< time of the first sample, seconds since 1970 (UTC) */
	double end;                  /**< time of the last sample, seconds since 1970 (UTC) */
};

/** The arrays of a timeline. Zeroed before the first use. */
struct html_moments_arrays {
	double *times;                         /**< owned */
	uint64_t *values[PM_KIND_COUNT];       /**< owned */
	struct html_kind kinds[PM_KIND_COUNT]; /**< kinds that ever had memory */
};

/**
 * Adds a moment.
 *
 * @param moments  the moments
 * @param moment   the moment; its time is not before that of the last one
 * @param wall     its time in seconds since 1970 (UTC)
 */
void html_moments_add(struct html_moments *moments, const struct html_moment *moment, double wall);

/**
 * Adds a sample.
 *
 * @param moments  the moments
 * @param time     time of the sample in seconds, from any origin
 * @param wall     time of the sample in seconds since 1970 (UTC)
 * @param regions  its regions with their kinds, RSS and swap
 */
void html_moments_add_regions(struct html_moments *moments, double time, double wall,
                              const struct pm_regions *regions);

/**
 * Fills the moments and kinds of a timeline; its limit is unchanged.
 *
 * @param moments   the moments
 * @param arrays    receives what the timeline refers to; release with html_moments_release()
 * @param timeline  receives the moments and kinds
 */
void html_moments_fill(const struct html_moments *moments, struct html_moments_arrays *arrays,
                       struct html_timeline *timeline);

/**
 * Returns the name of a kind in a report.
 * @param kind  enum pm_kind
 * @return      its name; "other" if the kind is not known
 */
const char *html_moments_kind(unsigned kind);

/** Releases the arrays of a timeline. */
void html_moments_release(struct html_moments_arrays *arrays);

/** Releases moments. */
void html_moments_deinit(struct html_moments *moments);

#endif
