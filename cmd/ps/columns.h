/* SPDX-License-Identifier: MIT */
/** @file A row and the columns of a list of processes. */
#ifndef CMD_PS_COLUMNS_H
#define CMD_PS_COLUMNS_H

#include <procmem/process_list.h>
#include <procmem/process_rollup.h>

#include "ps/cgroups.h"
#include "view/list.h"

/**
 * What must be read for each process in addition to the list of processes. The values are bits that
 * can be combined.
 */
enum ps_needs {
	PS_NEEDS_ROLLUP = 1, /**< smaps_rollup: expensive, because the kernel holds the lock of the
	                        process's mappings while it walks all memory */
	PS_NEEDS_LIMIT = 2,  /**< the limit of the process's cgroup */
	PS_NEEDS_USER = 4,   /**< the user database */
	PS_NEEDS_CGROUP = 8, /**< the name of the process's cgroup */
	PS_NEEDS_FOR = 16,   /**< a second list after some time: the option --for */
	PS_NEEDS_TREE = 32,  /**< the tree of processes: the option --tree */
	/** The option --by. This bit is shifted by the value of enum ps_by that is needed. */
	PS_NEEDS_BY = 64,
};

/** One row. */
struct ps_row {
	const struct pm_process_row *process; /**< entry in the list of processes; borrowed */
	const char *user; /**< name of the user; NULL if the user has no name; borrowed */
	const struct ps_cgroup *cgroup;  /**< the cgroup; NULL if it is not known; borrowed */
	int64_t started_ns;              /**< start time, in nanoseconds since 1970 */
	struct pm_process_rollup rollup; /**< the sums of smaps_rollup */
	bool rollup_known;               /**< `rollup` is valid */
	bool bytes;                      /**< show exact numbers */
	bool rate_known;                 /**< `rate` is valid */
	bool is_new;                     /**< the process has started during --for */
	int64_t rate;                    /**< change of RSS, in bytes per second */
	bool listed;                     /**< the process is to be listed */
	struct ps_row *parent;           /**< the listed parent; NULL if there is none */
	struct ps_row *first_child;      /**< first child in the order of the tree, or NULL */
	struct ps_row *next_sibling;     /**< next child of the same parent, or NULL */
	size_t depth;                    /**< number of ancestors in the tree */
	uint64_t tree_rss;    /**< RSS of the process and of all its descendants in the tree */
	uint64_t tree_pss;    /**< the same for PSS */
	bool tree_pss_known;  /**< `tree_pss` is valid */
	int64_t tree_rate;    /**< sum of the known rates of the same processes */
	bool tree_rate_known; /**< `tree_rate` is valid: the rate of one of them is known */
};

/**
 * Returns the description of lists of processes.
 *
 * @param tree      whether the list is a tree
 * @param with_for  whether rates are known
 * @return          the description, a constant
 */
const struct list_spec *ps_columns_spec(bool tree, bool with_for);

/**
 * Returns the rate at which memory changes.
 *
 * @param before   size at the start, in bytes
 * @param now      size at the end, in bytes
 * @param seconds  time between both, more than 0
 * @return         bytes per second, at most 1e18 of either sign
 */
int64_t ps_columns_rate(uint64_t before, uint64_t now, double seconds);

/**
 * Adds the rate at which memory changes, for the table.
 *
 * @param rate   bytes per second, at most 1e18 of either sign
 * @param bytes  true to write the exact number
 * @param text   receives the rate
 */
void ps_columns_put_rate(int64_t rate, bool bytes, struct text *text);

/**
 * Adds two rates.
 *
 * @param one    a rate, in bytes per second
 * @param other  another one
 * @return       the sum; the limits of the type if it is beyond them
 */
int64_t ps_columns_add_rates(int64_t one, int64_t other);

/**
 * Returns a number that sorts rates, also negative ones, as list_column.number does.
 * @param rate  bytes per second, at most 1e18 of either sign
 */
uint64_t ps_columns_rate_key(int64_t rate);

#endif
