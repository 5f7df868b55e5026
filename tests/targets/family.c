/* SPDX-License-Identifier: MIT */
/*
 * family NAME: a tree of processes with known memory, which all have the command name NAME. `a` is
 * this process, `b` and `c` are its children, `d` is the child of `c`. They share 8 MiB, and each
 * has touched all of it. Each also has private memory, in MiB: 2 for `a`, 4 for `b`, 6 for `c`, 16
 * for `d`. For each process, a line `process LETTER PID` is printed.
 *
 * Commands: `grow LETTER MIB` lets a process touch more private memory. `end b` ends `b`. `start e`
 * starts the child `e` of this process, with 3 MiB of private memory, and prints its line.
 */
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEBIBYTE = 1 << 20, SHARED = 8 * MEBIBYTE, PROCESSES = 5 };

/** A process of the family. */
struct member {
	pid_t pid;
	int orders[2]; /* pipe to the process: sizes in bytes, by which it grows */
};

static struct member *members; /* in shared memory, because each process stores its own PID */
static int answers[2]; /* pipe to the first process: a byte when a process has done its work */
static char *shared;

static void *map_shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
	return memory;
}

static void touch_private(size_t size)
{
	memset(target_map(size, PROT_READ | PROT_WRITE, 0), 1, size);
}

static void answer(void)
{
	target_check(write(answers[1], "", 1), "write");
}

static void await_answer(void)
{
	char byte;
	if (read(answers[0], &byte, 1) != 1)
		exit(1);
}

static _Noreturn void run_member(char letter, size_t size);

/** Starts a process, which prints its own line. */
static void start(char letter, size_t size)
{
	pid_t pid = fork();

	target_check(pid, "fork");
	if (pid == 0)
		run_member(letter, size);
}

static _Noreturn void run_member(char letter, size_t size)
{
	int orders = members[letter - 'a'].orders[0];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* First, so that the private memory of this process is not shared by fork(2). */
	if (letter == 'c')
		start('d', (size_t)16 * MEBIBYTE);
	touch_private(size);
	for (size_t at = 0; at < SHARED; at += 4096)
		*(volatile char *)(shared + at);

	members[letter - 'a'].pid = getpid();
	printf("process %c %d\n", letter, (int)getpid());
	answer();
	while (read(orders, &size, sizeof size) == (ssize_t)sizeof size) {
		touch_private(size);
		answer();
	}
	_exit(0);
}

static int grow(char letter, size_t size)
{
	struct member *member = &members[letter - 'a'];

	if (letter == 'a') {
		touch_private(size);
		return 0;
	}

	target_check(write(member->orders[1], &size, sizeof size), "write");
	await_answer();
	return 0;
}

static int command(const char *line)
{
	if (strncmp(line, "grow ", 5) == 0 && line[5] >= 'a' && line[5] < 'a' + PROCESSES)
		return grow(line[5], target_number(line + 7) << 20);

	if (strcmp(line, "end b") == 0) {
		kill(members[1].pid, SIGKILL);
		target_check(waitpid(members[1].pid, NULL, 0), "waitpid");
		return 0;
	}

	if (strcmp(line, "start e") != 0)
		return 1;
	start('e', (size_t)3 * MEBIBYTE);
	await_answer();
	return 0;
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc != 2)
		return 2;
	prctl(PR_SET_NAME, argv[1]);

	shared = map_shared(SHARED);
	members = map_shared(PROCESSES * sizeof *members);
	memset(shared, 1, SHARED);
	target_check(pipe(answers), "pipe");
	for (size_t i = 0; i < PROCESSES; i++)
		target_check(pipe(members[i].orders), "pipe");

	start('b', (size_t)4 * MEBIBYTE);
	await_answer();
	start('c', (size_t)6 * MEBIBYTE);
	await_answer();
	await_answer(); /* of `d` */

	touch_private((size_t)2 * MEBIBYTE);
	printf("process a %d\n", (int)getpid());
	target_ready();
	target_obey(command);
}
