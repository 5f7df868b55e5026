/* SPDX-License-Identifier: MIT */
/*
 * stack_parts WHICH: a thread runs on one part of its stack, and memory below its stack pointer is
 * in use. This memory has the only pointer to a chunk. WHICH:
 *
 * - signal: the alternate signal stack is a variable of main(). Its handler runs, and the functions
 *   that it has interrupted are below
 * - coroutine: two coroutines have variables of a thread as their stacks. The upper one runs
 * - provided: the program provides the stack of a thread, and has data in the memory below it
 *
 * Facts: `group held 1 SIZE`, and `example held ADDRESS`.
 */
#include "support.h"

#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, STACK = 128 << 10, PROVIDED = 1 << 20, CHUNK = 3000, DEPTH = 10 };

static ucontext_t first, upper, lower;
static pthread_barrier_t started;

/** Allocates a chunk, and stores the only pointer to it. */
static void __attribute__((noinline)) store(void *volatile *held)
{
	*held = calloc(1, CHUNK);
	target_check(*held ? 0 : -1, "calloc");
	printf("group held 1 %zu\n", malloc_usable_size(*held) + sizeof(size_t));
	printf("example held %" PRIxPTR "\n", (uintptr_t)*held);
}

/** Overwrites what the functions that have returned left on the stack. */
static void __attribute__((noinline)) clear_stack(void)
{
	volatile char bytes[32768];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = 0;
}

static int command(const char *line)
{
	(void)line;
	return 1;
}

static void obey(void)
{
	target_ready();
	target_obey(command);
}

static void on_signal(int number)
{
	(void)number;
	obey();
}

/** Calls itself, and raises a signal in the last call. */
static void __attribute__((noinline)) descend(int depth)
{
	char room[1024];
	void *volatile held;

	/* The compiler must keep the room: it must not turn the calls into a loop. */
	__asm__ volatile("" : : "r"(room) : "memory");
	if (depth > 0) {
		descend(depth - 1);
	} else {
		store(&held);
		clear_stack();
		raise(SIGUSR1);
		free(held);
	}
	__asm__ volatile("" : : "r"(room) : "memory");
}

static void run_on_signal_stack(void)
{
	char memory[STACK];
	const stack_t stack = { .ss_sp = memory, .ss_size = sizeof memory };
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	memset(memory, 0, sizeof memory);
	target_check(sigaltstack(&stack, NULL), "sigaltstack");
	target_check(sigaction(SIGUSR1, &action, NULL), "sigaction");
	descend(DEPTH);
}

static void run_lower(void)
{
	void *volatile held;
	store(&held);
	clear_stack();
	swapcontext(&lower, &upper);
	free(held);
}

static void run_upper(void)
{
	swapcontext(&upper, &lower);
	obey();
}

static void prepare(ucontext_t *context, char *stack, void (*function)(void))
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = STACK;
	makecontext(context, function, 0);
}

static void *run_coroutines(void *unused)
{
	char stacks[2 * STACK];

	memset(stacks, 0, sizeof stacks);
	prepare(&lower, stacks, run_lower);
	prepare(&upper, stacks + STACK, run_upper);
	swapcontext(&first, &upper);
	return unused;
}

static void *wait_forever(void *unused)
{
	pthread_barrier_wait(&started);
	for (;;)
		pause();
	return unused;
}

static void provide_stack(void)
{
	char *memory = target_island(PROVIDED, PROT_READ | PROT_WRITE, 0, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	target_check(mprotect(memory, PAGE, PROT_NONE), "mprotect");
	store((void *volatile *)(void *)(memory + PAGE));

	pthread_barrier_init(&started, NULL, 2);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, memory + STACK, PROVIDED - STACK);
	target_check(-pthread_create(&thread, &attributes, wait_forever, NULL), "pthread_create");
	pthread_barrier_wait(&started);
	clear_stack();
	obey();
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";
	pthread_t thread;

	mallopt(M_ARENA_MAX, 1);
	target_begin();
	if (strcmp(which, "signal") == 0) {
		run_on_signal_stack();
	} else if (strcmp(which, "coroutine") == 0) {
		target_check(-pthread_create(&thread, NULL, run_coroutines, NULL),
		             "pthread_create");
		pthread_join(thread, NULL);
	} else {
		provide_stack();
	}
}
