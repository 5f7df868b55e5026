/* SPDX-License-Identifier: MIT */
#include "mapper.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than the headers of Debian 12. */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif
#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE 0x08 /* Linux 6.11; a type of mapping like MAP_SHARED */
#endif
#ifndef SYS_mseal
#define SYS_mseal 462 /* Linux 6.10 */
#endif

enum { SMALL = 16 * PAGE, HUGE_PAGE = 2 * MEGABYTE };

/** Maps 32 pages; the third quarter consists of guard pages, which maps does not show. */
static void guard_pages(void)
{
	size_t size = 32 * PAGE, begin = 16 * PAGE, guard = 8 * PAGE;
	char *memory = target_island(size, PROT_READ | PROT_WRITE, 0, 0);
	target_fill(memory, size, "guarded");
	if (madvise(memory + begin, guard, MADV_GUARD_INSTALL) < 0) {
		mapper_unsupported("guarded");
		return;
	}

	target_region("guarded", memory, size, "kind=anon resident=98304");
	target_region("guard_pages", memory + begin, guard, "part of guarded");
}

static void huge_pages(void)
{
	void *memory = target_map_at_island(HUGE_PAGE, PROT_READ | PROT_WRITE,
	                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0, 1);
	if (memory == MAP_FAILED) {
		mapper_unsupported("hugetlb"); /* the pool (vm.nr_hugepages) is empty */
	} else {
		memset(memory, 'h', HUGE_PAGE);
		target_region("hugetlb", memory, HUGE_PAGE, "kind=huge");
	}

	size_t size = 4 * HUGE_PAGE;
	char *transparent = target_island(size, PROT_READ | PROT_WRITE, 0, 1);
	if (madvise(transparent, size, MADV_HUGEPAGE) < 0) {
		mapper_unsupported("thp");
		return;
	}
	target_fill(transparent, size, "thp");
	target_region("thp", transparent, size, "kind=anon resident=8388608");
}

/** Maps a stack that the kernel extends when memory below is touched. */
static void grows_down(void)
{
	char *memory = target_island(SMALL, PROT_READ | PROT_WRITE, MAP_GROWSDOWN, 0);
	target_fill(memory, SMALL, "growsdown");
	/* The kernel extends it when the page below is touched. */
	memory -= PAGE;
	memory[0] = 'g';
	target_region("growsdown", memory, SMALL + PAGE, "resident=69632");
}

/**
 * Maps a range whose page faults are not handled: a process that reads its second page with
 * process_vm_readv(2) waits forever.
 */
static void user_fault(void)
{
	/* Kept open: closing it would end the registration. */
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		mapper_unsupported("uffd");
		return;
	}

	struct uffdio_api api = { .api = UFFD_API };
	target_check(ioctl(fd, UFFDIO_API, &api), "UFFDIO_API");

	char *memory = target_island(SMALL, PROT_READ | PROT_WRITE, 0, 0);
	strcpy(memory, "uffd page 0");

	struct uffdio_register range = { .range = { (uintptr_t)memory, SMALL },
		                         .mode = UFFDIO_REGISTER_MODE_MISSING };
	if (ioctl(fd, UFFDIO_REGISTER, &range) < 0)
		mapper_unsupported("uffd");
	else
		target_region("uffd", memory, SMALL, "kind=anon resident=4096");
}

static void sealed(void)
{
	char *memory = target_island(SMALL, PROT_READ | PROT_WRITE, 0, 0);
	target_fill(memory, SMALL, "sealed");
	if (syscall(SYS_mseal, memory, (size_t)SMALL, 0ul) < 0)
		mapper_unsupported("sealed");
	else
		target_region("sealed", memory, SMALL, "kind=anon resident=65536");
}

static void droppable(void)
{
	char *memory = target_map_at_island(SMALL, PROT_READ | PROT_WRITE,
	                                    MAP_DROPPABLE | MAP_ANONYMOUS, -1, 0, 0);
	if (memory == MAP_FAILED) {
		mapper_unsupported("droppable");
		return;
	}

	target_fill(memory, SMALL, "droppable");
	target_region("droppable", memory, SMALL, "kind=anon");
}

static void devices(void)
{
	int fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
	char *memory = target_map_at_island(SMALL, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0, 0);
	if (fd < 0 || memory == MAP_FAILED) {
		mapper_unsupported("dev_zero");
	} else {
		target_fill(memory, SMALL, "dev_zero");
		target_region("dev_zero", memory, SMALL, "resident=65536 name=/dev/zero");
	}
	close(fd);

	struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE,
		                         .size = sizeof event,
		                         .config = PERF_COUNT_SW_DUMMY,
		                         .exclude_kernel = 1 };
	fd = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1,
	                  (unsigned long)PERF_FLAG_FD_CLOEXEC);
	void *ring = fd < 0 ? MAP_FAILED
	                    : target_map_at_island(3 * PAGE, PROT_READ, MAP_SHARED, fd, 0, 0);
	if (ring == MAP_FAILED)
		mapper_unsupported("perf_event");
	else
		target_region("perf_event", ring, 3 * PAGE,
		              "kind=device name=anon_inode:[perf_event]");
	close(fd);
}

void mapper_special(void)
{
	guard_pages();
	huge_pages();
	grows_down();
	user_fault();
	sealed();
	droppable();
	devices();
}
