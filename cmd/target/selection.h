/* SPDX-License-Identifier: MIT */
/** @file The filters that all commands share, and the REGION words. */
#ifndef CMD_TARGET_SELECTION_H
#define CMD_TARGET_SELECTION_H

#include <procmem/select.h>

#include "base/text.h"
#include "cli/cli.h"

/** A choice of regions. */
struct selection {
	struct pm_select *select; /**< the library's */
	struct text kinds;        /**< all lists of kinds, separated by commas */
	bool mapping_given;       /**< there is an expression for mappings */
	bool perms_given;         /**< there are permissions */
};

/** The options: -k --mapping --perms --min-rss --min-size. */
extern const struct cli_option selection_options[];

/** Takes one of them. @see cli_parse_option */
int selection_parse_option(void *into, int id, const char *value, struct pm_error *error);

/**
 * Starts a choice.
 * @param selection filled; release with selection_deinit()
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int selection_init(struct selection *selection, struct pm_error *error);

/**
 * Releases a choice.
 * @param selection the choice
 */
void selection_deinit(struct selection *selection);

/**
 * Adds REGION words.
 * @param selection the choice
 * @param words they
 * @param count how many @param error PM_ERROR_USAGE
 * @return 0 or -1
 */
int selection_add_words(const struct selection *selection, char *const *words, int count,
                        struct pm_error *error);

/**
 * What must be read so that the choice can be made: enum region_needs bits.
 * @param selection the choice
 * @return bits
 */
unsigned selection_needs(const struct selection *selection);

#endif
