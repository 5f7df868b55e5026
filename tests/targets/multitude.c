/* SPDX-License-Identifier: MIT */
/*
 * multitude CHUNKS RATE: a process with so many chunks of malloc that not all of them are read:
 * CHUNKS of 32 to 112 bytes, with some free ones in between. It adds RATE chunks of 160 bytes per
 * second with the text "ledger entry # of a branch", and frees none of them. At the same time, it
 * replaces a thousand chunks of a queue, also of 160 bytes, in each tenth of a second.
 *
 * It answers the command `tell` with `made NUMBER`: how many chunks it has added.
 */
#include "support.h"
#include "ticks.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 150, QUEUE = 1000, SIZE_MIN = 24, SIZES = 81, HOLES = 11 };

static char **chunks, *queue[QUEUE];
static uint64_t count, rate, kept_count;
static char **kept;
static atomic_uint_least64_t made;

static char *make(const char *format, uint64_t number)
{
	char *chunk = malloc(SIZE);

	target_check(chunk ? 0 : -1, "malloc");
	memset(chunk, 0, SIZE);
	snprintf(chunk, SIZE, format, number);
	return chunk;
}

static void step(uint64_t tick)
{
	uint64_t wanted = tick * rate / TICKS_PER_SECOND;

	for (size_t i = 0; i < QUEUE; i++) {
		free(queue[i]);
		queue[i] = make("request %" PRIu64, tick * QUEUE + i);
	}
	for (; kept_count < wanted; kept_count++) {
		char **more = realloc(kept, (kept_count + 1) * sizeof *kept);

		target_check(more ? 0 : -1, "realloc");
		kept = more;
		kept[kept_count] = make("ledger entry %" PRIu64 " of a branch", kept_count);
	}
	atomic_store(&made, kept_count);
}

static void *run(void *unused)
{
	(void)unused;
	ticks_each(step);
}

static int command(const char *line)
{
	if (strcmp(line, "tell") != 0)
		return 1;
	printf("made %" PRIu64 "\n", (uint64_t)atomic_load(&made));
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t random = 1;
	pthread_t thread;

	target_begin();
	if (argc != 3) {
		fputs("usage: multitude CHUNKS RATE\n", stderr);
		return 2;
	}

	count = target_number(argv[1]);
	rate = target_number(argv[2]);
	chunks = calloc(count, sizeof *chunks);
	target_check(chunks ? 0 : -1, "calloc");
	for (uint64_t i = 0; i < count; i++) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		chunks[i] = calloc(1, SIZE_MIN + (random >> 33) % SIZES);
		target_check(chunks[i] ? 0 : -1, "calloc");
	}
	for (uint64_t i = 0; i < count; i += HOLES) {
		free(chunks[i]);
		chunks[i] = NULL;
	}

	target_check(-pthread_create(&thread, NULL, run, NULL), "pthread_create");
	target_ready();
	target_obey(command);
}
