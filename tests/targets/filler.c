/* SPDX-License-Identifier: MIT */
/*
 * filler RATE [stepped] [PATH]: writes RATE bytes per second to a file in tmpfs, in parts of 1 MiB.
 * The file is not mapped, so its memory is charged to the cgroup, but is not resident memory of the
 * process. Without PATH, the file is a memfd; if PATH ends with a slash, each part is a new file in
 * this directory. It answers the command `tell` with `written BYTES`. With `stepped` it writes only
 * during the command `pass SECONDS`.
 */
#include "support.h"
#include "ticks.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEGABYTE = 1024 * 1024 };

static atomic_ulong written;
static uint64_t rate;
static int file = -1;
static const char *folder; /* each part is a file in this directory; NULL: all are in `file` */
static char bytes[MEGABYTE];

/** Creates the next file of the directory. */
static void open_next(void)
{
	char path[4096];

	if (file >= 0)
		close(file);
	snprintf(path, sizeof path, "%s%lu", folder, (unsigned long)written);
	file = (int)target_check(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), path);
}

static void write_part(void)
{
	if (folder)
		open_next();

	for (size_t done = 0; done < sizeof bytes;)
		done += (size_t)target_check(write(file, bytes + done, sizeof bytes - done),
		                             "write");
	written += sizeof bytes;
}

static void write_due(uint64_t tick)
{
	while (written + MEGABYTE <= rate * tick / TICKS_PER_SECOND)
		write_part();
}

static void *fill(void *context)
{
	(void)context;
	ticks_each(write_due);
}

static int command(const char *line)
{
	if (strcmp(line, "tell") != 0)
		return ticks_command(line);
	printf("written %lu\n", (unsigned long)written);
	return 0;
}

/** Opens the file, or remembers the directory. */
static void open_path(const char *path)
{
	size_t length = path ? strlen(path) : 0;

	if (!path)
		file = (int)target_check(memfd_create("filler", MFD_CLOEXEC), "memfd_create");
	else if (length > 0 && path[length - 1] == '/')
		folder = path;
	else
		file = (int)target_check(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), path);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	target_begin();
	bool stepped = argc > 2 && strcmp(argv[2], "stepped") == 0;
	if (argc < 2 || argc > 3 + stepped) {
		fputs("usage: filler RATE [stepped] [PATH]\n", stderr);
		return 2;
	}

	rate = target_number(argv[1]);
	open_path(argc > 2 + stepped ? argv[2 + stepped] : NULL);
	if (stepped)
		ticks_by_command(1);
	memset(bytes, 1, sizeof bytes);
	target_check(-pthread_create(&thread, NULL, fill, NULL), "pthread_create");
	target_ready();
	target_obey(command);
	return 0;
}
