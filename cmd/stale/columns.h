/* SPDX-License-Identifier: MIT */
/** @file The columns of the list of `procmem stale`. The items are `struct pm_stale_region`. */
#ifndef CMD_STALE_COLUMNS_H
#define CMD_STALE_COLUMNS_H

#include <procmem/stale.h>

#include "view/list.h"

/** The description of the list: the columns of regions, and those of this command. */
struct stale_columns {
	struct list_column columns[TABLE_COLUMNS_MAX]; /**< all columns */
	struct list_spec spec;                         /**< the description; uses `columns` */
};

/**
 * Fills the description.
 * @param columns  filled; must not be moved while it is in use
 */
void stale_columns_init(struct stale_columns *columns);

#endif
