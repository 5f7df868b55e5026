/* SPDX-License-Identifier: MIT */
/** @file FILL pattern_bytes.c */
#ifndef PM_SCAN_PATTERN_BYTES_H
#define PM_SCAN_PATTERN_BYTES_H

#include "scan/pattern_token.h"

/**
 * Finds out which bytes a character token matches, by asking PCRE2.
 *
 * @param token  a token of type PM_TOKEN_CHARACTER
 * @param utf    the pattern is compiled with PCRE2_UTF
 * @param set    filled with the bytes that it matches
 * @return       true: it matches one byte, of that set; false: it may match several bytes, or PCRE2
 * does not take it alone
 */
bool pm_token_bytes(const struct pm_token *token, bool utf, struct pm_byte_set *set);

#endif
