/* SPDX-License-Identifier: MIT */
/** @file The columns that a list of processes can have. */
#ifndef CMD_PS_COLUMNS_H
#define CMD_PS_COLUMNS_H

#include <procmem/limits.h>
#include <procmem/process_list.h>

#include "view/list.h"

/** What must be read of each process, besides what the list of processes has; or-ed together. */
enum ps_needs {
	PS_NEEDS_PSS = 1, /**< smaps_rollup: costly, it holds the process's map lock for as long as
	                     its memory is walked */
	PS_NEEDS_LIMIT = 2, /**< the files of its cgroups */
	PS_NEEDS_USER = 4,  /**< the user database */
};

/** One row. */
struct ps_row {
	const struct pm_process_row *process; /**< what the list of processes tells; borrowed */
	const char *user; /**< name of its user, NULL where there is none; borrowed */
	uint64_t pss;     /**< proportional set size in bytes */
	uint64_t limit;   /**< memory limit in bytes */
	bool pss_known;   /**< `pss` holds */
	bool limited;     /**< `limit` holds */
};

/** Lists of processes. */
extern const struct list_spec ps_columns_spec;

#endif
