/* SPDX-License-Identifier: MIT */
/** @file Finds the names of the addresses in a store of stacks. Private. */
#ifndef PM_STACK_NAMER_H
#define PM_STACK_NAMER_H

#include "stack/helper.h"
#include "stack/modules.h"

/** What names are found with. */
struct pm_namer {
	struct pm_helper helper;   /**< reads the files */
	struct pm_modules modules; /**< the mapped files */
	struct pm_stacks *stacks;  /**< the store */
	uid_t owner;               /**< effective user ID of the target: the owner of its JIT map */
	char jit_map[64];          /**< path of the JIT map in the file system of the target */
};

/**
 * Starts the child process, with an empty list of mapped files.
 * @param namer    filled; release with pm_namer_deinit(), also after a failure
 * @param process  the target; must outlive the namer
 * @param stacks   the store; must outlive the namer
 * @param cancel   the cancel flag, as for pm_helper_start()
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_GONE, PM_ERROR_ACCESS
 * @return         0 or -1
 */
int pm_namer_init(struct pm_namer *namer, struct pm_process *process, struct pm_stacks *stacks,
                  const volatile sig_atomic_t *cancel, struct pm_error *error);

/**
 * Finds the names of all addresses of the current program that have none. If the child has ended,
 * only the modules and the names of generated code are found.
 * @param namer  the namer
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_namer_run(struct pm_namer *namer, struct pm_error *error);

/**
 * Opens the root directory of the target again: a program can change it before it calls exec.
 * @param namer  the namer
 */
void pm_namer_follow_exec(struct pm_namer *namer);

/**
 * Ends the child process.
 * @param namer  the namer
 */
void pm_namer_deinit(struct pm_namer *namer);

#endif
