/* SPDX-License-Identifier: MIT */
/*
 * leaker WAY RATE [stepped]: grows in a known way at a known rate. It answers the command `tell`
 * with `leaked BYTES_OR_COUNT`. With `stepped` it grows only during the command `pass SECONDS`, by
 * as much as otherwise in that time (not `churn`).
 *
 * - leaker merged RATE: maps and touches blocks of 1 MiB, RATE bytes per second; the kernel merges
 *   them into one region that grows downwards
 * - leaker arenas RATE: the arena of one thread grows by RATE bytes per second in small blocks;
 *   that of another rises by 20 MiB and falls back every 5 s
 * - leaker threads RATE: starts RATE threads per second, called pile-N
 * - leaker files RATE: maps RATE small files per second
 * - leaker steps RATE: maps and touches a block of 4 MiB whenever so much is due: RATE bytes per
 *   second on average
 * - leaker pool RATE: reserves 1 GiB without access, and permits access to its first part with
 *   mprotect(2): RATE bytes per second, in parts of 1 MiB
 * - leaker mapped RATE: maps 1 GiB of an empty file, and extends the file by RATE bytes per second,
 *   in parts of 1 MiB
 * - leaker churn RATE: maps 64 KiB, touches and unmaps them all the time; `tell` answers the number
 *   of times so far
 */
#include "support.h"
#include "ticks.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	MEGABYTE = 1024 * 1024,
	STEP = 4 * MEGABYTE,
	RESERVED = 1024 * MEGABYTE,
	SMALL = 1000,
	SAW_BLOCK = 32 * 1024,
	SAW = 20 * MEGABYTE,
	SAW_TICKS = 50
};

static atomic_ulong leaked;
static uint64_t rate;
static const char *scratch; /* a temporary folder */

static uint64_t due_at(uint64_t tick)
{
	return rate * tick / TICKS_PER_SECOND;
}

static void leak_merged(uint64_t tick)
{
	while (leaked + MEGABYTE <= due_at(tick)) {
		memset(target_map(MEGABYTE, PROT_READ | PROT_WRITE, 0), 1, MEGABYTE);
		leaked += MEGABYTE;
	}
}

static void leak_steps(uint64_t tick)
{
	while (leaked + STEP <= due_at(tick)) {
		memset(target_map(STEP, PROT_READ | PROT_WRITE, 0), 1, STEP);
		leaked += STEP;
	}
}

static void open_pool(uint64_t tick)
{
	static char *pool;

	if (!pool)
		pool = target_island(RESERVED, PROT_NONE, MAP_NORESERVE, 0);

	for (; leaked + MEGABYTE <= due_at(tick) && leaked < RESERVED; leaked += MEGABYTE) {
		target_check(mprotect(pool + leaked, MEGABYTE, PROT_READ | PROT_WRITE), "mprotect");
		memset(pool + leaked, 1, MEGABYTE);
	}
}

static void extend_file(uint64_t tick)
{
	static char *mapped;
	static int fd;

	if (!mapped) {
		char path[256];
		snprintf(path, sizeof path, "%s/extended", scratch);
		fd = (int)target_check(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), "open");
		mapped = mmap(NULL, RESERVED, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		target_check(mapped == MAP_FAILED ? -1 : 0, "mmap");
	}

	for (; leaked + MEGABYTE <= due_at(tick) && leaked < RESERVED; leaked += MEGABYTE) {
		target_check(ftruncate(fd, (off_t)leaked + MEGABYTE), "ftruncate");
		memset(mapped + leaked, 1, MEGABYTE);
	}
}

static void leak_small(uint64_t tick)
{
	while (leaked + SMALL <= due_at(tick)) {
		char *block = malloc(SMALL - 8);
		target_check(block ? 0 : -1, "malloc");
		memset(block, 1, SMALL - 8);
		leaked += SMALL;
	}
}

static void saw(uint64_t tick)
{
	static char *blocks[SAW / SAW_BLOCK];

	if (tick % SAW_TICKS != 0)
		return;

	int rises = tick / SAW_TICKS % 2 == 1;
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		if (!rises) {
			free(blocks[i]);
			blocks[i] = NULL;
		} else {
			blocks[i] = malloc(SAW_BLOCK);
			memset(blocks[i], 2, SAW_BLOCK);
		}
	}

	if (!rises)
		malloc_trim(0);
}

static void *rest(void *context)
{
	for (;;)
		pause();
	return context;
}

static void start_threads(uint64_t tick)
{
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 256 * 1024);

	for (; leaked < due_at(tick); leaked++) {
		pthread_t thread;
		char name[16];
		target_check(-pthread_create(&thread, &small, rest, NULL), "pthread_create");
		snprintf(name, sizeof name, "pile-%lu", (unsigned long)leaked);
		pthread_setname_np(thread, name);
	}

	pthread_attr_destroy(&small);
}

static void map_files(uint64_t tick)
{
	for (; leaked < due_at(tick); leaked++) {
		char path[256];
		snprintf(path, sizeof path, "%s/part.%06lu", scratch, (unsigned long)leaked);
		int fd = (int)target_check(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), "open");
		target_check(write(fd, path, sizeof path), "write");
		char *memory = mmap(NULL, sizeof path, PROT_READ, MAP_SHARED, fd, 0);
		target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
		(void)*(volatile char *)memory;
		close(fd);
	}
}

static void *churn(void *context)
{
	(void)context;
	for (;; leaked++) {
		char *memory = target_map(64 * 1024, PROT_READ | PROT_WRITE, 0);
		memset(memory, 1, 64 * 1024);
		munmap(memory, 64 * 1024);
	}
	return NULL;
}

static void *run_merged(void *context)
{
	(void)context;
	ticks_each(leak_merged);
}

static void *run_small(void *context)
{
	(void)context;
	ticks_each(leak_small);
}

static void *run_saw(void *context)
{
	(void)context;
	ticks_each(saw);
}

static void *run_threads(void *context)
{
	(void)context;
	ticks_each(start_threads);
}

static void *run_files(void *context)
{
	(void)context;
	ticks_each(map_files);
}

static void *run_steps(void *context)
{
	(void)context;
	ticks_each(leak_steps);
}

static void *run_pool(void *context)
{
	(void)context;
	ticks_each(open_pool);
}

static void *run_mapped(void *context)
{
	(void)context;
	ticks_each(extend_file);
}

static int command(const char *line)
{
	if (strcmp(line, "tell") != 0)
		return ticks_command(line);
	printf("leaked %lu\n", (unsigned long)leaked);
	return 0;
}

static void start(void *(*run)(void *))
{
	pthread_t thread;
	target_check(-pthread_create(&thread, NULL, run, NULL), "pthread_create");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*run)(void *);
	} ways[] = { { "merged", run_merged }, { "arenas", run_small }, { "threads", run_threads },
		     { "files", run_files },   { "steps", run_steps },  { "pool", run_pool },
		     { "mapped", run_mapped }, { "churn", churn } };

	target_begin();
	bool stepped = argc == 4 && strcmp(argv[3], "stepped") == 0;
	size_t way = 0, count = sizeof ways / sizeof *ways;
	while ((argc == 3 || stepped) && way < count && strcmp(argv[1], ways[way].name) != 0)
		way++;

	if ((argc != 3 && !stepped) || way == count) {
		fputs("usage: leaker merged|arenas|threads|files|steps|pool|mapped|churn RATE "
		      "[stepped]\n",
		      stderr);
		return 2;
	}

	bool two_threads = ways[way].run == run_small;
	rate = target_number(argv[2]);
	scratch = target_scratch();
	if (stepped)
		ticks_by_command(two_threads ? 2 : 1);
	if (two_threads)
		start(run_saw);
	start(ways[way].run);
	target_ready();
	target_obey(command);
}
