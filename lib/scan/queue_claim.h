/* SPDX-License-Identifier: MIT */
/** @file FILL queue_claim.c */
#ifndef PM_SCAN_QUEUE_CLAIM_H
#define PM_SCAN_QUEUE_CLAIM_H

#include "scan/queue.h"

/**
 * Takes a unit to scan; waits for one.
 *
 * Two threads that read pages of one page table wait for its lock in the kernel (follow_page_pte()
 * in mm/gup.c; docs/KERNEL.md has what that costs). So a worker gets both units of such a table,
 * and does one after the other.
 *
 * @param order the order
 * @param second the unit that this worker does next, the worker's to keep; NULL for none, and at
 * first
 * @return the job; NULL: there is nothing more to do
 */
struct pm_job *pm_scan_queue_claim(struct pm_scan_queue *order, struct pm_job **second);

#endif
