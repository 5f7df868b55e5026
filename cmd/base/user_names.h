/* SPDX-License-Identifier: MIT */
/** @file Names of users; each is looked up once, since the user database may be a server. */
#ifndef CMD_BASE_USER_NAMES_H
#define CMD_BASE_USER_NAMES_H

#include <stddef.h>
#include <sys/types.h>

/** Names found so far; all zero is none. */
struct user_names {
	struct user_name *items;
	size_t count;
};

/**
 * Name of a user.
 * @param users the names found so far
 * @param uid the user
 * @return lives as long as `users`; NULL for none
 */
const char *user_name(struct user_names *users, uid_t uid);

/**
 * Releases the names.
 * @param users the names
 */
void user_names_deinit(struct user_names *users);

#endif
