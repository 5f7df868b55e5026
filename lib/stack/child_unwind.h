/* SPDX-License-Identifier: MIT */
/** @file Unwinding in the child process. Private. */
#ifndef PM_STACK_CHILD_UNWIND_H
#define PM_STACK_CHILD_UNWIND_H

#include "stack/child_files.h"

/**
 * Prepares libdw to unwind. Call it after the first pm_child_files_report().
 * @param files  the mapped files
 * @return       whether libdw can unwind
 */
bool pm_child_unwind_attach(struct pm_child_files *files);

/**
 * Unwinds a sample.
 * @param files    the mapped files
 * @param sample   registers, and the size of the copy of the stack
 * @param stack    the copy of the stack
 * @param unwound  filled
 */
void pm_child_unwind(struct pm_child_files *files, const struct pm_stack_sample *sample,
                     const char *stack, struct pm_stack_unwound *unwound);

/**
 * As pm_child_unwind(), but only by simple rules.
 * @return  whether the stack was unwound up to its outermost frame
 */
bool pm_child_unwind_by_rules(struct pm_child_files *files, const struct pm_stack_sample *sample,
                              const char *stack, struct pm_stack_unwound *unwound);

/** As pm_child_unwind(), but only by libdw. */
void pm_child_unwind_by_libdw(struct pm_child_files *files, const struct pm_stack_sample *sample,
                              const char *stack, struct pm_stack_unwound *unwound);

#endif
