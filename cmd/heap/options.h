/* SPDX-License-Identifier: MIT */
/** @file The options of `heap`. */
#ifndef CMD_HEAP_OPTIONS_H
#define CMD_HEAP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/chunk_filter.h>

#include "cli/options.h"

/** The parsed options. */
struct heap_options {
	bool stop;                             /**< --stop */
	bool chunks;                           /**< --list */
	bool retained;                         /**< --retained */
	const char *tree;                      /**< --tree: name or address of a root, or NULL */
	uint64_t stop_max_ns;                  /**< --max-stop: nanoseconds; 0: any time */
	unsigned by;                           /**< --by: enum pm_census_key bits; 0 if not given */
	bool by_thread;                        /**< --by thread: PM_CENSUS_ARENA is in `by`, too */
	double growth;                         /**< --growth: seconds; 0 if not given */
	struct pm_chunk_filter_options filter; /**< --size, --type, --text, --state */
	struct list_options list;              /**< the list of classes or chunks */
	struct output_options output;          /**< output options */
};

/** All groups of options. */
extern const struct cli_group heap_options_groups[];

/** Options that exclude each other, as in cli_spec.exclusive. */
extern const char *const heap_options_exclusive[];

/**
 * Returns whether an option selects chunks, so that not all chunks in use are counted.
 * @param options  the options
 * @return         true if --size, --type, --text or --state was given
 */
bool heap_options_select(const struct heap_options *options);

#endif
