/* SPDX-License-Identifier: MIT */
/** @file The options of `heap`. */
#ifndef CMD_HEAP_OPTIONS_H
#define CMD_HEAP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"

/** The parsed options. */
struct heap_options {
	bool stop;                    /**< --stop */
	struct list_options list;     /**< the list of classes or chunks */
	struct output_options output; /**< output options */
};

/** The options --all and --stop. */
extern const struct cli_group heap_options_groups[];

/** Options that exclude each other, as in cli_spec.exclusive. */
extern const char *const heap_options_exclusive[];

#endif
