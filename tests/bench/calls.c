/* SPDX-License-Identifier: MIT */
/*
 * calls pairs|others: a target that measures what its own system calls cost. It waits for a line
 * `SECONDS`, makes calls for that long, and answers `ns NUMBER`: the mean time of a call.
 *
 * - pairs: mmap of 64 KiB and munmap, at a depth of 20 calls
 * - others: getppid
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../targets/support.h"

enum { DEPTH = 20, SIZE = 64 << 10 };

static int pairs; /* whether mmap and munmap are called */

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void call_once(void)
{
	if (!pairs) {
		syscall(SYS_getppid);
		return;
	}

	void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
	munmap(memory, SIZE);
}

/** Makes calls until a time, and returns their number. */
static __attribute__((noinline)) unsigned long repeat(int depth, double end)
{
	unsigned long count = 0;

	if (depth > 0) {
		count = repeat(depth - 1, end);
		__asm__ volatile("" ::: "memory");
		return count;
	}
	do {
		call_once();
		count++;
	} while ((!pairs && count % 64 != 0) || seconds_now() < end);

	return count;
}

int main(int argc, char **argv)
{
	char line[32];

	target_begin();
	if (argc != 2) {
		fputs("usage: calls pairs|others\n", stderr);
		return 2;
	}
	pairs = strcmp(argv[1], "pairs") == 0;

	target_ready();
	while (fgets(line, sizeof line, stdin)) {
		double start = seconds_now();
		unsigned long count = repeat(DEPTH, start + strtod(line, NULL));

		printf("ns %.0f\n", (seconds_now() - start) * 1e9 / (double)count);
	}
	return 0;
}
