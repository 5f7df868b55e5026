/* SPDX-License-Identifier: MIT */
/** @file The parts of `procmem grep`. */
#ifndef CMD_GREP_GREP_H
#define CMD_GREP_GREP_H

#include <procmem/pattern_scan.h>
#include <procmem/scan.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "target/search.h"
#include "view/hex_view.h"

/** Patterns as the user gave them. */
struct grep_patterns {
	struct text bytes; /**< all of them, one behind the other */
	size_t *ends;      /**< where each ends in `bytes`; owned */
	size_t count;      /**< how many */
	size_t capacity;   /**< room for so many */
	bool given;        /**< there was an option for patterns: the first operand is none */
};

/**
 * Adds patterns, separated by newlines as for grep(1).
 * @param patterns the list
 * @param bytes they
 * @param length how many bytes
 */
void grep_patterns_add(struct grep_patterns *patterns, const char *bytes, size_t length);

/**
 * Adds the patterns in a file, one a line.
 *
 * @param patterns  the list
 * @param path      the file, "-" for standard input
 * @param error     PM_ERROR_NOT_FOUND, PM_ERROR_IO, PM_ERROR_USAGE
 * @return          0 or -1
 */
int grep_patterns_add_file(struct grep_patterns *patterns, const char *path,
                           struct pm_error *error);

/**
 * Makes the search.
 *
 * @param patterns  at least one
 * @param flags     enum pm_pattern_flag bits, for all of them
 * @param scanner   as pm_pattern_scanner_create()
 * @param error     as pm_pattern_scanner_create()
 * @return          0 or -1
 */
int grep_patterns_compile(const struct grep_patterns *patterns, unsigned flags,
                          struct pm_scanner **scanner, struct pm_error *error);

/**
 * Whether one of them begins with `^` or ends with `$`.
 * @param patterns the list
 * @return true or false
 */
bool grep_patterns_have_anchors(const struct grep_patterns *patterns);

/**
 * Releases the list.
 * @param patterns the list
 */
void grep_patterns_deinit(struct grep_patterns *patterns);

/** What is printed. */
enum grep_form {
	GREP_LINES,   /**< a line for each match, with the text around it */
	GREP_BLOCKS,  /**< that, and the bytes around it in hexadecimal */
	GREP_MATCHES, /**< the matches only */
	GREP_COUNTS,  /**< how many in each region */
	GREP_REGIONS, /**< regions with matches */
	GREP_NOTHING, /**< the exit status tells */
};

/** What the user wants. */
struct grep_options {
	struct grep_patterns patterns; /**< what to search for */
	unsigned flags;                /**< how it is meant: enum pm_pattern_flag bits */
	bool only_matching;            /**< -o */
	bool count;                    /**< -c */
	bool list;                     /**< -l */
	bool quiet;                    /**< -q */
	bool byte_offset;              /**< -b */
	bool json;                     /**< --json */
	bool all_processes;            /**< --all-processes */
	bool context;                  /**< one of -A, -B, -C was given */
	size_t before;                 /**< bytes before a match that are shown */
	size_t after;                  /**< bytes behind it */
	uint64_t most; /**< -m: most matches of a target; UINT64_MAX for any number */
	struct search_options
		search; /**< where, and how to tell; `quiet` there is -q or -s: no remarks */
};

/**
 * What the options ask for, taken together.
 * @param options they
 * @return the form
 */
enum grep_form grep_form(const struct grep_options *options);

/** How hits are written down; the threads of a scan share it. */
struct grep_view {
	const struct grep_options *options; /**< the user's */
	const struct pm_regions *regions;   /**< of the target */
	const struct out *out; /**< its colours and width are heeded, nothing is written to it */
	const char *prefix;    /**< what stands before each line: "PID:", or "" */
	pid_t pid;             /**< PID for JSON, 0 for none */
	enum grep_form form;   /**< what is printed */
};

/**
 * Bytes around a hit that a view needs.
 * @param view the view
 * @return as pm_scan.around
 */
size_t grep_around(const struct grep_view *view);

/**
 * Writes a hit as a line. Of -o the newline is left to who knows whether the match goes on.
 *
 * @param view  how
 * @param hit   it
 * @param line  gets it
 * @return      bytes before the match, for -o: the rest of a match has the same, and they are left
 * out there
 */
size_t grep_line(const struct grep_view *view, const struct pm_hit *hit, struct text *line);

/**
 * The same as a JSON object, without its end and what is known only when the match is delivered.
 *
 * @param view  how
 * @param hit   it
 * @param line  gets it
 */
void grep_json(const struct grep_view *view, const struct pm_hit *hit, struct text *line);

/**
 * Writes a region as -l and -c do.
 * @param view how
 * @param region it
 * @param count its matches
 * @param out where to
 */
void grep_put_region(const struct grep_view *view, const struct pm_region *region, uint64_t count,
                     struct out *out);

/**
 * The same as a JSON object.
 * @param view how
 * @param region it
 * @param count its matches
 * @param line gets it
 */
void grep_json_region(const struct grep_view *view, const struct pm_region *region, uint64_t count,
                      struct text *line);

/**
 * One target that is searched. Zero it; set `cancel`, and options, form, prefix and pid of the
 * view.
 */
struct grep_target {
	const volatile sig_atomic_t *cancel;     /**< Ctrl-C */
	struct grep_view view;                   /**< how hits are written down */
	struct text lines[PM_SCAN_WORKERS_MOST]; /**< the line that each thread is writing */
	uint64_t *counts;                        /**< matches in each region */
	uint64_t matches;                        /**< their sum */
	bool open;             /**< the last match of -o has no end yet: it was truncated */
	struct hex_view block; /**< memory around a match; open where it was truncated */
	bool kinds_known;      /**< it was found out what the regions are for */
};

/**
 * Searches a target, prints what is found and tells about it.
 *
 * @param target   as prepared
 * @param word     the TARGET
 * @param scanner  what for
 * @param out      where to
 * @param error    any
 * @return         1: searched; 0: no region fits the choice, and the error says so; -1: an error
 */
int grep_search(struct grep_target *target, const char *word, const struct pm_scanner *scanner,
                struct out *out, struct pm_error *error);

/**
 * Runs `procmem grep`.
 * @see command.run
 */
enum status grep_run(struct out *out, int argc, char **argv);

/** The command line of `procmem grep`. */
extern const struct cli_spec grep_spec;

#endif
