/* SPDX-License-Identifier: MIT */
/** @file What the files of `procmem map` share. */
#ifndef CMD_MAP_MAP_H
#define CMD_MAP_MAP_H

#include "cli/command.h"
#include "cli/options.h"
#include "target/group.h"
#include "target/regions_load.h"
#include "target/selection.h"
#include "view/json.h"
#include "view/list.h"

/**
 * What stands for RSS where a core file is listed: bytes that it holds, whether they were resident
 * or not.
 */
#define MAP_HELD "HELD"

/** What the user wants. */
struct map_options {
	struct list_options list;     /**< how the list looks */
	struct output_options output; /**< JSON, bytes, remarks */
	struct selection selection;   /**< which regions */
	enum group_by by;             /**< summed up by this */
	bool why;                     /**< tell why each region has its kind */
	bool pmap;                    /**< the text of `pmap -x` */
};

/**
 * Runs `procmem map`.
 * @see command.run
 */
enum status map_run(struct out *out, int argc, char **argv);

/** The command line of `procmem map`. */
extern const struct cli_spec map_spec;

#endif
