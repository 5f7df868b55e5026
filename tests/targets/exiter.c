/* SPDX-License-Identifier: MIT */
/*
 * exiter: a process that ends or is replaced. Commands: `exit` ends it; `exec` executes the program
 * again; `thread-exec` does so from another thread, which then takes over the PID; `map` and
 * `unmap` add and remove a region. After each exec it prints its facts and `ready` again.
 */
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1024 * 1024 };

static char *extra;

static void *exec_self(void *unused)
{
	(void)unused;
	execl("/proc/self/exe", "exiter", (char *)NULL);
	target_check(-1, "execl");
	return NULL;
}

static int command(const char *line)
{
	pthread_t thread;

	if (strcmp(line, "exit") == 0)
		exit(0);
	if (strcmp(line, "exec") == 0)
		exec_self(NULL);

	if (strcmp(line, "thread-exec") == 0) {
		target_check(-pthread_create(&thread, NULL, exec_self, NULL), "pthread_create");
		pthread_join(thread, NULL);
	}

	if (strcmp(line, "map") == 0 && !extra) {
		extra = target_pages("extra", SIZE);
		return 0;
	}
	if (strcmp(line, "unmap") == 0 && extra) {
		target_check(munmap(extra, SIZE), "munmap");
		extra = NULL;
		return 0;
	}

	return 1;
}

int main(void)
{
	target_begin();
	printf("pid %d\n", (int)getpid());
	target_pages("content", SIZE);
	target_ready();
	target_obey(command);
}
