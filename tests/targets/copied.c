/* SPDX-License-Identifier: MIT */
/*
 * copied [MIB]: memory of all sorts, to be copied. MIB is the size of the region `filled`, 16 if
 * omitted. Facts:
 *
 * - `region filled`: all pages are written, see target_fill()
 * - `region sparse`: only each tenth page is written
 * - `region readonly`: written, then made read-only
 * - `region shared`: shared anonymous memory, written
 * - `region zeros`: read, but not written
 * - `twins A B`: addresses of two numbers, in memory before and after `filled`. A thread
 *   increments both all the time, A first, so that A - B is 0 or 1 at each moment
 *
 * Commands:
 *
 * - grow [MIB]: maps and fills MIB MiB, 8 if omitted (`grown START-END`), and extends the brk heap
 *   by 1 MiB (`heap START-END`)
 * - reserve: maps 1 TiB that is not touched
 * - ping: does nothing
 */
#include "support.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { SPARSE_PAGES = 1000, SPARSE_STEP = 10, PAGE = 4096, MIB = 1 << 20 };

static volatile uint64_t *twin[2];

static void *count(void *unused)
{
	prctl(PR_SET_NAME, "twins");
	for (;;) {
		++*twin[0];
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		++*twin[1];
	}
	return unused;
}

static void print_range(const char *name, const char *start, size_t size)
{
	printf("%s %" PRIxPTR "-%" PRIxPTR "\n", name, (uintptr_t)start, (uintptr_t)start + size);
}

static int command(const char *line)
{
	if (strcmp(line, "ping") == 0)
		return 0;
	if (strcmp(line, "reserve") == 0) {
		target_island((size_t)MIB * MIB, PROT_READ | PROT_WRITE, MAP_NORESERVE, 0);
		return 0;
	}
	if (strncmp(line, "grow", 4) != 0)
		return 1;

	size_t size = (line[4] ? (size_t)target_number(line + 5) : 8) * MIB;
	char *mapped = target_island(size, PROT_READ | PROT_WRITE, 0, 0);
	target_fill(mapped, size, "grown");
	char *heap = sbrk(MIB);
	uintptr_t page = (uintptr_t)heap & ~(uintptr_t)(PAGE - 1);
	heap = (char *)page + PAGE;
	target_fill(heap, MIB - PAGE, "heap");
	print_range("heap", heap, MIB - PAGE);
	print_range("grown", mapped, size);
	return 0;
}

int main(int argc, char **argv)
{
	size_t filled = (argc > 1 ? (size_t)target_number(argv[1]) : 16) * MIB;
	pthread_t thread;
	unsigned sum = 0;
	target_begin();

	char *first = target_island(PAGE, PROT_READ | PROT_WRITE, 0, 0);
	target_pages("filled", filled);
	char *last = target_island(PAGE, PROT_READ | PROT_WRITE, 0, 0);
	twin[0] = (uint64_t *)(void *)(first < last ? last : first);
	twin[1] = (uint64_t *)(void *)(first < last ? first : last);
	printf("twins %" PRIxPTR " %" PRIxPTR "\n", (uintptr_t)twin[0], (uintptr_t)twin[1]);

	char *sparse = target_island(SPARSE_PAGES * PAGE, PROT_READ | PROT_WRITE, 0, 0);
	madvise(sparse, SPARSE_PAGES * PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < SPARSE_PAGES; i += SPARSE_STEP)
		snprintf(sparse + i * PAGE, PAGE, "sparse page %zu", i);
	target_region("sparse", sparse, SPARSE_PAGES * PAGE, "");

	char *readonly = target_pages("readonly", MIB);
	target_check(mprotect(readonly, MIB, PROT_READ), "mprotect");

	char *shared = mmap(target_island_address(MIB, 0), MIB, PROT_READ | PROT_WRITE,
	                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	target_check(shared == MAP_FAILED ? -1 : 0, "mmap");
	target_fill(shared, MIB, "shared");
	target_region("shared", shared, MIB, "");

	char *zeros = target_island(MIB, PROT_READ | PROT_WRITE, 0, 0);
	madvise(zeros, MIB, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < MIB; i += PAGE)
		sum += (unsigned char)*(volatile char *)(zeros + i);
	target_region("zeros", zeros, MIB, "");

	target_check(-pthread_create(&thread, NULL, count, NULL), "pthread_create");
	while (*twin[1] == 0)
		sched_yield();
	target_ready();
	target_obey(command);
	return (int)sum;
}
