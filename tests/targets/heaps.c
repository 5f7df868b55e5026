/* SPDX-License-Identifier: MIT */
/*
 * A heap of malloc with known figures: heaps [NAME=NUMBER]...
 *
 * threads=N       threads besides the first one, each with an arena (0)
 * chunks=N        chunks that each thread allocates; it frees a part of them (1000)
 * large=N         chunks that each thread allocates with up to 120 KiB each (0)
 * mapped=N        chunks that malloc maps separately (0)
 * aligned=N       chunks of posix_memalign(3) that malloc maps separately (0)
 * shrink=N        realloc(3) makes these chunks smaller (0 or 1)
 * move=N          realloc(3) makes these chunks larger and moves them (0 or 1)
 * protect=N       pages in all chunks that malloc maps separately become read-only (0 or 1)
 * dangling=N      a write to a freed chunk damages a list of the tcache (0 or 1)
 * sbrk=N          other users of sbrk(2) between parts of the heap (0)
 * blocked=N       mappings that stop the brk heap from growing (0 or 1)
 * fork=N          the heap belongs to a child process, which extends it (0 or 1)
 * holes=N         runs of freed chunks of several pages in each arena (0 or 1)
 * fast=N          chunks that each thread allocates last, and of which it frees 200 of each 300,
 * half of them into fastbins (0) churn=N         the threads allocate and free memory without pause
 * (0 or 1)
 *
 * Prints `kept N` for each thread, the number of chunks that it keeps, `pid PID`, `mallinfo ARENA
 * UORDBLKS FORDBLKS FSMBLKS HBLKS HBLKHD KEEPCOST` (mallinfo2(3)), for each arena `arena FAST_COUNT
 * FAST REST_COUNT REST SYSTEM` (malloc_info(3)), `aligned ADDRESS` for each chunk of
 * posix_memalign(3), and with dangling=1 `freed ADDRESS` for each chunk of the damaged list, the
 * first one of the list first; the third one was written to. Nothing is allocated after the figures
 * were taken.
 *
 * Commands: `trim` calls malloc_trim(3), `info` prints the text of malloc_info(3).
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
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Linux 4.17; missing in the headers of older C libraries. */
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* glibc 2.33; before, the members were of the type int. */
#if !__GLIBC_PREREQ(2, 33)
#define mallinfo2 mallinfo
#endif

enum { THREADS_MAX = 256, ALIGNED_MAX = 64, INFO_SIZE = 1 << 20, PAGE = 4096 };

static uint64_t threads, chunks = 1000, large, mapped, aligned, foreign, blocked, forked, churn,
			 holes, shrunk, moved, read_only, dangling, fast;

static const struct option {
	const char *name;
	uint64_t *value;
} options[] = {
	{ "threads", &threads },   { "chunks", &chunks },   { "large", &large },
	{ "mapped", &mapped },     { "aligned", &aligned }, { "sbrk", &foreign },
	{ "blocked", &blocked },   { "fork", &forked },     { "churn", &churn },
	{ "holes", &holes },       { "shrink", &shrunk },   { "protect", &read_only },
	{ "dangling", &dangling }, { "fast", &fast },       { "move", &moved },
};

/** Number of slots in which a thread that churns allocates and frees memory. */
enum { SLOTS = 20000 };

/** Number and size of the chunks of the damaged list. */
enum { FREED = 7, FREED_SIZE = 900 };

/* The text of malloc_info(3). */
static char info[INFO_SIZE];

static pthread_barrier_t built;
static uint64_t kept_counts[THREADS_MAX];

static void parse(const char *argument)
{
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		size_t length = strlen(options[i].name);
		if (strncmp(argument, options[i].name, length) == 0 && argument[length] == '=') {
			*options[i].value = target_number(argument + length + 1);
			return;
		}
	}

	fprintf(stderr, "heaps: unknown option '%s'\n", argument);
	exit(2);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

/** Allocates memory, and writes to it. */
static char *allocate(size_t size)
{
	char *memory = malloc(size);
	target_check(memory ? 0 : -1, "malloc");
	memset(memory, 'x', size < 64 ? size : 64);
	return memory;
}

/**
 * Allocates runs of chunks, alternately of 112 and of 512 bytes, and frees two of three runs. The
 * small ones of a run fill fastbins, so that malloc does not merge them with the large ones. No
 * free chunk contains a page.
 */
static void fill_fastbins(void)
{
	char **kept = calloc(fast + 1, sizeof *kept);
	target_check(kept ? 0 : -1, "calloc");

	for (uint64_t i = 0; i < fast; i++)
		kept[i] = allocate(i % 2 == 0 ? 100 : 500);
	for (uint64_t i = 0; i < fast; i++)
		if (i / 100 % 3 != 0)
			free(kept[i]);
}

/**
 * Allocates chunks of many sizes, and frees a part of them in another order.
 * @return number of the chunks of many sizes that are kept
 */
static uint64_t fill(uint64_t seed, uint64_t count)
{
	uint64_t kept_count = 0;
	char **kept = calloc(count + 1, sizeof *kept);
	target_check(kept ? 0 : -1, "calloc");

	for (uint64_t i = 0; i < count; i++) {
		uint64_t random = next_random(&seed);
		kept[i] = allocate(random % 8 == 0 ? random / 8 % 2000 : random / 8 % 120);
	}

	for (uint64_t i = 0; i < count; i++) {
		uint64_t random = next_random(&seed);
		if (random % 3 == 0) {
			uint64_t which = random / 3 % count;
			free(kept[which]);
			kept[which] = NULL;
		}
	}

	for (uint64_t i = 0; i < count; i++)
		kept_count += kept[i] != NULL;

	/* Runs of 100 chunks in use and of 100 freed ones, which become free chunks of 50 KiB. */
	for (uint64_t i = 0; holes && i < count; i++)
		kept[i] = allocate(500);
	for (uint64_t i = 0; holes && i < count; i++)
		if (i / 100 % 2 == 0)
			free(kept[i]);

	for (uint64_t i = 0; i < large; i++)
		allocate(next_random(&seed) % (120 * 1024));
	if (fast)
		fill_fastbins();

	return kept_count;
}

static void __attribute__((noreturn)) churn_forever(uint64_t seed)
{
	char **slots = calloc(SLOTS, sizeof *slots);
	target_check(slots ? 0 : -1, "calloc");

	for (;;) {
		uint64_t random = next_random(&seed);
		size_t slot = random % SLOTS;
		free(slots[slot]);
		slots[slot] = allocate(random / SLOTS % 3000);
	}
}

static void *run(void *seed)
{
	kept_counts[(uintptr_t)seed - 2] = fill((uintptr_t)seed, chunks);
	pthread_barrier_wait(&built);
	if (churn)
		churn_forever((uintptr_t)seed);
	for (;;)
		pause();
	return NULL;
}

/** Maps a page directly above the brk heap. */
static void block(void)
{
	uintptr_t end = ((uintptr_t)sbrk(0) + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	void *page = mmap((void *)end, PAGE, PROT_NONE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	target_check(page == MAP_FAILED ? -1 : 0, "mmap");
}

/** Makes the second page after an address read-only. */
static void protect(void *address)
{
	uintptr_t page = ((uintptr_t)address + PAGE) & ~(uintptr_t)(PAGE - 1);

	target_check(mprotect((void *)page, PAGE, PROT_READ), "mprotect");
}

/**
 * Makes a chunk of posix_memalign(3) larger, and moves it: the page after it is not free.
 * @param size  its new size in bytes
 */
static void *move(void *address, size_t size)
{
	uintptr_t end = (uintptr_t)address + malloc_usable_size(address);
	/* Fails if a mapping is there already. */
	mmap((void *)((end + PAGE - 1) & ~(uintptr_t)(PAGE - 1)), PAGE, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	uintptr_t before = (uintptr_t)address;
	char *after = realloc(address, size);

	target_check(after && (uintptr_t)after != before ? 0 : -1, "realloc");
	memset(after, 'm', size);
	return after;
}

/** Creates what is not created by threads. Returns the addresses of posix_memalign(3). */
static void fill_main(void **addresses)
{
	fill(1, chunks);
	for (uint64_t i = 0; i < foreign; i++) {
		char *other = sbrk((intptr_t)(100000 + 16 * i));
		target_check(other == (char *)-1 ? -1 : 0, "sbrk");
		memset(other, 'f', 90000);
		fill(100 + i, chunks);
	}
	if (blocked) {
		block();
		fill(50, 20 * chunks);
	}

	for (uint64_t i = 0; i < mapped; i++) {
		char *chunk = allocate(256 * 1024 + i * 100000) - 16;
		if (read_only)
			target_check(mprotect(chunk, PAGE, PROT_READ), "mprotect");
	}
	for (uint64_t i = 0; i < aligned; i++) {
		size_t alignment = (size_t)64 << (i * 3 % 16), size = 300000 + i * 5000;
		target_check(-posix_memalign(&addresses[i], alignment, size), "posix_memalign");
		if (moved)
			addresses[i] = move(addresses[i], 4 * (alignment + size));
		if (shrunk)
			addresses[i] = realloc(addresses[i], 20000);
		target_check(addresses[i] ? 0 : -1, "realloc");
		if (read_only)
			protect(addresses[i]);
	}
}

/** Frees chunks, and then writes to one of them, so that a list of the tcache is damaged. */
static void damage(void)
{
	uintptr_t freed[FREED];

	for (int i = 0; i < FREED; i++)
		freed[i] = (uintptr_t)allocate(FREED_SIZE);
	for (int i = 0; i < FREED; i++)
		free((void *)freed[i]);

	uint64_t *written = (uint64_t *)freed[FREED - 3];
	*(volatile uint64_t *)written = UINT64_C(0x4242424242424242);
	for (int i = FREED; i-- > 0;)
		printf("freed %" PRIxPTR "\n", freed[i]);
}

/** Returns a number of the text of malloc_info(3): of an attribute after a position. */
static uint64_t attribute(const char *at, const char *element, const char *name)
{
	char text[64];
	snprintf(text, sizeof text, "<%s", element);
	const char *found = strstr(at, text);
	snprintf(text, sizeof text, " %s=\"", name);
	found = found ? strstr(found, text) : NULL;
	target_check(found ? 0 : -1, "malloc_info");
	return strtoull(found + strlen(text), NULL, 10);
}

/** Prints the figures of each arena. */
static void print_arenas(void)
{
	for (const char *at = info; (at = strstr(at, "<heap nr=")); at++)
		printf("arena %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		       attribute(at, "total type=\"fast\"", "count"),
		       attribute(at, "total type=\"fast\"", "size"),
		       attribute(at, "total type=\"rest\"", "count"),
		       attribute(at, "total type=\"rest\"", "size"),
		       attribute(at, "system type=\"current\"", "size"));
}

static void print_figures(FILE *file, void *const *addresses)
{
	struct mallinfo2 figures = mallinfo2();

	target_check(malloc_info(0, file), "malloc_info");
	fflush(file);
	printf("mallinfo %zu %zu %zu %zu %zu %zu %zu\n", (size_t)figures.arena,
	       (size_t)figures.uordblks, (size_t)figures.fordblks, (size_t)figures.fsmblks,
	       (size_t)figures.hblks, (size_t)figures.hblkhd, (size_t)figures.keepcost);
	print_arenas();
	for (uint64_t i = 0; i < aligned; i++)
		printf("aligned %p\n", addresses[i]);
}

static int obey(const char *line)
{
	if (strcmp(line, "trim") == 0)
		malloc_trim(0);
	else if (strcmp(line, "info") == 0)
		fputs(info, stdout);
	else
		return 1;
	return 0;
}

/** Continues as a child process; the parent waits for its end. */
static void become_child(void)
{
	pid_t parent = getpid(), child = fork();

	target_check(child, "fork");
	if (child > 0) {
		waitpid(child, NULL, 0);
		exit(0);
	}

	target_check(prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl");
	if (getppid() != parent)
		raise(SIGKILL);
	fill(77, 40 * chunks);
}

int main(int argc, char **argv)
{
	static void *addresses[ALIGNED_MAX];

	target_begin();
	for (int i = 1; i < argc; i++)
		parse(argv[i]);
	target_check(threads <= THREADS_MAX && aligned <= ALIGNED_MAX ? 0 : -1, "options");

	/* The first of these allocates the buffer of stdout. */
	printf("threads %" PRIu64 "\n", threads);
	FILE *file = fmemopen(info, sizeof info, "w");
	target_check(file ? 0 : -1, "fmemopen");
	setvbuf(file, NULL, _IOFBF, INFO_SIZE / 4);
	/* Allocates the buffer now: a large request would empty the fastbins. */
	fputc(' ', file);
	mallopt(M_ARENA_MAX, THREADS_MAX + 1);

	fill_main(addresses);
	pthread_barrier_init(&built, NULL, (unsigned)threads + 1);
	for (uintptr_t i = 0; i < threads; i++) {
		pthread_t thread;
		target_check(-pthread_create(&thread, NULL, run, (void *)(i + 2)),
		             "pthread_create");
	}
	pthread_barrier_wait(&built);
	if (forked)
		become_child();

	for (uint64_t i = 0; i < threads; i++)
		printf("kept %" PRIu64 "\n", kept_counts[i]);
	printf("pid %d\n", (int)getpid());
	if (dangling)
		damage();
	print_figures(file, addresses);
	target_ready();
	target_obey(obey);
}
