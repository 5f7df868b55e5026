/* SPDX-License-Identifier: MIT */
/** @file FILL search.c */
#ifndef CMD_GREP_SEARCH_H
#define CMD_GREP_SEARCH_H

#include "grep/grep.h"

/**
 * Searches a target, prints what is found and tells about it.
 *
 * @param target   as prepared
 * @param word     the TARGET
 * @param scanner  what for
 * @param out      where to
 * @param error    any
 * @return         1: searched; 0: no region fits the choice, and the error says so; -1: an error
 */
int grep_search(struct grep_target *target, const char *word, const struct pm_scanner *scanner,
                struct out *out, struct pm_error *error);

#endif
