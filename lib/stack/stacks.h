/* SPDX-License-Identifier: MIT */
/** @file Giving names to the addresses in a store of stacks. Private. */
#ifndef PM_STACK_STACKS_H
#define PM_STACK_STACKS_H

#include <procmem/stacks.h>

/**
 * Lists the addresses that were added since the last call of pm_stacks_next_program() and have no
 * names yet, in ascending order.
 *
 * @param stacks     the store
 * @param addresses  receives the array; the caller frees it
 * @param count      receives the number of addresses
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_stacks_unnamed(const struct pm_stacks *stacks, uint64_t **addresses, size_t *count,
                      struct pm_error *error);

/**
 * Sets the frames of an address of the current program. An address that the store does not contain,
 * and one that has a name already, are ignored.
 *
 * @param stacks   the store
 * @param address  the address
 * @param frames   its frames, the innermost first; their texts are copied
 * @param count    number of frames, at least 1
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_stacks_name(struct pm_stacks *stacks, uint64_t address, const struct pm_frame *frames,
                   size_t count, struct pm_error *error);

/**
 * Makes names that pm_stacks_name() has set visible to pm_stacks_get().
 * @param stacks  the store
 */
void pm_stacks_renew(struct pm_stacks *stacks);

/**
 * Begins another program, or another set of mapped files: stacks that are added from now on differ
 * from all earlier ones, also if their addresses are equal.
 * @param stacks  the store
 */
void pm_stacks_next_program(struct pm_stacks *stacks);

#endif
