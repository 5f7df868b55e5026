/* SPDX-License-Identifier: MIT */
/*
 * read_bench [ROUNDS]: the speed of reading the memory of a child, as multiples of the time of
 * memcpy for the same size. All methods take turns; the results are medians of the rounds.
 *
 * - memcpy: our own memory into a buffer of 1 MiB
 * - units1: 1 GiB of filled memory by plan and units, one thread
 * - units2: the same with two threads, each of which takes the next unit
 * - mem: the same range by pread(2) of /proc/PID/mem, 1 MiB per call
 * - nothing: only the plan
 * - sparse: 64 GiB reserved, with 25,600 touched pages scattered over it: the absolute time in ms
 */
#include <procmem/procmem.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, ROUNDS_MAX = 100, WAYS = 6 };

static const size_t DENSE = (size_t)1 << 30, SPARSE = (size_t)64 << 30, SCATTERED = 25600;

struct bench {
	struct pm_regions regions;
	struct pm_process *process;
	struct pm_pagemap *pagemap;
	struct pm_page_source pages;
	struct pm_reader reader;
	struct pm_region_range dense, sparse;
	const char *copy; /* our own memory of the same size */
	int mem;
	struct pm_plan *plan;
	pthread_mutex_t lock; /* of the plan */
	bool read;            /* false: plan only */
};

static void fail(const char *what)
{
	fprintf(stderr, "read_bench: %s\n", what);
	exit(2);
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static char *map(size_t size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		fail("mmap failed");
	madvise(memory, size, MADV_NOHUGEPAGE);
	return memory;
}

/** Reads units until the end of the plan. */
static void *work(void *context)
{
	struct bench *bench = context;
	struct pm_unit *unit = malloc(sizeof *unit);
	char *buffer = aligned_alloc(PAGE, PM_UNIT_SIZE);
	const struct pm_unit_source source = { .target = &bench->reader };

	for (;;) {
		struct pm_error error;
		pthread_mutex_lock(&bench->lock);
		int more = pm_plan_next(bench->plan, unit, &error);
		pthread_mutex_unlock(&bench->lock);
		if (more < 0 ||
		    (more > 0 && bench->read && pm_unit_read(&source, unit, buffer, &error) < 0))
			fail(error.text);
		if (more == 0)
			break;
	}

	free(buffer);
	free(unit);

	return NULL;
}

static double read_units(struct bench *bench, const struct pm_region_range *range, int threads,
                         bool read)
{
	const struct pm_plan_options options = { .pages = &bench->pages };
	struct pm_error error;
	pthread_t others[8];
	double begin = now();

	if (pm_plan_open(&bench->regions, range, 1, &options, &bench->plan, &error) < 0)
		fail(error.text);
	bench->read = read;

	for (int i = 1; i < threads; i++)
		if (pthread_create(&others[i], NULL, work, bench) != 0)
			fail("no thread");

	work(bench);
	for (int i = 1; i < threads; i++)
		pthread_join(others[i], NULL);

	pm_plan_close(bench->plan);
	return now() - begin;
}

static double copy_own(struct bench *bench, char *buffer)
{
	double begin = now();
	for (size_t at = 0; at < DENSE; at += PM_UNIT_SIZE) {
		memcpy(buffer, bench->copy + at, PM_UNIT_SIZE);
		__asm__ volatile("" : : "r"(buffer) : "memory");
	}
	return now() - begin;
}

static double read_mem(struct bench *bench, char *buffer)
{
	double begin = now();
	for (size_t at = 0; at < DENSE; at += PM_UNIT_SIZE)
		if (pread(bench->mem, buffer, PM_UNIT_SIZE,
		          (off_t)(bench->dense.range.start + at)) != (ssize_t)PM_UNIT_SIZE)
			fail("pread of mem failed");
	return now() - begin;
}

static struct pm_region_range find_range(struct bench *bench, const char *memory, size_t size)
{
	uint64_t start = (uintptr_t)memory;
	return (struct pm_region_range){ { start, start + size },
		                         pm_regions_index(&bench->regions, start) };
}

static void open_bench(struct bench *bench, pid_t pid)
{
	struct pm_error error;
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	bench->mem = open(path, O_RDONLY | O_CLOEXEC);
	pm_regions_init(&bench->regions);
	pthread_mutex_init(&bench->lock, NULL);

	if (pm_process_open(NULL, pid, &bench->process, &error) < 0 ||
	    pm_maps_read(bench->process, PM_SMAPS, &bench->regions, &error) < 0 ||
	    pm_pagemap_open(bench->process, PM_PAGEMAP_BEST, &bench->pagemap, &error) < 0 ||
	    pm_target_reader_open(bench->process, &bench->regions, &bench->reader, &error) < 0)
		fail(error.text);

	bench->pages = pm_pagemap_source(bench->pagemap);
}

static int compare(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;
	return (first > second) - (first < second);
}

static void report(double times[WAYS][ROUNDS_MAX], int rounds)
{
	static const char *const names[WAYS] = { "memcpy", "units1",  "units2",
		                                 "mem",    "nothing", "sparse" };
	double memcpy_time = 1;
	for (int way = 0; way < WAYS; way++) {
		qsort(times[way], (size_t)rounds, sizeof(double), compare);
		double median = times[way][rounds / 2];
		if (way == 0)
			memcpy_time = median;
		printf("%-9s %8.1f ms  %5.2f x memcpy\n", names[way], median, median / memcpy_time);
	}
}

/** Runs in the child: fills its memory, reports this, and waits to be killed. */
static _Noreturn void be_read(pid_t parent, char *dense, char *sparse, int ready)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < DENSE; i += 8)
		memcpy(dense + i, &i, sizeof i);

	for (size_t i = 0; i < SCATTERED; i++)
		sparse[SPARSE / SCATTERED / PAGE * PAGE * i] = 1;

	if (getppid() != parent || write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	static struct bench bench;
	static double times[WAYS][ROUNDS_MAX];
	int rounds = argc > 1 ? atoi(argv[1]) : 7;
	if (rounds < 1 || rounds > ROUNDS_MAX)
		fail("usage: read_bench [ROUNDS up to 100]");

	/* One block for both: the child gets its own copy when it writes. */
	char *dense = map(DENSE), *sparse = map(SPARSE),
	     *buffer = aligned_alloc(PAGE, PM_UNIT_SIZE);
	int ready[2];
	char byte;

	if (!buffer || pipe2(ready, O_CLOEXEC) < 0)
		fail("no pipe");

	pid_t parent = getpid(), child = fork();
	if (child == 0)
		be_read(parent, dense, sparse, ready[1]);
	if (child < 0 || read(ready[0], &byte, 1) != 1)
		fail("no child");
	open_bench(&bench, child);
	memset(dense, 1, DENSE);
	bench.copy = dense;

	bench.dense = find_range(&bench, dense, DENSE);
	bench.sparse = find_range(&bench, sparse, SPARSE);
	for (int i = 0; i < rounds; i++) {
		times[0][i] = copy_own(&bench, buffer);
		times[1][i] = read_units(&bench, &bench.dense, 1, true);
		times[2][i] = read_units(&bench, &bench.dense, 2, true);
		times[3][i] = read_mem(&bench, buffer);
		times[4][i] = read_units(&bench, &bench.dense, 1, false);
		times[5][i] = read_units(&bench, &bench.sparse, 1, true);
	}

	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	report(times, rounds);

	return 0;
}
