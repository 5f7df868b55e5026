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

/* Rules about the state of the process: there is nothing to read, whatever rights we have
 * (access_state.c). */

#endif
