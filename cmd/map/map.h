/* SPDX-License-Identifier: MIT */
/** @file Options of `procmem map`, shared by its files. */
#ifndef CMD_MAP_MAP_H
#define CMD_MAP_MAP_H

#include "cli/command.h"
#include "cli/options.h"
#include "map/processes.h"
#include "map/sum.h"
#include "target/group.h"
#include "target/regions_load.h"
#include "target/selection.h"
#include "target/target_list.h"
#include "view/json.h"
#include "view/list.h"

/**
 * Title of the column rss for core files. The column then has the number of bytes that the file
 * contains, whether or not they were resident.
 */
#define MAP_HELD "HELD"

/** Options of the user. */
struct map_options {
	struct list_options list;     /**< columns, order and length of the list */
	struct output_options output; /**< JSON, bytes, notes */
	struct selection selection;   /**< selected regions */
	enum target_list_which which; /**< --all-processes, --children or --cgroup */
	enum group_by by;             /**< how to group regions */
	bool why;                     /**< show for each region the rule that determined its kind */
	bool pmap;                    /**< print the text of `pmap -x` */
	/** Receives the sums over the listed processes, not owned; NULL if not wanted. */
	struct map_sum *sum;
	/** Receives a row for each process instead of its regions; not owned; NULL if not wanted.
	 */
	struct map_processes *processes;
};

/**
 * Runs `procmem map`.
 * @see command.run
 */
enum status map_run(struct out *out, int argc, char **argv);

/** The command line of `procmem map`. */
extern const struct cli_spec map_spec;

#endif
