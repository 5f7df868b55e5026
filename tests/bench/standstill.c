/* SPDX-License-Identifier: MIT */
/*
 * standstill PID COMMAND...: runs a command, discards its output, and samples concurrently whether
 * the first thread of a process is stopped. Prints the wall time of the command and the time for
 * which the process was stopped, both in milliseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Time between two samples. A sample takes some microseconds. */
enum { PAUSE_NS = 200 * 1000 };

static void fail(const char *what)
{
	fprintf(stderr, "standstill: %s: %s\n", what, strerror(errno));
	exit(2);
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/**
 * Returns whether a thread is stopped by a tracer or a signal.
 * @param stat  descriptor of its stat, see proc_pid_stat(5)
 */
static bool is_stopped(int stat)
{
	char text[512];
	ssize_t length = pread(stat, text, sizeof text - 1, 0);
	if (length <= 0)
		fail("stat");
	text[length] = '\0';

	const char *name_end = strrchr(text, ')');
	return name_end && (name_end[2] == 't' || name_end[2] == 'T');
}

static pid_t start(char **command)
{
	pid_t child = fork();
	if (child < 0)
		fail("fork");
	if (child > 0)
		return child;

	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	execvp(command[0], command);
	_exit(127);
}

int main(int argc, char **argv)
{
	char path[64];

	if (argc < 3) {
		fputs("usage: standstill PID COMMAND...\n", stderr);
		return 2;
	}

	snprintf(path, sizeof path, "/proc/%s/task/%s/stat", argv[1], argv[1]);
	int stat = open(path, O_RDONLY | O_CLOEXEC), status;
	if (stat < 0)
		fail(path);

	double begin = now(), before = begin, still = 0;
	pid_t child = start(argv + 2), ended;
	while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
		double time = now();
		if (is_stopped(stat))
			still += time - before;
		before = time;
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}

	if (ended < 0 || status != 0) {
		fprintf(stderr, "standstill: %s failed\n", argv[2]);
		return 2;
	}

	printf("%.1f %.1f\n", now() - begin, still);
	return 0;
}
