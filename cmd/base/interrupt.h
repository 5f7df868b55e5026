/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Signals that end a command, such as SIGINT (Ctrl-C). Catching them lets a command clean up,
 * and lets a session continue after the command.
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
 * Catches the signals of interrupt_catch() and SIGQUIT, until interrupt_release(). Repeated signals
 * do not end the program either, so a command that controls the terminal can always restore it.
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
 * Clears the flag of the session, and makes SIGINT set it until a command catches the signal. A
 * session calls this before each command and each prompt.
 *
 * @return  the flag of the session, 0 until SIGINT arrives
 */
const volatile sig_atomic_t *interrupt_session(void);

#endif
