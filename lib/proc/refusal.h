/* SPDX-License-Identifier: MIT */
/** @file FILL refusal.c */
#ifndef PM_PROC_REFUSAL_H
#define PM_PROC_REFUSAL_H

#include "proc/access_rules.h"

/**
 * Fills the error with "cannot DOING: process PID (NAME) ...".
 * @return true, for rules to return
 */
bool pm_refused(const struct pm_refusal *refusal, enum pm_error_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * What helps somebody who lacks the right to look into other users' processes.
 * @return words that follow a semicolon
 */
const char *pm_remedy(const struct pm_refusal *refusal);

#endif
