/* SPDX-License-Identifier: MIT */
/** @file The sums over several processes that `procmem map` lists. */
#ifndef CMD_MAP_SUM_H
#define CMD_MAP_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "target/group.h"
#include "target/target_list.h"
#include "view/list.h"

/** Number of sizes that are summed up. */
enum { MAP_SUM_SIZES = 4 };

/** The sums over the processes. Zeroed before the first process. */
struct map_sum {
	size_t processes;              /**< number of processes */
	size_t regions;                /**< number of their selected regions */
	uint64_t sizes[MAP_SUM_SIZES]; /**< sums of the columns size, rss, pss and swap, in bytes */
	bool unknown[MAP_SUM_SIZES];   /**< the size of at least one region is not known */
	struct groups
		*groups; /**< sums of the groups of all processes; owned; NULL if there are none */
};

/**
 * Adds the selected regions of a process.
 *
 * @param sum   the sums
 * @param list  the regions
 */
void map_sum_add(struct map_sum *sum, const struct list *list);

/**
 * Adds the groups of a process, if the groups of several processes can be summed up.
 *
 * @param sum     the sums
 * @param by      what the regions of each group have in common
 * @param groups  the groups of the process
 */
void map_sum_add_groups(struct map_sum *sum, enum group_by by, const struct groups *groups);

/**
 * Prints the sums, if there are at least two processes.
 *
 * @param sum      the sums
 * @param targets  the processes, with the number of those that were not read
 * @param list     columns and order of the groups
 * @param output   text or JSON, sizes in bytes
 * @param out      where to print
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int map_sum_print(const struct map_sum *sum, const struct target_list *targets,
                  const struct list_options *list, const struct output_options *output,
                  struct out *out, struct pm_error *error);

/** Releases the sums. */
void map_sum_deinit(struct map_sum *sum);

#endif
