/* SPDX-License-Identifier: MIT */
/*
 * allocations THREADS: a process with known chunks in the heap, and with an arena for each thread.
 * Facts: `chunk NAME ADDRESS USABLE`, where USABLE is the result of malloc_usable_size(3), and
 * `info NAME VALUE` with the members of mallinfo2(3), and `thread TID ADDRESS` with a chunk of each
 * thread.
 *
 * Commands:
 * - `info`: prints the members of mallinfo2(3) again
 * - `fragment N`: allocates N times 8000 and 80 bytes, then frees the 8000; the 80 bytes are
 *   "session user=I and more"
 * - `sieve N`: allocates N times 56 bytes, then frees two of three
 * - `trim`: calls malloc_trim(3)
 * - `mapped N`: allocates N times 1 MiB
 * - `grow N`: starts a thread that keeps N chunks of 264 bytes a second, "leak number=I"
 * - `seep N`: the threads of `churn` keep N chunks like those of `grow`, one of each 1000 that they
 *   allocate; done when they have
 * - `grown`: prints `grown N`: the number of chunks that `grow` and `seep` have allocated
 * - `renew N`: starts a thread that keeps N chunks of 528 bytes, "renewed number=I", and replaces
 *   the oldest one every millisecond; done when all N chunks exist
 * - `churn`: starts a thread, at most 64 in all, that allocates and frees all the time; done when
 * it has allocated in each of its slots
 * - `damage`: overwrites the size of a chunk; prints both chunks
 * - `ruin`: allocates a chunk that is larger than the rest of the heap, and overwrites its size and
 *   its content with bytes that are not those of chunks
 * - `imitate`: maps memory that looks like a chunk of 1 MiB
 * - `point N`: allocates a chunk, `pointed`, and N pointers to it in another chunk
 * - `protect`: allocates 1 MiB, and makes its pages read-only
 * - `hide`: allocates 1 MiB, and overwrites the header of this chunk
 * - `vfork`: starts a thread that waits in the kernel for a child that does not end
 * - `exec`: executes the program again, without threads
 */
#include "support.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	SESSION = 80,
	BUFFER = 8000,
	LARGE = 1 << 20,
	LEAK = 264,
	RENEWED = 528,
	ORDER = 400,
	ORDERS = 50
};

enum { WORKERS_MAX = 64 };

/* Whatever is allocated stays reachable, and is never freed. */
static void *volatile kept;

static struct worker {
	int tid;
	char *chunk;
} workers[WORKERS_MAX];

/* Reached when all threads have allocated. */
static pthread_barrier_t created;

/* Number of chunks that grow() and seep() have filled. */
static atomic_ulong grown;

/* Numbers of chunks that the threads of churn() have to keep, and have kept, for `seep`. */
static atomic_long seeping, seeped;

/* Number of threads that have allocated what the answer to `renew` or `churn` promises. */
static atomic_uint prepared;

static char *keep(size_t size)
{
	char *chunk = malloc(size);

	if (!chunk)
		abort();
	memset(chunk, 0, size);
	kept = chunk;
	return chunk;
}

static void print_chunk(const char *name, void *chunk)
{
	printf("chunk %s %#zx %zu\n", name, (size_t)chunk, malloc_usable_size(chunk));
}

static void print_info(void)
{
	struct mallinfo2 info = mallinfo2();

	printf("info arena %zu\n", info.arena);
	printf("info fsmblks %zu\n", info.fsmblks);
	printf("info uordblks %zu\n", info.uordblks);
	printf("info fordblks %zu\n", info.fordblks);
	printf("info hblks %zu\n", info.hblks);
	printf("info hblkhd %zu\n", info.hblkhd);
	printf("info keepcost %zu\n", info.keepcost);
}

static void fragment(uint64_t count)
{
	char **buffers = calloc(count, sizeof *buffers);

	if (!buffers)
		abort();
	for (uint64_t i = 0; i < count; i++) {
		buffers[i] = keep(BUFFER);
		char *session = keep(SESSION);
		snprintf(session, SESSION, "session user=%llu and more", (unsigned long long)i);
		if (i == 0)
			print_chunk("session", session);
	}
	for (uint64_t i = 0; i < count; i++)
		free(buffers[i]);
	free(buffers);
}

static void sieve(uint64_t count)
{
	char **chunks = calloc(count, sizeof *chunks);

	if (!chunks)
		abort();
	for (uint64_t i = 0; i < count; i++)
		chunks[i] = keep(56);
	for (uint64_t i = 0; i < count; i += 1 + i % 3)
		free(chunks[i]);
	/* Chunks in fastbins are freed completely. */
	free(keep(100000));
}

/** Allocates in an arena of its own, and frees a part, so that its thread cache is not empty. */
static void *work(void *slot)
{
	struct worker *self = slot;
	enum { CHUNKS = 300, FREED = 5 };
	char *chunks[CHUNKS];

	for (size_t i = 0; i < CHUNKS; i++) {
		chunks[i] = keep(200 + i % 3 * 16);
		snprintf(chunks[i], 200, "thread %zu", (size_t)(self - workers));
	}
	for (size_t i = 0; i < FREED; i++)
		free(chunks[i * 7]);

	self->tid = (int)gettid();
	self->chunk = chunks[1];
	prctl(PR_SET_NAME, "worker");
	pthread_barrier_wait(&created);
	for (;;)
		pause();
	return NULL;
}

/** Allocates a chunk of the growing class. */
static void leak_one(void)
{
	static atomic_ulong next_number;
	char *leak = keep(LEAK);

	snprintf(leak, LEAK, "leak number=%lu", next_number++);
	grown++;
}

static void *grow(void *count)
{
	for (;;) {
		leak_one();
		usleep((useconds_t)(1000000 / (size_t)count));
	}
	return NULL;
}

static void *renew(void *count)
{
	char **chunks = calloc((size_t)count, sizeof *chunks);

	target_check(chunks ? 0 : -1, "calloc");
	for (uint64_t i = 0;; i++) {
		char **oldest = &chunks[i % (size_t)count];
		free(*oldest);
		*oldest = keep(RENEWED);
		snprintf(*oldest, RENEWED, "renewed number=%llu", (unsigned long long)i);
		if (i + 1 == (size_t)count)
			prepared++;
		if (i >= (size_t)count)
			usleep(1000);
	}
	return NULL;
}

static void *churn(void *unused)
{
	enum { SLOTS = 1000, SEEP = 1000 };
	static __thread void *slots[SLOTS];
	unsigned seed = 1, empty = SLOTS;

	(void)unused;
	for (unsigned long i = 0;; i++) {
		if (i % SEEP == 0 && seeping > 0 && seeping-- > 0) {
			leak_one();
			seeped++;
		}
		seed = seed * 1103515245 + 12345;
		unsigned slot = seed >> 8 & 1023;
		if (slot >= SLOTS)
			continue;
		if (!slots[slot] && --empty == 0)
			prepared++;
		free(slots[slot]);
		slots[slot] = malloc(16 + (seed >> 20));
		if (!slots[slot])
			abort();
		memset(slots[slot], (int)seed, 16);
	}
	return NULL;
}

static void start(void *(*run)(void *), size_t argument)
{
	pthread_t thread;

	target_check(-pthread_create(&thread, NULL, run, (void *)argument), "pthread_create");
}

/** Starts a thread, and waits until it is prepared. */
static void start_prepared(void *(*run)(void *), size_t argument)
{
	unsigned before = prepared;

	start(run, argument);
	while (prepared == before)
		usleep(1000);
}

/** Lets the threads of churn() keep chunks. */
static void seep(uint64_t count)
{
	seeped = 0;
	seeping = (long)count;
	while (seeped < (long)count)
		usleep(1000);
}

/** Overwrites the size of a chunk, as a write beyond the end of the chunk before it does. */
static void damage(void)
{
	/* Not a size that the thread cache has. */
	char *first = keep(2000), *second = keep(2000);

	print_chunk("before", first);
	print_chunk("damaged", second);
	memcpy(first, "written too far", sizeof "written too far");
	memset(second - sizeof(size_t), 'y', sizeof(size_t));
}

/** Makes the pages of a chunk read-only. */
static void protect(void)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t chunk = (uintptr_t)keep(LARGE);

	target_check(mprotect((void *)(chunk & ~(page - 1)), LARGE, PROT_READ), "mprotect");
}

/** Overwrites the header of a chunk, so that it cannot be told from other memory. */
static void hide(void)
{
	char *chunk = keep(LARGE);

	memset(chunk - sizeof(size_t), 0, sizeof(size_t));
}

/** Overwrites most of the heap with bytes that are not those of chunks. */
static void ruin(void)
{
	const size_t size = 16 * LARGE;

	target_check(mallopt(M_MMAP_THRESHOLD, 2 * (int)size) ? 0 : -1, "mallopt");
	char *chunk = keep(size);

	print_chunk("ruined", chunk);
	memset(chunk - sizeof(size_t), 0xff, sizeof(size_t) + size);
}

static void imitate(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *guard = mmap(NULL, page + 2 * LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	target_check(guard == MAP_FAILED ? -1 : 0, "mmap");
	target_check(mprotect(guard + page, 2 * LARGE, PROT_READ | PROT_WRITE), "mprotect");
	((size_t *)(void *)(guard + page))[1] = LARGE | 2;
}

static void point(uint64_t count)
{
	char *pointed = keep(ORDER);
	char **pointers = calloc(count, sizeof *pointers);

	target_check(pointers ? 0 : -1, "calloc");
	for (uint64_t i = 0; i < count; i++)
		pointers[i] = pointed;
	kept = pointers;
	print_chunk("pointed", pointed);
}

/* PID of the child of vfork(2); 0 before there is one. */
static volatile pid_t vfork_child;

static void *wait_for_vfork(void *unused)
{
	(void)unused;
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		vfork_child = getpid();
		for (;;)
			pause();
	}
	return NULL;
}

static void block(void)
{
	start(wait_for_vfork, 0);
	while (vfork_child == 0)
		sched_yield();
}

static int obey(const char *line)
{
	if (strcmp(line, "info") == 0)
		print_info();
	else if (strncmp(line, "fragment ", 9) == 0)
		fragment(target_number(line + 9));
	else if (strncmp(line, "sieve ", 6) == 0)
		sieve(target_number(line + 6));
	else if (strcmp(line, "trim") == 0)
		malloc_trim(0);
	else if (strncmp(line, "mapped ", 7) == 0)
		for (uint64_t i = target_number(line + 7); i > 0; i--)
			print_chunk("mapped", memset(keep(LARGE), 'm', LARGE));
	else if (strncmp(line, "grow ", 5) == 0)
		start(grow, target_number(line + 5));
	else if (strncmp(line, "seep ", 5) == 0)
		seep(target_number(line + 5));
	else if (strcmp(line, "grown") == 0)
		printf("grown %lu\n", grown);
	else if (strncmp(line, "renew ", 6) == 0)
		start_prepared(renew, target_number(line + 6));
	else if (strcmp(line, "churn") == 0)
		start_prepared(churn, 0);
	else if (strcmp(line, "damage") == 0)
		damage();
	else if (strncmp(line, "point ", 6) == 0)
		point(target_number(line + 6));
	else if (strcmp(line, "ruin") == 0)
		ruin();
	else if (strcmp(line, "imitate") == 0)
		imitate();
	else if (strcmp(line, "protect") == 0)
		protect();
	else if (strcmp(line, "hide") == 0)
		hide();
	else if (strcmp(line, "vfork") == 0)
		block();
	else if (strcmp(line, "exec") == 0)
		target_check(execl("/proc/self/exe", "allocations", "0", NULL), "execl");
	else
		return 1;
	return 0;
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc != 2) {
		fputs("usage: allocations THREADS\n", stderr);
		return 2;
	}

	/* By default, malloc makes 8 arenas for each processor. */
	mallopt(M_ARENA_MAX, WORKERS_MAX + 8);
	char *orders[ORDERS];
	for (size_t i = 0; i < ORDERS; i++) {
		orders[i] = keep(ORDER);
		snprintf(orders[i], ORDER, "order number %zu", i);
	}
	print_chunk("order", orders[10]);
	printf("chunk last %#zx\n", (size_t)orders[ORDERS - 1]);
	/* Two chunks for which the thread cache has room, and one that it refuses. */
	print_chunk("cached", orders[20]);
	free(orders[20]);
	char *large = keep(5000);
	print_chunk("free", large);
	keep(16);
	free(large);

	uint64_t threads = target_number(argv[1]);
	pthread_barrier_init(&created, NULL, (unsigned)threads + 1);
	target_check(threads <= WORKERS_MAX ? 0 : -1, "options");
	for (uint64_t i = 0; i < threads; i++)
		start(work, (size_t)&workers[i]);
	pthread_barrier_wait(&created);
	for (uint64_t i = 0; i < threads; i++)
		printf("thread %d %#zx\n", workers[i].tid, (size_t)workers[i].chunk);
	printf("thread %d %#zx\n", (int)getpid(), (size_t)orders[ORDERS - 1]);

	print_info();
	target_ready();
	target_obey(obey);
}
