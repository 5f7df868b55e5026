/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Signals that end a command, such as SIGINT (Ctrl-C). Catching them lets a command clean up,
 * and lets a session continue after the command.
 */
#ifndef CMD_BASE_INTERRUPT_H
#define CMD_BASE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/**
 * Clears a flag, and catches SIGINT, SIGTERM and SIGHUP. Each of these signals stores its number in
 * the flag and interrupts system calls. If the same signal arrives again, it ends the program at
 * once, except that SIGINT never ends a session. A signal that the program already ignores remains
 * ignored. SIGXFSZ is ignored from now on.
 *
 * @return  the flag, 0 until a signal arrives
 */
const volatile sig_atomic_t *interrupt_catch(void);

/**
 * Catches the signals of interrupt_catch() and SIGQUIT, until interrupt_release(). Unlike with
 * interrupt_catch(), a repeated signal does not end the program, so a command that controls the
 * terminal can always restore the terminal. Calls nest: only the first one sets the flag to 0, and
 * only the last interrupt_release() restores the actions.
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
 * Returns the flag of interrupt_catch() and interrupt_hold(), without catching signals.
 * @return  the flag, which is valid until the program ends
 */
const volatile sig_atomic_t *interrupt_flag(void);

/**
 * Stores SIGALRM in the flag when a time has passed, unless a signal was caught before. Only one
 * such time can be set. interrupt_end_alarm() must follow.
 * @param seconds  time from now, greater than 0
 */
void interrupt_set_alarm(double seconds);

/**
 * Ends what interrupt_set_alarm() has started. If the time has passed, and no signal was caught,
 * the flag becomes 0 again.
 * @return  true if the time has passed, and no signal was caught
 */
bool interrupt_end_alarm(void);

/**
 * Adds the signals of interrupt_hold() to a set.
 * @param set  an initialized set
 */
void interrupt_add_held(sigset_t *set);

/**
 * Returns the signal caught since the last interrupt_catch() or interrupt_hold().
 * @return  the signal number, or 0 if no signal was caught
 */
int interrupt_caught(void);

/**
 * Clears the flag of the session, and installs a handler by which SIGINT sets this flag. The
 * handler is used until a command calls interrupt_catch() or interrupt_hold(). A session calls this
 * before each command and each prompt.
 *
 * @return  the flag of the session, 0 until SIGINT arrives
 */
const volatile sig_atomic_t *interrupt_session(void);

#endif
