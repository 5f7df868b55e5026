/* SPDX-License-Identifier: MIT */
/*
 * Threads whose stacks are hard to distinguish: one that never stops running, two whose stacks
 * share one mapping with guard pages between them (as in glibc 2.42), and one that has ended and
 * left its stack for the next. Prints `region NAME start-end tid=TID` for each.
 */
#include "support.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Newer than the headers of Debian 12. */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif

enum { STACK = 1024 * 1024, GUARD = 64 * 1024 };

/** A thread to start. */
struct task {
	const char *name;
	enum { SLEEPS, SPINS, ENDS } then;
	_Atomic pid_t tid; /* set when all facts are printed */
};

static void *work(void *context)
{
	struct task *task = context;
	pthread_setname_np(pthread_self(), task->name);

	pthread_attr_t attributes;
	void *stack;
	size_t size;
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &stack, &size);
	pthread_attr_destroy(&attributes);

	char note[64];
	snprintf(note, sizeof note, "tid=%d", (int)gettid());
	target_region(task->name, stack, size, note);
	atomic_store(&task->tid, gettid());

	while (task->then == SPINS)
		atomic_load(&task->tid);

	while (task->then == SLEEPS)
		pause();

	return NULL;
}

/** Returns whether a thread waits in the kernel, so that its stack pointer is known. */
static int is_asleep(pid_t tid)
{
	char path[64], text[16] = "";
	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)tid);
	int fd = (int)target_check(open(path, O_RDONLY | O_CLOEXEC), path);
	target_check(read(fd, text, sizeof text - 1), path);
	close(fd);
	return strncmp(text, "running", strlen("running")) != 0;
}

static void start(struct task *task, pthread_attr_t *attributes)
{
	pthread_t thread;
	target_check(-pthread_create(&thread, attributes, work, task), "pthread_create");
	while (atomic_load(&task->tid) == 0)
		sched_yield();

	if (task->then == ENDS)
		pthread_join(thread, NULL);
	while (task->then == SLEEPS && !is_asleep(task->tid))
		sched_yield();
}

/** Creates two stacks in one mapping. Below each are guard pages, which maps does not show. */
static void start_merged(struct task *lower, struct task *upper)
{
	struct task *tasks[] = { lower, upper };
	char *memory = target_island((size_t)2 * (GUARD + STACK), PROT_READ | PROT_WRITE,
	                             MAP_STACK | MAP_NORESERVE, 0);
	for (size_t i = 0; i < 2; i++) {
		char *guard = memory + i * (GUARD + STACK);
		if (madvise(guard, GUARD, MADV_GUARD_INSTALL) < 0) {
			puts("unsupported merged");
			return;
		}
		pthread_attr_t attributes;
		pthread_attr_init(&attributes);
		pthread_attr_setstack(&attributes, guard + GUARD, STACK);
		start(tasks[i], &attributes);
		pthread_attr_destroy(&attributes);
	}

	target_region("merged", memory, (size_t)2 * (GUARD + STACK), "");
}

int main(void)
{
	static struct task lower = { "lower", SLEEPS, 0 }, upper = { "upper", SLEEPS, 0 };
	static struct task busy = { "busy", SPINS, 0 }, ended = { "ended", ENDS, 0 };
	target_begin();
	start_merged(&lower, &upper);
	start(&busy, NULL);
	start(&ended, NULL);
	target_ready();
	target_obey(NULL);
}
