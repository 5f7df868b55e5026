/* SPDX-License-Identifier: MIT */
/** @file The other processes that use the shared memory at an address. */
#ifndef CMD_MAP_USERS_H
#define CMD_MAP_USERS_H

#include <signal.h>

#include <procmem/file_users.h>

#include "base/text.h"
#include "target/regions_load.h"
#include "view/json.h"

/** The users of a region. */
struct map_users {
	bool known;                 /**< the users were searched */
	pid_t own;                  /**< the process itself, which is a user, too */
	uint64_t address;           /**< the address that was asked for */
	struct pm_file_users users; /**< the users */
};

/**
 * Finds the users of a region, if the region is shared and the target is a process. A failure
 * leaves `known` false.
 *
 * @param users    filled; release it with map_users_deinit()
 * @param loaded   the target
 * @param region   the region
 * @param address  the address that was asked for
 * @param cancel   ends the search when it is set; may be NULL
 */
void map_users_find(struct map_users *users, const struct loaded *loaded,
                    const struct pm_region *region, uint64_t address,
                    const volatile sig_atomic_t *cancel);

/**
 * Adds a sentence about the users.
 *
 * @param users  the users; known
 * @param line   receives the sentence
 */
void map_users_put(const struct map_users *users, struct text *line);

/**
 * Writes `users`, without the process itself, and `unreadable`.
 *
 * @param users  the users; known
 * @param json   the output
 */
void map_users_put_json(const struct map_users *users, struct json *json);

/**
 * Releases the users.
 * @param users  the users, or zeroed
 */
void map_users_deinit(struct map_users *users);

#endif
