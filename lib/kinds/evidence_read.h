/* SPDX-License-Identifier: MIT */
/**
 * @file Reading a few bytes at many places of the target, without changing anything in it. Private.
 */
#ifndef PM_KINDS_EVIDENCE_READ_H
#define PM_KINDS_EVIDENCE_READ_H

#include "kinds/rule.h"

/** Whether a page can be read without the target noticing. */
enum pm_presence {
	PM_PRESENT, /**< it is in memory */
	PM_ABSENT,  /**< never touched, swapped out, a guard page, or memory of a device: reading it
	               would change the target or fail */
	PM_PRESENCE_UNKNOWN, /**< neither sizes nor page states are known */
};

/**
 * Finds out whether a page is in memory, from the sizes of its region if they tell, else from
 * pagemap.
 *
 * @param context   its evidence
 * @param region    the region
 * @param address   an address in it
 * @param presence  where to store the answer
 * @param error     PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_kinds_presence(struct pm_kinds_context *context, const struct pm_region *region,
                      uint64_t address, enum pm_presence *presence, struct pm_error *error);

/**
 * Reads pieces of one size at many addresses; only such that are present. Where reading turns out
 * to be forbidden, context->refusal says why.
 *
 * @param context    its evidence; without a reader nothing is got
 * @param addresses  where
 * @param count      how many
 * @param size       bytes of each
 * @param buffer     room for count * size bytes
 * @param got        where to store, for each, whether it was read
 * @param error      PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_kinds_read(struct pm_kinds_context *context, const uint64_t *addresses, size_t count,
                  size_t size, void *buffer, bool *got, struct pm_error *error);

/**
 * A pointer-sized number of the target.
 * @param bytes where it stands
 * @param word its size: 8 or 4
 */
uint64_t pm_kinds_word(const void *bytes, unsigned word);

#endif
