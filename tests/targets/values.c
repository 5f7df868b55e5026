/* SPDX-License-Identifier: MIT */
/*
 * values: memory to examine value by value, and symbols that name it. Facts:
 *
 * - region values start-end: a page of numbers, text and pointers, with unmapped memory after it
 * - offset NAME decimal: the offset of a group of values in that region
 * - symbol NAME address: a function or variable; pointers to bytes after its start are at
 *   `offset pointers`
 */
#include "support.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int global_function(int value);
int global_function(int value)
{
	return value * 3 + 1;
}

static __attribute__((noinline)) int local_function(int value)
{
	return value * 5 + (int)getpid();
}

char global_data[64] = "initialised";
char global_zeroed[20000];
static char local_zeroed[100];
const char global_constant[32] = "constant";

static const struct symbol {
	const char *name;
	const void *address;
} symbols[] = {
	{ "global_function", (const void *)global_function },
	{ "local_function", (const void *)local_function },
	{ "global_data", global_data },
	{ "global_zeroed", global_zeroed },
	{ "local_zeroed", local_zeroed },
	{ "global_constant", global_constant },
	{ "strtol", (const void *)strtol },
	{ "environ", &environ },
};

enum { SYMBOLS = sizeof symbols / sizeof *symbols };

enum { INTEGERS = 0, FLOATS = 256, TEXTS = 512, POINTERS = 1024, UNTOUCHED = 4096, SIZE = 8192 };

static void fill(char *page)
{
	static const int64_t integers[] = { 0,  1,   -1, INT64_MIN, INT64_MAX, 0x0123456789abcdef,
		                            97, -128 };
	static const double doubles[] = { 0, 1, -2.5, 1e300, 3.141592653589793 };
	static const float floats[] = { 0.5f, -1e10f, 3.1415927f, 0 };
	static const char texts[] = "plain text\0with \"quotes\", a tab\t and a "
				    "newline\n\0\0\033[31m escape \177\0gr\303\266\303\237e\0";

	memcpy(page + INTEGERS, integers, sizeof integers);
	memcpy(page + FLOATS, doubles, sizeof doubles);
	memcpy(page + FLOATS + sizeof doubles, floats, sizeof floats);
	memcpy(page + TEXTS, texts, sizeof texts);

	for (size_t i = 0; i < SYMBOLS; i++)
		((uint64_t *)(page + POINTERS))[i] = (uint64_t)(uintptr_t)symbols[i].address +
		                                     i % 4;

	((uint64_t *)(page + POINTERS))[SYMBOLS] = (uint64_t)(uintptr_t)page + 16;
}

int main(void)
{
	target_begin();
	/* One more page is unmapped again, so that nothing follows. */
	char *page = mmap(NULL, SIZE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                  -1, 0);

	if (page == MAP_FAILED || munmap(page + SIZE, 4096) < 0)
		return 1;

	fill(page);
	printf("pid %d\n", (int)getpid());
	printf("region values %" PRIxPTR "-%" PRIxPTR "\n", (uintptr_t)page,
	       (uintptr_t)page + SIZE);
	printf("offset integers %d\noffset floats %d\noffset texts %d\noffset pointers %d\noffset "
	       "untouched %d\n",
	       INTEGERS, FLOATS, TEXTS, POINTERS, UNTOUCHED);

	for (size_t i = 0; i < SYMBOLS; i++)
		printf("symbol %s %" PRIxPTR "\n", symbols[i].name, (uintptr_t)symbols[i].address);

	local_zeroed[0] = (char)local_function(1);
	target_ready();
	target_obey(NULL);
}
