/* SPDX-License-Identifier: MIT */
/*
 * pauses MEGABYTES small|huge|REGIONS: a target that measures its own pauses. It has memory of
 * small pages, of transparent huge pages, or in so many regions. A thread maps and unmaps a page
 * all the time, and remembers the longest of these calls. Commands:
 *
 *   reset     forgets it
 *   report    prints `us NUMBER`: the longest call since then
 *   touch     reads a byte of each page, and prints `us NUMBER`: how long that took
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../targets/support.h"

enum { PAGE = 4096 };

static char **parts; /* the regions */
static size_t part_count, part_size;
static _Atomic uint64_t longest_ns;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *map_forever(void *unused)
{
	for (;;) {
		uint64_t begin = now_ns();
		munmap(target_map(PAGE, PROT_READ | PROT_WRITE, 0), PAGE);
		uint64_t time = now_ns() - begin;

		if (time > atomic_load(&longest_ns))
			atomic_store(&longest_ns, time);
	}
	return unused;
}

static void touch(void)
{
	uint64_t begin = now_ns();

	for (size_t i = 0; i < part_count; i++)
		for (size_t at = 0; at < part_size; at += PAGE)
			(void)*(volatile char *)(parts[i] + at);

	printf("us %llu\n", (unsigned long long)(now_ns() - begin) / 1000);
}

static int command(const char *line)
{
	if (strcmp(line, "reset") == 0)
		atomic_store(&longest_ns, 0);
	else if (strcmp(line, "report") == 0)
		printf("us %llu\n", (unsigned long long)atomic_load(&longest_ns) / 1000);
	else if (strcmp(line, "touch") == 0)
		touch();
	else
		return 1;

	return 0;
}

static void fill(size_t size, const char *way)
{
	int huge = strcmp(way, "huge") == 0;
	int one = huge || strcmp(way, "small") == 0;

	part_count = one ? 1 : target_number(way);
	part_size = size / part_count / PAGE * PAGE;
	parts = calloc(part_count, sizeof *parts);

	for (size_t i = 0; i < part_count; i++) {
		if (huge)
			parts[i] = target_island(part_size, PROT_READ | PROT_WRITE, MAP_NORESERVE,
			                         1);
		else
			parts[i] = target_map(part_size + PAGE, PROT_READ | PROT_WRITE, 0);
		/* A hole between two regions keeps them apart. */
		if (!huge)
			munmap(parts[i] + part_size, PAGE);
		target_check(madvise(parts[i], part_size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE),
		             "madvise");
		memset(parts[i], 1, part_size);
	}
}

int main(int argc, char **argv)
{
	pthread_t thread;

	target_begin();
	fill(target_number(argc > 1 ? argv[1] : "1") << 20, argc > 2 ? argv[2] : "small");
	pthread_create(&thread, NULL, map_forever, NULL);
	target_ready();
	target_obey(command);
}
