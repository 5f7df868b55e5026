/* SPDX-License-Identifier: MIT */
/** @file The caller's wish to stop. Private. */
#ifndef PM_READER_CANCEL_H
#define PM_READER_CANCEL_H

#include <signal.h>
#include <stdbool.h>

#include <procmem/error.h>

/**
 * Whether the caller's flag is set. It may be set by a signal handler or by another thread. @param
 * cancel the flag, or NULL
 */
static inline bool pm_is_cancelled(const volatile sig_atomic_t *cancel)
{
	return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
}

/**
 * The same as an error.
 * @param cancel the flag, or NULL
 * @param error PM_ERROR_CANCELLED
 * @return 0 to go on, or -1
 */
static inline int pm_check_cancel(const volatile sig_atomic_t *cancel, struct pm_error *error)
{
	return pm_is_cancelled(cancel) ? pm_error_set(error, PM_ERROR_CANCELLED, 0, "cancelled")
	                               : 0;
}

#endif
