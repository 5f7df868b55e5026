/* SPDX-License-Identifier: MIT */
/** @file The columns of a list of processes. */
#ifndef CMD_PS_COLUMNS_H
#define CMD_PS_COLUMNS_H

#include <procmem/limits.h>
#include <procmem/process_list.h>

#include "view/list.h"

/**
 * What must be read for each process in addition to the list of processes. The values are bits that
 * can be combined.
 */
enum ps_needs {
	PS_NEEDS_PSS = 1,   /**< smaps_rollup: expensive, because the kernel holds the lock of the
	                       process's mappings while it walks all memory */
	PS_NEEDS_LIMIT = 2, /**< the files of the process's cgroups */
	PS_NEEDS_USER = 4,  /**< the user database */
};

/** One row. */
struct ps_row {
	const struct pm_process_row *process; /**< entry in the list of processes; borrowed */
	const char *user; /**< name of the user; NULL if the user has no name; borrowed */
	uint64_t pss;     /**< proportional set size in bytes */
	uint64_t limit;   /**< memory limit in bytes */
	bool pss_known;   /**< `pss` is valid */
	bool limited;     /**< `limit` is valid */
};

/** The description of lists of processes. */
extern const struct list_spec ps_columns_spec;

#endif
