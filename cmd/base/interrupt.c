/* SPDX-License-Identifier: MIT */
#include "base/interrupt.h"

#include <stdbool.h>
#include <stddef.h>

/* All that a signal handler can reach: for the command that runs, and for the session around it. */
static volatile sig_atomic_t interrupted, session_interrupted;

/* Set once. */
static bool in_session;

/* SIGQUIT is caught only where a terminal is held: else it remains the way out of a program that
 * does not react. */
static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

enum { HELD = sizeof numbers / sizeof *numbers, CAUGHT = HELD - 1 };

/* What the signals did before interrupt_hold(). */
static struct sigaction before_hold[HELD];

/* Other threads read the flags: those of the library do so atomically. */
static void handle(int number)
{
	__atomic_store_n(&interrupted, number, __ATOMIC_RELAXED);
}

static void handle_in_session(int number)
{
	__atomic_store_n(&session_interrupted, number, __ATOMIC_RELAXED);
}

/**
 * Catches one signal.
 * @param once the next of it ends the program
 * @param before what it did so far
 */
static void catch_one(int number, bool once, struct sigaction *before)
{
	const struct sigaction action = { .sa_handler = handle,
		                          .sa_flags = once ? (int)SA_RESETHAND : 0 };
	/* What was ignored by whoever started us (nohup) stays so. */
	if (sigaction(number, NULL, before) == 0 && before->sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

const volatile sig_atomic_t *interrupt_catch(void)
{
	struct sigaction before;
	interrupted = 0;
	for (size_t i = 0; i < CAUGHT; i++)
		catch_one(numbers[i], !in_session || numbers[i] != SIGINT, &before);

	/* A limit on the size of files is an error of write(2), after which there is something to
	 * clean up. */
	signal(SIGXFSZ, SIG_IGN);
	return &interrupted;
}

const volatile sig_atomic_t *interrupt_hold(void)
{
	interrupted = 0;
	for (size_t i = 0; i < HELD; i++)
		catch_one(numbers[i], false, &before_hold[i]);
	signal(SIGXFSZ, SIG_IGN);
	return &interrupted;
}

void interrupt_release(void)
{
	for (size_t i = 0; i < HELD; i++)
		sigaction(numbers[i], &before_hold[i], NULL);
}

void interrupt_add_held(sigset_t *set)
{
	for (size_t i = 0; i < HELD; i++)
		sigaddset(set, numbers[i]);
}

int interrupt_caught(void)
{
	return interrupted;
}

const volatile sig_atomic_t *interrupt_session(void)
{
	const struct sigaction action = { .sa_handler = handle_in_session };
	in_session = true;
	interrupted = session_interrupted = 0;
	sigaction(SIGINT, &action, NULL);
	return &session_interrupted;
}
