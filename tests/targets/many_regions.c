/* SPDX-License-Identifier: MIT */
/*
 * many_regions N MEGABYTES: N one-page-or-longer mappings that the kernel cannot merge, because the permissions alternate, with MEGABYTES
 * of touched memory spread over the writable ones. The kernel allows 65,530 mappings a process (vm.max_map_count).
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEGABYTE = 1024 * 1024 };

/** Touches `pages` pages of the region; the content tells where it stands. */
static void fill(char *region, size_t pages, size_t page)
{
	for (size_t i = 0; i < pages; i++)
		snprintf(region + i * page, page, "page %zu of a region", i);
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc != 3) {
		fputs("usage: many_regions N MEGABYTES\n", stderr);
		return 2;
	}
	size_t regions = target_number(argv[1]), page = (size_t)sysconf(_SC_PAGESIZE);
	size_t touched = target_number(argv[2]) * MEGABYTE / page;
	size_t writable = regions / 2, each = writable ? touched / writable : 0, rest = writable ? touched % writable : 0;
	size_t pages = each + 1;

	/* One reserve is cut up: neighbours then differ only in their permissions, as in a fragmented heap. */
	char *memory = target_map(regions * pages * page, PROT_READ, MAP_NORESERVE);
	for (size_t i = 0; i < writable; i++) {
		char *region = memory + (2 * i + 1) * pages * page;
		target_check(mprotect(region, pages * page, PROT_READ | PROT_WRITE), "mprotect");
		fill(region, each + (i < rest), page);
	}
	target_region("all", memory, regions * pages * page, "");
	printf("resident %zu\n", touched * page);
	target_ready();
	target_obey(NULL);
}
