/* SPDX-License-Identifier: MIT */
/** @file Tests whether names of generated code are missing. Private. */
#ifndef PM_TRACE_UNNAMED_H
#define PM_TRACE_UNNAMED_H

#include <stdbool.h>

#include <procmem/trace.h>

/**
 * Tests whether a stack of a result has a frame that is in no file and has no name, in a process
 * that can have generated code. Without such code, the address is wrong: its stack was damaged.
 *
 * @param result   the result
 * @param stacks   the stacks, with their names
 * @param process  the target
 * @return         whether there is generated code without a name
 */
bool pm_trace_unnamed(const struct pm_trace_result *result, const struct pm_stacks *stacks,
                      struct pm_process *process);

#endif
