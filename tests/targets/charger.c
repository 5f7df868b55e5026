/* SPDX-License-Identifier: MIT */
/*
 * charger: charges memory of each sort to its cgroup, in MiB, and prints what it did.
 *
 *   anon N         anonymous memory
 *   shared N       shared anonymous memory
 *   memfd N        a memfd of the name "charged"
 *   sysv N         a System V segment, which is marked for removal
 *   file PATH N    writes a file
 *   deleted PATH N writes a file, deletes it, and keeps it open
 *   pipes N        N pipes that are full, 64 KiB each
 *   grow PATH      appends 64 KiB to a file that grows
 */
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIB = 1 << 20, PIECE = 64 << 10 };

static char piece[PIECE];

/** Appends bytes to a file in pieces. */
static void append(int fd, size_t size)
{
	for (size_t written = 0; written < size; written += PIECE)
		target_check(write(fd, piece, PIECE), "write");
}

static int open_file(const char *path, int flags)
{
	return (int)target_check(open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644), path);
}

static void charge_memory(size_t size, int flags)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
	memset(memory, 1, size);
}

static void charge_memfd(size_t size)
{
	append((int)target_check(memfd_create("charged", MFD_CLOEXEC), "memfd_create"), size);
}

static void charge_segment(size_t size)
{
	int id = (int)target_check(shmget(IPC_PRIVATE, size, 0600), "shmget");
	char *memory = shmat(id, NULL, 0);

	/* It is removed when this process ends. */
	target_check(shmctl(id, IPC_RMID, NULL), "shmctl");
	target_check(memory == (void *)-1 ? -1 : 0, "shmat");
	memset(memory, 1, size);
}

static void charge_pipes(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int ends[2];
		target_check(pipe2(ends, O_CLOEXEC), "pipe2");
		target_check(write(ends[1], piece, PIECE), "write");
	}
}

/** Charges a file. @param words "PATH N" */
static void charge_file(const char *words, int delete)
{
	const char *space = strrchr(words, ' ');
	char *path = strndup(words, (size_t)(space - words));
	int fd = open_file(path, O_TRUNC);

	append(fd, target_number(space + 1) * MIB);
	if (delete)
		target_check(unlink(path), "unlink");
	free(path);
}

static int command(const char *line)
{
	const char *space = strchr(line, ' ');
	if (!space)
		return 1;

	size_t length = (size_t)(space - line);
	const char *rest = space + 1;
	if (strncmp(line, "anon", length) == 0)
		charge_memory(target_number(rest) * MIB, MAP_PRIVATE | MAP_ANONYMOUS);
	else if (strncmp(line, "shared", length) == 0)
		charge_memory(target_number(rest) * MIB, MAP_SHARED | MAP_ANONYMOUS);
	else if (strncmp(line, "memfd", length) == 0)
		charge_memfd(target_number(rest) * MIB);
	else if (strncmp(line, "sysv", length) == 0)
		charge_segment(target_number(rest) * MIB);
	else if (strncmp(line, "pipes", length) == 0)
		charge_pipes(target_number(rest));
	else if (strncmp(line, "file", length) == 0)
		charge_file(rest, 0);
	else if (strncmp(line, "deleted", length) == 0)
		charge_file(rest, 1);
	else if (strncmp(line, "grow", length) == 0)
		append(open_file(rest, O_APPEND), PIECE);
	else
		return 1;

	return 0;
}

int main(void)
{
	target_begin();
	memset(piece, 'x', sizeof piece);
	target_ready();
	target_obey(command);
}
