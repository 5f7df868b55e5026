/* SPDX-License-Identifier: MIT */
/** @file FILL pattern_escape.c */
#ifndef PM_SCAN_PATTERN_ESCAPE_H
#define PM_SCAN_PATTERN_ESCAPE_H

#include "scan/pattern_token_parts.h"

/**
 * Reads a class; `at` is behind its bracket.
 * @param tokens the pattern
 * @return PM_TOKEN_CHARACTER, or PM_TOKEN_UNKNOWN
 */
enum pm_token_type pm_token_class(struct pm_tokens *tokens);

/**
 * Reads an escape; `at` is behind the character after the backslash, and behind the whole escape
 * afterwards.
 *
 * @param tokens   the pattern
 * @param c        that character
 * @param literal  set to whether it stands for one character, where it is a PM_TOKEN_CHARACTER
 * @return         what it is
 */
enum pm_token_type pm_token_escape(struct pm_tokens *tokens, char c, bool *literal);

#endif
