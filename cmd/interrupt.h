/* SPDX-License-Identifier: MIT */
/** @file Ctrl-C and its relatives, for commands that have something to clean up. */
#ifndef CMD_INTERRUPT_H
#define CMD_INTERRUPT_H

#include <signal.h>

/**
 * From now on SIGINT, SIGTERM and SIGHUP set a flag and interrupt system calls; a second one ends the program at once. SIGXFSZ is ignored.
 *
 * @return the flag
 */
const volatile sig_atomic_t *interrupt_catch(void);

#endif
