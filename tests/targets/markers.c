/* SPDX-License-Identifier: MIT */
/*
 * markers: texts at addresses where reading is difficult. Each line `marker REGION ADDRESS TEXT` is
 * one of them. Those with `file_marker` are not in memory, but in the file (or shared object) that
 * is mapped there and was not touched. `unsupported NAME: reason` means that this kernel does not
 * permit the mapping. The command `exec` executes the program again; `leave` ends the first thread
 * and keeps another. The argument `small` omits the terabyte; with `guards` there are only pages of
 * which every second is a guard page.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MADV_GUARD_INSTALL 102 /* Linux 6.13; newer than the headers of Debian 12 */

enum { PAGE = 4096, MEGABYTE = 1024 * 1024, SMALL = 4 * PAGE, TEXT = 40, SCATTERED = 1000 };

/** Writes the text of the next marker: unique, TEXT bytes, without NUL. */
static void next_text(const char *region, char *text)
{
	static unsigned number;
	int length = snprintf(text, TEXT + 1, "<%s %u>", region, number++);
	memset(text + length, '#', (size_t)(TEXT - length));
	text[TEXT] = '\0';

	for (char *at = text; *at; at++)
		if (*at == ' ')
			*at = '_';
}

static void mark(const char *region, char *at)
{
	char text[TEXT + 1];
	next_text(region, text);
	memcpy(at, text, TEXT);
	printf("marker %s %" PRIxPTR " %s\n", region, (uintptr_t)at, text);
}

/** Marks the start and the end, the first page boundaries, and the boundaries of megabytes. */
static void mark_all(const char *region, char *memory, size_t size)
{
	mark(region, memory);
	for (size_t i = 1; i < 3 && (i + 1) * PAGE <= size; i++)
		mark(region, memory + i * PAGE - TEXT / 2);

	for (size_t at = MEGABYTE; at < size; at += MEGABYTE)
		mark(region, memory + at - 1);

	mark(region, memory + size - TEXT);
	target_region(region, memory, size, "");
}

static char *island(size_t size, int flags)
{
	return target_island(size, PROT_READ | PROT_WRITE, flags, 0);
}

static void *map_file(int fd, size_t size, int flags)
{
	void *memory = mmap(target_island_address(size, 0), size, PROT_READ | PROT_WRITE,
	                    flags | MAP_FIXED_NOREPLACE, fd, 0);
	target_check(memory == MAP_FAILED ? -1 : 0, "mmap");
	return memory;
}

/** A file of this many bytes. */
static int make_file(const char *directory, const char *name, off_t size, char *path,
                     size_t path_size)
{
	snprintf(path, path_size, "%s/%s", directory, name);
	int fd = (int)target_check(open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), path);
	target_check(ftruncate(fd, size), path);
	return fd;
}

static void by_permissions(void)
{
	static const struct {
		const char *name;
		int prot;
	} cases[] = { { "none", PROT_NONE },
		      { "write_only", PROT_WRITE },
		      { "exec_only", PROT_EXEC },
		      { "read_only", PROT_READ } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *memory = island(SMALL, 0);
		mark_all(cases[i].name, memory, SMALL);
		target_check(mprotect(memory, SMALL, cases[i].prot), "mprotect");
	}
}

/**
 * Maps three adjacent regions with markers across their boundaries. The middle one has no read
 * permission.
 */
static void across_regions(void)
{
	char *memory = island(3 * SMALL, 0);
	mark("border", memory + SMALL - TEXT / 2);
	mark("border", memory + 2 * SMALL - 1);
	target_region("border", memory, (size_t)3 * SMALL, "");
	target_check(mprotect(memory + SMALL, SMALL, PROT_NONE), "mprotect");
}

/** Maps pages of 2 MiB: transparent ones, and those of the pool, which is usually empty. */
static void huge_pages(void)
{
	const size_t size = (size_t)4 * MEGABYTE;
	char *memory = target_island(size, PROT_READ | PROT_WRITE, 0, 1);
	if (madvise(memory, size, MADV_HUGEPAGE) < 0)
		printf("unsupported transparent: %s\n", strerror(errno));
	mark_all("transparent", memory, size);

	memory = target_map_at_island(size, PROT_READ | PROT_WRITE,
	                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0, 1);
	if (memory == MAP_FAILED)
		printf("unsupported hugetlb: %s\n", strerror(errno));
	else
		mark_all("hugetlb", memory, size);
}

static void anonymous(void)
{
	mark_all("plain", island(5 * MEGABYTE / 2, 0), 5 * MEGABYTE / 2);
	by_permissions();
	across_regions();
	huge_pages();

	char *stack = island(SMALL, MAP_GROWSDOWN);
	mark("growsdown", stack + SMALL - TEXT);
	/* The kernel extends it when the page below is touched. */
	mark("growsdown", stack - TEXT / 2);
	target_region("growsdown", stack - PAGE, SMALL + PAGE, "");
}

static void reserve(void)
{
	const size_t terabyte = (size_t)1 << 40;
	char *memory = island(terabyte, MAP_NORESERVE);
	for (size_t i = 0; i < SCATTERED; i++)
		mark("reserve", memory + i * (terabyte / SCATTERED / PAGE * PAGE) + 17);
	target_region("reserve", memory, terabyte, "");
}

static void shared(void)
{
	int fd = (int)target_check(memfd_create("markers", MFD_CLOEXEC), "memfd_create");
	target_check(ftruncate(fd, SMALL), "ftruncate");
	mark_all("memfd", map_file(fd, SMALL, MAP_SHARED), SMALL);

	int id = (int)target_check(shmget(IPC_PRIVATE, SMALL, IPC_CREAT | 0600), "shmget");
	char *memory = shmat(id, target_island_address(SMALL, 0), 0);
	/* Removed immediately: it is destroyed with the last process that uses it. */
	target_check(shmctl(id, IPC_RMID, NULL), "shmctl");
	target_check(memory == (char *)-1 ? -1 : 0, "shmat");
	mark_all("sysv", memory, SMALL);
}

/** Maps a file with one marker, which this process never touches in memory. */
static void untouched(const char *region, int fd, int flags)
{
	char text[TEXT + 1];
	next_text(region, text);
	target_check(ftruncate(fd, SMALL), region);
	target_check(pwrite(fd, text, TEXT, PAGE - TEXT / 2), region);

	char *memory = map_file(fd, SMALL, flags);
	target_check(madvise(memory, SMALL, MADV_RANDOM), "madvise");
	printf("file_marker %s %" PRIxPTR " %s\n", region, (uintptr_t)memory + PAGE - TEXT / 2,
	       text);
	target_region(region, memory, SMALL, "");
}

static void files(void)
{
	char path[4096];
	const char *directory = target_scratch();
	int fd = make_file(directory, "deleted", SMALL, path, sizeof path);
	mark_all("deleted", map_file(fd, SMALL, MAP_SHARED), SMALL);
	target_check(unlink(path), path);

	fd = make_file(directory, "copied", SMALL, path, sizeof path);
	mark_all("copied", map_file(fd, SMALL, MAP_PRIVATE), SMALL);

	/* A mapping of four pages of a file of one and a half: touching the last two is SIGBUS. */
	fd = make_file(directory, "short", 3 * PAGE / 2, path, sizeof path);
	char *memory = map_file(fd, SMALL, MAP_SHARED);
	mark("short", memory + PAGE - TEXT / 2);
	mark("short", memory + 3 * PAGE / 2 - TEXT);
	target_region("short", memory, SMALL, "");

	untouched("untouched_file", make_file(directory, "untouched", 0, path, sizeof path),
	          MAP_PRIVATE);
	fd = make_file(directory, "unlinked", 0, path, sizeof path);
	target_check(unlink(path), path);
	untouched("untouched_deleted", fd, MAP_PRIVATE);
	untouched("untouched_memfd", memfd_create("untouched", MFD_CLOEXEC), MAP_SHARED);
}

static void guard_pages(void)
{
	char *memory = island(4 * SMALL, 0);
	mark("guarded", memory + 2 * PAGE - TEXT);
	mark("guarded", memory + 3 * PAGE);
	if (madvise(memory + 2 * PAGE, PAGE, MADV_GUARD_INSTALL) < 0)
		printf("unsupported guarded: %s\n", strerror(errno));
	target_region("guarded", memory, (size_t)4 * SMALL, "");
	target_region("guard", memory + 2 * PAGE, PAGE, "");
}

/** Creates more memory ranges than a core file can count in 16 bits. */
static void every_second_page(void)
{
	const size_t pages = 70000;
	char *memory = island(pages * PAGE, 0);
	for (size_t i = 1; i < pages; i += 2) {
		if (madvise(memory + i * PAGE, PAGE, MADV_GUARD_INSTALL) < 0) {
			printf("unsupported guards: %s\n", strerror(errno));
			break;
		}
	}

	mark("guards", memory + (pages - 2) * PAGE);
	target_region("guards", memory, pages * PAGE, "");
	target_ready();
	target_obey(NULL);
}

/**
 * Maps a range whose page faults are not handled: a process that reads its second page with
 * process_vm_readv(2) waits forever.
 */
static void user_fault(void)
{
	/* Kept open: closing it would end the registration. */
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	struct uffdio_api api = { .api = UFFD_API };
	char *memory = island(SMALL, 0);
	struct uffdio_register range = { .range = { (uintptr_t)memory, SMALL },
		                         .mode = UFFDIO_REGISTER_MODE_MISSING };

	mark("uffd", memory + PAGE - TEXT);
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &range) < 0)
		printf("unsupported uffd: %s\n", strerror(errno));
	target_region("uffd", memory, SMALL, "");
}

static void *obey_in_thread(void *unused)
{
	(void)unused;
	printf("done leave\n");
	target_obey(NULL);
	return NULL;
}

static int obey(const char *line)
{
	static char *const idle[] = { (char *)"markers", (char *)"idle", NULL };
	if (strcmp(line, "exec") == 0) {
		execv("/proc/self/exe", idle);
		return 1;
	}

	if (strcmp(line, "leave") == 0) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, obey_in_thread, NULL) != 0)
			return 1;
		pthread_exit(NULL);
	}

	return 1;
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc == 2 && strcmp(argv[1], "idle") == 0) {
		puts("idle");
		target_obey(NULL);
	}

	if (argc == 2 && strcmp(argv[1], "guards") == 0)
		every_second_page();
	anonymous();
	if (argc < 2 || strcmp(argv[1], "small") != 0)
		reserve();
	shared();
	files();
	guard_pages();

	user_fault();
	target_ready();
	target_obey(obey);
}
