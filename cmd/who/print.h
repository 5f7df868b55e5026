/* SPDX-License-Identifier: MIT */
/** @file The users of one file, as text and as JSON. */
#ifndef CMD_WHO_PRINT_H
#define CMD_WHO_PRINT_H

#include "base/out.h"
#include "who/growth.h"
#include "who/who.h"

/** What is printed. */
struct who_report {
	const struct who_options *options; /**< the options */
	const struct who_subject *subject; /**< the file */
	const struct pm_file_users *users; /**< its users */
	const struct who_growth *growth;   /**< how it grew; NULL without --for */
};

/**
 * Prints the answer, the file, how it grew, and the table of users.
 *
 * @param report  what is printed
 * @param out     receives the text
 */
void who_print_text(const struct who_report *report, struct out *out);

/**
 * Prints one JSON object.
 *
 * @param report  what is printed
 * @param out     receives the object
 */
void who_print_json(const struct who_report *report, struct out *out);

/**
 * Prints the processes that could not be read, and the users that were left out, if there are any.
 * The reason for refused access is short for root, because more rights would not help.
 *
 * @param users    the users
 * @param verbose  give the reason to root, too
 * @param out      receives the text
 */
void who_print_missing(const struct pm_file_users *users, bool verbose, struct out *out);

/**
 * Adds what a file is: its type, its length and so on.
 *
 * @param text   receives the text
 * @param file   the file
 * @param state  its sizes
 * @param bytes  whether to print exact sizes
 */
void who_print_put_file(struct text *text, const struct pm_file *file,
                        const struct pm_file_state *state, bool bytes);

#endif
