/* SPDX-License-Identifier: MIT */
#include "mapper.h"
#include "support.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* HEAP_MAX_SIZE of glibc on 64 bits: each heap of an arena starts at a multiple of it. */
static const uintptr_t heap_max = (uintptr_t)64 * MEGABYTE;

/** A thread to start: it allocates memory, prints its facts, and sleeps. */
struct worker {
	const char *name;  /* at most 15 characters */
	size_t blocks;     /* number of blocks that it allocates from its arena */
	size_t block_size; /* bytes of each, below the threshold from which malloc maps blocks one
	                      by one */
	pthread_barrier_t *ready; /* reached when all facts are printed */
};

/**
 * Prints the heap of the arena that contains a block of this thread. The heap starts with heap_info
 * {ar_ptr, prev, ...}.
 */
static void report_heap(const char *name, const char *block, size_t number)
{
	uintptr_t heap = (uintptr_t)block & ~(heap_max - 1);
	const uint64_t *info = (const uint64_t *)heap;
	printf("arena %s %zu heap=%" PRIxPTR " arena=%" PRIx64 " prev=%" PRIx64 "\n", name, number,
	       heap, info[0], info[1]);
}

static void allocate(const struct worker *worker)
{
	uintptr_t last = 0;
	size_t heaps = 0;
	for (size_t i = 0; i < worker->blocks; i++) {
		char *block = malloc(worker->block_size);
		target_check(block ? 0 : -1, "malloc");
		snprintf(block, worker->block_size, "arena block %zu of %s", i, worker->name);
		if (((uintptr_t)block & ~(heap_max - 1)) != last) {
			last = (uintptr_t)block & ~(heap_max - 1);
			report_heap(worker->name, block, heaps++);
		}
	}
}

static void report_stack(const char *name)
{
	pthread_attr_t attributes;
	void *stack;
	size_t size, guard;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &stack, &size);
	pthread_attr_getguardsize(&attributes, &guard);
	pthread_attr_destroy(&attributes);

	char region[64], note[64];
	snprintf(region, sizeof region, "stack_%s", name);
	snprintf(note, sizeof note, "kind=stack tid=%d guard=%zu", (int)gettid(), guard);
	target_region(region, stack, size, note);
	printf("thread %d %s\n", (int)gettid(), name);
}

static void *work(void *context)
{
	const struct worker *worker = context;
	pthread_setname_np(pthread_self(), worker->name);
	allocate(worker);
	report_stack(worker->name);
	pthread_barrier_wait(worker->ready);

	for (;;)
		pause();
	return NULL;
}

/**
 * Starts a worker and waits until it has printed its facts, so that lines of workers do not mix.
 */
static void start(const char *name, size_t blocks, size_t block_size, pthread_attr_t *attributes)
{
	pthread_barrier_t ready;
	pthread_barrier_init(&ready, NULL, 2);

	struct worker worker = { name, blocks, block_size, &ready };
	pthread_t thread;
	if (pthread_create(&thread, attributes, work, &worker) != 0)
		target_check(-1, "pthread_create");
	pthread_barrier_wait(&ready);
	/* Waits until the worker no longer uses the barrier, which is on this stack. */
	pthread_barrier_destroy(&ready);
}

void mapper_threads(void)
{
	start("netty-epoll-0", 500, 1000, NULL);
	start("netty-epoll-1", 500, 1000, NULL);
	/* More than 64 MiB: the arena gets a second heap. */
	start("grpc-worker", 900, 100 * 1000, NULL);

	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	pthread_attr_setguardsize(&attributes, 64 * 1024);
	start("small-stack", 1, 100, &attributes);
	size_t size = 512 * 1024;
	pthread_attr_setstack(&attributes, target_island(size, PROT_READ | PROT_WRITE, 0, 0), size);
	start("user-stack", 1, 100, &attributes);
	pthread_attr_destroy(&attributes);

	printf("main_stack %" PRIxPTR "\n", (uintptr_t)__builtin_frame_address(0));
}
