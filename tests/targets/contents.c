/* SPDX-License-Identifier: MIT */
/*
 * contents: chunks of malloc with known contents. Prints `chunks COUNT SIZE ADDRESS NAME` for each
 * content: the number of chunks, the bytes that the program may use in each
 * (malloc_usable_size(3)), and the address of the last one. Each content has a size that no other
 * content has. `mixture COUNT SIZE` is about chunks of which three of four have the same text.
 *
 * Commands:
 * - `leak N`: allocates N chunks of LEAK_SIZE bytes and keeps them
 * - `churn N`: frees N chunks of CHURN_SIZE bytes that it keeps, and allocates others
 * - `count`: adds 1 to a counter in each of the kept chunks of COUNTER_SIZE bytes
 * - `busy`: starts threads that allocate and free chunks of many sizes without a pause
 * - `turn`: waits until each of these threads has replaced all of its chunks
 */
#include "support.h"

#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TEXT_SIZE = 88,
	ZEROS_SIZE = 200,
	NUMBERS_SIZE = 304,
	FLOATS_SIZE = 416,
	LIST_SIZE = 40,
	STATIC_SIZE = 520,
	FUNCTION_SIZE = 616,
	DATA_SIZE = 712,
	INNER_SIZE = 808,
	LEAK_SIZE = 264,
	CHURN_SIZE = 248,
	COUNTER_SIZE = 920,
	MIXTURE_SIZE = 1016,
	CHURNED = 1000,
	COUNTERS = 50,
	MIXTURES = 120,
	BUSY_THREADS = 3,
	BUSY_CHUNKS = 2000,
	TURN = 20 * BUSY_CHUNKS, /* after this number of random choices, all were chosen */
	WORDS = 64,              /* number of words at the start of a chunk that are written */
};

/** A description that chunks point to. */
struct descriptor {
	const char *name;
	int version;
};

extern const struct descriptor contents_descriptor;
extern void contents_callback(void);

const struct descriptor contents_descriptor = { "contents", 3 };

void contents_callback(void)
{
}

static void *list;
static void *churned[CHURNED];
static uint64_t *counters[COUNTERS];
static uint64_t state = 88172645463325252;

/** xorshift: numbers without a pattern, the same in each run. */
static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void fill_text(char *chunk, unsigned number)
{
	sprintf(chunk, "session user=%u state=active", number * 7);
}

static void fill_zeros(char *chunk, unsigned number)
{
	(void)chunk, (void)number;
}

static void fill_numbers(char *chunk, unsigned number)
{
	for (unsigned i = 0; i < WORDS; i++)
		((int *)(void *)chunk)[i] = (int)(number + i * 3);
}

static void fill_floats(char *chunk, unsigned number)
{
	for (unsigned i = 0; i < WORDS / 2; i++)
		((double *)(void *)chunk)[i] = 0.37 * (number + 1) * (i + 1);
}

static void fill_list(char *chunk, unsigned number)
{
	void **words = (void **)(void *)chunk;
	words[0] = list;
	words[1] = (void *)(uintptr_t)(number + 1);
	list = chunk;
}

static void fill_static(char *chunk, unsigned number)
{
	((const void **)(void *)chunk)[0] = &contents_descriptor;
	((uint64_t *)(void *)chunk)[1] = number;
}

static void fill_function(char *chunk, unsigned number)
{
	((void (**)(void))(void *)chunk)[0] = contents_callback;
	((uint64_t *)(void *)chunk)[1] = number;
}

static void fill_data(char *chunk, unsigned number)
{
	(void)number;
	/* Neither zeros, nor addresses, nor numbers of usual size, nor text. */
	for (unsigned i = 0; i < WORDS; i++)
		((uint64_t *)(void *)chunk)[i] = next_random() | 0xf800000000000081;
}

static void fill_inner(char *chunk, unsigned number)
{
	((uint64_t *)(void *)chunk)[0] = number;
	sprintf(chunk + 24, "inner text %u", number);
}

/** Allocates chunks and reports them. */
static void create(const char *name, unsigned count, size_t size,
                   void (*fill)(char *chunk, unsigned number))
{
	char *chunk = NULL;
	for (unsigned i = 0; i < count; i++) {
		chunk = calloc(1, size);
		fill(chunk, i);
	}
	printf("chunks %u %zu %" PRIxPTR " %s\n", count, malloc_usable_size(chunk),
	       (uintptr_t)chunk, name);
}

/** Three of four of these chunks have the same text. */
static void create_mixture(void)
{
	for (unsigned i = 0; i < MIXTURES; i++) {
		char *chunk = calloc(1, MIXTURE_SIZE);
		sprintf(chunk, "%s %u", i % 4 == 0 ? "another text" : "response", i);
	}
	printf("mixture %d %d\n", MIXTURES, MIXTURE_SIZE);
}

static void leak(unsigned count)
{
	static unsigned number;
	for (unsigned i = 0; i < count; i++) {
		char *chunk = malloc(LEAK_SIZE);
		memset(chunk, 0, LEAK_SIZE);
		sprintf(chunk, "leaked record %u", number++);
	}
}

static void churn(unsigned count)
{
	static unsigned number;
	for (unsigned i = 0; i < count; i++) {
		void **slot = &churned[number % CHURNED];
		free(*slot);
		*slot = malloc(CHURN_SIZE);
		memset(*slot, 0, CHURN_SIZE);
		sprintf(*slot, "request %u", number++);
	}
}

/* For each busy thread, the number of chunks that it has allocated. */
static _Atomic uint64_t busy_counts[BUSY_THREADS];

/** Allocates and frees chunks without a pause. Each has another content. */
static void *be_busy(void *context)
{
	static _Thread_local char *chunks[BUSY_CHUNKS];
	uint64_t random = (uintptr_t)context, number = 0;
	_Atomic uint64_t *count = &busy_counts[(uintptr_t)context];

	for (;;) {
		random = random * 6364136223846793005 + 1442695040888963407;
		char **chunk = &chunks[(random >> 33) % BUSY_CHUNKS];
		size_t size = 32 + (random >> 20) % 480;
		free(*chunk);
		*chunk = malloc(size);
		memset(*chunk, 0, size);
		snprintf(*chunk, size, "job %" PRIu64 " of %p", number++, (void *)&chunks);
		atomic_store(count, number);
	}
	return NULL;
}

static void start_busy_threads(void)
{
	for (uintptr_t i = 0; i < BUSY_THREADS; i++) {
		pthread_t thread;
		target_check(-pthread_create(&thread, NULL, be_busy, (void *)i), "a thread");
	}
}

static void await_turn(void)
{
	uint64_t before[BUSY_THREADS];
	for (unsigned i = 0; i < BUSY_THREADS; i++)
		before[i] = atomic_load(&busy_counts[i]);
	for (unsigned i = 0; i < BUSY_THREADS; i++)
		while (atomic_load(&busy_counts[i]) - before[i] < TURN)
			sched_yield();
}

static int command(const char *line)
{
	unsigned count;

	if (sscanf(line, "leak %u", &count) == 1) {
		leak(count);
	} else if (sscanf(line, "churn %u", &count) == 1) {
		churn(count);
	} else if (strcmp(line, "busy") == 0) {
		start_busy_threads();
	} else if (strcmp(line, "turn") == 0) {
		await_turn();
	} else if (strcmp(line, "count") == 0) {
		for (unsigned i = 0; i < COUNTERS; i++)
			counters[i][1]++;
	} else {
		return 1;
	}
	return 0;
}

int main(void)
{
	target_begin();

	create("text", 1000, TEXT_SIZE, fill_text);
	create("zeros", 500, ZEROS_SIZE, fill_zeros);
	create("numbers", 300, NUMBERS_SIZE, fill_numbers);
	create("floats", 200, FLOATS_SIZE, fill_floats);
	create("pointers", 400, LIST_SIZE, fill_list);
	create("contents_descriptor", 100, STATIC_SIZE, fill_static);
	create("contents_callback", 120, FUNCTION_SIZE, fill_function);
	create("data", 150, DATA_SIZE, fill_data);
	create("inner", 80, INNER_SIZE, fill_inner);
	create_mixture();

	for (unsigned i = 0; i < COUNTERS; i++)
		counters[i] = calloc(1, COUNTER_SIZE);
	churn(CHURNED);
	target_ready();
	target_obey(command);
}
