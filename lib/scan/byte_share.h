/* SPDX-License-Identifier: MIT */
/** @file FILL byte_share.c */
#ifndef PM_SCAN_BYTE_SHARE_H
#define PM_SCAN_BYTE_SHARE_H

#include "scan/pattern_shape.h"

/**
 * How often a byte of a set stands in memory as it usually is; a first guess, until the target's
 * own bytes are counted.
 *
 * @param set  the set
 * @return     a share of all bytes
 */
double pm_byte_set_share(const struct pm_byte_set *set);

#endif
