/* SPDX-License-Identifier: MIT */
/*
 * Texts in chunks of malloc in all states: remains
 *
 * Prints `at STATE NUMBER ADDRESS SIZE` for each text, which is "STATE number NUMBER of remains".
 * ADDRESS is that of the text, and SIZE what malloc_usable_size(3) has returned for its chunk.
 * STATE says where the text is:
 * - `live`: in a chunk in use
 * - `mapped`: in a chunk in use that was mapped separately. It also has 200,000 times the letter m
 * - `cached`: in a freed chunk: the first seven are in the tcache, the others in a bin
 * - `fast`: in a freed chunk: the first seven are in the tcache, the others in a fastbin
 * - `free`: in a freed chunk in a bin
 * - `top`: in the top chunk
 * - `outside`: in a static array
 *
 * `pair NUMBER ADDRESS SIZE` is a chunk in use; the chunk above it is `free NUMBER`. Pair 20 starts
 * with "begin" and ends with "border". Pair 21 has 200,000 bytes, starts with "LONG" and ends with
 * "end". `links ADDRESS NEXT` is a chunk in the tcache, and the chunk to which it points.
 *
 * Chunks in use end with the texts "<in use, to the end>", "large" in UTF-16 (little-endian) and
 * "äöü" in UTF-8. A freed chunk ends with "<freed, to the end>".
 *
 * Command `damage`: writes into the header of `live 5`.
 */
#include "support.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	TEXTS = 20,
	SMALL = 72,
	LARGE = 2000,
	LONG = 200000,
	FULL = 200,
	MAPPED = 2000000,
	START = 32, /* offset of the texts: what malloc writes into freed chunks is before it */
};

static char outside[TEXTS][SMALL];
static char *live[TEXTS];
static size_t sizes[TEXTS];

/** The bytes and the size of a text. */
#define TEXT(text) (text), sizeof(text) - 1

/** Writes a text, and prints where it is. */
static void put(const char *state, unsigned number, char *text, size_t size)
{
	sprintf(text, "%s number %u of remains", state, number);
	printf("at %s %u %" PRIxPTR " %zu\n", state, number, (uintptr_t)text, size);
}

/** Allocates chunks with texts. After each of them, a chunk remains in use. */
static void allocate(const char *state, size_t size, char **chunks)
{
	for (unsigned i = 0; i < TEXTS; i++) {
		chunks[i] = calloc(1, size);
		target_check(chunks[i] && calloc(1, 40) ? 0 : -1, "calloc");
		sizes[i] = malloc_usable_size(chunks[i]);
		put(state, i, chunks[i] + START, sizes[i]);
	}
}

static void release(char **chunks)
{
	for (unsigned i = 0; i < TEXTS; i++)
		free(chunks[i]);
}

/**
 * Creates a chunk in use that starts with one text and ends with another one, and a chunk above it.
 * @return  the chunk above it
 */
static char *create_pair(unsigned number, size_t size, const char *first, const char *last)
{
	char *used = calloc(1, size), *above = calloc(1, LARGE);
	target_check(used && above && calloc(1, 40) ? 0 : -1, "calloc");

	memset(used, '.', size);
	memcpy(used, first, strlen(first));
	size = malloc_usable_size(used);
	memcpy(used + size - strlen(last), last, strlen(last));
	put("free", number, above + START, malloc_usable_size(above));
	printf("pair %u %" PRIxPTR " %zu\n", number, (uintptr_t)used, size);
	return above;
}

/**
 * Creates a chunk whose last bytes are a text. A chunk of 48 bytes in use follows: its size in the
 * header, with a flag, is 0x31, the character 1.
 * @return  the chunk
 */
static char *create_full(const char *text, size_t size)
{
	char *chunk = calloc(1, FULL);
	target_check(chunk && calloc(1, 40) ? 0 : -1, "calloc");

	memcpy(chunk + malloc_usable_size(chunk) - size, text, size);
	return chunk;
}

static int damage(const char *line)
{
	if (strcmp(line, "damage") != 0)
		return 1;
	memset(live[5] - sizeof(size_t), 'A', sizeof(size_t));
	return 0;
}

int main(void)
{
	static char *cached[TEXTS], *fast[TEXTS], *freed[TEXTS];

	target_begin();
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	/* stdout allocates its buffer now. */
	printf("texts %d\n", TEXTS);

	allocate("live", SMALL, live);
	allocate("cached", 150, cached);
	allocate("fast", 88, fast);
	allocate("free", LARGE, freed);
	char *above = create_pair(TEXTS, LARGE, "begin", "border");
	char *far_above = create_pair(TEXTS + 1, LONG, "LONG", "end");
	char *full_freed = create_full(TEXT("<freed, to the end>"));
	create_full(TEXT("<in use, to the end>"));
	create_full(TEXT("l\0a\0r\0g\0e\0"));
	create_full(TEXT("\xc3\xa4\xc3\xb6\xc3\xbc"));
	for (unsigned i = 0; i < TEXTS; i++)
		put("outside", i, outside[i], SMALL);

	char *mapped = calloc(1, MAPPED), *last = malloc(100 * 1024);
	target_check(mapped && last ? 0 : -1, "malloc");
	memset(mapped + 1000, 'm', LONG);
	put("mapped", 0, mapped + START, malloc_usable_size(mapped));
	put("top", 0, last + 50 * 1024, malloc_usable_size(last));
	printf("links %" PRIxPTR " %" PRIxPTR "\n", (uintptr_t)cached[1], (uintptr_t)cached[0]);

	/* Nothing is allocated from here on. The last chunk of the heap becomes a part of top. Of
	 * the chunks of a size, seven are in the tcache, and the rest in fastbins or bins. */
	free(last);
	free(full_freed);
	free(above);
	free(far_above);
	release(freed);
	release(fast);
	release(cached);

	target_ready();
	target_obey(damage);
}
