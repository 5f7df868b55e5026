/* SPDX-License-Identifier: MIT */
/*
 * restless remap|fork|exec: changes all the time.
 *
 * - remap: unmaps parts of `region moving`, maps others in their place, discards their pages,
 *   changes their permissions, and moves them
 * - fork: starts children that touch memory and exit, up to four at a time
 * - exec: executes the program again and again; only the first one prints `ready`
 */
#include "support.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIECES = 64, PIECE = 256 * 1024, CHILDREN = 4 };

static char *moving;

/** Returns a pseudo-random number, the same in every run. */
static uint32_t next_number(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void replace(char *piece, int prot)
{
	if (mmap(piece, PIECE, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
	            MAP_FAILED &&
	    (prot & PROT_WRITE))
		target_fill(piece, PIECE, "restless");
}

static void *remap(void *unused)
{
	uint32_t state = 1;

	(void)unused;
	for (;;) {
		char *piece = moving + (size_t)(next_number(&state) % PIECES) * PIECE;
		char *other = moving + (size_t)(next_number(&state) % PIECES) * PIECE;

		switch (next_number(&state) % 6) {
		case 0:
			munmap(piece, PIECE);
			break;
		case 1:
			mprotect(piece, PIECE / 2, PROT_NONE);
			break;
		case 2:
			madvise(piece, PIECE, MADV_DONTNEED);
			break;
		case 3:
			if (piece != other)
				(void)!mremap(piece, PIECE, PIECE, MREMAP_MAYMOVE | MREMAP_FIXED,
				              other);
			break;
		case 4:
			replace(piece, PROT_READ);
			break;
		default:
			replace(piece, PROT_READ | PROT_WRITE);
		}
	}

	return NULL;
}

static void *make_children(void *unused)
{
	(void)unused;
	for (int alive = 0;; alive++) {
		if (alive >= CHILDREN && wait(NULL) > 0)
			alive--;
		pid_t child = fork();
		if (child == 0) {
			target_fill(moving, PIECE, "child");
			_exit(0);
		}
		alive -= child < 0;
	}

	return NULL;
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc < 2)
		return 2;

	if (strcmp(argv[1], "again") == 0 || strcmp(argv[1], "exec") == 0) {
		const struct timespec pause = { .tv_nsec = 2000000 };
		if (argv[1][0] == 'e')
			target_ready();
		nanosleep(&pause, NULL);
		execl("/proc/self/exe", "restless", "again", (char *)NULL);
		target_check(-1, "execl");
	}

	pthread_t thread;
	moving = target_island(PIECES * PIECE, PROT_READ | PROT_WRITE, 0, 0);
	target_fill(moving, PIECES * PIECE, "restless");
	target_region("moving", moving, PIECES * PIECE, "");
	target_check(-pthread_create(&thread, NULL, argv[1][0] == 'r' ? remap : make_children,
	                             NULL),
	             "pthread_create");
	target_ready();

	target_obey(NULL);
}
