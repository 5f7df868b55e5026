/* SPDX-License-Identifier: MIT */
/** @file FILL terminal_check.c */
#ifndef CMD_VIEW_TERMINAL_CHECK_H
#define CMD_VIEW_TERMINAL_CHECK_H

#include "view/terminal.h"

/**
 * Whether standard output can do what a screen needs.
 * @param error PM_ERROR_UNSUPPORTED with what it cannot do
 * @return 0 or -1
 */
int terminal_check(struct pm_error *error);

#endif
