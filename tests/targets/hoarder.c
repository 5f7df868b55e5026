/* SPDX-License-Identifier: MIT */
/*
 * hoarder RATE: adds RATE chunks of 500 bytes per second to an array of pointers, the variable
 * `hoard`, and frees none.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 500, CHUNKS_MAX = 1 << 20, TICKS = 20 };

void *hoard[CHUNKS_MAX];

int main(int argc, char **argv)
{
	unsigned long rate = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	const struct timespec tick = { .tv_nsec = 1000000000 / TICKS };

	target_begin();
	if (rate < TICKS) {
		fputs("usage: hoarder RATE\n", stderr);
		return 1;
	}

	target_ready();
	for (size_t count = 0; count < CHUNKS_MAX;) {
		for (unsigned long i = 0; i < rate / TICKS && count < CHUNKS_MAX; i++) {
			hoard[count] = malloc(SIZE);
			target_check(hoard[count] ? 0 : -1, "malloc");
			memset(hoard[count++], 1, SIZE);
		}
		nanosleep(&tick, NULL);
	}
}
