/* SPDX-License-Identifier: MIT */
#include "watch/events/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"

/** Checks whether two variables, `NAME=VALUE`, have the same name. */
static bool same_name(const char *one, const char *other)
{
	size_t length = strcspn(one, "=");
	return strncmp(one, other, length) == 0 && other[length] == '=';
}

/**
 * Copies the environment of this process and adds variables, which replace variables with the same
 * name. The caller frees the array. Its texts are borrowed.
 */
static char **extend_environment(char *const *more)
{
	size_t count = 0, added = 0;
	while (environ[count])
		count++;

	while (more[added])
		added++;

	char **result = alloc_array(NULL, count + added + 1, sizeof *result);
	char **end = result;

	for (size_t i = 0; i < count; i++) {
		size_t at = 0;
		while (at < added && !same_name(more[at], environ[i]))
			at++;
		if (at == added)
			*end++ = environ[i];
	}

	memcpy(end, more, (added + 1) * sizeof *more);
	return result;
}

/**
 * Sets the descriptors and the signals of a command.
 * @return 0 or an errno
 */
static int prepare(posix_spawn_file_actions_t *files, posix_spawnattr_t *attributes, bool silent)
{
	sigset_t all, none;
	sigfillset(&all);
	sigemptyset(&none);

	int cause = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDWR, 0);
	if (cause == 0)
		cause = posix_spawn_file_actions_adddup2(
			files, silent ? STDIN_FILENO : STDERR_FILENO, STDOUT_FILENO);
	if (cause == 0 && silent)
		cause = posix_spawn_file_actions_adddup2(files, STDIN_FILENO, STDERR_FILENO);
	if (cause == 0)
		cause = posix_spawn_file_actions_addclosefrom_np(files, STDERR_FILENO + 1);

	if (cause == 0)
		cause = posix_spawnattr_setsigdefault(attributes, &all);
	if (cause == 0)
		cause = posix_spawnattr_setsigmask(attributes, &none);

	/* The command gets its own process group: Ctrl-C must end procmem, but not a command that
	 * is writing a file. */
	if (cause == 0)
		cause = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF |
		                                                     POSIX_SPAWN_SETSIGMASK |
		                                                     POSIX_SPAWN_SETPGROUP);

	return cause;
}

static int spawn(const char *line, char *const *environment, bool silent, pid_t *pid)
{
	char shell[] = "sh", option[] = "-c", *command = alloc_string(line);
	char *const words[] = { shell, option, command, NULL };

	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;

	int cause = posix_spawn_file_actions_init(&files);
	if (cause == 0) {
		cause = posix_spawnattr_init(&attributes);
		if (cause == 0) {
			cause = prepare(&files, &attributes, silent);
			if (cause == 0)
				cause = posix_spawn(pid, "/bin/sh", &files, &attributes, words,
				                    environment);
			posix_spawnattr_destroy(&attributes);
		}
		posix_spawn_file_actions_destroy(&files);
	}

	free(command);
	return cause;
}

/**
 * Finds an unused element of `items`.
 * @return the element; NULL if all elements are used
 */
static struct job *find_place(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->count; i++)
		if (jobs->items[i].pid == 0)
			return &jobs->items[i];

	if (jobs->count == JOBS_MAX)
		return NULL;

	struct job *job = &jobs->items[jobs->count++];
	job->wait = poll_loop_add(jobs->wait, -1, POLLIN);
	return job;
}

int jobs_start(struct jobs *jobs, const char *line, char *const *environment, bool silent,
               pid_t *pid, struct pm_error *error)
{
	struct job *job = find_place(jobs);
	if (!job)
		return pm_error_set(error, PM_ERROR_RESOURCES, 0,
		                    "%d commands are running already, which is the maximum",
		                    JOBS_MAX);

	char **variables = extend_environment(environment);
	int cause = spawn(line, variables, silent, pid);
	free(variables);
	if (cause != 0)
		return pm_error_set(error, PM_ERROR_IO, cause, "/bin/sh cannot be run: %s",
		                    strerror(cause));

	job->pid = *pid;
	job->line = line;

	/* Before Linux 5.3, pidfd_open(2) fails. Without the descriptor, the end of the command is
	 * noticed only after the next sample. */
	job->ended = (int)syscall(SYS_pidfd_open, *pid, 0);
	jobs->wait->descriptors[job->wait].fd = job->ended;

	return 0;
}

/**
 * Checks whether a command has ended.
 * @param status receives the status; JOB_STATUS_UNKNOWN if another part of the program reaped the
 *   command, or the kernel did because SIGCHLD is ignored
 */
static bool has_ended(pid_t pid, int *status)
{
	pid_t ended = waitpid(pid, status, WNOHANG);
	if (ended < 0 && errno == ECHILD)
		*status = JOB_STATUS_UNKNOWN;
	return ended == pid || (ended < 0 && errno == ECHILD);
}

bool jobs_reap(struct jobs *jobs, struct job *job, int *status)
{
	for (size_t i = 0; i < jobs->count; i++) {
		struct job *place = &jobs->items[i];
		if (place->pid == 0 || !has_ended(place->pid, status))
			continue;
		*job = *place;
		if (place->ended >= 0)
			close(place->ended);
		jobs->wait->descriptors[place->wait].fd = -1;
		place->pid = 0;
		return true;
	}

	return false;
}

bool jobs_run(const struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->count; i++)
		if (jobs->items[i].pid != 0)
			return true;
	return false;
}

/** Reaps a command that was left running. Runs in a thread of its own. */
static void *await_end(void *pid)
{
	while (waitpid((pid_t)(intptr_t)pid, NULL, 0) < 0 && errno == EINTR)
		;
	return NULL;
}

/**
 * Leaves a command running. A thread reaps the command when it ends, so that it does not remain as
 * a zombie while a session of `procmem shell` continues.
 */
static void let_go(pid_t pid)
{
	pthread_t thread;
	sigset_t all, before;
	/* The new thread must not receive signals: other threads handle them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, await_end, (void *)(intptr_t)pid) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void jobs_leave(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->count; i++) {
		if (jobs->items[i].pid == 0)
			continue;
		if (jobs->items[i].ended >= 0)
			close(jobs->items[i].ended);
		let_go(jobs->items[i].pid);
	}

	jobs->count = 0;
}
