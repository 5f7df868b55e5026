/* SPDX-License-Identifier: MIT */
/** @file The texts in new pages of the regions that grow. */
#ifndef CMD_WHY_TEXTS_H
#define CMD_WHY_TEXTS_H

#include <procmem/page_strings.h>
#include <procmem/sample.h>
#include <procmem/tracker.h>

/** Maximum number of tracks whose texts are kept, and of texts of a track. */
enum { WHY_TEXT_TRACKS = 16, WHY_TEXTS = 3 };

/** The texts in new pages of one track. */
struct why_track_texts {
	const struct pm_track *track;       /**< the track */
	struct pm_page_strings_found found; /**< the texts of its newest pages */
	struct pm_range ranges[64];         /**< its newest pages */
	size_t range_count;                 /**< number of elements of `ranges` */
};

/** The texts of all tracks. Zeroed before the first use. */
struct why_texts {
	struct pm_page_strings *strings; /**< NULL: memory is not searched */
	struct why_track_texts items[WHY_TEXT_TRACKS];
	size_t count;    /**< number of elements of `items` */
	double searched; /**< time of the last search, in seconds */
	uint64_t bytes;  /**< number of bytes that were searched */
};

/**
 * Starts. If the memory cannot be read, no texts will be found.
 *
 * @param texts    zeroed; release with why_texts_deinit()
 * @param process  the target; must outlive the texts
 */
void why_texts_begin(struct why_texts *texts, struct pm_process *process);

/**
 * Adds the pages that appeared in a sample, and searches the pages of tracks that grow, at most
 * every few seconds.
 *
 * @param texts    the texts
 * @param tracker  has the sample
 * @param sample   the sample
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int why_texts_add(struct why_texts *texts, const struct pm_tracker *tracker,
                  const struct pm_sample *sample, struct pm_error *error);

/** Releases the texts. */
void why_texts_deinit(struct why_texts *texts);

#endif
