/* SPDX-License-Identifier: MIT */
/*
 * Removes temporary files if a signal ends the program. The handler calls only functions that are
 * safe in a handler: it takes each name out of the list, removes the file, and raises the signal
 * again with the default action.
 */
#include "base/temporary_names.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A dump has at most two temporary files at a time: the file and its index. */
enum { NAMES_MAX = 4 };

/* The names; NULL if a place is free. They are global because a signal handler receives no pointer
 * to other data, and atomic because the handler may run in any thread. */
static char *names[NAMES_MAX];

/* The process that created the files: a child of fork(2) must not remove them. */
static pid_t owner;

/* Signals whose default action ends the program. Those that are caught or ignored stay so. */
static const int deadly[] = {
	SIGHUP,  SIGINT,  SIGQUIT, SIGILL,    SIGTRAP, SIGABRT,   SIGBUS,  SIGFPE,
	SIGUSR1, SIGSEGV, SIGUSR2, SIGALRM,   SIGTERM, SIGSTKFLT, SIGXCPU, SIGXFSZ,
	SIGPROF, SIGIO,   SIGPWR,  SIGVTALRM, SIGSYS,  SIGPIPE,
};

static void remove_all(int number)
{
	if (getpid() == owner) {
		for (size_t i = 0; i < NAMES_MAX; i++) {
			char *name = __atomic_exchange_n(&names[i], NULL, __ATOMIC_SEQ_CST);
			if (name)
				unlink(name);
		}
	}

	/* SA_RESETHAND has restored the default action. */
	raise(number);
}

void temporary_names_guard(int number)
{
	/* SA_NODEFER: the signal that is raised must not wait until the handler returns. */
	const struct sigaction action = { .sa_handler = remove_all,
		                          .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };
	sigaction(number, &action, NULL);
}

static void guard_all(void)
{
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
		struct sigaction before;
		if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			temporary_names_guard(deadly[i]);
	}
}

/** Adds a copy of a name to the list. Without memory or a free place, the name is not added. */
static void remember(const char *name)
{
	char *copy = strdup(name);

	if (owner != getpid()) {
		/* After fork(2), the names are those of the parent. */
		memset(names, 0, sizeof names);
		owner = getpid();
	}

	for (size_t i = 0; i < NAMES_MAX && copy; i++) {
		char *nothing = NULL;
		if (__atomic_compare_exchange_n(&names[i], &nothing, copy, false, __ATOMIC_SEQ_CST,
		                                __ATOMIC_SEQ_CST))
			copy = NULL;
	}

	free(copy);
}

int temporary_names_create(char *name)
{
	sigset_t all, before;

	guard_all();

	/* No signal may end the program between the creation of the file and remember(). */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int fd = mkostemp(name, O_CLOEXEC);
	int cause = errno;
	if (fd >= 0)
		remember(name);
	pthread_sigmask(SIG_SETMASK, &before, NULL);

	errno = cause;
	return fd;
}

void temporary_names_forget(const char *name)
{
	for (size_t i = 0; i < NAMES_MAX; i++) {
		char *known = __atomic_load_n(&names[i], __ATOMIC_SEQ_CST);

		/* If the handler takes the name at this moment, the copy is not freed: the program
		 * is about to end. */
		if (known && strcmp(known, name) == 0 &&
		    __atomic_compare_exchange_n(&names[i], &known, NULL, false, __ATOMIC_SEQ_CST,
		                                __ATOMIC_SEQ_CST))
			free(known);
	}
}
