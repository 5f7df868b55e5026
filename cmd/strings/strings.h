/* SPDX-License-Identifier: MIT */
/** @file State of `procmem strings` while it runs. */
#ifndef CMD_STRINGS_STRINGS_H
#define CMD_STRINGS_STRINGS_H

#include <procmem/scan.h>
#include <procmem/tally.h>

#include "base/text.h"
#include "cli/command.h"
#include "strings/formats.h"
#include "strings/options.h"
#include "target/search.h"

struct strings_counts;

/** Buffers of one thread of the scan. */
struct strings_worker {
	struct text line;      /**< the line that is being made */
	struct text plain;     /**< characters of a UTF-16 or UTF-32 string, converted to UTF-8 */
	struct text template;  /**< the string with each number replaced by `#`, for --similar */
	struct text region;    /**< region of the last hit, as JSON */
	uint64_t region_start; /**< start address of the region in `region` */
};

/** What the notes that follow the strings of all processes report, with -u. */
struct strings_advice {
	size_t rows;             /**< number of strings printed, of processes with `code` */
	size_t code;             /**< those whose first occurrence is in machine code */
	size_t code_processes;   /**< number of processes that have such strings */
	size_t all;              /**< number of distinct strings, of processes with `single` */
	size_t single;           /**< those that occur only once */
	size_t single_processes; /**< number of processes of which most strings occur only once */
};

/** State of the command. */
struct strings {
	const struct strings_options *options; /**< options of the command line */
	struct search search;                  /**< the search; its context is this structure */
	pid_t pid;    /**< PID to print with each string; 0 if only one target is searched */
	bool several; /**< several encodings are searched for, so the encoding of each string is
	                 printed */
	struct strings_worker workers[PM_SCAN_WORKERS_MAX]; /**< one for each thread of the scan */
	uint64_t count; /**< number of strings so far; a string in several pieces counts once */
	size_t region;  /**< index of the region whose heading was printed last; SIZE_MAX if no
	                   heading was printed yet */
	bool open; /**< the newline of the last line is not printed yet, because more of its string
	              can follow */
	enum pm_encoding open_encoding; /**< encoding of the string of the last line */
	struct pm_tally *tally;         /**< counts of -u; NULL without -u */
	bool counts_only; /**< nothing is printed: the strings are only counted, for --growth */
	const struct strings_counts *before; /**< counts of the first moment, for --growth;
	                                        borrowed; NULL otherwise */
	double seconds;                      /**< with `before`: time since the first moment */
	size_t grown;                        /**< with `before`: number of strings that grew */
	struct strings_advice *advice;       /**< sums over all processes; borrowed */
	struct formats formats; /**< formats that strings can fit, with --similar; otherwise none */
};

/**
 * Runs `procmem strings`.
 * @see command.run
 */
enum status strings_run(struct out *out, int argc, char **argv);

#endif
