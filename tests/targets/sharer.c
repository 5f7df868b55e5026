/* SPDX-License-Identifier: MIT */
/*
 * sharer USE...: uses files and shared memory in known ways. USE is one of
 *
 *   write:FILE    maps the whole FILE shared and writable, and writes to all pages
 *   read:FILE     maps it shared and read-only, and reads all pages
 *   private:FILE  maps it private and read-only, and reads all pages
 *   sparse:FILE   maps it shared and writable, and touches nothing
 *   hold:FILE     holds a descriptor for reading
 *   log:FILE      holds a descriptor for writing at the end
 *   memfd:SIZE, sysv:SIZE, posix:SIZE, anonymous:SIZE
 *                 creates shared memory of SIZE bytes, maps and fills it
 *   sysv-hold:SIZE
 *                 as sysv, in an IPC namespace of its own
 *   child         forks a child that keeps all that exists so far, and prints `child PID`
 *   rename:NAME   sets the command name
 *
 * It prints `region NAME start-end` for each mapping and `fd NAME NUMBER` for each descriptor,
 * where NAME is the way without FILE or SIZE. Commands:
 *
 *   append BYTES  writes BYTES bytes to all files of log:
 *   touch BYTES   writes to the next BYTES bytes of all mappings of sparse:
 */
#include "support.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USES_MAX = 16, PAGE_BYTES = 4096 };

/** What the commands use. */
static struct {
	int logs[USES_MAX];
	size_t log_count;
	char *sparse[USES_MAX];
	size_t sparse_sizes[USES_MAX];
	size_t sparse_count;
	size_t touched;
} used;

static void print_fd(const char *name, int fd)
{
	target_check(fd, name);
	printf("fd %s %d\n", name, fd);
}

/** Maps a descriptor, and reads or writes all of it. */
static char *map_all(const char *name, int fd, size_t size, int prot, int flags)
{
	char *memory = mmap(NULL, size, prot, flags, fd, 0);
	volatile char sum = 0;

	target_check(memory == MAP_FAILED ? -1 : 0, name);
	if (strcmp(name, "sparse") != 0)
		for (size_t i = 0; i < size; i += PAGE_BYTES) {
			if (prot & PROT_WRITE)
				memory[i] = 's';
			sum = (char)(sum + memory[i]);
		}

	target_region(name, memory, size, "");
	return memory;
}

static void map_file(const char *name, const char *path)
{
	int writes = strcmp(name, "write") == 0 || strcmp(name, "sparse") == 0;
	int flags = strcmp(name, "private") == 0 ? MAP_PRIVATE : MAP_SHARED;
	int fd = (int)target_check(open(path, writes ? O_RDWR : O_RDONLY), path);
	struct stat status;

	target_check(fstat(fd, &status), path);
	char *memory = map_all(name, fd, (size_t)status.st_size,
	                       writes ? PROT_READ | PROT_WRITE : PROT_READ, flags);
	close(fd);

	if (strcmp(name, "sparse") == 0) {
		used.sparse[used.sparse_count] = memory;
		used.sparse_sizes[used.sparse_count++] = (size_t)status.st_size;
	}
}

static void hold_file(const char *name, const char *path)
{
	if (strcmp(name, "log") != 0) {
		print_fd(name, open(path, O_RDONLY));
		return;
	}

	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	print_fd(name, fd);
	used.logs[used.log_count++] = fd;
}

static void map_system_v(size_t size)
{
	int id = (int)target_check(shmget(IPC_PRIVATE, size, IPC_CREAT | 0600), "shmget");
	char *memory = shmat(id, NULL, 0);

	/* Removed immediately: it is destroyed with the last process that uses it. */
	target_check(shmctl(id, IPC_RMID, NULL), "shmctl");
	target_check(memory == (char *)-1 ? -1 : 0, "shmat");
	memset(memory, 'v', size);
	printf("shmid %d\n", id);
	target_region("sysv", memory, size, "");
}

/** Creates memory without a file. */
static void create_memory(const char *name, size_t size)
{
	int fd = -1, flags = MAP_SHARED;
	char path[64];

	if (strcmp(name, "sysv-hold") == 0)
		target_check(unshare(CLONE_NEWIPC), "unshare");
	if (strncmp(name, "sysv", 4) == 0) {
		map_system_v(size);
		return;
	}

	snprintf(path, sizeof path, "/procmem-sharer-%d", (int)getpid());
	if (strcmp(name, "memfd") == 0) {
		fd = memfd_create("sharer", MFD_CLOEXEC);
		print_fd(name, fd);
	} else if (strcmp(name, "posix") == 0) {
		fd = (int)target_check(shm_open(path, O_RDWR | O_CREAT | O_EXCL, 0600), path);
		shm_unlink(path);
	} else {
		flags |= MAP_ANONYMOUS;
	}

	if (fd >= 0)
		target_check(ftruncate(fd, (off_t)size), name);
	map_all(name, fd, size, PROT_READ | PROT_WRITE, flags);
	if (fd >= 0 && strcmp(name, "memfd") != 0)
		close(fd);
}

static void fork_child(void)
{
	pid_t parent = getpid(), child = (pid_t)target_check(fork(), "fork");
	if (child > 0) {
		printf("child %d\n", (int)child);
		return;
	}

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	/* The output is that of the parent. */
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	for (;;)
		pause();
}

static void use(char *word)
{
	static const char *const maps[] = { "write", "read", "private", "sparse", NULL };
	static const char *const holds[] = { "hold", "log", NULL };
	char *value = strchr(word, ':');

	if (strcmp(word, "child") == 0) {
		fork_child();
		return;
	}
	if (!value)
		target_check(-1, word);
	*value++ = '\0';

	if (strcmp(word, "rename") == 0) {
		prctl(PR_SET_NAME, value);
		return;
	}
	for (size_t i = 0; maps[i]; i++)
		if (strcmp(word, maps[i]) == 0) {
			map_file(word, value);
			return;
		}
	for (size_t i = 0; holds[i]; i++)
		if (strcmp(word, holds[i]) == 0) {
			hold_file(word, value);
			return;
		}
	create_memory(word, target_number(value));
}

static void append(size_t bytes)
{
	char *text = malloc(bytes);

	memset(text, 'a', bytes);
	for (size_t i = 0; i < used.log_count; i++)
		target_check(write(used.logs[i], text, bytes), "write");
	free(text);
}

static void touch(size_t bytes)
{
	for (size_t i = 0; i < used.sparse_count; i++)
		for (size_t at = 0; at < bytes; at += PAGE_BYTES)
			if (used.touched + at < used.sparse_sizes[i])
				used.sparse[i][used.touched + at] = 't';
	used.touched += bytes;
}

static int obey(const char *line)
{
	static const char append_word[] = "append ", touch_word[] = "touch ";

	if (strncmp(line, append_word, sizeof append_word - 1) == 0)
		append(target_number(line + sizeof append_word - 1));
	else if (strncmp(line, touch_word, sizeof touch_word - 1) == 0)
		touch(target_number(line + sizeof touch_word - 1));
	else
		return 1;

	return 0;
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc < 2 || argc > USES_MAX) {
		fputs("usage: sharer USE...\n", stderr);
		return 2;
	}

	for (int i = 1; i < argc; i++)
		use(argv[i]);
	target_ready();
	target_obey(obey);

	return 0;
}
