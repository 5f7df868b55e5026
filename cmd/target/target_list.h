/* SPDX-License-Identifier: MIT */
/** @file The targets that a TARGET word refers to, for commands that accept several processes. */
#ifndef CMD_TARGET_TARGET_LIST_H
#define CMD_TARGET_TARGET_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/error.h>

#include "cli/cli.h"

/** TARGET words, each of which refers to one target. A zeroed structure is an empty list. */
struct target_list {
	char **words;    /**< the words; owned */
	size_t count;    /**< number of words */
	size_t capacity; /**< private */
};

/** The option --all-processes. */
extern const struct cli_option target_list_options[];

/**
 * Parses --all-processes; `into` is a bool.
 * @see cli_parse_option
 */
int target_list_parse_option(void *into, int id, const char *value, struct pm_error *error);

/**
 * Splits a TARGET word: several PIDs separated by commas, or, if `all` is set, a name that matches
 * several processes. Any other word becomes the only word of the list. The PID of this process is
 * skipped with a note on stderr.
 *
 * @param list   filled; release it with target_list_deinit(), also on failure
 * @param word   the word
 * @param all    whether a name refers to all processes that it matches, instead of one
 * @param error  PM_ERROR_USAGE, and those of pm_process_find_all()
 * @return       0 or -1
 */
int target_list_read(struct target_list *list, const char *word, bool all, struct pm_error *error);

/**
 * If a name matches several processes, reports on stderr that --all-processes selects all of them.
 *
 * @param error  the error that was reported
 * @param quiet  print no notes
 */
void target_list_hint(const struct pm_error *error, bool quiet);

/**
 * Releases a list.
 * @param list  the list; empty afterwards
 */
void target_list_deinit(struct target_list *list);

#endif
