/* SPDX-License-Identifier: MIT */
/**
 * @file Names of users. Each user is looked up once, because the user database can be on a server.
 */
#ifndef CMD_BASE_USER_NAMES_H
#define CMD_BASE_USER_NAMES_H

#include <stddef.h>
#include <sys/types.h>

/** The names found so far. A zeroed structure is an empty list. */
struct user_names {
	struct user_name *items; /**< the users; owned */
	size_t count;            /**< number of users */
};

/**
 * Finds the name of a user.
 *
 * @param users  the names found so far
 * @param uid    the user ID
 * @return       the name, valid as long as `users`; NULL if the user has none
 */
const char *user_names_find(struct user_names *users, uid_t uid);

/**
 * Releases the names.
 * @param users  the names; empty afterwards
 */
void user_names_deinit(struct user_names *users);

#endif
