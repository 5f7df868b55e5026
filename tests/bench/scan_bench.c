/* SPDX-License-Identifier: MIT */
/*
 * scan_bench ROUNDS PID START SIZE: the speed of searches in SIZE bytes of a process, as multiples
 * of the time of memcpy of our own memory of the same size into a buffer that fits into the cache.
 * Each line of stdin is a case:
 *
 * - NAME WORKERS strings MIN: a search for strings by the library
 * - NAME WORKERS grep PATTERN: a search for a pattern by the library
 * - NAME 0 run COMMAND: a command of sh
 *
 * All cases take turns with memcpy. Prints for `memcpy` and for each case: NAME, median
 * milliseconds, median of the ratios to memcpy in the same round, median milliseconds of processor
 * time (which shows whether the machine was busy), hits.
 */
#include <procmem/procmem.h>

#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 101, CASES_MAX = 64, BUFFER = 256 * 1024 };

/** A case, or memcpy. */
struct way {
	char name[64];
	unsigned workers;
	struct pm_scanner *scanner; /* for a search by the library */
	char *command;              /* for a search by a command; neither: memcpy */
	uint64_t hits;
	double times[ROUNDS_MAX];
	double ratios[ROUNDS_MAX];
	double processor[ROUNDS_MAX];
};

struct bench {
	struct pm_process *process;
	struct pm_regions regions;
	struct pm_pagemap *pagemap;
	struct pm_page_source pages;
	struct pm_reader reader;
	struct pm_region_range range;
	char *copy; /* our own memory of the same size */
};

static void must(int result, const struct pm_error *error)
{
	if (result >= 0)
		return;
	fprintf(stderr, "scan_bench: %s\n", error->text);
	exit(2);
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/**
 * Returns the processor time in milliseconds of all threads and ended children, in the program and
 * in the kernel.
 */
static double processor_time(void)
{
	struct timespec time;
	struct rusage children;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	getrusage(RUSAGE_CHILDREN, &children);

	double used = (double)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) * 1e3;
	used += (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec) / 1e3;
	return used + (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void open_target(struct bench *bench, pid_t pid)
{
	struct pm_error error;
	must(pm_process_open(NULL, pid, &bench->process, &error), &error);
	pm_regions_init(&bench->regions);
	must(pm_maps_read(bench->process, PM_SMAPS, &bench->regions, &error), &error);
	must(pm_pagemap_open(bench->process, PM_PAGEMAP_BEST, &bench->pagemap, &error), &error);
	bench->pages = pm_pagemap_source(bench->pagemap);
	must(pm_target_reader_open(bench->process, &bench->regions, &bench->reader, &error),
	     &error);

	bench->range.region = pm_regions_index(&bench->regions, bench->range.range.start);
}

static int deliver(void *context, const struct pm_scan_delivery *delivery, struct pm_error *error)
{
	(void)context;
	(void)delivery;
	(void)error;
	return 0;
}

static void scan(struct bench *bench, struct way *way)
{
	const struct pm_plan_options options = { .pages = &bench->pages };
	struct pm_scan_totals totals;
	struct pm_plan *plan;
	struct pm_error error;

	must(pm_plan_open(&bench->regions, &bench->range, 1, &options, &plan, &error), &error);
	const struct pm_scan scan = { .scanner = way->scanner,
		                      .regions = &bench->regions,
		                      .plan = plan,
		                      .workers = way->workers,
		                      .again = true,
		                      .source = { .target = &bench->reader },
		                      .deliver = deliver };

	must(pm_scan_run(&scan, &totals, &error), &error);
	pm_plan_close(plan);
	way->hits = totals.hits;
}

/** Runs a command, and discards its output. */
static void run(char *command)
{
	char shell[] = "sh", option[] = "-c";
	char *const words[] = { shell, option, command, NULL };

	posix_spawn_file_actions_t actions;
	pid_t child;
	int status;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);

	if (posix_spawnp(&child, shell, &actions, NULL, words, environ) != 0 ||
	    waitpid(child, &status, 0) < 0 || status != 0) {
		fprintf(stderr, "scan_bench: '%s' failed\n", command);
		exit(2);
	}

	posix_spawn_file_actions_destroy(&actions);
}

static void copy(const struct bench *bench)
{
	static char buffer[BUFFER];
	uint64_t size = bench->range.range.end - bench->range.range.start;
	for (uint64_t at = 0; at + BUFFER <= size; at += BUFFER) {
		memcpy(buffer, bench->copy + at, BUFFER);
		/* Otherwise the compiler could omit the copy. */
		__asm__ volatile("" : : "r"(buffer) : "memory");
	}
}

static void measure(struct bench *bench, struct way *way, const struct way *first, size_t round)
{
	double begin = now(), processor = processor_time();
	if (way->scanner)
		scan(bench, way);
	else if (way->command)
		run(way->command);
	else
		copy(bench);

	way->times[round] = now() - begin;
	way->processor[round] = processor_time() - processor;
	way->ratios[round] = way->times[round] / first->times[round];
}

static int by_size(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;
	return (first > second) - (first < second);
}

static double median(double *numbers, size_t count)
{
	qsort(numbers, count, sizeof *numbers, by_size);
	return numbers[count / 2];
}

/** Parses a line of stdin. */
static void read_case(struct way *way, char *line)
{
	struct pm_error error;
	int at = 0;
	char kind[16], name[64];

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%63s %u %15s %n", name, &way->workers, kind, &at) != 3 ||
	    line[at] == '\0') {
		fprintf(stderr, "scan_bench: '%s' is not a case\n", line);
		exit(2);
	}

	strcpy(way->name, name);
	if (strcmp(kind, "strings") == 0) {
		const struct pm_strings_options options = {
			.encodings = PM_ENCODING_BIT(PM_ENCODING_UTF8),
			.min_length = strtoul(line + at, NULL, 10)
		};
		must(pm_strings_scanner_create(&options, &way->scanner, &error), &error);
		return;
	}

	if (strcmp(kind, "run") == 0) {
		way->command = strdup(line + at);
		return;
	}

	const struct pm_pattern pattern = { line + at, strlen(line + at), 0 };
	must(pm_pattern_scanner_create(&pattern, 1, &way->scanner, &error), &error);
}

int main(int argc, char **argv)
{
	static struct way ways[CASES_MAX] = { { .name = "memcpy" } };
	struct bench bench = { 0 };
	size_t count = 1, rounds = argc == 5 ? strtoul(argv[1], NULL, 10) : 0;
	char *line = NULL;
	size_t room = 0;

	if (rounds == 0 || rounds > ROUNDS_MAX) {
		fputs("usage: scan_bench ROUNDS PID START SIZE <CASES\n", stderr);
		return 2;
	}

	bench.range.range.start = strtoull(argv[3], NULL, 0);
	bench.range.range.end = bench.range.range.start + strtoull(argv[4], NULL, 0);
	open_target(&bench, (pid_t)strtol(argv[2], NULL, 10));
	bench.copy = malloc(bench.range.range.end - bench.range.range.start);
	if (!bench.copy)
		return 2;

	memset(bench.copy, 1, bench.range.range.end - bench.range.range.start);
	while (count < CASES_MAX && getline(&line, &room, stdin) > 0)
		read_case(&ways[count++], line);

	for (size_t i = 0; i < rounds; i++) {
		for (size_t j = 0; j < count; j++)
			measure(&bench, &ways[j], &ways[0], i);
	}

	for (size_t j = 0; j < count; j++)
		printf("%-24s %9.2f %7.3f %9.2f %" PRIu64 "\n", ways[j].name,
		       median(ways[j].times, rounds), median(ways[j].ratios, rounds),
		       median(ways[j].processor, rounds), ways[j].hits);
}
