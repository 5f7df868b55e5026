/* SPDX-License-Identifier: MIT */
/** @file The target `copied`, and copies of it. A failure fails the running cmocka test. */
#ifndef TESTS_SUPPORT_COPY_SESSION_H
#define TESTS_SUPPORT_COPY_SESSION_H

#include <procmem/copy.h>

#include "support/target.h"

/** A target and its handle. */
struct copy_session {
	struct target target;
	struct pm_process *process;
};

/** Starts the target. */
void copy_session_begin(struct copy_session *session);

/** Stops the target. */
void copy_session_end(struct copy_session *session);

/**
 * Plans a copy of the target.
 *
 * @param options  as in pm_copy_open()
 * @return         the copy; release with pm_copy_close()
 */
struct pm_copy *copy_session_open(struct copy_session *session,
                                  const struct pm_copy_options *options);

#endif
