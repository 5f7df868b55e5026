/* SPDX-License-Identifier: MIT */
/**
 * @file A target that is opened for a search: what a command does before pm_scan_run(), and the
 * hits.
 */
#ifndef TESTS_SUPPORT_SESSION_H
#define TESTS_SUPPORT_SESSION_H

#include <procmem/pattern_scan.h>
#include <procmem/scan.h>

#include "support/look.h"
#include "support/patterns.h"
#include "support/target.h"

/** A target, and everything that is needed to search it. */
struct session {
	struct target target;
	struct look look;
	struct hit_list hits; /**< of the last scan, by ascending address */
	char **texts;         /**< their bytes */
	size_t changed;       /**< hits that were marked as changed */
	uint64_t unreadable;  /**< number of unreadable bytes */
	struct pm_scan_totals totals;
	struct pm_error error; /**< of the last scan */
};

/** Opens a target that was started. */
void session_open(struct session *session);

/** Closes the session, and stops the target. */
void session_close(struct session *session);

/** How session_scan() searches. */
struct session_scan {
	struct pm_scanner *scanner; /**< what to search for */
	const char *region;         /**< region of the target to search; NULL: everything */
	const char *last;           /**< last region of several, or NULL */
	unsigned workers;           /**< threads */
	bool all_pages;             /**< also search absent pages */
	bool again;                 /**< as in pm_scan */
	struct pm_reader *reader;   /**< instead of that of the session, or NULL */
};

/**
 * Searches the target.
 * @return as pm_scan_run()
 */
int session_scan(struct session *session, const struct session_scan *how);

/**
 * Creates a scanner for one pattern, which must be valid.
 * @return the scanner; release with pm_scanner_destroy()
 */
struct pm_scanner *pattern_scanner(const char *pattern, unsigned flags);

#endif
