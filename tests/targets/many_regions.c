/* SPDX-License-Identifier: MIT */
/*
 * many_regions N MEGABYTES [touch|map|code]: N mappings of one or more pages that the kernel cannot
 * merge, because their permissions alternate, with MEGABYTES of touched memory spread over the
 * writable ones. The kernel allows 65,530 mappings per process (vm.max_map_count). `touch` touches
 * one more page ten times per second, each time of another region; `map` maps one more
 * page instead. `code` maps and unmaps a page for code all the time.
 */
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MEGABYTE = 1024 * 1024 };

/** Touches `pages` pages of the region; the content identifies the page. */
static void fill(char *region, size_t pages, size_t page)
{
	for (size_t i = 0; i < pages; i++)
		snprintf(region + i * page, page, "page %zu of a region", i);
}

/** What changes all the time. */
static struct {
	int maps;     /* it maps pages; otherwise it touches */
	char *memory; /* first page to be touched */
	size_t step;  /* bytes to the next one */
	size_t count; /* number of regions */
} changes;

static void *go_on(void *context)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	for (size_t i = 0; changes.maps || i < changes.count; i++) {
		nanosleep(&pause, NULL);
		char *page = changes.maps ? target_map((size_t)sysconf(_SC_PAGESIZE),
		                                       PROT_READ | PROT_WRITE, 0)
		                          : changes.memory + i * changes.step;
		*page = 1;
	}

	return context;
}

static void *map_code(void *context)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (;;)
		munmap(target_map(page, PROT_READ | PROT_EXEC, 0), page);
	return context;
}

int main(int argc, char **argv)
{
	target_begin();
	int coding = argc == 4 && strcmp(argv[3], "code") == 0;
	int changing = argc == 4 && (strcmp(argv[3], "touch") == 0 || strcmp(argv[3], "map") == 0);
	if (argc != 3 && !changing && !coding) {
		fputs("usage: many_regions N MEGABYTES [touch|map|code]\n", stderr);
		return 2;
	}
	size_t regions = target_number(argv[1]), page = (size_t)sysconf(_SC_PAGESIZE);
	size_t touched = target_number(argv[2]) * MEGABYTE / page;
	size_t writable = regions / 2, each = writable ? touched / writable : 0,
	       rest = writable ? touched % writable : 0;
	size_t pages = each + 1;

	/* One reserved range is split: neighbours differ only in their permissions, as in a
	 * fragmented heap. */
	char *memory = target_map(regions * pages * page, PROT_READ, MAP_NORESERVE);
	for (size_t i = 0; i < writable; i++) {
		char *region = memory + (2 * i + 1) * pages * page;
		target_check(mprotect(region, pages * page, PROT_READ | PROT_WRITE), "mprotect");
		fill(region, each + (i < rest), page);
	}
	if (changing) {
		pthread_t thread;
		changes.maps = strcmp(argv[3], "map") == 0;
		/* The first ones have no untouched page. */
		changes.memory = memory + (2 * rest + 1) * pages * page + (pages - 1) * page;
		changes.step = 2 * pages * page;
		changes.count = writable - rest;
		target_check(-pthread_create(&thread, NULL, go_on, NULL), "pthread_create");
	}
	if (coding) {
		pthread_t thread;
		target_check(-pthread_create(&thread, NULL, map_code, NULL), "pthread_create");
	}
	target_region("all", memory, regions * pages * page, "");
	printf("resident %zu\n", touched * page);
	target_ready();
	target_obey(NULL);
}
