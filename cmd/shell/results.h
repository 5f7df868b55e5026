/* SPDX-License-Identifier: MIT */
/** @file Replaces the numbers of results in a statement: #3 is a hit, #r2 a region. */
#ifndef CMD_SHELL_RESULTS_H
#define CMD_SHELL_RESULTS_H

#include "shell/line.h"
#include "shell/session.h"

/**
 * Replaces #3 and #r2 in the words of a statement by addresses, or for `dump` by the bytes of the
 * hit. `+LEN`, `-END` and `-#4` may follow a number. The number of a row that covers several
 * regions is replaced by one word for each of these regions. Regions that have been unmapped are
 * skipped, and a note is printed.
 *
 * @param shell      the session
 * @param statement  changed
 * @param error      PM_ERROR_USAGE if there is no such result, or the command takes no regions
 * @return           0 or -1
 */
int shell_results_replace(const struct shell *shell, struct shell_statement *statement,
                          struct pm_error *error);

#endif
