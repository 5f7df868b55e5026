/* SPDX-License-Identifier: MIT */
/** @file The selection of regions: the options that all commands share, and the REGION words. */
#ifndef CMD_TARGET_SELECTION_H
#define CMD_TARGET_SELECTION_H

#include <stdbool.h>

#include <procmem/select.h>

#include "base/text.h"
#include "cli/cli.h"

/** A selection of regions. Initialise it with selection_init(). */
struct selection {
	struct pm_select *select; /**< owned */
	struct text kinds;        /**< the arguments of all -k options, joined by commas */
	struct text owners;       /**< the arguments of all --owner options, joined by commas */
	bool mapping_given;       /**< --mapping was given */
	bool perms_given;         /**< --perms was given */
};

/** The options -k, --owner, --mapping, --perms, --min-rss and --min-size. */
extern const struct cli_option selection_options[];

/**
 * Parses one of selection_options.
 * @see cli_parse_option
 */
int selection_parse_option(void *into, int id, const char *value, struct pm_error *error);

/**
 * Creates a selection of all regions.
 *
 * @param selection  filled; release it with selection_deinit()
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int selection_init(struct selection *selection, struct pm_error *error);

/**
 * Releases a selection.
 * @param selection  the selection
 */
void selection_deinit(struct selection *selection);

/**
 * Adds REGION words.
 *
 * @param selection  the selection
 * @param words      the words; copied
 * @param count      number of words
 * @param error      PM_ERROR_USAGE
 * @return           0 or -1
 */
int selection_add_words(const struct selection *selection, char *const *words, int count,
                        struct pm_error *error);

/**
 * Applies a selection, as pm_select_apply() does, and prints a note for each kind or name that
 * matches no region.
 *
 * @param selection  the selection
 * @param regions    the regions
 * @param quiet      print no notes
 * @param ranges     as for pm_select_apply()
 * @param count      as for pm_select_apply()
 * @param error      as for pm_select_apply()
 * @return           0 or -1
 */
int selection_apply(const struct selection *selection, const struct pm_regions *regions, bool quiet,
                    struct pm_region_range **ranges, size_t *count, struct pm_error *error);

/**
 * Returns what must be read about regions to select them.
 * @param selection  the selection
 * @return           enum region_needs bits
 */
unsigned selection_needs(const struct selection *selection);

#endif
