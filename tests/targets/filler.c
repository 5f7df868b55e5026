/* SPDX-License-Identifier: MIT */
/*
 * filler RATE: writes RATE bytes per second to a file in tmpfs, in parts of 1 MiB. The file is not
 * mapped, so its memory is charged to the cgroup, but is not resident memory of the process. It
 * answers the command `tell` with `written BYTES`.
 */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MEGABYTE = 1024 * 1024, TICK_MS = 100 };

static atomic_ulong written;
static uint64_t rate;
static char bytes[MEGABYTE];

static void write_part(int fd)
{
	for (size_t done = 0; done < sizeof bytes;)
		done += (size_t)target_check(write(fd, bytes + done, sizeof bytes - done), "write");
	written += sizeof bytes;
}

static void *fill(void *context)
{
	int fd = (int)target_check(memfd_create("filler", MFD_CLOEXEC), "memfd_create");
	struct timespec next;
	clock_gettime(CLOCK_MONOTONIC, &next);

	for (uint64_t tick = 1;; tick++) {
		next.tv_nsec += TICK_MS * 1000000L;
		next.tv_sec += next.tv_nsec / 1000000000L;
		next.tv_nsec %= 1000000000L;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		while (written + MEGABYTE <= rate * tick * TICK_MS / 1000)
			write_part(fd);
	}

	return context;
}

static int command(const char *line)
{
	if (strcmp(line, "tell") != 0)
		return 1;
	printf("written %lu\n", (unsigned long)written);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	target_begin();
	if (argc != 2) {
		fputs("usage: filler RATE\n", stderr);
		return 2;
	}

	rate = target_number(argv[1]);
	memset(bytes, 1, sizeof bytes);
	target_check(-pthread_create(&thread, NULL, fill, NULL), "pthread_create");
	target_ready();
	target_obey(command);
	return 0;
}
