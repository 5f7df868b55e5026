/* SPDX-License-Identifier: MIT */
/** @file Cancellation by the caller. Private. */
#ifndef PM_READER_CANCEL_H
#define PM_READER_CANCEL_H

#include <signal.h>
#include <stdbool.h>

#include <procmem/error.h>

/**
 * Tests whether the cancellation flag of the caller is set. A signal handler or another thread may
 * set the flag at any time.
 * @param cancel  the flag; NULL if the caller has none
 * @return        true if the flag is set
 */
static inline bool pm_is_cancelled(const volatile sig_atomic_t *cancel)
{
	return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
}

/**
 * Fails if the cancellation flag of the caller is set.
 *
 * @param cancel  the flag; NULL if the caller has none
 * @param error   PM_ERROR_CANCELLED
 * @return        0 if the flag is not set, or -1
 */
static inline int pm_check_cancel(const volatile sig_atomic_t *cancel, struct pm_error *error)
{
	if (!pm_is_cancelled(cancel))
		return 0;

	return pm_error_set(error, PM_ERROR_CANCELLED, 0, "cancelled");
}

#endif
