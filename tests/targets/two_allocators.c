/* SPDX-License-Identifier: MIT */
/*
 * A program that uses jemalloc besides malloc of glibc: two_allocators JEMALLOC MALLOC
 *
 * Allocates JEMALLOC chunks of 1000 bytes from jemalloc, and MALLOC chunks of 100 bytes from
 * malloc. Run it with GLIBC_TUNABLES=glibc.rtld.optional_static_tls=20000, which dlopen(3) of
 * jemalloc needs. Prints `without jemalloc` if the library cannot be loaded.
 */
#include "support.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *allocate(size_t size, int flags);

static int no_command(const char *line)
{
	(void)line;
	return 1;
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc != 3)
		return 2;

	void *library = dlopen("libjemalloc.so.2", RTLD_NOW | RTLD_LOCAL);
	allocate *mallocx = NULL;
	if (library)
		*(void **)&mallocx = dlsym(library, "mallocx");
	if (!mallocx)
		puts("without jemalloc");

	for (uint64_t i = 0; mallocx && i < target_number(argv[1]); i++)
		*(volatile uint64_t *)mallocx(1000, 0) = i;
	for (uint64_t i = 0; i < target_number(argv[2]); i++)
		*(volatile uint64_t *)malloc(100) = i;

	target_ready();
	target_obey(no_command);
	return 0;
}
