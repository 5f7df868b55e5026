/* SPDX-License-Identifier: MIT */
/*
 * mover: calls exec on the last CPU that it may use, and then maps memory in the function
 * map_on_first_cpu() on the first one. With one CPU, it exits with 77.
 */
#include "support.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 32 << 20 };

/** Moves to one of two CPUs. */
static void move_to(size_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	target_check(sched_setaffinity(0, sizeof set, &set), "sched_setaffinity");
}

__attribute__((noinline)) void map_on_first_cpu(void)
{
	memset(target_map(SIZE, PROT_READ | PROT_WRITE, 0), 1, SIZE);
}

/** Finds the first and the last CPU that this process may use. */
static void find_cpus(size_t *first, size_t *last)
{
	cpu_set_t set;

	*first = *last = CPU_SETSIZE;
	target_check(sched_getaffinity(0, sizeof set, &set), "sched_getaffinity");
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		if (*first == CPU_SETSIZE)
			*first = cpu;
		*last = cpu;
	}
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc > 1) {
		move_to(strtoul(argv[1], NULL, 10));
		map_on_first_cpu();
		for (;;)
			pause();
	}

	char text[16];
	size_t first, last;

	find_cpus(&first, &last);
	if (first == last)
		return 77;
	snprintf(text, sizeof text, "%zu", first);
	move_to(last);
	target_check(execl("/proc/self/exe", "mover", text, (char *)NULL), "exec");
}
