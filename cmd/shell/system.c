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
#include "base/report.h"

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

	/* Wait only for this child: waitpid(2) for any child would also return the events of a
	 * stopped target. */
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return STATUS_ERROR;
	}

	if (!WIFEXITED(status) || WEXITSTATUS(status) >= STATUS_ERROR)
		return STATUS_ERROR;
	return (enum status)WEXITSTATUS(status);
}

enum status shell_system_run(const struct shell *shell, char *command)
{
	/* The command must not read the lines of the session. */
	int input = shell->reads_input ? SHELL_INPUT_NOTHING : SHELL_INPUT_SHARED;

	out_flush(shell->out);

	pid_t pid = shell_system_start(command, input);
	if (pid < 0)
		return STATUS_ERROR;

	const volatile sig_atomic_t *cancelled = shell->interactive ? interrupt_session() : NULL;
	enum status status = shell_system_await(pid);

	/* The prompt must not follow "^C" in the same line. */
	if (cancelled && *cancelled)
		out_string(shell->out, "\n");

	return status;
}
