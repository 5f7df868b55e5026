/* SPDX-License-Identifier: MIT */
/**
 * @file The rows that `procmem watch` displays: selects the tracks of a history, judges and sorts
 * them.
 */
#ifndef CMD_WATCH_VIEW_H
#define CMD_WATCH_VIEW_H

#include "watch/history.h"

/** The sort orders of rows. */
enum watch_sort {
	WATCH_BY_GROWTH, /**< growth since the start, or since watch_history_rebase() */
	WATCH_BY_RATE,   /**< growth per second */
	WATCH_BY_RSS,    /**< resident and swapped bytes */
	WATCH_BY_DELTA,  /**< change in the last sample */
	WATCH_SORTS,     /**< number of the orders above, which -s knows */
	WATCH_BY_ADDRESS = WATCH_SORTS, /**< address, ascending */
	WATCH_BY_KIND,                  /**< name of the kind, then resident and swapped bytes */
	WATCH_BY_MAPPING, /**< name of the mapping, then address; no name comes last */
	WATCH_ORDERS,     /**< number of all orders, which the live screen knows */
};

/**
 * One row: a track that changed or, unless rows are sorted by a change, any track that holds
 * memory.
 */
struct watch_row {
	const struct pm_track *track;
	/** What the regions have in common if the row is the sum of a kind or owner; otherwise
	 * NULL. A constant */
	const char *label;
	/**
	 * If the row is a single region of a track with several regions, that track; otherwise
	 * NULL. Such a row has addresses and sizes, but no growth and no trend.
	 */
	const struct pm_track *part_of;
	int64_t growth;      /**< change of resident and swapped bytes since watch_history.based */
	int64_t size_growth; /**< change of the length in the address space since then, in bytes */
	/**
	 * Number of different file names if the row is the sum of files with similar names: then
	 * the mapping of the track is the pattern of the names. Otherwise 0.
	 */
	size_t files;
	struct pm_trend trend; /**< trend of the bytes */
	/** The reserve into which the representative region grows; NULL if there is none. */
	const struct watch_reserve *reserve;
	struct pm_trend count_trend; /**< trend of the number of regions; zeroed if the number never
	                                changed */
};

/** Maximum number of sums by kind or by owner. */
#define WATCH_SUMS_MAX ((size_t)PM_KIND_COUNT + PM_OWNER_COUNT)

/** The rows of kinds or owners: each row has the sums of all chosen regions of a kind, or of the
 * memory of an owner. */
struct watch_sums {
	struct watch_row rows[WATCH_SUMS_MAX]; /**< those that have or had regions, sorted */
	size_t count;                          /**< number of rows */
};

/** The displayed rows, and the options that determine them. */
struct watch_view {
	const struct pm_select *select; /**< the chosen regions; NULL if all regions are chosen */
	enum watch_sort sort;
	uint64_t top; /**< maximum number of rows, unless `all_rows` */
	bool bytes;   /**< true: sizes are printed in bytes; false: with units */
	/**
	 * `top` is ignored, and verdicts are not computed. The caller calls watch_view_judge() for
	 * the rows that are visible.
	 */
	bool all_rows;
	/**
	 * The next rows will not be displayed: `top` is ignored, and verdicts are not computed,
	 * because this takes long.
	 */
	bool unjudged;
	struct watch_row *rows;                     /**< the rows, made by watch_view_update() */
	size_t row_count;                           /**< number of rows */
	struct watch_kind_sum kinds[PM_KIND_COUNT]; /**< sums of the last sample by kind */
	/**
	 * The reason why no region of the last sample was chosen. Its kind is PM_ERROR_NONE if at
	 * least one region was chosen.
	 */
	struct pm_error none_chosen;
};

/**
 * Makes the rows again, after a sample, or after a member of the view changed.
 *
 * @param view     the view
 * @param history  the history
 * @param error    the reason of the failure
 * @return         0 or -1
 */
int watch_view_update(struct watch_view *view, const struct watch_history *history,
                      struct pm_error *error);

/**
 * Computes the trends of a row.
 * @param history the history
 * @param row a row of one of its tracks
 */
void watch_view_judge(const struct watch_history *history, struct watch_row *row);

/**
 * Makes a row for each kind.
 * @param kinds filled
 * @param history the history
 * @param sort the order of the rows
 */
void watch_view_sum_kinds(struct watch_sums *kinds, const struct watch_history *history,
                          enum watch_sort sort);

/**
 * Makes a row for each owner.
 * @param owners filled
 * @param history the history
 * @param sort the order of the rows
 */
void watch_view_sum_owners(struct watch_sums *owners, const struct watch_history *history,
                           enum watch_sort sort);

/**
 * Returns the name of an order, as the user writes it.
 * @param sort the order
 * @return a constant text
 */
const char *watch_view_sort_name(enum watch_sort sort);

/**
 * Releases the rows.
 * @param view a view, or zeroed
 */
void watch_view_deinit(struct watch_view *view);

#endif
