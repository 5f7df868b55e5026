/* SPDX-License-Identifier: MIT */
/*
 * The child process is a copy of the calling process. It waits for messages on a socket, so that
 * the trace is open before its exec. The exec closes the socket.
 */
#include "trace/command.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/** A message to the child. The child answers with errno, or 0. */
struct message {
	pid_t tracer; /**< process that may trace it; 0: call exec */
};

/* --- The child -------------------------------------------------------------------------------- */

/** The structure of rt_sigaction(2), which differs from that of libc. */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/**
 * Gives each signal with a handler its default action, so that the signal ends the child. SIGPIPE
 * gets its default action, too: a program that ignores SIGPIPE rarely means its children to do so.
 * Other ignored signals remain ignored (nohup).
 */
static void reset_signals(void)
{
	struct kernel_action action, none = { 0 };

	for (int number = 1; number <= 64; number++) {
		if (syscall(SYS_rt_sigaction, number, NULL, &action, sizeof action.mask) < 0)
			continue;
		if (action.handler != SIG_IGN || number == SIGPIPE)
			syscall(SYS_rt_sigaction, number, &none, NULL, sizeof none.mask);
	}
}

/** Runs the child. */
static noreturn void run(char *const *arguments, int socket)
{
	struct message message;
	ssize_t length;
	int cause;

	reset_signals();
	for (;;) {
		do
			length = recv(socket, &message, sizeof message, 0);
		while (length < 0 && errno == EINTR);
		/* The calling process has ended, or the trace cannot be opened. */
		if (length != (ssize_t)sizeof message)
			_exit(1);

		cause = 0;
		if (message.tracer > 0)
			prctl(PR_SET_PTRACER, (unsigned long)message.tracer, 0, 0, 0);
		else
			cause = execvp(arguments[0], arguments) < 0 ? errno : 0;
		if (send(socket, &cause, sizeof cause, MSG_NOSIGNAL) < 0 || message.tracer == 0)
			_exit(1);
	}
}

/* --- The calling process ---------------------------------------------------------------------- */

int pm_trace_command_fork(struct pm_trace_command *command, char *const *arguments,
                          struct pm_error *error)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return pm_error_set(error, PM_ERROR_RESOURCES, errno,
		                    "cannot create a socket for the command: %s", strerror(errno));

	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		run(arguments, ends[1]);
	}

	int cause = errno;
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot start a process: %s",
		                    strerror(cause));
	}

	*command = (struct pm_trace_command){ child, ends[0] };
	return 0;
}

/**
 * Sends a message, and waits for the answer.
 * @param cause  receives errno of the child
 * @return       whether there was an answer; false: the child has called exec, or has ended
 */
static bool ask(const struct pm_trace_command *command, pid_t tracer, int *cause)
{
	struct message message = { tracer };
	ssize_t length;

	if (send(command->socket, &message, sizeof message, MSG_NOSIGNAL) < 0)
		return false;
	do
		length = recv(command->socket, cause, sizeof *cause, 0);
	while (length < 0 && errno == EINTR);

	return length == (ssize_t)sizeof *cause;
}

int pm_trace_command_permit(const struct pm_trace_command *command, pid_t tracer,
                            struct pm_error *error)
{
	int cause;

	if (ask(command, tracer, &cause))
		return 0;
	return pm_error_set(error, PM_ERROR_GONE, ESRCH, "the process for the command has ended");
}

int pm_trace_command_exec(struct pm_trace_command *command, const char *name,
                          struct pm_error *error)
{
	int cause;

	if (!ask(command, 0, &cause)) {
		close(command->socket);
		command->socket = -1;
		return 0;
	}

	if (cause == ENOENT)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, cause,
		                    "cannot start '%s': there is no such program", name);
	if (cause == EACCES)
		return pm_error_set(error, PM_ERROR_ACCESS, cause,
		                    "cannot start '%s': the file is not an executable program, or "
		                    "its permissions do not allow it",
		                    name);
	return pm_error_set(error, PM_ERROR_IO, cause, "cannot start '%s': %s", name,
	                    strerror(cause));
}

/** Reaps the child. */
static void reap(struct pm_trace_command *command, int options)
{
	pid_t result;

	do
		result = waitpid(command->pid, NULL, options);
	while (result < 0 && errno == EINTR);
	if (result != 0)
		command->pid = 0;
}

void pm_trace_command_cancel(struct pm_trace_command *command)
{
	if (command->pid == 0)
		return;

	if (command->socket >= 0)
		close(command->socket);
	command->socket = -1;
	reap(command, 0);
}

void pm_trace_command_reap(struct pm_trace_command *command)
{
	if (command->pid != 0)
		reap(command, WNOHANG);
}
