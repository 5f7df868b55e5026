/* SPDX-License-Identifier: MIT */
/*
 * A program with another copy of libc in a namespace of its own: second_libc CHUNKS
 *
 * Allocates CHUNKS chunks of 1000 bytes from malloc of the other libc, and one chunk from malloc of
 * its own. Prints `without another libc` if it cannot be loaded.
 */
#include "support.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *allocate(size_t size);

static int no_command(const char *line)
{
	(void)line;
	return 1;
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc != 2)
		return 2;

	void *library = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW | RTLD_LOCAL);
	allocate *other = NULL;
	if (library)
		*(void **)&other = dlsym(library, "malloc");
	if (!other)
		puts("without another libc");

	for (uint64_t i = 0; other && i < target_number(argv[1]); i++)
		*(volatile uint64_t *)other(1000) = i;
	*(volatile char *)malloc(100) = 1;

	target_ready();
	target_obey(no_command);
	return 0;
}
