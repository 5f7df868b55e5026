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
 * Opens a target for dumping, and stops it if that is wanted.
 *
 * @param dump   filled; the options and `memory.cancel` are set already; release with
 * memory_close(), also after a failure
 * @param words  TARGET and REGIONs
 * @param count  how many
 * @param error  any
 * @return       as memory_open()
 */
int dump_open(struct dump *dump, char *const *words, int count, struct pm_error *error);

/**
 * What the library is to copy, with lacks and progress noted.
 * @param dump the dump, to which it refers
 * @return the source
 */
struct pm_dump_source dump_source(struct dump *dump);

/**
 * Shows the bytes as text.
 * @param dump the dump
 * @param out where to
 * @param result filled @param error any
 * @return 0 or -1
 */
int dump_hex(struct dump *dump, struct out *out, struct pm_dump_result *result,
             struct pm_error *error);

/**
 * Writes the bytes, or a core file, to the file of the options, and FILE.map.
 *
 * @param dump    the dump
 * @param result  filled
 * @param error   any
 * @return        0 or -1
 */
int dump_to_file(struct dump *dump, struct pm_dump_result *result, struct pm_error *error);

/**
 * Text of FILE.map: where each range stands in the file.
 * @param dump the dump
 * @param out where to
 */
void dump_write_map(const struct dump *dump, struct out *out);

/**
 * Runs `procmem dump`.
 * @see command.run
 */
enum status dump_run(struct out *out, int argc, char **argv);

/** The command line of `procmem dump`. */
extern const struct cli_spec dump_spec;

#endif
