/* SPDX-License-Identifier: MIT */
/** @file The options of `procmem why`. Private to the command. */
#ifndef CMD_WHY_WHY_H
#define CMD_WHY_WHY_H

#include "cli/command.h"
#include "cli/options.h"

/** The parsed options of `procmem why`. */
struct why_options {
	double seconds;       /**< duration of --for in seconds */
	bool seconds_given;   /**< --for was given */
	const char *cgroup;   /**< --cgroup: directory or path of a cgroup; NULL if not given */
	bool deep;            /**< --deep: find out who holds the chunks of the first finding */
	uint64_t stop_max_ns; /**< --max-stop, in nanoseconds; 0: any */
	bool stop_given;      /**< --max-stop was given */
	bool no_text;         /**< --no-strings: show no content of memory */
	const char *html;     /**< --html: the report is written to this file; NULL if not given */
	bool html_new;        /**< the file of --html must not exist */
	bool all;             /**< --all: also findings that need no action, and weak ones */
	struct output_options output;
};

/**
 * Runs `procmem why`.
 * @see command.run
 */
enum status why_run(struct out *out, int argc, char **argv);

/** The command line of `procmem why`. */
extern const struct cli_spec why_spec;

#endif
