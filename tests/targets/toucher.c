/* SPDX-License-Identifier: MIT */
/*
 * toucher MEGABYTES [plain|huge|locked|pinned|shared|aliased|file FILE]: maps memory, writes to all
 * of it, and touches the part of it that a command says:
 *
 *   touch PERCENT    reads a byte of each of the first pages: PERCENT of those of the start
 *   grow MEGABYTES   makes the region longer, and writes to the new pages
 *   drop MEGABYTES   releases the last pages that the region had at the start
 *   exec             replaces the program by itself, with one megabyte
 *
 * The pages are small ones, except with `huge`. `locked` locks them by mlock(2); `pinned` registers
 * them with io_uring, unless the kernel refuses this; `shared` maps shared memory; `aliased` maps
 * the same shared memory 100 times more, all of which is resident; `file` maps a new file.
 */
#include "support.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* Room for `grow`: the region is followed by this many inaccessible bytes. */
static const size_t reserve = (size_t)1 << 30;

static char *memory;
static size_t size;  /* bytes at the start */
static size_t grown; /* bytes that `grow` has added */

static void touch(uint64_t percent)
{
	size_t pages = size / PAGE * percent / 100;

	for (size_t i = 0; i < pages; i++)
		(void)*(volatile char *)(memory + i * PAGE);
}

static void grow(size_t more)
{
	char *end = memory + size + grown;

	target_check(mprotect(end, more, PROT_READ | PROT_WRITE), "mprotect");
	memset(end, 1, more);
	grown += more;
}

static void drop(size_t less)
{
	target_check(madvise(memory + size - less, less, MADV_DONTNEED), "madvise");
}

static int command(const char *line)
{
	if (strncmp(line, "touch ", 6) == 0)
		touch(target_number(line + 6));
	else if (strncmp(line, "grow ", 5) == 0)
		grow(target_number(line + 5) << 20);
	else if (strncmp(line, "drop ", 5) == 0)
		drop(target_number(line + 5) << 20);
	else if (strcmp(line, "exec") == 0)
		target_check(execl("/proc/self/exe", "toucher", "1", (char *)NULL), "execl");
	else
		return 1;

	return 0;
}

/** Maps the memory again, so that the resident memory grows without new pages. */
static void alias(void)
{
	for (int i = 0; i < 100; i++) {
		void *again = mremap(memory, 0, size, MREMAP_MAYMOVE);
		target_check(again == MAP_FAILED ? -1 : 0, "mremap");
		target_check(madvise(again, size, MADV_POPULATE_READ), "madvise");
	}
}

/** Registers the memory with io_uring. A container can refuse this: VmPin is 0 then. */
static void pin(void)
{
	struct io_uring_params params = { 0 };
	struct iovec all = { memory, size };
	long ring = syscall(SYS_io_uring_setup, 1, &params);

	if (ring >= 0)
		(void)syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &all, 1);
}

static int create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	target_check(fd, "open");
	target_check(ftruncate(fd, (off_t)(size + reserve)), "ftruncate");
	return fd;
}

static void map(const char *way, const char *path)
{
	int aliased = strcmp(way, "aliased") == 0;
	int shared = aliased || path || strcmp(way, "shared") == 0;
	int flags = shared ? MAP_SHARED : MAP_PRIVATE;
	int advice = strcmp(way, "huge") == 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
	int fd = -1;

	if (path)
		fd = create(path);
	else
		flags |= MAP_ANONYMOUS;

	memory = target_map_at_island(size + reserve, PROT_NONE, flags | MAP_NORESERVE, fd, 0, 1);
	target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
	target_check(madvise(memory, size + reserve, advice), "madvise");
	target_check(mprotect(memory, size, PROT_READ | PROT_WRITE), "mprotect");
	target_fill(memory, size, "memory");
	if (strcmp(way, "locked") == 0)
		target_check(mlock(memory, size), "mlock");
	if (strcmp(way, "pinned") == 0)
		pin();
	if (aliased)
		alias();
}

int main(int argc, char **argv)
{
	target_begin();
	size = target_number(argc > 1 ? argv[1] : "1") << 20;
	map(argc > 2 ? argv[2] : "plain", argc > 3 ? argv[3] : NULL);
	target_region("memory", memory, size, "");
	target_ready();
	target_obey(command);
}
