/* SPDX-License-Identifier: MIT */
/*
 * dead_leader: the first thread has ended, two others live. Then /proc/PID/maps is empty, and
 * /proc/PID/stat has the state Z; the mappings are in /proc/PID/task/TID.
 */
#include "support.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { SIZE = 1024 * 1024 };

/**
 * Returns whether the first thread is dead according to /proc/self/stat: the state follows the last
 * `)`.
 */
static int leader_is_dead(void)
{
	char text[1024];
	int fd = (int)target_check(open("/proc/self/stat", O_RDONLY | O_CLOEXEC), "stat");
	long length = target_check(read(fd, text, sizeof text - 1), "read");

	close(fd);
	text[length] = '\0';

	const char *name_end = strrchr(text, ')');
	return name_end && name_end[2] == 'Z';
}

static void *sleep_on(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "sleeper");
	for (;;)
		pause();
	return NULL;
}

static void *survive(void *unused)
{
	(void)unused;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_setname_np(pthread_self(), "survivor");

	/* There is nothing to wait for: pthread_join() returns before the kernel has marked the
	 * leader. */
	while (!leader_is_dead())
		sched_yield();

	printf("thread %d survivor\n", (int)gettid());
	target_ready();
	target_obey(NULL);

	return NULL;
}

int main(void)
{
	target_begin();
	printf("pid %d\n", (int)getpid());
	target_pages("content", SIZE);

	pthread_t sleeper, survivor;
	target_check(-pthread_create(&sleeper, NULL, sleep_on, NULL), "pthread_create");
	target_check(-pthread_create(&survivor, NULL, survive, NULL), "pthread_create");
	pthread_exit(NULL);
}
