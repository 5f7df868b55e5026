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
 * Prints the line about the process: name, command, threads, age, memory and its limit.
 *
 * @param loaded  what was read
 * @param bytes   sizes are exact integers
 * @param out     where to
 * @return        how many lines of the terminal it takes
 */
size_t map_print_header(const struct loaded *loaded, bool bytes, struct out *out);

/**
 * Prints what `pmap -x` prints.
 *
 * @param loaded  what was read
 * @param list    the chosen regions, by address
 * @param header  with its first and last lines
 * @param out     where to
 */
void map_print_pmap(const struct loaded *loaded, const struct list *list, bool header,
                    struct out *out);

/**
 * Prints what is at an address.
 *
 * @param loaded   what was read
 * @param address  an address within one of its regions
 * @param options  JSON or text, bytes
 * @param out      where to
 * @param error    PM_ERROR_GONE
 * @return         0 or -1
 */
int map_print_at(const struct loaded *loaded, uint64_t address, const struct map_options *options,
                 struct out *out, struct pm_error *error);

/**
 * Prints the chosen regions in the form that the options name, all but map_print_at()'s.
 *
 * @param loaded   what was read
 * @param list     list of the chosen regions, not sorted yet
 * @param groups   empty groups to fill, NULL for none
 * @param options  the options
 * @param out      where to
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int map_print(const struct loaded *loaded, struct list *list, struct groups *groups,
              const struct map_options *options, struct out *out, struct pm_error *error);

/**
 * Opens the JSON object of a target: pid, command and time, or the saved file.
 * @param json the text
 * @param loaded what was read
 */
void map_open_json(struct json *json, const struct loaded *loaded);

/**
 * Runs `procmem map`.
 * @see command.run
 */
enum status map_run(struct out *out, int argc, char **argv);

/** The command line of `procmem map`. */
extern const struct cli_spec map_spec;

#endif
