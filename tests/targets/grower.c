/* SPDX-License-Identifier: MIT */
/*
 * grower: changes its memory on command, and prints the exact changes. Each answer before `done` is
 * `change SIZE RESIDENT`: the signed changes of the address space and of the resident memory, in
 * bytes.
 *
 * - map NAME PAGES: creates a mapping and touches all of it
 * - unmap NAME: removes the mapping
 * - grow NAME PAGES: extends it by mremap(2) and touches the new part; it can move
 * - cut NAME PAGES: unmaps its last pages
 * - stretch NAME PAGES: extends it by mremap(2), and does not touch the new part; it can move
 * - touch NAME PAGES: touches more pages of a mapping made by `reserve`
 * - populate NAME PAGES: touches more pages by MADV_POPULATE_WRITE, without page faults
 * - write NAME PAGES TEXT: touches more pages, and writes TEXT (to the end of the line) at the
 *   start of each
 * - across NAME BYTES TEXT: touches one more page, and writes TEXT across its start, with BYTES
 *   bytes in the page before
 * - give NAME PAGES TEXT: replaces its last pages, which were touched, by shared memory with TEXT
 *   at the start of each page; these pages are no longer part of it
 * - reserve NAME PAGES: creates an untouched mapping
 * - shut NAME: removes all access; the pages remain
 * - open NAME PAGES: permits access to its first pages and touches them; the kernel splits the
 *   region
 * - drop NAME: MADV_DONTNEED: it stays mapped, but is not resident
 * - malloc NAME PAGES: allocates a block with a mapping of its own, of 64 pages or more, and
 *   touches it
 * - move NAME PAGES: extends such a block at another address, as realloc(3) does; new memory takes
 *   the first half of the old place
 * - brk PAGES: extends the brk heap and touches the new part
 */
#include "support.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Linux 4.17; missing in the headers of older C libraries. */
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Linux 5.14. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { MAPPINGS = 64, PAGE = 4096 };

/** A mapping. */
struct mapping {
	char name[32];
	char *memory;
	size_t pages;
	size_t touched; /* pages from its start */
};

static struct mapping mappings[MAPPINGS];

static struct mapping *find(const char *name)
{
	for (size_t i = 0; i < MAPPINGS; i++)
		if (strcmp(mappings[i].name, name) == 0)
			return &mappings[i];
	return NULL;
}

static void touch(char *memory, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		memory[i * PAGE] = 1;
}

static void tell(long size, long resident)
{
	printf("change %ld %ld\n", size * PAGE, resident * PAGE);
}

static void make(const char *name, size_t pages, int touched)
{
	struct mapping *mapping = find("");
	if (!mapping)
		exit(1);
	snprintf(mapping->name, sizeof mapping->name, "%s", name);
	mapping->memory = target_island(pages * PAGE, PROT_READ | PROT_WRITE, 0, 0);

	/* A huge page would make more memory resident than was touched. */
	target_check(madvise(mapping->memory, pages * PAGE, MADV_NOHUGEPAGE), "madvise");
	mapping->pages = pages;
	mapping->touched = touched ? pages : 0;
	touch(mapping->memory, mapping->touched);
	target_region(name, mapping->memory, pages * PAGE, "");
	tell((long)pages, (long)mapping->touched);
}

/** A block and the header of malloc before it fill whole pages. */
static void take_block(const char *name, size_t pages)
{
	struct mapping *mapping = find("");
	if (!mapping || pages < 64)
		exit(1);

	char *block = malloc(pages * PAGE - 64);
	target_check(block ? 0 : -1, "malloc");
	snprintf(mapping->name, sizeof mapping->name, "%s", name);
	mapping->memory = (char *)((uintptr_t)block / PAGE * PAGE);
	mapping->pages = mapping->touched = pages;
	target_check(madvise(mapping->memory, pages * PAGE, MADV_NOHUGEPAGE), "madvise");
	touch(block, pages);
	tell((long)pages, (long)pages);
}

static void unmap(struct mapping *mapping)
{
	target_check(munmap(mapping->memory, mapping->pages * PAGE), "munmap");
	tell(-(long)mapping->pages, -(long)mapping->touched);
	*mapping = (struct mapping){ 0 };
}

static void stretch(struct mapping *mapping, size_t pages, int touched)
{
	char *memory = mremap(mapping->memory, mapping->pages * PAGE,
	                      (mapping->pages + pages) * PAGE, MREMAP_MAYMOVE);
	target_check(memory == MAP_FAILED ? -1 : 0, "mremap");
	if (touched) {
		touch(memory + mapping->pages * PAGE, pages);
		mapping->touched += pages;
	}

	mapping->memory = memory;
	mapping->pages += pages;
	target_region(mapping->name, memory, mapping->pages * PAGE, "");

	tell((long)pages, touched ? (long)pages : 0);
}

static void move_block(struct mapping *mapping, size_t pages)
{
	char *old = mapping->memory;
	size_t size = (mapping->pages + pages) * PAGE, half = mapping->pages / 2;
	void *place = target_island_address(size, 0);
	char *memory = mremap(old, mapping->pages * PAGE, size, MREMAP_MAYMOVE | MREMAP_FIXED,
	                      place);

	target_check(memory == MAP_FAILED ? -1 : 0, "mremap");
	/* prev_size, and size with IS_MMAPPED. */
	size_t header[2] = { 0, size | 2 };
	memcpy(memory, header, sizeof header);
	touch(memory + mapping->pages * PAGE, pages);
	mapping->memory = memory;
	mapping->pages = mapping->touched = mapping->pages + pages;

	void *other = mmap(old, half * PAGE, PROT_READ | PROT_WRITE,
	                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	target_check(other == MAP_FAILED ? -1 : 0, "mmap");
	target_check(madvise(old, half * PAGE, MADV_NOHUGEPAGE), "madvise");
	touch(old, half);
	tell((long)(pages + half), (long)(pages + half));
}

static void cut(struct mapping *mapping, size_t pages)
{
	size_t left = mapping->pages - pages,
	       lost = mapping->touched > left ? mapping->touched - left : 0;
	target_check(munmap(mapping->memory + left * PAGE, pages * PAGE), "munmap");
	mapping->pages = left;
	mapping->touched -= lost;
	tell(-(long)pages, -(long)lost);
}

static void touch_more(struct mapping *mapping, size_t pages)
{
	touch(mapping->memory + mapping->touched * PAGE, pages);
	mapping->touched += pages;
	tell(0, (long)pages);
}

static void populate(struct mapping *mapping, size_t pages)
{
	char *start = mapping->memory + mapping->touched * PAGE;

	target_check(madvise(start, pages * PAGE, MADV_POPULATE_WRITE), "madvise");
	mapping->touched += pages;
	tell(0, (long)pages);
}

static void write_text(struct mapping *mapping, size_t pages, const char *text)
{
	for (size_t i = 0; i < pages; i++)
		snprintf(mapping->memory + (mapping->touched + i) * PAGE, PAGE, "%s", text);
	mapping->touched += pages;
	tell(0, (long)pages);
}

static void write_across(struct mapping *mapping, size_t before, const char *text)
{
	strcpy(mapping->memory + mapping->touched * PAGE - before, text);
	mapping->touched++;
	tell(0, 1);
}

static void give(struct mapping *mapping, size_t pages, const char *text)
{
	char *given = mapping->memory + (mapping->pages - pages) * PAGE;
	void *shared = mmap(given, pages * PAGE, PROT_READ | PROT_WRITE,
	                    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	target_check(shared == MAP_FAILED ? -1 : 0, "mmap");

	for (size_t i = 0; i < pages; i++)
		snprintf(given + i * PAGE, PAGE, "%s", text);

	mapping->pages -= pages;
	mapping->touched -= pages;
	tell(0, 0);
}

static void open_some(struct mapping *mapping, size_t pages)
{
	target_check(mprotect(mapping->memory, pages * PAGE, PROT_READ | PROT_WRITE), "mprotect");
	touch(mapping->memory, pages);
	tell(0, (long)pages - (long)mapping->touched);
	mapping->touched = pages;
}

static void drop(struct mapping *mapping)
{
	target_check(madvise(mapping->memory, mapping->pages * PAGE, MADV_DONTNEED), "madvise");
	tell(0, -(long)mapping->touched);
	mapping->touched = 0;
}

static void lengthen_heap(size_t pages)
{
	/* malloc can have moved the break to the middle of a page: the rest of that page is not
	 * counted. */
	uintptr_t old = (uintptr_t)sbrk(0), aligned = (old + PAGE - 1) / PAGE * PAGE;
	target_check(brk((char *)aligned + pages * PAGE), "brk");
	touch((char *)aligned, pages);
	tell((long)pages, (long)pages);
}

static int command(const char *line)
{
	char word[16], name[32];
	size_t pages = 0;
	int text = 0;

	if (sscanf(line, "brk %zu", &pages) == 1) {
		lengthen_heap(pages);
		return 0;
	}
	if (sscanf(line, "%15s %31s %zu %n", word, name, &pages, &text) < 2)
		return 1;
	if (strcmp(word, "map") == 0 || strcmp(word, "reserve") == 0) {
		make(name, pages, strcmp(word, "map") == 0);
		return 0;
	}
	if (strcmp(word, "malloc") == 0) {
		take_block(name, pages);
		return 0;
	}

	struct mapping *mapping = find(name);
	if (!mapping)
		return 1;

	if (strcmp(word, "unmap") == 0)
		unmap(mapping);
	else if (strcmp(word, "grow") == 0 || strcmp(word, "stretch") == 0)
		stretch(mapping, pages, strcmp(word, "grow") == 0);
	else if (strcmp(word, "move") == 0)
		move_block(mapping, pages);
	else if (strcmp(word, "cut") == 0)
		cut(mapping, pages);
	else if (strcmp(word, "touch") == 0)
		touch_more(mapping, pages);
	else if (strcmp(word, "populate") == 0)
		populate(mapping, pages);
	else if (strcmp(word, "write") == 0 && text > 0)
		write_text(mapping, pages, line + text);
	else if (strcmp(word, "across") == 0 && pages < PAGE && strlen(line + text) > pages &&
	         mapping->touched > 0)
		write_across(mapping, pages, line + text);
	else if (strcmp(word, "give") == 0 && text > 0 && pages <= mapping->pages &&
	         mapping->touched == mapping->pages)
		give(mapping, pages, line + text);
	else if (strcmp(word, "drop") == 0)
		drop(mapping);
	else if (strcmp(word, "open") == 0)
		open_some(mapping, pages);
	else if (strcmp(word, "shut") == 0) {
		target_check(mprotect(mapping->memory, mapping->pages * PAGE, PROT_NONE),
		             "mprotect");
		tell(0, 0);
	} else
		return 1;

	return 0;
}

int main(void)
{
	target_begin();
	/* Which blocks get a mapping of their own must not depend on what was freed before. */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);

	/* The first command finds the break here, and everything that printing needs is allocated.

	 */
	target_check(sbrk(PAGE) == (void *)-1 ? -1 : 0, "sbrk");
	memset((char *)sbrk(0) - 1, 1, 1);
	tell(0, 0);
	target_ready();
	target_obey(command);
}
