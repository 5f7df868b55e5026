/* SPDX-License-Identifier: MIT */
/*
 * growing main|other: a thread allocates chunks on command, in the main arena or in another one.
 * They are never freed, so that the arena only grows.
 *
 * Prints `counters ADDRESS`, the address of four words in its memory: the number of chunks that the
 * thread has allocated, and after the last command the bytes of all arenas, the bytes of the top
 * chunk of the main arena, and the bytes of mapped chunks (mallinfo2(3)).
 *
 * - grow N: allocates N chunks
 * - run N: starts to allocate N chunks, and does not wait for the end
 */
#include "support.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc 2.33; before, the members were of the type int. */
#if !__GLIBC_PREREQ(2, 33)
#define mallinfo2 mallinfo
#endif

enum { SIZE = 100000 };

static struct {
	_Atomic uint64_t made;
	uint64_t system;
	uint64_t top;
	uint64_t mapped;
} counters;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t wanted; /* number of chunks that the thread allocates in the end */

static void *allocate(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&lock);
		pthread_cond_broadcast(&changed);
		while (counters.made >= wanted)
			pthread_cond_wait(&changed, &lock);
		uint64_t goal = wanted;
		pthread_mutex_unlock(&lock);

		while (counters.made < goal) {
			char *memory = malloc(SIZE);
			target_check(memory ? 0 : -1, "malloc");
			memory[0] = 1;
			counters.made++;
		}
	}
	return NULL;
}

static void await_all(void)
{
	pthread_mutex_lock(&lock);
	while (counters.made < wanted)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);

	counters.system = (uint64_t)mallinfo2().arena;
	counters.top = (uint64_t)mallinfo2().keepcost;
	counters.mapped = (uint64_t)mallinfo2().hblkhd;
}

static int command(const char *line)
{
	bool waits = strncmp(line, "grow ", 5) == 0;
	if (!waits && strncmp(line, "run ", 4) != 0)
		return 1;

	pthread_mutex_lock(&lock);
	wanted += target_number(strchr(line, ' ') + 1);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	if (waits)
		await_all();
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	target_begin();
	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "main") == 0)
		mallopt(M_ARENA_MAX, 1);

	mallopt(M_MMAP_THRESHOLD, 2 * SIZE);
	target_check(-pthread_create(&thread, NULL, allocate, NULL), "pthread_create");
	printf("counters %llx\n", (unsigned long long)(uintptr_t)&counters);
	command("grow 100");
	target_ready();
	target_obey(command);
}
