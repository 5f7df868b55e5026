/* SPDX-License-Identifier: MIT */
/** @file FILL options.c */
#ifndef CMD_STRINGS_OPTIONS_H
#define CMD_STRINGS_OPTIONS_H

#include "strings/parts.h"

/**
 * Whether the options go together; says so where they do not.
 *
 * @param options  they
 * @param out      where the result goes
 * @return         true or false
 */
bool strings_options_check(const struct strings_options *options, const struct out *out);

/**
 * The encoding by the letter that -e takes.
 * @param encoding it
 * @return a letter
 */
char strings_options_letter(enum pm_encoding encoding);

#endif
