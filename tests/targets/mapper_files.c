/* SPDX-License-Identifier: MIT */
#include "mapper.h"
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 16, SIZE = PAGES * PAGE };

/**
 * Creates a file of `size` bytes. Each page starts with its number.
 * @return a descriptor for reading and writing
 */
static int make_file(const char *path, size_t size)
{
	int fd = (int)target_check(open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), path);
	target_check(ftruncate(fd, (off_t)size), path);
	for (size_t i = 0; i * PAGE < size; i++) {
		char text[32];
		int length = snprintf(text, sizeof text, "file page %zu", i);
		target_check(pwrite(fd, text, (size_t)length, (off_t)(i * PAGE)), path);
	}
	return fd;
}

static char *map_file(int fd, size_t size, int prot, int flags, size_t offset)
{
	char *memory = target_map_at_island(size, prot, flags, fd, offset, 0);
	target_check(memory == MAP_FAILED ? -1 : 0, "mmap of a file");
	return memory;
}

/** Reads the first byte of some pages. */
static void touch(const char *memory, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		(void)*(const volatile char *)(memory + i * PAGE);
}

/**
 * Prints the region with kind=file and its name as the kernel has it; newlines in the name are
 * printed as the kernel prints them.
 */
static void report(const char *name, const char *memory, size_t size, const char *path,
                   const char *suffix)
{
	char note[1024];
	size_t length = (size_t)sprintf(note, "kind=file name=");
	for (; *path; path++)
		length += (size_t)sprintf(note + length, *path == '\n' ? "\\012" : "%c", *path);
	sprintf(note + length, "%s", suffix);
	target_region(name, memory, size, note);
}

/** Maps one file in several ways. */
static void ways_of_mapping(const char *directory)
{
	char path[256];
	snprintf(path, sizeof path, "%s/data", directory);
	int fd = make_file(path, SIZE);
	report("file_untouched", map_file(fd, SIZE, PROT_READ, MAP_PRIVATE, 0), SIZE, path, "");
	char *memory = map_file(fd, SIZE, PROT_READ, MAP_PRIVATE, 0);
	touch(memory, PAGES);
	report("file_touched", memory, SIZE, path, "");
	memory = map_file(fd, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0);
	touch(memory, PAGES);
	strcpy(memory + 3 * PAGE, "copied page 3");
	report("file_copied", memory, SIZE, path, "");
	memory = map_file(fd, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	touch(memory, PAGES);
	strcpy(memory + 5 * PAGE, "shared page 5");
	report("file_shared", memory, SIZE, path, "");
	memory = map_file(fd, 2 * PAGE, PROT_READ, MAP_PRIVATE, 7 * PAGE);
	touch(memory, 2);
	report("file_offset", memory, 2 * PAGE, path, "");
	close(fd);

	/* A mapping of sixteen pages of a file of two and a half: touching the rest is SIGBUS. */
	snprintf(path, sizeof path, "%s/short", directory);
	fd = make_file(path, 2 * PAGE + PAGE / 2);
	memory = map_file(fd, SIZE, PROT_READ, MAP_PRIVATE, 0);
	touch(memory, 3);
	report("past_eof", memory, SIZE, path, "");
	close(fd);

	/* 6 GiB into a sparse file: the offset needs more than 32 bits. */
	snprintf(path, sizeof path, "%s/sparse", directory);
	off_t far = (off_t)6 << 30;
	fd = make_file(path, PAGE);
	target_check(ftruncate(fd, far + SIZE), path);
	report("file_far", map_file(fd, SIZE, PROT_READ, MAP_PRIVATE, (size_t)far), SIZE, path, "");
	close(fd);
}

/** Maps a file with this name; `deleted` ones are unlinked after mapping. */
static void named(const char *name, const char *directory, const char *base, int deleted)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", directory, base);

	int fd = make_file(path, SIZE);
	char *memory = map_file(fd, SIZE, PROT_READ, MAP_PRIVATE, 0);
	touch(memory, PAGES);
	close(fd);
	if (deleted)
		target_check(unlink(path), path);
	report(name, memory, SIZE, path, deleted ? " (deleted)" : "");
}

void mapper_files(void)
{
	const char *directory = target_scratch();
	ways_of_mapping(directory);
	named("file_deleted", directory, "gone", 1);
	named("file_named_deleted", directory, "still here (deleted)", 0);
	named("file_twice_deleted", directory, "gone too (deleted)", 1);
	named("file_newline", directory, "two\nlines", 0);
	named("file_backslash", directory, "no\\012newline", 0);
	named("file_spaces", directory, "  many  spaces ", 0);

	named("file_utf8", directory,
	      "gr\xc3\xb6\xc3\x9f"
	      "e \xe2\x82\xac \xe6\x97\xa5",
	      0);
	named("file_latin1", directory,
	      "gr\xf6\xdf"
	      "e",
	      0);
}
