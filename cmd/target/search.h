/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A scan of a target's memory, as the commands that search in it run it: their common options, the
 * scan itself with progress, Ctrl-C and a reader that goes away, and what is told on stderr
 * afterwards.
 *
 * Everything is searched that the target has touched, or of it what was chosen. Pages of files that
 * it has not touched are not in its memory: they are searched with --whole-files only, and their
 * sum is told otherwise.
 */
#ifndef CMD_TARGET_SEARCH_H
#define CMD_TARGET_SEARCH_H

#include <procmem/scan.h>

#include "cli/options.h"
#include "target/memory.h"
#include "view/progress.h"

/** What the user wants; part of the options of a command. */
struct search_options {
	bool stop;                  /**< --stop */
	bool whole_files;           /**< --whole-files */
	struct selection selection; /**< which regions */
	struct output_options
		output; /**< how to tell; its `verbose` lists all that is unreadable */
};

/** The options --stop and --whole-files. */
extern const struct cli_option search_option_table[];

/** Takes one of them. @see cli_parse_option */
int search_parse_option(void *into, int id, const char *value, struct pm_error *error);

struct search_what;

/** A search in one target. Zero it; set the first six fields and `memory.cancel`. */
struct search {
	const struct search_options *options; /**< the user's */
	struct out *out;                      /**< where hits go; if it fails, the search ends */
	const char *noun[2]; /**< what a hit is called, one and several: "match", "matches" */
	const char *where; /**< what is told behind their number: " in 3 regions (2 heap, 1 stack)";
	                      NULL for nothing */
	unsigned needs;    /**< what must be known of the regions: enum region_needs bits */
	void *context;     /**< the command's own */

	struct memory memory;           /**< what is searched, once it is open */
	struct progress progress;       /**< the line on stderr */
	uint64_t expected;              /**< bytes that will be searched, roughly */
	const struct search_what *what; /**< while it runs */
	struct pm_scan_totals totals;   /**< what was done */
	uint64_t untouched;  /**< bytes of files and shared memory left out, because the target has
	                        not touched them */
	uint64_t missing;    /**< bytes that a core file does not hold */
	uint64_t elapsed_us; /**< how long it took, in microseconds */
	uint64_t flushed_us; /**< when output was handed on last */
	bool enough;         /**< `deliver` has ended the search */
	bool reader_gone;    /**< whoever read the output has seen enough */
};

/** What is searched for, and what becomes of the hits. */
struct search_what {
	const struct pm_scanner *scanner; /**< what for */
	size_t around;                    /**< bytes around a hit that `found` wants to see */
	pm_scan_found *found;             /**< as in pm_scan; its context is the struct search */
	pm_scan_deliver *deliver;         /**< the same; 1 ends the search */
};

/**
 * Opens a target for a search, and stops it if that is wanted.
 *
 * @param search  as prepared; release with search_close(), also where this fails
 * @param word    the TARGET
 * @param error   any
 * @return        as memory_open(): 1, 0 where nothing fits the choice, -1
 */
int search_open(struct search *search, const char *word, struct pm_error *error);

/**
 * Searches, and lets a stopped target run on.
 *
 * @param search  an open one
 * @param what    what for
 * @param error   PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES, what the callbacks say
 * @return        0, also where the reader of the output went away; -1
 */
int search_run(struct search *search, const struct search_what *what, struct pm_error *error);

/**
 * Tells on stderr how long the target was stopped and what could not be read (three places, or all
 * with -v); to a terminal or with -v also how much was found and searched. Nothing with -q.
 *
 * @param search  one that has run
 * @param found   how many hits, in the command's own counting
 */
void search_report(const struct search *search, uint64_t found);

/**
 * Prints a hit as JSON.
 *
 * @param hit     what is known of it only now that its turn has come: it is added
 * @param begun   the object, without its end
 * @param length  bytes of that
 * @param out     where to
 */
void search_put_json(const struct pm_scan_delivery *hit, const char *begun, size_t length,
                     struct out *out);

/**
 * Releases the target.
 * @param search as opened, or as tried
 */
void search_close(struct search *search);

#endif
