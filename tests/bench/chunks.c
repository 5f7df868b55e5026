/* SPDX-License-Identifier: MIT */
/*
 * chunks COUNT: a process with COUNT chunks of malloc of 32 to 112 bytes, in the arenas of four
 * threads. Each thread links its chunks in a list; one of 100 chunks is in no list, so it is lost.
 * Lost chunks, and no others, contain the text "lost chunk".
 *
 * Prints `example ADDRESS`, a chunk in the middle of the last list. The command `check` is for the
 * build with LeakSanitizer: it searches leaks as at the exit of a process, and prints `checked
 * MILLISECONDS`.
 */
#include "../targets/support.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, LOST = 100, SIZE_MIN = 24, SIZES = 81, CLEARED = 32768 };

struct node {
	struct node *next;
	struct node *previous;
};

struct node *lists[THREADS];
static volatile uintptr_t example; /* the inverse of an address, which is not a pointer */
static uint64_t per_thread;
static pthread_barrier_t built;

int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/** Allocates the chunks of a thread. */
static void __attribute__((noinline)) build(size_t thread)
{
	uint64_t random = thread + 1;

	for (uint64_t i = 0; i < per_thread; i++) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		struct node *node = calloc(1, SIZE_MIN + (random >> 33) % SIZES);
		target_check(node ? 0 : -1, "calloc");
		if (i % LOST == LOST - 1) {
			memcpy(node, "lost chunk", sizeof "lost chunk");
			continue;
		}

		node->next = lists[thread];
		if (node->next)
			node->next->previous = node;
		lists[thread] = node;
		if (i == per_thread / 2)
			example = ~(uintptr_t)node;
	}
}

/** Overwrites what build() left on the stack. */
static void __attribute__((noinline)) clear_stack(void)
{
	volatile char bytes[CLEARED];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = 0;
}

static void *run(void *number)
{
	build((size_t)number);
	clear_stack();
	pthread_barrier_wait(&built);
	for (;;)
		pause();
	return NULL;
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int obey(const char *line)
{
	if (strcmp(line, "check") != 0 || !__lsan_do_recoverable_leak_check)
		return 1;

	double begin = now();
	__lsan_do_recoverable_leak_check();
	printf("checked %.1f\n", now() - begin);
	return 0;
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc != 2) {
		fputs("usage: chunks COUNT\n", stderr);
		return 2;
	}

	per_thread = target_number(argv[1]) / THREADS;
	pthread_barrier_init(&built, NULL, THREADS + 1);
	for (size_t i = 0; i < THREADS; i++) {
		pthread_t thread;
		target_check(-pthread_create(&thread, NULL, run, (void *)i), "pthread_create");
	}
	pthread_barrier_wait(&built);

	printf("example %" PRIxPTR "\n", ~example);
	target_ready();
	target_obey(obey);
}
