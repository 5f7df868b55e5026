/* SPDX-License-Identifier: MIT */
/** @file Names of functions in the child process. Private. */
#ifndef PM_STACK_CHILD_NAMES_H
#define PM_STACK_CHILD_NAMES_H

#include "stack/child_files.h"

/**
 * Finds the names of an address.
 * @param files   the mapped files
 * @param address an address of code
 * @param output  receives a struct pm_stack_named with its frames and texts
 * @param size    size of the output in bytes
 * @return        bytes written; 0 if they do not fit
 */
size_t pm_child_names_find(struct pm_child_files *files, uint64_t address, char *output,
                           size_t size);

#endif
