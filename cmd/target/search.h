/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A scan of the memory of a target, for the commands that search: their common options, the scan
 * with progress, Ctrl-C and closed pipes, and the report on stderr.
 *
 * A search covers all selected memory that the target has touched. Pages of mapped files that the
 * target has not touched are not in its memory: with --whole-files they are searched, too;
 * otherwise only their total size is reported.
 */
#ifndef CMD_TARGET_SEARCH_H
#define CMD_TARGET_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/scan.h>

#include "base/out.h"
#include "cli/options.h"
#include "target/hit_chunk.h"
#include "target/memory.h"
#include "target/selection.h"
#include "view/progress.h"

/** Options that all commands that search have in common. */
struct search_options {
	bool stop;                       /**< --stop */
	bool whole_files;                /**< --whole-files */
	struct hit_chunk_options chunks; /**< which chunks of malloc */
	struct selection selection;      /**< which regions */
	struct output_options output; /**< output options; `verbose` lists all unreadable ranges */
};

/** The options --stop and --whole-files. */
extern const struct cli_option search_option_table[];

/**
 * Parses --stop or --whole-files.
 * @see cli_parse_option
 */
int search_parse_option(void *into, int id, const char *value, struct pm_error *error);

struct search_what;

/**
 * A search of one target. Initialise with zeros; set the fields up to `context` and
 * `memory.cancel`.
 */
struct search {
	const struct search_options *options; /**< options of the command line */
	struct out *out;     /**< the output for the hits; the search ends if a write to it fails */
	const char *noun[2]; /**< a hit, singular and plural: "match", "matches" */
	const char *where;   /**< text that follows the number of hits in the report, such as " in 3
	                        regions (2 heap, 1 stack)"; NULL to add no text */
	bool one_of_several; /**< other targets are searched, too. A target without a hit is then
	                        reported only on a terminal or with -v */
	/** Time (clock_us()) at which the search ends if it is not complete; 0 if it has no limit
	 */
	uint64_t deadline_us;
	const char *slow; /**< text of a note that is printed once if the search is slow; NULL to
	                     print none */
	unsigned needs;   /**< what must be known about the regions: enum region_needs bits */
	void *context;    /**< data of the command, for its callbacks */

	struct memory memory;           /**< the memory to search; set by search_open() */
	struct hit_chunks chunks;       /**< the chunks of the hits; set by search_open() */
	struct progress progress;       /**< the progress line on stderr */
	uint64_t stopped_ns;            /**< duration of earlier stops, which were repeated */
	uint64_t expected;              /**< estimate of the bytes to search */
	const struct search_what *what; /**< what to search for; set while the search runs */
	struct pm_scan_totals totals;   /**< totals of the scan */
	uint64_t untouched;  /**< bytes of files and shared memory that were skipped because the
	                        target has not touched them */
	uint64_t pending;    /**< bytes that were skipped because the userfaultfd handler has not
	                        provided them yet */
	uint64_t missing;    /**< bytes that the core file does not contain */
	uint64_t started_us; /**< time of the start of the search, in microseconds */
	double started_cpu;  /**< processor time of this program at the start, in seconds */
	uint64_t elapsed_us; /**< duration of the search in microseconds */
	bool failed;         /**< an error or Ctrl-C has ended the search */
	bool timed_out;      /**< the search ended at `deadline_us`, before it was complete */
	uint64_t flushed_us; /**< time of the last write of output, in microseconds */
	bool enough;         /**< the callback `deliver` has ended the search early */
	bool reader_gone;    /**< the reader of the output has closed the pipe */
};

/**
 * What to search for, and what to do with the hits. Neither callback is called for hits that
 * --in-use or --freed leave out.
 */
struct search_what {
	const struct pm_scanner *scanner; /**< what to search for */
	size_t around;            /**< number of bytes before and after a hit that `found` needs */
	bool texts;               /**< hits are texts: hit_chunk_trim() is called for them */
	uint64_t min_length;      /**< as in pm_strings_options */
	pm_scan_found *found;     /**< as in pm_scan; the context is the struct search */
	pm_scan_deliver *deliver; /**< as in pm_scan; the context is the struct search */
};

/**
 * Opens a target for a search, and stops it with --stop. Reads the heap if an option is about
 * chunks.
 *
 * @param search  initialised; release it with search_close(), even on failure
 * @param word    the TARGET
 * @param error   any
 * @return        1 (MEMORY_READY), 0 if no region is selected, or -1; in the last two cases `error`
 *                is set
 */
int search_open(struct search *search, const char *word, struct pm_error *error);

/**
 * Searches, then resumes a stopped target.
 *
 * @param search  opened
 * @param what    what to search for
 * @param error   PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES, those of the callbacks
 * @return        0, also if the reader of the output has closed the pipe, or if the search has
 * timed out; -1 on error
 */
int search_run(struct search *search, const struct search_what *what, struct pm_error *error);

/**
 * Reports on stderr how long the target was stopped and what could not be read (three ranges, or
 * all with -v), and which hits were left out; on a terminal, with -v, or if nothing was found in
 * the only target, also what was found and searched. Prints nothing with -q, except an error if the
 * search has timed out.
 *
 * @param search  the search, complete
 * @param found   number of hits, as the command counts them
 */
void search_report(const struct search *search, uint64_t found);

/**
 * Prints a hit as JSON.
 *
 * @param hit     the delivered hit, from which the missing fields of the object are taken
 * @param begun   the start of the object: all other fields, without the closing brace
 * @param length  bytes of `begun`
 * @param out     where to print
 */
void search_put_json(const struct pm_scan_delivery *hit, const char *begun, size_t length,
                     struct out *out);

/**
 * Releases the target.
 * @param search  the search, also if search_open() failed
 */
void search_close(struct search *search);

#endif
