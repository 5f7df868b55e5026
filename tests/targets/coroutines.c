/* SPDX-License-Identifier: MIT */
/*
 * coroutines: the first thread runs on a stack of its own, and other memory of this region is the
 * stack of a suspended coroutine. The region has inaccessible memory below it, as a stack of a
 * thread has. Facts:
 *
 * - `group suspended 1 SIZE`: a chunk that only the stack of the suspended coroutine points to. The
 *   coroutine is below the stack that is in use
 * - `group stale 1 SIZE`: a chunk that is lost. The thread `returned` has a pointer to it below its
 *   stack pointer, where a function that has returned left it
 * - `example NAME ADDRESS`: the address of the chunk
 */
#include "support.h"

#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

enum { GUARD = 4096, STACK = 256 << 10, SUSPENDED = 1000, STALE = 2000, DEEP = 64 << 10 };

static ucontext_t first, suspended, running;
static pthread_barrier_t returned;

static void print_group(const char *name, void *chunk)
{
	printf("group %s 1 %zu\n", name, malloc_usable_size(chunk) + sizeof(size_t));
	printf("example %s %" PRIxPTR "\n", name, (uintptr_t)chunk);
}

/** Allocates a chunk of zeros, and leaves no pointers to it behind. */
static void *make(size_t size)
{
	void *made = calloc(1, size);
	target_check(made ? 0 : -1, "calloc");
	return made;
}

/** Stores the only pointer in a word of the caller: swapcontext(3) saves registers in a global. */
static void __attribute__((noinline)) store(void *volatile *held)
{
	*held = make(SUSPENDED);
	print_group("suspended", *held);
}

static void hold(void)
{
	void *volatile held;
	store(&held);
	swapcontext(&suspended, &first);
	free(held);
}

/** Leaves a pointer deep in the stack, where no later function of the thread writes. */
static void __attribute__((noinline)) leave_pointer(void)
{
	void *volatile deep[DEEP / sizeof(void *)];
	deep[16] = make(STALE);
	print_group("stale", deep[16]);
	fflush(stdout);
}

static void *return_early(void *unused)
{
	prctl(PR_SET_NAME, "returned");
	leave_pointer();
	pthread_barrier_wait(&returned);
	for (;;)
		pause();
	return unused;
}

static int command(const char *line)
{
	(void)line;
	return 1;
}

static void run(void)
{
	target_ready();
	target_obey(command);
}

/** Overwrites what the functions that have returned left on the stack. */
static void __attribute__((noinline)) clear_stack(void)
{
	volatile char bytes[32768];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = 0;
}

int main(void)
{
	pthread_t thread;

	mallopt(M_ARENA_MAX, 1);
	target_begin();
	pthread_barrier_init(&returned, NULL, 2);
	target_check(-pthread_create(&thread, NULL, return_early, NULL), "pthread_create");
	pthread_barrier_wait(&returned);

	char *stacks = target_island(GUARD + 2 * STACK, PROT_READ | PROT_WRITE, 0, 0);
	target_check(mprotect(stacks, GUARD, PROT_NONE), "mprotect");

	getcontext(&suspended);
	suspended.uc_stack.ss_sp = stacks + GUARD;
	suspended.uc_stack.ss_size = STACK;
	makecontext(&suspended, hold, 0);
	swapcontext(&first, &suspended);
	clear_stack();

	getcontext(&running);
	running.uc_stack.ss_sp = stacks + GUARD + STACK;
	running.uc_stack.ss_size = STACK;
	makecontext(&running, run, 0);
	setcontext(&running);
}
