/* SPDX-License-Identifier: MIT */
/*
 * segments: maps files on command, in a directory of its own that it prints as `directory PATH`.
 *
 * - map NAME PAGES: maps the whole file, shared; creates the file if it does not exist
 * - read NAME PAGES: the same, read-only, so that the kind may be another one
 * - touch NAME PAGES: touches the first pages of all mappings of the file
 * - unmap NAME: removes all mappings of the file
 */
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAPPINGS = 256, PAGE = 4096 };

struct mapping {
	char name[64];
	volatile char *memory;
	size_t pages;
	int writable;
};

static struct mapping mappings[MAPPINGS];
static size_t count;
static const char *directory;

static int map(const char *name, size_t pages, int writable)
{
	char path[128];
	int prot = writable ? PROT_READ | PROT_WRITE : PROT_READ;

	if (count == MAPPINGS || pages == 0)
		return 1;

	snprintf(path, sizeof path, "%s/%s", directory, name);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	target_check(fd, "open");
	target_check(ftruncate(fd, (off_t)(pages * PAGE)), "ftruncate");

	void *memory = target_map_at_island(pages * PAGE, prot, MAP_SHARED, fd, 0, 0);
	target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
	close(fd);

	struct mapping *mapping = &mappings[count++];
	snprintf(mapping->name, sizeof mapping->name, "%s", name);
	mapping->memory = memory;
	mapping->pages = pages;
	mapping->writable = writable;
	return 0;
}

static void touch(const struct mapping *mapping, size_t pages)
{
	for (size_t i = 0; i < pages && i < mapping->pages; i++) {
		if (mapping->writable)
			mapping->memory[i * PAGE] = 1;
		else
			(void)mapping->memory[i * PAGE];
	}
}

static int command(const char *line)
{
	char word[16], name[64];
	size_t pages = 0;

	if (sscanf(line, "%15s %63s %zu", word, name, &pages) < 2)
		return 1;
	if (strcmp(word, "map") == 0 || strcmp(word, "read") == 0)
		return map(name, pages, strcmp(word, "map") == 0);

	for (size_t i = 0; i < count; i++) {
		struct mapping *mapping = &mappings[i];
		if (strcmp(mapping->name, name) != 0)
			continue;

		if (strcmp(word, "touch") == 0) {
			touch(mapping, pages);
		} else if (strcmp(word, "unmap") == 0) {
			target_check(munmap((void *)mapping->memory, mapping->pages * PAGE),
			             "munmap");
			mapping->name[0] = '\0';
		} else {
			return 1;
		}
	}

	return 0;
}

int main(void)
{
	target_begin();
	directory = target_scratch();
	printf("directory %s\n", directory);
	target_ready();
	target_obey(command);
}
