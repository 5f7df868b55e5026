/* SPDX-License-Identifier: MIT */
/*
 * causes WAY NUMBER [stepped]: memory that grows or weighs for a known cause, or only looks so. It
 * answers the command `tell` with `made NUMBER`: how many things it has made and kept so far. With
 * `stepped`, time passes only by the command `pass SECONDS` (not for ways with a thread).
 *
 * Things that are made at NUMBER per second, and kept:
 * - auditor: rows of text in chunks of 128 bytes, by a thread of that name; the main thread lets
 *   the brk heap rise to 90 MiB and fall back; a block of 32 MiB never changes
 * - structure: a node of 64 bytes with a text of 320 bytes, in the main arena
 * - buffers: blocks of 256 KiB, which malloc maps separately
 * - memfd: pages of a memfd, which is mapped
 * - maps: mappings of one page, which the kernel cannot merge
 * - descriptors: open files
 * - cache: pages of a mapped file on a disk that are read
 * - anonymous: pages of one anonymous region
 * - floor: pages of one anonymous region, whose last 24 MiB are used and released all the time
 * - tables: page tables, of 4 KiB each, for memory that is only read: it has no pages of its own
 * - noise: as auditor, in the main arena, among chunks of all sizes that are allocated and freed
 *
 * The same, but each thing is released after a second:
 * - queue (as auditor), noise-queue, structure-queue, buffers-queue, maps-queue,
 *   descriptors-queue, workers (threads)
 *
 * Memory of NUMBER MiB that does not grow:
 * - retention: small chunks, which are free except each 64th; kept: all are in use
 * - locked: mlock(2); unlocked: the same without
 * - fork: a child shares it; forked: the child has a copy of each page
 * - huge: one byte of each 2 MiB, which have huge pages; small: all bytes, without huge pages
 * - warm: grows for two seconds, by half in each, and stops
 */
#include "support.h"
#include "ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	MEBIBYTE = 1024 * 1024,
	ROW = 120,     /* a chunk of 128 bytes with its header */
	NODE = 56,     /* 64 bytes */
	CONTENT = 312, /* 320 bytes */
	BUFFER = 256 * 1024,
	RESERVED = 1024 * MEBIBYTE,
	SMALL = 1000,
	KEPT_OF = 64,
	HUGE_PAGE = 2 * MEBIBYTE,
	TABLE = 2 * MEBIBYTE, /* a page of a page table maps so much */
	TABLES_MAX = 32 * 1024,
	NOISE = 4096, /* chunks that are allocated and freed */
	SAW_BLOCK = 32 * 1024,
	SAW = 90 * MEBIBYTE,
	SAW_TICKS = 8,
	AREA_STEP = MEBIBYTE,
	AREA_TICKS = 13,
	QUEUE_MAX = 1 << 16
};

/** A thing that can be released again. */
union thing {
	void *memory;
	int fd;
	pthread_t thread;
};

static atomic_ulong made;
static uint64_t number;
static char *area; /* memory or a file of which more and more pages are used */

static void make_row(union thing *thing)
{
	thing->memory = malloc(ROW);
	snprintf(thing->memory, ROW, "AUDIT row=%lu table=invoices state=DONE",
	         (unsigned long)made);
}

static void make_structure(union thing *thing)
{
	char **node = calloc(1, NODE);
	char *content = malloc(CONTENT);

	memset(content, 0, CONTENT);
	snprintf(content, CONTENT, "session %lu of a customer", (unsigned long)made);
	node[1] = content;
	thing->memory = node;
}

static void free_structure(union thing *thing)
{
	char **node = thing->memory;

	free(node[1]);
	free(node);
}

static void make_buffer(union thing *thing)
{
	thing->memory = malloc(BUFFER);
	for (size_t at = 0; at + PAGE <= BUFFER; at += 1024)
		snprintf((char *)thing->memory + at, 64, "picture of part %lu", (unsigned long)at);
}

static void free_memory(union thing *thing)
{
	free(thing->memory);
}

static void make_mapping(union thing *thing)
{
	int prot = made % 2 ? PROT_READ : PROT_READ | PROT_WRITE;

	thing->memory = target_map(PAGE, prot, 0);
}

static void free_mapping(union thing *thing)
{
	munmap(thing->memory, PAGE);
}

static void make_descriptor(union thing *thing)
{
	thing->fd = (int)target_check(open("/dev/null", O_RDONLY | O_CLOEXEC), "open");
}

static void free_descriptor(union thing *thing)
{
	close(thing->fd);
}

static void *rest(void *context)
{
	sigset_t none;

	sigemptyset(&none);
	sigsuspend(&none);
	return context;
}

static void *rest_one_second(void *context)
{
	sleep(1);
	return context;
}

static void make_worker(union thing *thing)
{
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	target_check(-pthread_create(&thing->thread, &small, rest_one_second, NULL),
	             "pthread_create");
	pthread_attr_destroy(&small);
}

static void free_worker(union thing *thing)
{
	pthread_join(thing->thread, NULL);
}

static void make_page(union thing *thing)
{
	(void)thing;
	if (made * PAGE < RESERVED)
		*(volatile char *)(area + made * PAGE) = 1;
}

static void read_table(union thing *thing)
{
	(void)thing;
	if (made < TABLES_MAX)
		(void)*(volatile char *)(area + made * TABLE);
}

static void read_page(union thing *thing)
{
	(void)thing;
	(void)*(volatile char *)(area + made * PAGE % RESERVED);
}

/** A way to make things; `release` is NULL if they are kept. */
static const struct way {
	const char *name;
	const char *thread; /* name of the thread that makes them; NULL: the main thread */
	void (*make)(union thing *thing);
	void (*release)(union thing *thing);
} ways[] = {
	{ "auditor", "auditor", make_row, NULL },
	{ "queue", "auditor", make_row, free_memory },
	{ "noise", NULL, make_row, NULL },
	{ "noise-queue", NULL, make_row, free_memory },
	{ "structure", NULL, make_structure, NULL },
	{ "structure-queue", NULL, make_structure, free_structure },
	{ "buffers", NULL, make_buffer, NULL },
	{ "buffers-queue", NULL, make_buffer, free_memory },
	{ "maps", NULL, make_mapping, NULL },
	{ "maps-queue", NULL, make_mapping, free_mapping },
	{ "descriptors", NULL, make_descriptor, NULL },
	{ "descriptors-queue", NULL, make_descriptor, free_descriptor },
	{ "workers", NULL, make_worker, free_worker },
	{ "memfd", NULL, make_page, NULL },
	{ "anonymous", NULL, make_page, NULL },
	{ "floor", NULL, make_page, NULL },
	{ "tables", NULL, read_table, NULL },
	{ "cache", NULL, read_page, NULL },
};

static const struct way *way;

/** Makes what is due, and releases what is a second old. */
static void work(uint64_t tick)
{
	static union thing queue[QUEUE_MAX];
	static uint64_t released;
	uint64_t due = number * tick / TICKS_PER_SECOND;

	for (; made < due; made++) {
		if (way->release && made - released >= number)
			way->release(&queue[released++ % QUEUE_MAX]);
		way->make(&queue[made % QUEUE_MAX]);
	}
}

/** Allocates and frees chunks of all sizes up to 2 KiB, a quarter of them in each tick. */
static void make_noise(uint64_t tick)
{
	static char *chunks[NOISE];
	static unsigned random = 1;

	for (size_t i = tick % 4; i < NOISE; i += 4) {
		random = random * 1103515245 + 12345;
		size_t size = 16 + (random >> 16 & 0x7ff);
		free(chunks[i]);
		chunks[i] = malloc(size);
		memset(chunks[i], (int)(random >> 8), size);
	}
}

/** Uses more and more of the area behind the pages that are made, and releases it at once. */
static void saw_area(uint64_t tick)
{
	uint64_t tooth = tick % AREA_TICKS;
	char *start = area + made * PAGE;

	if (tooth > 0)
		memset(start, 5, tooth * AREA_STEP);
	else
		target_check(madvise(start, (size_t)(area + RESERVED - start), MADV_DONTNEED),
		             "madvise");
}

static void work_with_noise(uint64_t tick)
{
	make_noise(tick);
	work(tick);
}

static void work_with_saw(uint64_t tick)
{
	work(tick);
	saw_area(tick);
}

static void *work_in_thread(void *context)
{
	prctl(PR_SET_NAME, way->thread);
	ticks_each(work);
	return context;
}

/** Lets the brk heap rise and fall. */
static void saw(uint64_t tick)
{
	static char *blocks[SAW / SAW_BLOCK];
	bool rises = tick / SAW_TICKS % 2 == 1;

	if (tick % SAW_TICKS != 0)
		return;
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		if (rises) {
			blocks[i] = malloc(SAW_BLOCK);
			memset(blocks[i], 2, SAW_BLOCK);
		} else {
			free(blocks[i]);
			blocks[i] = NULL;
		}
	}
}

static void start(void *(*run)(void *))
{
	pthread_t thread;

	target_check(-pthread_create(&thread, NULL, run, NULL), "pthread_create");
}

static int command(const char *line)
{
	if (strcmp(line, "tell") != 0)
		return ticks_command(line);
	printf("made %lu\n", (unsigned long)made);
	return 0;
}

static void *obey(void *context)
{
	target_obey(command);
	return context;
}

/** Creates the memory or file whose pages are used. */
static void open_area(const char *name)
{
	int flags = MAP_SHARED, fd = -1;

	if (strcmp(name, "memfd") == 0) {
		fd = (int)target_check(memfd_create("frames", MFD_CLOEXEC), "memfd_create");
	} else if (strcmp(name, "cache") == 0) {
		fd = (int)target_check(open(target_scratch(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600),
		                       "open");
	} else if (strcmp(name, "tables") == 0) {
		area = target_island((size_t)TABLES_MAX * TABLE, PROT_READ, MAP_NORESERVE, 0);
		target_check(madvise(area, (size_t)TABLES_MAX * TABLE, MADV_NOHUGEPAGE), "madvise");
		return;
	} else if (strcmp(name, "anonymous") == 0 || strcmp(name, "floor") == 0) {
		area = target_island(RESERVED, PROT_READ | PROT_WRITE, MAP_NORESERVE, 0);
		target_check(madvise(area, RESERVED, MADV_NOHUGEPAGE), "madvise");
		return;
	} else {
		return;
	}

	target_check(ftruncate(fd, RESERVED), "ftruncate");
	area = mmap(NULL, RESERVED, PROT_READ | PROT_WRITE, flags, fd, 0);
	target_check(area == MAP_FAILED ? -1 : 0, "mmap");
	target_check(madvise(area, RESERVED, MADV_RANDOM), "madvise");
}

/** Runs a way. The main thread allocates in the main arena, so another one obeys commands. */
static _Noreturn void run_way(void)
{
	open_area(way->name);
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	if (way->thread) {
		char *block = malloc(32 * MEBIBYTE);
		memset(block, 3, 32 * MEBIBYTE);
		start(work_in_thread);
	}
	target_ready();
	start(obey);
	if (way->thread)
		ticks_each(saw);
	if (strncmp(way->name, "noise", 5) == 0)
		ticks_each(work_with_noise);
	ticks_each(strcmp(way->name, "floor") == 0 ? work_with_saw : work);
}

static void allocate_small(bool keep_all)
{
	size_t count = number * MEBIBYTE / (SMALL + 8);
	char **blocks = malloc(count * sizeof *blocks);

	for (size_t i = 0; i < count; i++) {
		blocks[i] = malloc(SMALL);
		memset(blocks[i], 4, SMALL);
	}
	for (size_t i = 0; i < count && !keep_all; i++)
		if (i % KEPT_OF != 0)
			free(blocks[i]);
}

static void fork_child(char *memory, bool writes)
{
	int pipes[2];

	target_check(pipe(pipes), "pipe");
	if (target_check(fork(), "fork") == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (writes)
			memset(memory, 6, number * MEBIBYTE);
		target_check(write(pipes[1], "", 1), "write");
		rest(NULL);
		_exit(0);
	}
	target_check(read(pipes[0], &(char){ 0 }, 1), "read");
}

/** Maps memory, and writes one byte of each huge page, or all. */
static void use_parts(size_t size, bool huge)
{
	char *memory = target_island(size + HUGE_PAGE, PROT_READ | PROT_WRITE, 0, 0);
	char *aligned = memory + (HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE) % HUGE_PAGE;

	target_check(madvise(memory, size + HUGE_PAGE, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE),
	             "madvise");
	if (!huge)
		memset(aligned, 1, size);
	for (size_t at = 0; huge && at < size; at += HUGE_PAGE)
		aligned[at] = 1;
}

static void warm(uint64_t tick)
{
	if (tick <= 2 * TICKS_PER_SECOND) {
		size_t size = number * MEBIBYTE / 2 / TICKS_PER_SECOND;
		memset(area + (tick - 1) * size, 1, size);
		made = tick * size;
	}
}

static void *run_warm(void *context)
{
	(void)context;
	ticks_each(warm);
}

/** Creates memory that does not grow. Returns false if there is no such way. */
static bool run_still(const char *name)
{
	size_t size = number * MEBIBYTE;

	if (strcmp(name, "retention") == 0 || strcmp(name, "kept") == 0) {
		allocate_small(strcmp(name, "kept") == 0);
	} else if (strcmp(name, "locked") == 0 || strcmp(name, "unlocked") == 0) {
		char *memory = target_pages("content", size);
		if (strcmp(name, "locked") == 0)
			target_check(mlock(memory, size), "mlock");
	} else if (strcmp(name, "huge") == 0 || strcmp(name, "small") == 0) {
		use_parts(size, strcmp(name, "huge") == 0);
	} else if (strcmp(name, "fork") == 0 || strcmp(name, "forked") == 0) {
		fork_child(target_pages("content", size), strcmp(name, "forked") == 0);
	} else if (strcmp(name, "warm") == 0) {
		area = target_island(size, PROT_READ | PROT_WRITE, 0, 0);
		start(run_warm);
	} else {
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	target_begin();
	bool stepped = argc == 4 && strcmp(argv[3], "stepped") == 0;
	if (argc == 3 || stepped) {
		if (stepped)
			ticks_by_command(1);
		number = target_number(argv[2]);
		for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
			way = &ways[i];
			if (strcmp(argv[1], way->name) == 0)
				run_way();
		}
		if (run_still(argv[1])) {
			target_ready();
			target_obey(command);
		}
	}

	fputs("usage: causes WAY NUMBER [stepped]\n", stderr);
	return 2;
}
