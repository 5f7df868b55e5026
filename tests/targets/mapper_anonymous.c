/* SPDX-License-Identifier: MIT */
#include "mapper.h"
#include "support.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum { SMALL = 16 * PAGE };

/** Maps memory, fills it while it is writable, and then sets its permissions. */
static void with_perms(const char *name, size_t size, int prot, const char *note)
{
	char *memory = target_island(size, PROT_READ | PROT_WRITE, 0, 0);
	target_fill(memory, size, name);
	target_check(mprotect(memory, size, prot), name);
	target_region(name, memory, size, note);
}

static void by_permissions(void)
{
	with_perms("plain", SMALL, PROT_READ | PROT_WRITE, "kind=anon resident=65536");
	with_perms("read_only", SMALL, PROT_READ, "kind=anon resident=65536");
	with_perms("none_data", SMALL, PROT_NONE, "resident=65536");
	with_perms("write_only", SMALL, PROT_WRITE, "kind=anon resident=65536");
	with_perms("exec_only", SMALL, PROT_EXEC, "kind=jit resident=65536");
	with_perms("read_exec", SMALL, PROT_READ | PROT_EXEC, "kind=jit resident=65536");
}

/** Maps a code cache, of which most is untouched. */
static void jit(void)
{
	size_t size = 2496 * 1024;
	char *memory = target_island(size, PROT_READ | PROT_WRITE | PROT_EXEC, 0, 0);
	static const size_t touched[] = { 0, 1, 7, 100, 623 };
	for (size_t i = 0; i < sizeof touched / sizeof *touched; i++)
		sprintf(memory + touched[i] * PAGE, "jit page %zu", touched[i]);
	target_region("jit", memory, size, "kind=jit resident=20480");
}

static void untouched(void)
{
	char *memory = target_island(SMALL, PROT_READ | PROT_WRITE, 0, 0);
	target_region("untouched", memory, SMALL, "kind=anon resident=0");

	/* Pages that were only read show the kernel's zero page: present, but not resident. */
	memory = target_island(SMALL, PROT_READ | PROT_WRITE, 0, 0);

	char sum = 0;
	for (size_t i = 0; i < SMALL; i += PAGE)
		sum |= *(volatile char *)(memory + i);

	target_check(sum == 0 ? 0 : -1, "zero pages");
	target_region("zero_pages", memory, SMALL, "kind=anon resident=0");
}

static void reserves(void)
{
	size_t terabyte = (size_t)1 << 40;
	target_region("reserve_1t", target_island(terabyte, PROT_NONE, MAP_NORESERVE, 0), terabyte,
	              "kind=reserve resident=0");

	/* Like the heap of a runtime: a reserved range whose start is used. The rest is a region of
	 * its own. */
	size_t size = 48 * MEGABYTE, used = 3 * MEGABYTE;
	char *memory = target_island(size, PROT_NONE, MAP_NORESERVE, 0);

	target_check(mprotect(memory, used, PROT_READ | PROT_WRITE), "mprotect");
	target_fill(memory, used, "committed");
	target_region("committed", memory, used, "kind=anon resident=3145728");
	target_region("reserve_tail", memory + used, size - used, "kind=reserve resident=0");
}

/**
 * Maps memory that looks like an arena of malloc except for the content: aligned to 64 MiB,
 * read-write at the start, inaccessible up to the next 64 MiB.
 */
static void arena_lookalikes(void)
{
	size_t heap = 64 * MEGABYTE, used = 33 * PAGE;
	char *memory = target_island(heap, PROT_NONE, MAP_NORESERVE, 1);
	target_check(mprotect(memory, used, PROT_READ | PROT_WRITE), "mprotect");
	target_fill(memory, used, "aligned_plain");
	target_region("aligned_plain", memory, used, "kind=anon resident=135168");

	/* Has a header like heap_info {ar_ptr, prev, size, mprotect_size}, but with impossible
	 * sizes. */
	memory = target_island(heap, PROT_NONE, MAP_NORESERVE, 1);
	target_check(mprotect(memory, used, PROT_READ | PROT_WRITE), "mprotect");
	uint64_t *header = (uint64_t *)(void *)memory;
	header[0] = (uintptr_t)memory + 0x30;
	header[2] = heap;
	header[3] = used + PAGE;
	target_region("aligned_fake", memory, used, "kind=anon resident=4096");
}

/** Maps memory that is changed by madvise(2) and mlock(2). */
static void advised(void)
{
	char *memory = target_island(SMALL, PROT_READ | PROT_WRITE, 0, 0);
	target_fill(memory, SMALL, "lazyfree");
	target_check(madvise(memory, SMALL / 2, MADV_FREE), "MADV_FREE");
	target_region("lazyfree", memory, SMALL, "kind=anon resident=65536");

	memory = target_island(SMALL, PROT_READ | PROT_WRITE, 0, 0);
	target_fill(memory, SMALL, "dontdump");
	target_check(madvise(memory, SMALL, MADV_DONTDUMP), "MADV_DONTDUMP");
	target_region("dontdump", memory, SMALL, "kind=anon resident=65536");

	memory = target_island(SMALL, PROT_READ | PROT_WRITE, 0, 0);
	target_fill(memory, SMALL, "locked");
	if (mlock(memory, SMALL) == 0)
		target_region("locked", memory, SMALL, "kind=anon resident=65536");
	else
		mapper_unsupported("locked");
}

void mapper_anonymous(void)
{
	by_permissions();
	jit();
	untouched();
	reserves();
	arena_lookalikes();
	advised();
}
