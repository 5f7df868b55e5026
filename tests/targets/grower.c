/* SPDX-License-Identifier: MIT */
/*
 * grower: changes its memory on command, and says to the byte what it did. Each answer before
 * `done` is `change SIZE RESIDENT`: bytes of address space and resident bytes, with sign, of what
 * the command changed.
 *
 *     map NAME PAGES          a mapping of its own, all touched
 *     unmap NAME              away with it
 *     grow NAME PAGES         mremap to a longer one, the new part touched; it may move
 *     cut NAME PAGES          munmap of its last pages
 *     touch NAME PAGES        touches so many more of a mapping made by `reserve`
 *     write NAME PAGES TEXT   touches so many more, each of them with TEXT (up to the end of the
 * line) at its begin across NAME BYTES TEXT  touches one more, with TEXT across its begin: so many
 * bytes of it at the end of the page before give NAME PAGES TEXT    its last pages, which were
 * touched, become shared memory with TEXT at the begin of each: no more part of it reserve NAME
 * PAGES      a mapping of its own, untouched shut NAME                 no access any more; the
 * pages stay open NAME PAGES           access to so many of its first pages, all touched; the
 * kernel splits the region drop NAME               MADV_DONTNEED: stays mapped, not resident malloc
 * NAME PAGES       a block from malloc that takes so many pages, 64 or more, all touched; malloc
 * maps it by itself move NAME PAGES         such a block becomes so much longer at another place,
 * as by realloc(3); new memory takes the first half of its old place brk PAGES               the
 * brk heap becomes so much longer, all touched
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

enum { MAPPINGS = 64, PAGE = 4096 };

/** A mapping that was made. */
struct mapping {
	char name[32];
	char *memory;
	size_t pages;
	size_t touched; /* pages from its begin */
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

	/* A huge page would make more resident than was touched. */
	target_check(madvise(mapping->memory, pages * PAGE, MADV_NOHUGEPAGE), "madvise");
	mapping->pages = pages;
	mapping->touched = touched ? pages : 0;
	touch(mapping->memory, mapping->touched);
	target_region(name, mapping->memory, pages * PAGE, "");
	tell((long)pages, (long)mapping->touched);
}

/** A block and malloc's header before it fill whole pages. */
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

static void grow(struct mapping *mapping, size_t pages)
{
	char *memory = mremap(mapping->memory, mapping->pages * PAGE,
	                      (mapping->pages + pages) * PAGE, MREMAP_MAYMOVE);
	target_check(memory == MAP_FAILED ? -1 : 0, "mremap");
	touch(memory + mapping->pages * PAGE, pages);
	mapping->memory = memory;
	mapping->pages += pages;
	mapping->touched += pages;
	target_region(mapping->name, memory, mapping->pages * PAGE, "");

	tell((long)pages, (long)pages);
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
	/* malloc may have moved the break to the middle of a page: the rest of that page is not
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
	else if (strcmp(word, "grow") == 0)
		grow(mapping, pages);
	else if (strcmp(word, "move") == 0)
		move_block(mapping, pages);
	else if (strcmp(word, "cut") == 0)
		cut(mapping, pages);
	else if (strcmp(word, "touch") == 0)
		touch_more(mapping, pages);
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
	/* What malloc maps by itself is not to depend on what was freed before. */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);

	/* The break is where the first command finds it, and everything that printing needs exists.
	 */
	target_check(sbrk(PAGE) == (void *)-1 ? -1 : 0, "sbrk");
	memset((char *)sbrk(0) - 1, 1, 1);
	tell(0, 0);
	target_ready();
	target_obey(command);
}
