/* SPDX-License-Identifier: MIT */
#include "shell/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"

pid_t shell_system_start(char *command, int input)
{
	char sh[] = "sh", option[] = "-c";
	char *words[] = { sh, option, command, NULL };

	posix_spawnattr_t attributes;
	posix_spawn_file_actions_t actions;

	sigset_t defaults;
	pid_t pid;
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_init(&actions);
	sigfillset(&defaults);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

	if (input >= 0)
		posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	else if (input == SHELL_INPUT_NOTHING)
		posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	int cause = posix_spawn(&pid, "/bin/sh", &actions, &attributes, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (cause == 0)
		return pid;

	report_error("cannot run sh: %s", strerror(cause));
	return -1;
}

enum status shell_system_await(pid_t pid)
{
	int status;
	/* For this child and no other: a target that is stopped counts as one. */
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_ERROR;

	int code = WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_ERROR;
	return code < STATUS_ERROR ? (enum status)code : STATUS_ERROR;
}

enum status shell_system_run(const struct shell *shell, char *command)
{
	out_flush(shell->out);
	/* Where the session's own lines come from standard input they are not for others to read.
	 */
	pid_t pid = shell_system_start(command, shell->reads_input ? SHELL_INPUT_NOTHING
	                                                           : SHELL_INPUT_SHARED);

	if (pid < 0)
		return STATUS_ERROR;

	const volatile sig_atomic_t *cancelled = shell->interactive ? interrupt_session() : NULL;
	enum status status = shell_system_await(pid);
	/* The prompt is not to stand behind "^C". */
	if (cancelled && *cancelled)
		out_string(shell->out, "\n");

	return status;
}
