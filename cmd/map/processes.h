/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One row for each process, with the sums of its selected regions: the table of `procmem map` with
 * --children or --cgroup.
 */
#ifndef CMD_MAP_PROCESSES_H
#define CMD_MAP_PROCESSES_H

#include "target/regions_load.h"
#include "target/target_list.h"
#include "view/list.h"

/** A process of the table. */
struct map_process;

/** The processes of the table. A zeroed structure has none. */
struct map_processes {
	struct map_process *items; /**< the processes; owned */
	size_t count;              /**< number of processes */
	size_t capacity;           /**< private */
};

/** The columns of the table. */
extern const struct list_spec map_processes_spec;

/**
 * Adds a process.
 *
 * @param processes  receives the process
 * @param loaded     the process
 * @param regions    its selected regions
 */
void map_processes_add(struct map_processes *processes, const struct loaded *loaded,
                       const struct list *regions);

/**
 * Prints a line with the sums, and the table.
 *
 * @param processes  the processes
 * @param targets    how they were found
 * @param options    columns, order and length of the table
 * @param bytes      print exact sizes
 * @param out        where to print
 * @param error      PM_ERROR_USAGE
 * @return           0 or -1
 */
int map_processes_print(const struct map_processes *processes, const struct target_list *targets,
                        const struct list_options *options, bool bytes, struct out *out,
                        struct pm_error *error);

/** Releases the processes. */
void map_processes_deinit(struct map_processes *processes);

#endif
