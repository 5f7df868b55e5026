/* SPDX-License-Identifier: MIT */
/**
 * @file A target of ours that is opened for searching: what a command does before pm_scan_run(),
 * and where the hits go.
 */
#ifndef TESTS_SUPPORT_SESSION_H
#define TESTS_SUPPORT_SESSION_H

#include <procmem/pattern_scan.h>
#include <procmem/scan.h>

#include "support/look.h"
#include "support/patterns.h"
#include "support/target.h"

/** A target and all that is needed to search it. */
struct session {
	struct target target;
	struct look look;
	struct hit_list hits; /**< of the last scan, by ascending address */
	char **texts;         /**< their bytes */
	size_t changed;       /**< hits that were marked so */
	uint64_t unreadable;  /**< bytes */
	struct pm_scan_totals totals;
	struct pm_error error; /**< of the last scan */
};

/** Opens a target that was started. */
void session_open(struct session *session);

/** Ends it, and the target too. */
void session_close(struct session *session);

/** How session_scan() searches. */
struct session_scan {
	struct pm_scanner *scanner; /**< what for */
	const char *region;         /**< which region of the target; NULL: everything */
	const char *last;           /**< the last one, where there are several */
	unsigned workers;           /**< threads */
	bool all_pages;             /**< also those that are not there */
	bool again;                 /**< as in pm_scan */
	struct pm_reader *reader;   /**< another one than that of the session, or NULL */
};

/**
 * Searches.
 * @return as pm_scan_run()
 */
int session_scan(struct session *session, const struct session_scan *how);

/**
 * A search for one pattern that must be right.
 * @return for pm_scanner_destroy()
 */
struct pm_scanner *pattern_scanner(const char *pattern, unsigned flags);

#endif
