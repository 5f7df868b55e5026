/* SPDX-License-Identifier: MIT */
/*
 * sites: maps and touches memory from several functions, its sites, and keeps a log of the pages
 * that each site has touched first and that are still mapped. Each site also releases memory. One
 * site belongs to a second thread, so that one thread can map what the other has just released.
 *
 * Commands:
 *
 *     work ROUNDS   each site but the pool maps, touches and releases memory, once in each round
 *     pool ROUNDS   touches memory that was mapped before `ready`
 *     mark          from now on, the log counts only pages that are touched later
 *     log           prints `log SITE BYTES SITE BYTES ...`
 *     exec          starts the program again: it prints `ready`, and its log is empty
 */
#include "support.h"

#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { PAGE = 4096, ROUNDS_MAX = 2000 };

/** The sites, and the number of pages that each of them uses in a round. */
enum site {
	NONE,
	MMAP,
	LARGE_MALLOC,
	SMALL_MALLOC,
	BRK,
	MREMAP,
	THREAD_MMAP,
	POOL,
	SITES,
};

static const char *const names[SITES] = {
	[MMAP] = "site_mmap",
	[LARGE_MALLOC] = "site_large_malloc",
	[SMALL_MALLOC] = "site_small_malloc",
	[BRK] = "site_brk",
	[MREMAP] = "site_mremap",
	[THREAD_MMAP] = "site_thread_mmap",
	[POOL] = "site_pool",
};

/* --- The log ---------------------------------------------------------------------------------- */

/** A page. The pages of released memory stay in the table with the site NONE. */
struct page {
	uint64_t number : 48; /* its address divided by the page size; 0: this item is not used */
	uint64_t site : 8;
	uint64_t marks : 8; /* number of marks when the page was touched */
};

enum { TABLE_SIZE = 1 << 19 };

static struct page table[TABLE_SIZE];
static size_t used;    /* items of the table */
static unsigned marks; /* number of marks */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct page *find(uint64_t number)
{
	uint64_t at = number * UINT64_C(0x9e3779b97f4a7c15) >> 45;

	while (table[at].number != 0 && table[at].number != number)
		at = (at + 1) % TABLE_SIZE;
	if (table[at].number == 0) {
		target_check(++used < TABLE_SIZE / 2 ? 0 : -1, "table of pages");
		table[at].number = number & ((UINT64_C(1) << 48) - 1);
	}
	return &table[at];
}

/** Adds the pages of a range that are not in the log yet. */
static void add(enum site site, const void *start, size_t size)
{
	uint64_t first = (uintptr_t)start / PAGE, last = ((uintptr_t)start + size - 1) / PAGE;

	pthread_mutex_lock(&lock);
	for (uint64_t number = first; number <= last; number++) {
		struct page *page = find(number);

		if (page->site != NONE)
			continue;
		page->site = (unsigned char)site;
		page->marks = (unsigned char)marks;
	}
	pthread_mutex_unlock(&lock);
}

/** Removes the pages of a range, which starts with a page, before it is unmapped. */
static void drop(const void *start, size_t size)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < size / PAGE; i++)
		find((uintptr_t)start / PAGE + i)->site = NONE;
	pthread_mutex_unlock(&lock);
}

/** Notes that mremap has moved pages. */
static void move(const void *from, const void *to, size_t size)
{
	for (size_t i = 0; from != to && i < size / PAGE; i++) {
		struct page *old = find((uintptr_t)from / PAGE + i);
		struct page *new = find((uintptr_t)to / PAGE + i);

		new->site = old->site;
		new->marks = old->marks;
		old->site = NONE;
	}
}

static void print_log(void)
{
	uint64_t bytes[SITES] = { 0 };

	for (size_t i = 0; i < TABLE_SIZE; i++) {
		if (table[i].site != NONE && table[i].marks >= marks)
			bytes[table[i].site] += PAGE;
	}

	printf("log");
	for (size_t i = NONE + 1; i < SITES; i++)
		printf(" %s %llu", names[i], (unsigned long long)bytes[i]);
	putchar('\n');
}

/* --- The sites -------------------------------------------------------------------------------- */

/** Returns new pages of anonymous memory. Always inlined: the caller is the site. */
static inline __attribute__((always_inline)) char *map_pages(size_t pages)
{
	char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                    -1, 0);

	target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
	return memory;
}

static inline __attribute__((always_inline)) void touch(enum site site, char *memory, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		((volatile char *)memory)[i * PAGE] = 1;
	add(site, memory, pages * PAGE);
}

static void unmap(char *memory, size_t pages)
{
	drop(memory, pages * PAGE);
	target_check(munmap(memory, pages * PAGE), "munmap");
}

/** Touches two thirds of a mapping. Some mappings are released, others get a hole. */
static __attribute__((noinline)) void site_mmap(size_t round)
{
	static char *blocks[ROUNDS_MAX];
	char *block = blocks[round] = map_pages(24);

	touch(MMAP, block, 16);
	if (round % 3 == 2)
		unmap(blocks[round - 1], 24);
	if (round % 5 == 4 && round % 3 != 1)
		unmap(block + (size_t)4 * PAGE, 4);
}

/** Blocks with a mapping of their own, of which malloc unmaps some. */
static __attribute__((noinline)) void site_large_malloc(size_t round)
{
	static char *blocks[ROUNDS_MAX];
	const size_t header = 16, pages = 30, size = pages * PAGE - header;
	char *block = blocks[round] = malloc(size);

	target_check(block ? 0 : -1, "malloc");
	memset(block, 1, size);
	add(LARGE_MALLOC, block - header, pages * PAGE);

	if (round % 4 == 3) {
		drop(blocks[round - 2] - header, pages * PAGE);
		free(blocks[round - 2]);
	}
}

/** Blocks of the heap. What is freed stays mapped, and later rounds use that memory again. */
static __attribute__((noinline)) void site_small_malloc(size_t round)
{
	const size_t header = 16;

	for (size_t i = 0; i < 40; i++) {
		size_t size = 900 + (round * 40 + i) % 7 * 32;
		char *block = malloc(size);

		target_check(block ? 0 : -1, "malloc");
		memset(block, 1, size);
		add(SMALL_MALLOC, block - header, size + header);
		if (i % 8 == 7)
			free(block);
	}
}

/** Extends the heap beside malloc, and shortens it. */
static __attribute__((noinline)) void site_brk(size_t round)
{
	const size_t pages = 12, shorter = round % 6;
	uintptr_t end = (uintptr_t)sbrk(0), aligned = (end + PAGE - 1) / PAGE * PAGE;

	target_check(brk((char *)aligned + pages * PAGE), "brk");
	touch(BRK, (char *)aligned, pages);

	char *new_end = (char *)aligned + (pages - shorter) * PAGE;
	drop(new_end, shorter * PAGE);
	target_check(brk(new_end), "brk");
}

static char *resize(char *memory, size_t old_pages, size_t pages)
{
	char *moved = mremap(memory, old_pages * PAGE, pages * PAGE, MREMAP_MAYMOVE);

	target_check(moved == MAP_FAILED ? -1 : 0, "mremap");
	return moved;
}

static __attribute__((noinline)) char *grow_in_even_rounds(char *memory, size_t pages)
{
	char *moved = resize(memory, pages, pages + 2);

	move(memory, moved, pages * PAGE);
	return moved;
}

static __attribute__((noinline)) char *grow_in_odd_rounds(char *memory, size_t pages)
{
	char *moved = resize(memory, pages, pages + 2);

	move(memory, moved, pages * PAGE);
	return moved;
}

/**
 * One mapping that grows by two pages in each round. Two functions take turns, so that no two
 * neighbours have the same stack. The mapping becomes shorter, too.
 */
static __attribute__((noinline)) void site_mremap(size_t round)
{
	static char *memory;
	static size_t pages;

	if (round == 0) {
		pages = 2;
		memory = map_pages(pages);
		touch(MREMAP, memory, pages);
	}

	if (round % 2 == 0)
		memory = grow_in_even_rounds(memory, pages);
	else
		memory = grow_in_odd_rounds(memory, pages);
	touch(MREMAP, memory + pages * PAGE, 2);
	pages += 2;
	if (round % 4 == 3) {
		drop(memory + (pages - 1) * PAGE, PAGE);
		memory = resize(memory, pages, pages - 1);
		pages--;
	}
}

static __attribute__((noinline)) void site_thread_mmap(size_t round)
{
	static char *blocks[ROUNDS_MAX];
	char *block = blocks[round] = map_pages(8);

	touch(THREAD_MMAP, block, 8);
	if (round % 4 == 3)
		unmap(blocks[round - 3], 8);
}

static char *pool;
static const size_t pool_pages = (size_t)8 * ROUNDS_MAX;

static __attribute__((noinline)) void site_pool(size_t round)
{
	touch(POOL, pool + round * 8 * PAGE, 8);
}

/* --- Commands --------------------------------------------------------------------------------- */

static sem_t started, finished;
static size_t rounds; /* all sites but the pool have done them */
static size_t wanted; /* what the thread has to do, until this round */

static void *thread_main(void *argument)
{
	size_t round = 0;

	for (;;) {
		sem_wait(&started);
		while (round < wanted)
			site_thread_mmap(round++);
		sem_post(&finished);
	}
	return argument;
}

static void work(size_t count)
{
	wanted = rounds + count;
	sem_post(&started);
	for (; rounds < wanted; rounds++) {
		site_mmap(rounds);
		site_large_malloc(rounds);
		site_small_malloc(rounds);
		site_brk(rounds);
		site_mremap(rounds);
	}
	sem_wait(&finished);
}

static int command(const char *line)
{
	static size_t pool_rounds;
	size_t count = 0;

	if (strcmp(line, "mark") == 0) {
		marks++;
		return 0;
	}
	if (strcmp(line, "log") == 0) {
		print_log();
		return 0;
	}
	if (strcmp(line, "exec") == 0)
		target_check(execl("/proc/self/exe", "sites", (char *)NULL), "exec");

	if (sscanf(line, "work %zu", &count) == 1 && count <= ROUNDS_MAX - rounds) {
		work(count);
		return 0;
	}
	if (sscanf(line, "pool %zu", &count) == 1 && count <= ROUNDS_MAX - pool_rounds) {
		for (size_t end = pool_rounds + count; pool_rounds < end; pool_rounds++)
			site_pool(pool_rounds);
		return 0;
	}
	return 1;
}

int main(void)
{
	pthread_t thread;

	mallopt(M_MMAP_THRESHOLD, 64 * 1024);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	/* Until the program is ready, the heap is only as long as needed, so that the sites use
	 * hardly any memory from before. */
	mallopt(M_TOP_PAD, 0);

	target_begin();
	/* A huge page would make more memory resident than was touched. */
	target_check(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), "prctl");
	memset(table, 0, sizeof table);
	pool = target_map(pool_pages * PAGE, PROT_READ | PROT_WRITE, 0);

	sem_init(&started, 0, 0);
	sem_init(&finished, 0, 0);
	target_check(-pthread_create(&thread, NULL, thread_main, NULL), "pthread_create");
	target_ready();
	/* stdio has its buffer now. */
	mallopt(M_TOP_PAD, 64 * 1024);
	target_obey(command);
}
