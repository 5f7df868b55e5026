/* SPDX-License-Identifier: MIT */
/** @file The side of the parent: sends requests to the child process, and opens the files that the
 * child asks for. Private. */
#ifndef PM_STACK_HELPER_H
#define PM_STACK_HELPER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "stack/modules.h"
#include "stack/protocol.h"

/** Size of a reason in bytes, with the NUL. */
enum { PM_HELPER_WHY_SIZE = 256 };

/** The child process. */
struct pm_helper {
	struct pm_process *process; /**< the target */
	struct pm_stack_area *area; /**< shared with the child; NULL if it could not be mapped */
	int root;                   /**< root directory of the target; -1 if it cannot be opened */
	int socket;                 /**< -1 after the child has ended */
	pid_t pid;                  /**< 0 after the child has ended */
	int answer_ms;              /**< milliseconds until an answer must arrive */
	/** Set by a signal handler: the child then has half a second of CPU time for all answers,
	 * and must run. May be NULL */
	const volatile sig_atomic_t *cancel;
	int64_t cancelled_ms;     /**< when the flag was seen, in milliseconds; 0: it is not set */
	int64_t cancelled_cpu_ms; /**< CPU time of the child then */
	char why[PM_HELPER_WHY_SIZE]; /**< why it has ended; "" if it runs */
};

/**
 * Starts the child.
 * @param helper   filled; release with pm_helper_stop(), also after a failure
 * @param process  the target; must outlive the helper
 * @param cancel   the cancel flag; may be NULL; must outlive the helper
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_helper_start(struct pm_helper *helper, struct pm_process *process,
                    const volatile sig_atomic_t *cancel, struct pm_error *error);

/**
 * Ends the child.
 * @param helper  the child
 */
void pm_helper_stop(struct pm_helper *helper);

/**
 * Sends a request to the child, opens the files that it asks for, and waits for the answer. If the
 * child has ended or does not answer, or if the cancel flag is set and it does not answer soon, it
 * is stopped, and `why` says so.
 *
 * @param helper   the child
 * @param modules  the mapped files that the child can ask for
 * @param message  the request; receives the answer
 * @return         whether there is an answer, which has at most as many items as the request
 */
bool pm_helper_ask(struct pm_helper *helper, const struct pm_modules *modules,
                   struct pm_stack_message *message);

/**
 * Stops the child because its answer is not valid.
 * @param helper  the child
 */
void pm_helper_reject(struct pm_helper *helper);

#endif
