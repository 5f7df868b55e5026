/* SPDX-License-Identifier: MIT */
/** @file What a TARGET word means to a command that can go through several processes. */
#ifndef CMD_TARGET_TARGET_LIST_H
#define CMD_TARGET_TARGET_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/error.h>

/** TARGET words that mean one target each; all zero is none. */
struct target_list {
	char **words;    /**< they; owned */
	size_t count;    /**< how many */
	size_t capacity; /**< room for so many */
};

/**
 * Takes a TARGET word apart: several PIDs with commas between them, with `all` a name that fits
 * several processes; anything else is left as it is. Our own process is passed over with a remark
 * where there are others.
 *
 * @param list   filled; release with target_list_deinit(), also where this fails
 * @param word   the word
 * @param all    a name means all processes that it fits
 * @param error  PM_ERROR_USAGE, and as pm_process_find_all()
 * @return       0 or -1
 */
int target_list_read(struct target_list *list, const char *word, bool all, struct pm_error *error);

/**
 * Releases a list.
 * @param list the list
 */
void target_list_deinit(struct target_list *list);

#endif
