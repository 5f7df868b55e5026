/* SPDX-License-Identifier: MIT */
/** @file FILL worker_check.c */
#ifndef PM_SCAN_WORKER_CHECK_H
#define PM_SCAN_WORKER_CHECK_H

#include "scan/worker.h"

/**
 * Marks the hits that the target has changed since.
 * @param window where they are
 * @param error PM_ERROR_GONE
 * @return 0 or -1
 */
int pm_worker_check(struct pm_worker *worker, const struct pm_window *window, struct pm_hits *hits,
                    struct pm_error *error);

#endif
