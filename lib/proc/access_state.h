/* SPDX-License-Identifier: MIT */
/** @file FILL access_state.c */
#ifndef PM_PROC_ACCESS_STATE_H
#define PM_PROC_ACCESS_STATE_H

#include "proc/access_rules.h"

/** It ended or called exec just now. */
bool pm_access_is_gone(const struct pm_refusal *refusal);

/**
 * For a target whose status cannot be read: hidden by a mount option of proc, or not there. Always
 * applies.
 */
bool pm_access_is_invisible(const struct pm_refusal *refusal);

/** It never has memory. */
bool pm_access_is_kernel_thread(const struct pm_refusal *refusal);

/** The call failed for something else than a lack of rights. */
bool pm_access_is_other_failure(const struct pm_refusal *refusal);

/** It has ended, its parent has not noticed. */
bool pm_access_is_zombie(const struct pm_refusal *refusal);

#endif
