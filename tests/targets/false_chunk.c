/* SPDX-License-Identifier: MIT */
/*
 * false_chunk [MIB]: MIB MiB of memory of mmap(2), 1 if omitted. It starts like a chunk that malloc
 * has mapped. Only the first page is used. Facts:
 *
 * - `group false 1 SIZE`: this memory. Nothing points to it, but the program computes its address
 * - `group held 1 SIZE`: a chunk that only this memory points to
 * - `group lost 1 SIZE`: a chunk that nothing points to
 * - `example NAME ADDRESS`: the address of each of them
 */
#include "support.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MIB = 1 << 20, HELD = 1000, LOST = 2000, IS_MAPPED = 2 };

static void print_group(const char *name, size_t size, const void *chunk)
{
	printf("group %s 1 %zu\n", name, size);
	printf("example %s %" PRIxPTR "\n", name, (uintptr_t)chunk);
}

static void *make(size_t size, const char *name)
{
	void *made = calloc(1, size);
	target_check(made ? 0 : -1, "calloc");
	print_group(name, malloc_usable_size(made) + sizeof(size_t), made);
	return made;
}

static void __attribute__((noinline)) build(size_t size)
{
	uint64_t *memory = (void *)target_island(size, PROT_READ | PROT_WRITE, MAP_NORESERVE, 0);
	memory[1] = size | IS_MAPPED;
	print_group("false", size, memory + 2);

	void **held = (void **)(memory + 100);
	*held = make(HELD, "held");
	make(LOST, "lost");
}

/** Overwrites what the functions that have returned left on the stack. */
static void __attribute__((noinline)) clear_stack(void)
{
	volatile char bytes[32768];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = 0;
}

static int command(const char *line)
{
	(void)line;
	return 1;
}

int main(int argc, char **argv)
{
	target_begin();
	build((argc > 1 ? (size_t)target_number(argv[1]) : 1) * MIB);
	clear_stack();
	target_ready();
	target_obey(command);
}
