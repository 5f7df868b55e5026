/* SPDX-License-Identifier: MIT */
/**
 * @file The rules that may be the reason why a process cannot be looked into. Private to access*.c.
 */
#ifndef PM_PROC_ACCESS_RULES_H
#define PM_PROC_ACCESS_RULES_H

#include <stdbool.h>
#include <sys/types.h>

#include <procmem/error.h>

#include "proc/credentials.h"

/** One refusal, and what is known about both sides. */
struct pm_refusal {
	const char *proc_root;
	pid_t pid;
	const char *doing; /**< completes "cannot ..." */
	int cause; /**< errno of the refused call, 0 where it was allowed but had no effect */
	struct pm_credentials own;    /**< ours */
	struct pm_credentials target; /**< the target's */
	struct pm_error *error;
};

/** A rule: fills the error and returns true where it is the one that refused. */
typedef bool pm_access_rule(const struct pm_refusal *refusal);

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

/* Rules about the state of the process: there is nothing to read, whatever rights we have
 * (access_state.c). */

/**
 * For a target whose status cannot be read: hidden by a mount option of proc, or not there. Always
 * applies.
 */
bool pm_access_is_invisible(const struct pm_refusal *refusal);

/** It never has memory. */
bool pm_access_is_kernel_thread(const struct pm_refusal *refusal);

/** It has ended, its parent has not noticed. */
bool pm_access_is_zombie(const struct pm_refusal *refusal);

/** It ended or called exec just now. */
bool pm_access_is_gone(const struct pm_refusal *refusal);

/** The call failed for something else than a lack of rights. */
bool pm_access_is_other_failure(const struct pm_refusal *refusal);

#endif
