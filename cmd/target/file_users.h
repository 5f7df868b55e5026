/* SPDX-License-Identifier: MIT */
/** @file The users of a file or of shared memory, as text and as JSON. */
#ifndef CMD_TARGET_FILE_USERS_H
#define CMD_TARGET_FILE_USERS_H

#include <stddef.h>

#include <procmem/file_users.h>

#include "base/text.h"
#include "view/json.h"

/**
 * Adds how a user uses the file, such as "rw-s, fd 3w", or "r--s".
 *
 * @param text  receives the text
 * @param user  the user
 */
void file_users_put_use(struct text *text, const struct pm_file_user *user);

/**
 * Adds the descriptors of a user, such as "3w,7": `w` marks one that was opened for writing.
 *
 * @param text  receives the text; nothing is added if there are none
 * @param user  the user
 */
void file_users_put_fds(struct text *text, const struct pm_file_user *user);

/**
 * Adds the users, such as "4720 worker (rw-s), 4721 worker (r--s), and 3 more".
 *
 * @param text   receives the text
 * @param users  the users of one file
 * @param own    PID of a user that is left out; 0 for none
 * @param max    maximum number of users that are named
 * @return       number of users, without `own`
 */
size_t file_users_put_brief(struct text *text, const struct pm_file_users *users, pid_t own,
                            size_t max);

/**
 * Adds the processes that could not be read: their number, the first of them, and why the first was
 * refused. Nothing is added if there are none.
 *
 * @param text   receives a sentence
 * @param users  the users
 * @param why    add the reason; otherwise, the option that shows it
 */
void file_users_put_refused(struct text *text, const struct pm_file_users *users, bool why);

/**
 * Reads the command line of a user.
 * @param user  the user
 * @return      the line, to be released with free(); NULL if it cannot be read, or if the process
 *              has ended
 */
char *file_users_command(const struct pm_file_user *user);

/**
 * Writes the members of a user into the object that is open.
 *
 * @param json  the output
 * @param user  the user
 */
void file_users_put_json(struct json *json, const struct pm_file_user *user);

#endif
