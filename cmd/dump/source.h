/* SPDX-License-Identifier: MIT */
/** @file The memory that `procmem dump` dumps. */
#ifndef CMD_DUMP_SOURCE_H
#define CMD_DUMP_SOURCE_H

#include <procmem/core_dump.h>
#include <procmem/dump.h>

#include "cli/options.h"
#include "target/memory.h"
#include "view/progress.h"

/** The options of the command line. */
struct dump_options {
	const char *file;             /**< -o: the output, NULL for stdout */
	bool only_new;                /**< fail if the file exists */
	bool hex;                     /**< --hex */
	bool raw;                     /**< --raw */
	bool core;                    /**< --core */
	bool respect_filter;          /**< --respect-filter */
	bool stop;                    /**< --stop */
	bool whole_files;             /**< --whole-files */
	struct selection selection;   /**< which regions */
	struct output_options output; /**< common output options */
};

/** State of a dump. */
struct dump {
	const struct dump_options *options; /**< the options */
	struct memory memory;               /**< the memory that is dumped */
	struct progress progress;           /**< progress on stderr */
	bool text;                          /**< the output is text, not the bytes */
	uint64_t unmapped;                  /**< number of unmapped bytes in the selected ranges */
};

/**
 * Opens the target of a dump, and stops the target with --stop.
 *
 * @param dump   filled, except `options` and `memory.cancel`, which the caller has set; release
 *               with memory_close(), even on failure
 * @param words  TARGET and REGIONs
 * @param count  number of words
 * @param error  any
 * @return       as memory_open()
 */
enum memory_status dump_source_open(struct dump *dump, char *const *words, int count,
                                    struct pm_error *error);

/**
 * Returns the source of a dump for the library. Its callbacks update the progress and collect
 * unreadable ranges.
 * @param dump  the dump; must outlive the source
 * @return      the source
 */
struct pm_dump_source dump_source(struct dump *dump);

#endif
