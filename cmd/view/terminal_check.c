/* SPDX-License-Identifier: MIT */
/** @file Apart from terminal.c, because <term.h> takes words like `columns` for itself. */
#include "view/terminal_check.h"

#include <stdlib.h>
#include <unistd.h>

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>

int terminal_check(struct pm_error *error)
{
	int found;
	const char *name = getenv("TERM");
	if (!name || !*name)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "TERM is not set");
	if (setupterm(NULL, STDOUT_FILENO, &found) != OK)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		                    "the terminal '%s' is not known here (no terminfo entry)",
		                    name);

	bool able = cursor_address && clear_screen;
	del_curterm(cur_term);

	return able ? 0
	            : pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
	                           "the terminal '%s' cannot place text", name);
}
