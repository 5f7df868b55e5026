/* SPDX-License-Identifier: MIT */
/** @file The sums over several processes that `procmem map` lists. */
#ifndef CMD_MAP_SUM_H
#define CMD_MAP_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "view/list.h"

/** Number of sizes that are summed up. */
enum { MAP_SUM_SIZES = 4 };

/** The sums over the processes. Zeroed before the first process. */
struct map_sum {
	size_t processes;              /**< number of processes */
	size_t regions;                /**< number of their selected regions */
	uint64_t sizes[MAP_SUM_SIZES]; /**< sums of the columns size, rss, pss and swap, in bytes */
	bool unknown[MAP_SUM_SIZES];   /**< the size of at least one region is not known */
};

/**
 * Adds the selected regions of a process.
 *
 * @param sum   the sums
 * @param list  the regions
 */
void map_sum_add(struct map_sum *sum, const struct list *list);

/**
 * Prints the sums, if there are at least two processes.
 *
 * @param sum    the sums
 * @param json   print a JSON object; if false, print a line of text
 * @param bytes  print sizes in bytes
 * @param out    where to print
 */
void map_sum_print(const struct map_sum *sum, bool json, bool bytes, struct out *out);

#endif
