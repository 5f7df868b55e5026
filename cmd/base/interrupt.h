/* SPDX-License-Identifier: MIT */
/**
 * @file Ctrl-C and its relatives: for commands that have something to clean up, and for a session,
 * which outlives its commands.
 */
#ifndef CMD_BASE_INTERRUPT_H
#define CMD_BASE_INTERRUPT_H

#include <signal.h>

/**
 * From now on SIGINT, SIGTERM and SIGHUP set a flag to their number and interrupt system calls; a
 * second one ends the program at once, but SIGINT never ends a session. SIGXFSZ is ignored. The
 * flag is clear: each command begins anew.
 *
 * @return the flag
 */
const volatile sig_atomic_t *interrupt_catch(void);

/**
 * The same for a command that may hold a terminal, which no signal is to leave as it is then: a
 * second one does not end the program either, and SIGQUIT is one of them. Until
 * interrupt_release().
 *
 * @return the flag
 */
const volatile sig_atomic_t *interrupt_hold(void);

/**
 * Signals do what they did before interrupt_hold(); interrupt_caught() still tells what it caught.
 */
void interrupt_release(void);

/**
 * The signals of interrupt_hold().
 * @param set they are added to it
 */
void interrupt_add_held(sigset_t *set);

/**
 * What interrupt_catch() or interrupt_hold() caught since it was called last.
 * @return the number of a signal, 0 for none
 */
int interrupt_caught(void);

/**
 * For a session: SIGINT sets another flag, until a command catches it for itself. Called before
 * each command and each prompt; the flag is clear afterwards.
 *
 * @return that flag
 */
const volatile sig_atomic_t *interrupt_session(void);

#endif
