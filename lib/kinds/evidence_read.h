/* SPDX-License-Identifier: MIT */
/**
 * @file Reads a few bytes at each of many addresses of the target, without side effects in the
 * target. Private.
 */
#ifndef PM_KINDS_EVIDENCE_READ_H
#define PM_KINDS_EVIDENCE_READ_H

#include "kinds/rule.h"

/** Whether a page can be read without side effects in the target. */
enum pm_presence {
	PM_PRESENT, /**< the page is in memory */
	PM_ABSENT,  /**< the page was never touched or is swapped out, or it is a guard page or
	               memory of a device; reading would change the target or fail */
	PM_PRESENCE_UNKNOWN, /**< neither sizes nor page states are known */
};

/**
 * Determines whether a page can be read without side effects. A page of a device counts as absent.
 * If the evidence permits reading any page, all other pages count as present. Otherwise, the sizes
 * of the region decide if no page or all pages of the region are resident; if not, pagemap decides.
 *
 * @param context   the context
 * @param region    the region
 * @param address   an address in the page, within the region
 * @param presence  receives the answer
 * @param error     PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_kinds_presence(struct pm_kinds_context *context, const struct pm_region *region,
                      uint64_t address, enum pm_presence *presence, struct pm_error *error);

/**
 * Reads pieces of the same size at many addresses. Their pages must be present.
 *
 * @param context    the context; `refusal` receives the reason if reading is not permitted. Nothing
 *                   is read if `refusal` is not empty before the call, for example because there is
 *                   no reader
 * @param addresses  address of each piece
 * @param count      number of pieces
 * @param size       size of each piece in bytes
 * @param buffer     room for count * size bytes
 * @param got        receives for each piece whether it was read
 * @param error      PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_kinds_read(struct pm_kinds_context *context, const uint64_t *addresses, size_t count,
                  size_t size, void *buffer, bool *got, struct pm_error *error);

/**
 * Returns a pointer-sized number from memory of the target.
 *
 * @param bytes  the bytes
 * @param word   size of the number: 8 or 4
 * @return       the number
 */
uint64_t pm_kinds_word(const void *bytes, unsigned word);

#endif
