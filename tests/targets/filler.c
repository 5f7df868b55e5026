/* SPDX-License-Identifier: MIT */
/*
 * filler RATE [stepped]: writes RATE bytes per second to a file in tmpfs, in parts of 1 MiB. The
 * file is not mapped, so its memory is charged to the cgroup, but is not resident memory of the
 * process. It answers the command `tell` with `written BYTES`. With `stepped` it writes only during
 * the command `pass SECONDS`.
 */
#include "support.h"
#include "ticks.h"

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
static int file;
static char bytes[MEGABYTE];

static void write_part(void)
{
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

int main(int argc, char **argv)
{
	pthread_t thread;

	target_begin();
	bool stepped = argc == 3 && strcmp(argv[2], "stepped") == 0;
	if (argc != 2 && !stepped) {
		fputs("usage: filler RATE [stepped]\n", stderr);
		return 2;
	}

	rate = target_number(argv[1]);
	file = (int)target_check(memfd_create("filler", MFD_CLOEXEC), "memfd_create");
	if (stepped)
		ticks_by_command(1);
	memset(bytes, 1, sizeof bytes);
	target_check(-pthread_create(&thread, NULL, fill, NULL), "pthread_create");
	target_ready();
	target_obey(command);
	return 0;
}
