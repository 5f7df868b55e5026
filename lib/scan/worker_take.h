/* SPDX-License-Identifier: MIT */
/** @file FILL worker_take.c */
#ifndef PM_SCAN_WORKER_TAKE_H
#define PM_SCAN_WORKER_TAKE_H

#include "scan/worker.h"

/**
 * Takes the hits of a window: looks at them again, tells the caller, writes them down. @see
 * pm_hits.take
 */
int pm_worker_take(struct pm_hits *hits, const struct pm_window *window, struct pm_error *error);

#endif
