/* SPDX-License-Identifier: MIT */
/*
 * hidden WHERE: chunks of malloc whose only pointers are in memory that is easily overlooked.
 * WHERE:
 *
 * - none, write, exec: private memory that is protected with PROT_NONE, PROT_WRITE, or
 *   PROT_READ | PROT_EXEC after the pointers were written
 * - shared: a memfd that is mapped read-only
 * - untouched: the same, but the process has not read the mapping
 * - secret: memory of memfd_secret(2), or `unsupported secret`
 * - chunk: a chunk of malloc whose pages are protected with PROT_NONE
 * - vector: a vector register of a thread that runs, or `unsupported vector`
 * - suspended: a register of a thread in uninterruptible sleep, or `unsupported suspended`. The
 * child for which the thread waits prints "ready"
 *
 * Facts: `group held COUNT SIZE`, and `example held ADDRESS`, one of the chunks.
 */
#include "support.h"

#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

enum { PAGE = 4096, SIZE = 16 * PAGE, COUNT = 10, CHUNK = 1000 };

/* The complement of the chunk's address: memory must not contain the address itself. Then a flag of
 * the thread. */
static uint64_t complement;
static int running;

/** Allocates a chunk of zeros. */
static void *make(size_t size)
{
	void *made = calloc(1, size);
	target_check(made ? 0 : -1, "calloc");
	return made;
}

/** Allocates chunks, and stores the only pointers to them. */
static void __attribute__((noinline)) fill(char *memory, size_t count)
{
	void **to = (void *)memory;
	for (size_t i = 0; i < count; i++)
		to[i] = make(CHUNK);

	printf("group held %zu %zu\n", count, malloc_usable_size(to[0]) + sizeof(size_t));
	printf("example held %" PRIxPTR "\n", (uintptr_t)to[0]);
}

/** Overwrites what the functions that have returned left on the stack. */
static void __attribute__((noinline)) clear_stack(void)
{
	volatile char bytes[32768];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = 0;
}

static void protect(int protection)
{
	char *memory = target_island(SIZE, PROT_READ | PROT_WRITE, 0, 0);
	fill(memory + PAGE, COUNT);
	target_check(mprotect(memory, SIZE, protection), "mprotect");
}

/** Writes to a memfd, and maps it read-only. */
static void share(int touch)
{
	int fd = (int)target_check(memfd_create("hidden", MFD_CLOEXEC), "memfd_create");
	unsigned sum = 0;

	target_check(ftruncate(fd, SIZE), "ftruncate");
	char *memory = target_map_at_island(SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0, 0);
	memset(memory, 0, SIZE);
	fill(memory, COUNT);
	munmap(memory, SIZE);

	const volatile char *mapped = target_map_at_island(SIZE, PROT_READ, MAP_SHARED, fd, 0, 0);
	for (size_t i = 0; touch && i < SIZE; i += PAGE)
		sum += (unsigned char)mapped[i];
	target_check(sum > SIZE ? -1 : 0, "sum");
}

static void keep_secret(void)
{
	int fd = (int)syscall(SYS_memfd_secret, 0);
	if (fd < 0) {
		printf("unsupported secret: %m\n");
		return;
	}

	target_check(ftruncate(fd, SIZE), "ftruncate");
	fill(target_map_at_island(SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0, 0), COUNT);
}

static void protect_chunk(void)
{
	static void *volatile held;
	held = aligned_alloc(PAGE, 4 * PAGE);
	target_check(held ? 0 : -1, "aligned_alloc");
	memset(held, 0, 4 * PAGE);
	fill(held, COUNT);
	target_check(mprotect(held, 4 * PAGE, PROT_NONE), "mprotect");
}

#ifdef __x86_64__
static void __attribute__((noinline)) make_complement(void)
{
	void *held;
	fill((char *)&held, 1);
	complement = ~(uint64_t)(uintptr_t)held;
}

/** Puts the address into a vector register, and runs without a system call. */
static void *hold_in_register(void *unused)
{
	make_complement();
	clear_stack();
	__asm__ volatile("movq %1, %%rax\n"
	                 "notq %%rax\n"
	                 "movq %%rax, %%xmm9\n"
	                 "xorl %%eax, %%eax\n"
	                 "movl $1, %0\n"
	                 "1: pause\n"
	                 "jmp 1b"
	                 : "=m"(running)
	                 : "m"(complement)
	                 : "rax", "xmm9", "memory");
	return unused;
}

static void start_thread(void)
{
	pthread_t thread;
	target_check(-pthread_create(&thread, NULL, hold_in_register, NULL), "pthread_create");
	while (!__atomic_load_n(&running, __ATOMIC_ACQUIRE))
		sched_yield();
}

/** Puts the address into a register, and waits for a child that is a copy of this process. */
static void wait_for_child(void)
{
	enum { CLONE = 56, FLAGS = CLONE_VFORK | SIGCHLD };
	long child = CLONE;

	make_complement();
	clear_stack();
	pid_t parent = getpid();
	__asm__ volatile("movq %1, %%rbx\n"
	                 "notq %%rbx\n"
	                 "movl %2, %%edi\n"
	                 "xorl %%esi, %%esi\n"
	                 "xorl %%edx, %%edx\n"
	                 "xorl %%r10d, %%r10d\n"
	                 "xorl %%r8d, %%r8d\n"
	                 "syscall"
	                 : "+a"(child)
	                 : "m"(complement), "i"(FLAGS)
	                 : "rbx", "rcx", "rdx", "rdi", "rsi", "r8", "r10", "r11", "memory");
	target_check(child, "clone");

	target_check(prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl");
	if (getppid() != parent)
		raise(SIGKILL);
}
#else
static void start_thread(void)
{
	puts("unsupported vector");
}

static void wait_for_child(void)
{
	puts("unsupported suspended");
}
#endif

static int command(const char *line)
{
	(void)line;
	return 1;
}

int main(int argc, char **argv)
{
	const char *where = argc > 1 ? argv[1] : "";
	target_begin();

	if (strcmp(where, "none") == 0)
		protect(PROT_NONE);
	else if (strcmp(where, "write") == 0)
		protect(PROT_WRITE);
	else if (strcmp(where, "exec") == 0)
		protect(PROT_READ | PROT_EXEC);
	else if (strcmp(where, "shared") == 0)
		share(1);
	else if (strcmp(where, "untouched") == 0)
		share(0);
	else if (strcmp(where, "secret") == 0)
		keep_secret();
	else if (strcmp(where, "chunk") == 0)
		protect_chunk();
	else if (strcmp(where, "suspended") == 0)
		wait_for_child();
	else
		start_thread();

	clear_stack();
	target_ready();
	target_obey(command);
}
