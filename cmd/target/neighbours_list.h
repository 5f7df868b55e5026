/* SPDX-License-Identifier: MIT */
/** @file Finds the processes around a target. Private to neighbours.c. */
#ifndef CMD_TARGET_NEIGHBOURS_LIST_H
#define CMD_TARGET_NEIGHBOURS_LIST_H

#include "target/neighbours.h"

/**
 * Finds a process that is followed and has not ended.
 *
 * @param neighbours  the processes
 * @param pid         process ID
 * @return            the process, valid until another one is added; NULL if it is not followed
 */
struct neighbour *neighbours_list_find(const struct neighbours *neighbours, pid_t pid);

/**
 * Reads a process and follows it, unless it is followed already. Kernel threads are not followed.
 *
 * @param neighbours  the processes
 * @param pid         process ID
 * @param relation    what it is to the target
 * @param time        time of the sample, in seconds
 * @param error       PM_ERROR_RESOURCES
 * @return            PM_USE_READ also if the process is followed already; it can have another
 *                    relation then
 */
enum pm_memory_use_result neighbours_list_follow(struct neighbours *neighbours, pid_t pid,
                                                 enum neighbour_relation relation, double time,
                                                 struct pm_error *error);

/**
 * Forgets what the processes are to the target, which is another one from now on.
 * @param neighbours  the processes
 */
void neighbours_list_forget(struct neighbours *neighbours);

/**
 * Lists the processes, and follows those that are new.
 *
 * @param neighbours  the processes
 * @param time        time of the sample, in seconds
 * @param error       as for neighbours_add()
 * @return            0 or -1
 */
int neighbours_list_update(struct neighbours *neighbours, double time, struct pm_error *error);

#endif
