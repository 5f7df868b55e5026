/* SPDX-License-Identifier: MIT */
/** @file The columns of the tables that `procmem watch` prints, and their choice with --columns. */
#ifndef CMD_WATCH_COLUMNS_H
#define CMD_WATCH_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/error.h>

#include "base/out.h"
#include "base/text.h"
#include "watch/format.h"

/** The columns that --columns names. A zeroed struct means the default columns. */
struct watch_columns {
	bool given; /**< --columns was given */
	bool adds;  /**< the columns are added to the default ones */
	bool help;  /**< --columns help: the list of all columns is wanted */
	enum watch_column list[WATCH_COLUMNS]; /**< the columns, each at most once */
	size_t count;                          /**< number of columns */
};

/**
 * Parses the argument of --columns.
 *
 * @param columns  filled
 * @param word     names separated by commas, or "+" and names, or "help"
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int watch_columns_parse(struct watch_columns *columns, const char *word, struct pm_error *error);

/**
 * Prints the names of all columns, and what they contain.
 * @param out the output
 */
void watch_columns_print(struct out *out);

/**
 * Chooses the columns of a table. SIZE-GROWTH is a default column only if a row grew in the address
 * space by at least 1 MiB, and by more than twice its growth in memory.
 *
 * @param columns  the choice of the user
 * @param view     the rows of the table
 * @param summary  true: the table of the summary; false: the table of a sample
 * @param chosen   receives the columns; room for WATCH_COLUMNS
 * @return         number of columns
 */
size_t watch_columns_choose(const struct watch_columns *columns, const struct watch_view *view,
                            bool summary, enum watch_column *chosen);

/**
 * Removes the least important column that may be left out. The columns that the user named are not
 * left out.
 *
 * @param columns  the choice of the user
 * @param chosen   the columns of the table
 * @param count    number of columns
 * @param next     state of the search; 0 in the first call
 * @param titles   receives the title of the removed column, after a comma unless empty
 * @return         false if no column can be left out
 */
bool watch_columns_drop(const struct watch_columns *columns, enum watch_column *chosen,
                        size_t *count, size_t *next, struct text *titles);

#endif
