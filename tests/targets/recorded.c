/* SPDX-License-Identifier: MIT */
/*
 * recorded FILE: writes each system call that changes its memory to the log in FILE, which is
 * mapped (see recorded.h). Commands:
 *
 *     map      does calls of all kinds
 *     touch    uses memory from before
 *     blocks   touches a huge page and a file
 *     release  releases memory from before
 *     busy     maps 20,000 pages in 0.2 seconds
 *     lose     does calls that are not in the log
 *     exec     becomes sleep(1)
 */
#include "recorded.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

enum { PAGE = 4096, BY_NOBODY = 0 };

static struct recorded_log *log_of_calls;
static char *pool;    /* memory of pages */
static char *huge;    /* a huge page */
static char *file;    /* a file */
static char *segment; /* shared memory */

static uint64_t nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void add_event(enum recorded_kind kind, uint32_t stack, const uint64_t *arguments,
                      size_t count, uint64_t result)
{
	size_t index = atomic_load(&log_of_calls->count);
	struct recorded_call *call = &log_of_calls->calls[index];

	target_check(index < RECORDED_MAX ? 0 : -1, "log");
	*call = (struct recorded_call){ .kind = kind, .stack = stack, .result = result };
	call->time = nanoseconds();
	memcpy(call->arguments, arguments, count * sizeof *arguments);
	atomic_store(&log_of_calls->count, index + 1);
}

/** Writes into the first pages of a range. */
static void touch(char *memory, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		((volatile char *)memory)[i * PAGE] = 1;
}

static char *map(uint32_t stack, size_t pages, int protection)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	char *memory = mmap(NULL, pages * PAGE, protection, flags, -1, 0);

	target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
	/* Huge pages would make more pages resident than are touched. */
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	const uint64_t arguments[] = { 0, pages * PAGE, (uint64_t)protection, (uint64_t)flags };
	if (stack != BY_NOBODY)
		add_event(RECORDED_MMAP, stack, arguments, 4, (uint64_t)memory);
	return memory;
}

static void unmap(char *memory, size_t pages)
{
	const uint64_t arguments[] = { (uint64_t)memory, pages * PAGE };

	add_event(RECORDED_MUNMAP_BEGIN, 0, arguments, 2, 0);
	munmap(memory, pages * PAGE);
}

static void grow(size_t steps)
{
	char *memory = map(BY_MMAP, 1, PROT_READ | PROT_WRITE);

	for (size_t size = 1; size <= steps; size++) {
		const uint64_t arguments[] = { (uint64_t)memory, size * PAGE, (size + 1) * PAGE,
			                       MREMAP_MAYMOVE };

		add_event(RECORDED_MREMAP_BEGIN, 0, arguments, 4, 0);
		memory = mremap(memory, size * PAGE, (size + 1) * PAGE, MREMAP_MAYMOVE);
		add_event(RECORDED_MREMAP, BY_GROWTH, arguments, 4, (uint64_t)memory);
	}
	touch(memory, steps + 1);
}

static void commit(void)
{
	char *memory = map(BY_RESERVE, 1024, PROT_NONE);
	const uint64_t arguments[] = { (uint64_t)memory, (uint64_t)50 * PAGE,
		                       PROT_READ | PROT_WRITE };

	mprotect(memory, (size_t)50 * PAGE, PROT_READ | PROT_WRITE);
	add_event(RECORDED_MPROTECT, BY_COMMIT, arguments, 3, 0);
	touch(memory, 20);
}

static void extend_heap(void)
{
	uint64_t old = (uint64_t)syscall(SYS_brk, 0);
	uint64_t new = (uint64_t)syscall(SYS_brk, old + (uint64_t)40 * PAGE);
	const uint64_t arguments[] = { old + (uint64_t)40 * PAGE };

	add_event(RECORDED_BRK, BY_BRK, arguments, 1, new);
	touch((char *)((old + PAGE - 1) & ~(uint64_t)(PAGE - 1)), 40);
}

static void attach_segments(void)
{
	int id = shmget(IPC_PRIVATE, (size_t)16 * PAGE, 0600);
	const uint64_t arguments[] = { (uint64_t)id };
	char *first = shmat(id, NULL, 0), *second = shmat(id, NULL, 0);

	shmctl(id, IPC_RMID, NULL);
	add_event(RECORDED_SHMAT, BY_SHMAT, arguments, 1, (uint64_t)first);
	add_event(RECORDED_SHMAT, BY_SHMAT, arguments, 1, (uint64_t)second);
	touch(first, 5);

	const uint64_t detached[] = { (uint64_t)second };
	add_event(RECORDED_SHMDT_BEGIN, 0, detached, 1, 0);
	shmdt(second);
}

static void map_memory(void)
{
	char *memory = map(BY_MMAP, 64, PROT_READ | PROT_WRITE);

	touch(memory, 30);
	unmap(memory, 10);
	unmap(map(BY_MMAP, 100, PROT_READ), 100);

	grow(300);
	commit();
	extend_heap();
	attach_segments();
}

static void touch_pool(void)
{
	for (size_t i = 0; i < 80; i++) {
		const uint64_t arguments[] = { (uint64_t)(pool + i * PAGE + 5) };
		uint32_t stack = i < 50 ? BY_TOUCH : BY_OTHER_TOUCH;

		touch(pool + i * PAGE, 1);
		/* The first ten pages are present already. */
		if (i >= 10)
			add_event(RECORDED_FAULT, stack, arguments, 1, 0);
	}

	const uint64_t arguments[] = { (uint64_t)(pool + (size_t)20 * PAGE), (uint64_t)5 * PAGE,
		                       MADV_DONTNEED };
	madvise(pool + (size_t)20 * PAGE, (size_t)5 * PAGE, MADV_DONTNEED);
	add_event(RECORDED_MADVISE, BY_TOUCH, arguments, 3, 0);
}

/** Touches one page each. The kernel makes further pages present in the same page fault. */
static void touch_blocks(void)
{
	const uint64_t in_huge[] = { (uint64_t)(huge + (size_t)9 * PAGE) };
	const uint64_t in_file[] = { (uint64_t)(file + (size_t)20 * PAGE) };

	touch(huge + (size_t)9 * PAGE, 1);
	add_event(RECORDED_FAULT, BY_TOUCH, in_huge, 1, 0);
	(void)((volatile char *)file)[(size_t)20 * PAGE];
	add_event(RECORDED_FAULT, BY_OTHER_TOUCH, in_file, 1, 0);
}

static void release_memory(void)
{
	const uint64_t detached[] = { (uint64_t)segment };

	unmap(pool, 5);
	add_event(RECORDED_SHMDT_BEGIN, 0, detached, 1, 0);
	shmdt(segment);
}

/** Maps a page every 10 microseconds. Sleeping is not that precise. */
static void keep_busy(void)
{
	for (size_t i = 0; i < 20000; i++) {
		uint64_t start = nanoseconds();

		map(BY_MMAP, 1, PROT_READ | PROT_WRITE);
		while (nanoseconds() - start < 10000)
			;
	}
}

/** Maps 50 pages, and unmaps 30 of the pages of BY_MMAP, without events. */
static void lose_events(void)
{
	const uint64_t arguments[] = { 2 };
	char *known = map(BY_MMAP, 30, PROT_READ | PROT_WRITE);
	char *memory = map(BY_NOBODY, 50, PROT_READ | PROT_WRITE | PROT_EXEC);

	touch(memory, 50);
	munmap(known, (size_t)30 * PAGE);
	add_event(RECORDED_LOST, 0, arguments, 1, 0);
}

static void replace_program(void)
{
	const uint64_t none[1] = { 0 };

	add_event(RECORDED_EXEC, 0, none, 1, 0);
	execlp("sleep", "sleep", "1000", (char *)NULL);
	target_check(-1, "exec");
}

static int obey(const char *line)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} commands[] = {
		{ "map", map_memory },         { "touch", touch_pool }, { "blocks", touch_blocks },
		{ "release", release_memory }, { "busy", keep_busy },   { "lose", lose_events },
		{ "exec", replace_program },
	};

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		if (strcmp(line, commands[i].name) != 0)
			continue;
		commands[i].run();
		return 0;
	}

	return 1;
}

/** Maps what is there before the trace. */
static void map_before(void)
{
	const size_t size = (size_t)2 << 20, file_size = (size_t)64 * PAGE;
	static const char content[PAGE] = "page";
	int fd = (int)target_check(memfd_create("pages", 0), "memfd_create");
	int id = (int)target_check(shmget(IPC_PRIVATE, (size_t)8 * PAGE, 0600), "shmget");

	pool = map(BY_NOBODY, 200, PROT_READ | PROT_WRITE);
	touch(pool, 10);

	char *memory = target_map(2 * size, PROT_READ | PROT_WRITE, 0);
	huge = (char *)(((uintptr_t)memory + size - 1) & ~(uintptr_t)(size - 1));
	madvise(memory, 2 * size, MADV_HUGEPAGE);

	for (size_t i = 0; i < 64; i++)
		target_check(write(fd, content, PAGE), "write");
	file = mmap(NULL, file_size, PROT_READ, MAP_PRIVATE, fd, 0);
	target_check(file == MAP_FAILED ? -1 : 0, "mmap");

	segment = shmat(id, NULL, 0);
	shmctl(id, IPC_RMID, NULL);
	touch(segment, 3);

	target_region("huge", huge, size, "");
	target_region("file", file, file_size, "");
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc != 2) {
		fputs("usage: recorded FILE\n", stderr);
		return 2;
	}

	int fd = (int)target_check(open(argv[1], O_RDWR), argv[1]);
	log_of_calls = mmap(NULL, sizeof *log_of_calls, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	target_check(log_of_calls == MAP_FAILED ? -1 : 0, "mmap");
	map_before();

	/* malloc extends the heap now instead of later, when it would be missing in the log. */
	free(malloc(1000));
	target_ready();
	target_obey(obey);
}
