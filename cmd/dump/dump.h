/* SPDX-License-Identifier: MIT */
/** @file The parts of `procmem dump`. */
#ifndef CMD_DUMP_DUMP_H
#define CMD_DUMP_DUMP_H

#include <procmem/core_dump.h>
#include <procmem/dump.h>

#include "cli/command.h"
#include "cli/options.h"
#include "target/memory.h"
#include "view/progress.h"

/** What the user wants. */
struct dump_options {
	const char *file;             /**< -o: where to, NULL for stdout */
	bool only_new;                /**< whether a file that is there is left as it is */
	bool hex;                     /**< --hex */
	bool raw;                     /**< --raw */
	bool core;                    /**< --core */
	bool respect_filter;          /**< --respect-filter */
	bool stop;                    /**< --stop */
	bool whole_files;             /**< --whole-files */
	struct selection selection;   /**< which regions */
	struct output_options output; /**< how to tell */
};

/** Everything that is open while a target is dumped. */
struct dump {
	const struct dump_options *options; /**< the user's */
	struct memory memory;               /**< what is dumped */
	struct progress progress;           /**< the line on stderr */
	uint64_t unmapped;                  /**< bytes of it where nothing is mapped */
};

/**
 * Runs `procmem dump`.
 * @see command.run
 */
enum status dump_run(struct out *out, int argc, char **argv);

/** The command line of `procmem dump`. */
extern const struct cli_spec dump_spec;

#endif
