/* SPDX-License-Identifier: MIT */
/*
 * slider: texts that move, change or disappear on command. The regions `lower` and `upper` are one
 * allocation with different permissions; `place OFFSET` moves the text `marker TEXT` to an offset
 * in them. The region `pages` has a text every 2 KiB; `change` writes others, `unmap` unmaps
 * everything after the first half mebibyte, `remap` maps other memory there, `exec` replaces the
 * program.
 */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	MEGABYTE = 1024 * 1024,
	LOWER = 3 * MEGABYTE / 2 + PAGE,
	UPPER = MEGABYTE,
	PAGES = 4 * MEGABYTE,
	KEPT = MEGABYTE / 2,
	APART = 2048,
	NEUTRAL = 1, /* neither text nor zero */
};

static const char text[] = "pre:MARKER<12345>END";
static char *slid, *pages;

/** Writes "<kept 12>" and the like, where `word` is "kept". */
static void write_texts(const char *word, size_t first)
{
	for (size_t i = first; i < PAGES / APART; i++)
		sprintf(pages + i * APART, "<%s %zu>", word, i);
}

static void place(size_t offset)
{
	static size_t last;
	target_check(mprotect(slid + LOWER, UPPER, PROT_READ | PROT_WRITE), "mprotect");
	memset(slid + last, NEUTRAL, sizeof text - 1);
	memcpy(slid + offset, text, sizeof text - 1);
	last = offset;
	target_check(mprotect(slid + LOWER, UPPER, PROT_READ), "mprotect");
}

static void remap(void)
{
	void *again = mmap(pages + KEPT, PAGES - KEPT, PROT_READ | PROT_WRITE,
	                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	target_check(again == MAP_FAILED ? -1 : 0, "mmap");
	write_texts("other", KEPT / APART);
}

static int obey(const char *line)
{
	static char *const idle[] = { (char *)"slider", (char *)"idle", NULL };
	if (strncmp(line, "place ", 6) == 0)
		place(target_number(line + 6));
	else if (strcmp(line, "change") == 0)
		write_texts("news", 0);
	else if (strcmp(line, "unmap") == 0)
		target_check(munmap(pages + KEPT, PAGES - KEPT), "munmap");
	else if (strcmp(line, "remap") == 0)
		remap();
	else if (strcmp(line, "exec") == 0)
		return execv("/proc/self/exe", idle);
	else
		return 1;

	return 0;
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc == 2 && strcmp(argv[1], "idle") == 0) {
		puts("idle");
		target_obey(NULL);
	}

	slid = target_island(LOWER + UPPER, PROT_READ | PROT_WRITE, 0, 0);
	memset(slid, NEUTRAL, LOWER + UPPER);
	place(0);
	printf("marker %s\n", text);
	target_region("lower", slid, LOWER, "");
	target_region("upper", slid + LOWER, UPPER, "");
	pages = target_island(PAGES, PROT_READ | PROT_WRITE, 0, 0);
	write_texts("kept", 0);

	target_region("pages", pages, PAGES, "");
	target_ready();
	target_obey(obey);
}
