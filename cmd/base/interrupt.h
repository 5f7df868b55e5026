/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Signals that end a command, such as that of Ctrl-C: for commands that have to clean up, and for
 * a session, which continues after its commands.
 */
#ifndef CMD_BASE_INTERRUPT_H
#define CMD_BASE_INTERRUPT_H

#include <signal.h>

/**
 * Catches SIGINT, SIGTERM and SIGHUP: each sets a flag to its number and interrupts system calls.
 * A second signal ends the program at once, except that SIGINT never ends a session. SIGXFSZ is
 * ignored. The flag is cleared.
 *
 * @return  the flag, 0 until a signal arrives
 */
const volatile sig_atomic_t *interrupt_catch(void);

/**
 * Catches the signals of interrupt_catch() and SIGQUIT, until interrupt_release(). No number of
 * them ends the program, so that a command that controls the terminal can restore it.
 *
 * @return  the flag, 0 until a signal arrives
 */
const volatile sig_atomic_t *interrupt_hold(void);

/**
 * Restores the actions from before interrupt_hold(). interrupt_caught() still returns the signal
 * that was caught.
 */
void interrupt_release(void);

/**
 * Adds the signals of interrupt_hold() to a set.
 * @param set  an initialized set
 */
void interrupt_add_held(sigset_t *set);

/**
 * Returns the signal caught since the last interrupt_catch() or interrupt_hold().
 * @return  the signal number, 0 for none
 */
int interrupt_caught(void);

/**
 * Makes SIGINT set the flag of the session, until a command catches the signal. A session calls
 * this before each command and each prompt. The flag is cleared.
 *
 * @return  the flag of the session, 0 until SIGINT arrives
 */
const volatile sig_atomic_t *interrupt_session(void);

#endif
