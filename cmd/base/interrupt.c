/* SPDX-License-Identifier: MIT */
/*
 * Signals that end a command. The handler only sets flags: one for the running command, and one for
 * the session that runs commands. SA_RESTART is not set, so a signal interrupts system calls and
 * thereby ends waits.
 */
#include "base/interrupt.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/time.h>

#include "base/temporary_names.h"

/* The flags are global because a signal handler receives no pointer to other data. */
static volatile sig_atomic_t interrupted, session_interrupted;

/* Whether interrupt_session() was ever called. */
static bool in_session;

/* The signals that interrupt_hold() catches. interrupt_catch() catches all of them except the last
 * one, SIGQUIT, so that SIGQUIT can end a program that does not react to other signals. */
static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

enum { HELD = sizeof numbers / sizeof *numbers, CAUGHT = HELD - 1 };

/* The actions before interrupt_hold(), which interrupt_release() restores. */
static struct sigaction before_hold[HELD];

/* Number of calls of interrupt_hold() without interrupt_release(). */
static unsigned holds;

/* Stores the signal number in the flag of the running command. The store is atomic because threads
 * of the library read the flag. */
static void handle(int number)
{
	__atomic_store_n(&interrupted, number, __ATOMIC_RELAXED);
}

/* As handle(), but the next signal of this number ends the program. */
static void handle_once(int number)
{
	handle(number);
	temporary_names_guard(number);
}

static void handle_in_session(int number)
{
	__atomic_store_n(&session_interrupted, number, __ATOMIC_RELAXED);
}

/**
 * Catches one signal, unless the program ignores this signal.
 *
 * @param number  the signal
 * @param once    true if a second signal ends the program
 * @param before  receives the previous action
 */
static void catch_one(int number, bool once, struct sigaction *before)
{
	const struct sigaction action = { .sa_handler = once ? handle_once : handle };

	/* A signal that the parent process ignores (nohup) remains ignored. */
	if (sigaction(number, NULL, before) == 0 && before->sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

const volatile sig_atomic_t *interrupt_catch(void)
{
	struct sigaction before;

	interrupted = 0;
	for (size_t i = 0; i < CAUGHT; i++)
		catch_one(numbers[i], !in_session || numbers[i] != SIGINT, &before);

	return &interrupted;
}

const volatile sig_atomic_t *interrupt_hold(void)
{
	if (holds++ > 0)
		return &interrupted;

	interrupted = 0;
	for (size_t i = 0; i < HELD; i++)
		catch_one(numbers[i], false, &before_hold[i]);

	return &interrupted;
}

void interrupt_release(void)
{
	if (--holds > 0)
		return;

	for (size_t i = 0; i < HELD; i++)
		sigaction(numbers[i], &before_hold[i], NULL);
}

const volatile sig_atomic_t *interrupt_flag(void)
{
	return &interrupted;
}

static void handle_alarm(int number)
{
	sig_atomic_t none = 0;

	/* A signal of the user takes precedence. */
	__atomic_compare_exchange_n(&interrupted, &none, number, false, __ATOMIC_RELAXED,
	                            __ATOMIC_RELAXED);
}

void interrupt_set_alarm(double seconds)
{
	const struct sigaction action = { .sa_handler = handle_alarm };
	struct itimerval timer = { 0 };

	timer.it_value.tv_sec = (time_t)seconds;
	timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
	/* Zero would set no alarm. */
	if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0)
		timer.it_value.tv_usec = 1;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

bool interrupt_end_alarm(void)
{
	const struct sigaction action = { .sa_handler = SIG_DFL };
	const struct itimerval none = { 0 };
	sig_atomic_t alarm = SIGALRM;

	setitimer(ITIMER_REAL, &none, NULL);
	sigaction(SIGALRM, &action, NULL);
	return __atomic_compare_exchange_n(&interrupted, &alarm, 0, false, __ATOMIC_RELAXED,
	                                   __ATOMIC_RELAXED);
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
