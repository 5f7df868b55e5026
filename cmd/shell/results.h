/* SPDX-License-Identifier: MIT */
/** @file FILL results.c */
#ifndef CMD_SHELL_RESULTS_H
#define CMD_SHELL_RESULTS_H

#include "shell/shell.h"

/**
 * Replaces #3 and #r2 by what they stand for: their address, for `dump` the bytes of a hit; `+LEN`,
 * `-END` and `-#4` behind them stay. The number of a row of several regions becomes a word for each
 * of those that are still there; that some are not is noted.
 *
 * @param shell      the session
 * @param statement  its words are changed
 * @param error      PM_ERROR_USAGE: there is no such result, or the command takes no regions
 * @return           0 or -1
 */
int shell_results_replace(const struct shell *shell, struct shell_statement *statement,
                          struct pm_error *error);

#endif
