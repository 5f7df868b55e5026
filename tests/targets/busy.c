/* SPDX-License-Identifier: MIT */
/*
 * busy THREADS: a process that is hard to stop. It has THREADS sleeping threads. Commands:
 *
 * - churn: starts threads that start and end threads, and one that starts and ends processes by
 *   vfork(2) and exec; each turn increments the number at `counter ADDRESS`
 * - vfork: starts a thread that sleeps until its child of vfork(2), printed as `child PID`, is
 *   killed
 * - exec: executes the program again, 200 times, then prints `finished`
 * - exec_when_traced: starts a thread, printed as `armed`, that executes the program again as soon
 *   as the main thread is traced, then prints `finished`
 * - sum: prints `sum N COUNT`: the sum of the values of SIGRTMIN sent by sigqueue(3), and their
 *   number
 */
#include "support.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL_STACK = 64 * 1024, CHURNERS = 4, EXECS = 200 };

static atomic_ulong counter;
static sem_t asleep; /* posted by each thread when it sleeps */
static atomic_long sum, received;
static volatile pid_t vfork_child;

static void add_value(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	atomic_fetch_add(&sum, info->si_value.sival_int);
	atomic_fetch_add(&received, 1);
}

static void *sleep_on(void *unused)
{
	(void)unused;
	sem_post(&asleep);
	for (;;)
		pause();
	return NULL;
}

static void *come_and_go(void *unused)
{
	return unused;
}

static pthread_t start_thread(void *(*run)(void *))
{
	pthread_attr_t attributes;
	pthread_t thread;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, SMALL_STACK);
	target_check(pthread_create(&thread, &attributes, run, NULL) == 0 ? 0 : -1,
	             "pthread_create");
	pthread_attr_destroy(&attributes);
	return thread;
}

static void *churn_threads(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_join(start_thread(come_and_go), NULL);
		atomic_fetch_add(&counter, 1);
	}
	return NULL;
}

static void *churn_processes(void *unused)
{
	(void)unused;
	for (;;) {
		pid_t child = vfork();
		if (child == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(child, NULL, 0);
		atomic_fetch_add(&counter, 1);
	}

	return NULL;
}

static void *wait_for_vfork(void *unused)
{
	(void)unused;
	pid_t child = vfork();
	if (child == 0) {
		vfork_child = getpid();
		for (;;)
			pause();
	}

	waitpid(child, NULL, 0);
	return NULL;
}

static void exec_again(long times)
{
	char number[32];
	snprintf(number, sizeof number, "%ld", times);
	char *const arguments[] = { (char *)"busy", (char *)"again", number, NULL };
	execv("/proc/self/exe", arguments);
	target_check(-1, "execv");
}

/** Executes the program when the main thread is traced, while other threads may not be yet. */
static void *exec_when_traced(void *unused)
{
	(void)unused;
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)getpid());
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	target_check(fd, path);
	puts("armed");

	for (;;) {
		ssize_t size = pread(fd, text, sizeof text - 1, 0);
		target_check((int)size, path);
		text[size] = '\0';
		const char *tracer = strstr(text, "TracerPid:");
		if (tracer && strtol(tracer + sizeof "TracerPid:", NULL, 10) != 0)
			exec_again(0);
	}

	return NULL;
}

static int obey(const char *line)
{
	if (strcmp(line, "churn") == 0) {
		for (int i = 0; i < CHURNERS; i++)
			start_thread(churn_threads);
		start_thread(churn_processes);
	} else if (strcmp(line, "vfork") == 0) {
		start_thread(wait_for_vfork);
		while (vfork_child == 0)
			sched_yield();
		printf("child %d\n", (int)vfork_child);
	} else if (strcmp(line, "exec") == 0) {
		exec_again(EXECS);
	} else if (strcmp(line, "exec_when_traced") == 0) {
		start_thread(exec_when_traced);
	} else if (strcmp(line, "sum") == 0) {
		printf("sum %ld %ld\n", atomic_load(&sum), atomic_load(&received));
	} else {
		return strcmp(line, "ping") != 0;
	}

	return 0;
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc == 3 && strcmp(argv[1], "again") == 0) {
		long left = strtol(argv[2], NULL, 10);
		if (left > 0)
			exec_again(left - 1);
		puts("finished");
		target_obey(obey);
	}

	sem_init(&asleep, 0, 0);
	struct sigaction action = { .sa_sigaction = add_value,
		                    .sa_flags = SA_SIGINFO | SA_RESTART };
	target_check(sigaction(SIGRTMIN, &action, NULL), "sigaction");

	size_t threads = argc == 2 ? target_number(argv[1]) : 0;
	for (size_t i = 0; i < threads; i++)
		start_thread(sleep_on);

	for (size_t i = 0; i < threads; i++)
		sem_wait(&asleep);

	printf("counter %" PRIxPTR "\n", (uintptr_t)&counter);
	printf("main_stack %" PRIxPTR "\n", (uintptr_t)__builtin_frame_address(0));
	target_ready();
	target_obey(obey);
}
