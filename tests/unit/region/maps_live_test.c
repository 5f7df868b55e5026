/* SPDX-License-Identifier: MIT */
/* Living processes: every region and size is compared with the text of the kernel, read by a
 * second, simple parser; the methods for page states are compared with each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <procmem/maps.h>
#include <procmem/pagemap.h>
#include <procmem/process.h>

#include "support/target.h"

static void read_regions(struct pm_process *process, enum pm_maps_source source,
                         struct pm_regions *regions)
{
	struct pm_error error = { 0 };
	pm_regions_init(regions);
	if (pm_maps_read(process, source, regions, &error) < 0)
		fail_msg("%s", error.text);
}

/** Returns the name of a size in smaps. The table of the library is repeated on purpose. */
static const char *const smaps_names[PM_SIZE_COUNT] = {
	"Rss",
	"Pss",
	"Pss_Dirty",
	"Shared_Clean",
	"Shared_Dirty",
	"Private_Clean",
	"Private_Dirty",
	"Referenced",
	"Anonymous",
	"KSM",
	"LazyFree",
	"AnonHugePages",
	"ShmemPmdMapped",
	"FilePmdMapped",
	"Shared_Hugetlb",
	"Private_Hugetlb",
	"Swap",
	"SwapPss",
	"Locked",
	"KernelPageSize",
	"MMUPageSize",
};

/** The place where a list differs from the text of the kernel. */
static char difference[256];

static bool field_is_equal(const char *line, const struct pm_region *region)
{
	char key[64];
	uint64_t value;
	if (sscanf(line, "%63[^:]: %" SCNu64 " kB", key, &value) != 2)
		return true;

	bool equal = strcmp(key, "Size") != 0 || pm_region_size(region) == value * 1024;
	for (int i = 0; i < PM_SIZE_COUNT; i++)
		if (strcmp(key, smaps_names[i]) == 0)
			equal = region->bytes[i] == value * 1024 &&
			        pm_region_knows(region, (enum pm_size)i);

	if (!equal)
		snprintf(difference, sizeof difference, "%" PRIx64 ": the kernel says %s",
		         region->start, line);

	return equal;
}

/** Compares the list with the text of smaps, which is modified. */
static bool is_equal(char *text, const struct pm_regions *regions)
{
	char *rest = NULL;
	size_t index = 0;
	const struct pm_region *region = NULL;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		uint64_t start, end, offset;
		char perms[5], own[PM_PERMS_TEXT_SIZE];
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64, &start, &end, perms,
		           &offset) != 4) {
			if (!field_is_equal(line, region))
				return false;
			continue;
		}

		assert_true(index < regions->count);
		region = &regions->items[index++];
		assert_int_equal(region->start, start);
		assert_int_equal(region->end, end);
		assert_int_equal(region->offset, offset);
		pm_format_perms(region->perms, own);
		assert_string_equal(own, perms);
	}

	assert_int_equal(index, regions->count);
	return true;
}

/** Reads the regions and the text of the kernel, and compares them. */
static bool reads_what_the_kernel_says(struct pm_process *process)
{
	char path[64];
	struct pm_regions regions;
	snprintf(path, sizeof path, "/proc/%d/smaps", (int)pm_process_pid(process));
	read_regions(process, PM_SMAPS, &regions);

	char *text = read_text(path, NULL);
	assert_true(regions.count >= 500);

	bool equal = is_equal(text, &regions);
	free(text);
	pm_regions_deinit(&regions);

	return equal;
}

/**
 * The target does nothing, but its share of the C library changes as other processes come and go:
 * they must be equal in a quiet moment.
 */
static void smaps_equals_kernel(void **state)
{
	(void)state;
	struct target target;
	target_start(&target, "many_regions", "500", "16", NULL);

	struct pm_process *process = open_process(target.pid);
	int attempts = 1000;
	while (!reads_what_the_kernel_says(process))
		if (--attempts == 0)
			fail_msg("%s", difference);

	pm_process_close(process);
	target_stop(&target);
}

static void measured_equals_smaps(void **state)
{
	(void)state;
	struct target target;
	target_start(&target, "many_regions", "3000", "64", NULL);

	struct pm_process *process = open_process(target.pid);
	struct pm_regions truth, regions;
	read_regions(process, PM_SMAPS, &truth);
	read_regions(process, PM_MAPS, &regions);

	static const enum pm_pagemap_method methods[] = { PM_PAGEMAP_SCAN, PM_PAGEMAP_READ };
	for (size_t m = 0; m < 2; m++) {
		struct pm_pagemap *pagemap;
		struct pm_error error = { 0 };
		bool exact;

		if (pm_pagemap_open(process, methods[m], &pagemap, &error) < 0) {
			assert_int_equal(error.kind, PM_ERROR_UNSUPPORTED);
			continue;
		}

		assert_int_equal(pm_pagemap_method(pagemap), methods[m]);
		assert_int_equal(pm_pagemap_measure(pagemap, &regions, &exact, &error), 0);
		assert_int_equal(regions.count, truth.count);

		for (size_t i = 0; i < regions.count; i++) {
			assert_int_equal(regions.items[i].bytes[PM_SIZE_RSS],
			                 truth.items[i].bytes[PM_SIZE_RSS]);
			assert_int_equal(regions.items[i].bytes[PM_SIZE_SWAP],
			                 truth.items[i].bytes[PM_SIZE_SWAP]);
		}

		pm_pagemap_close(pagemap);
	}

	pm_regions_deinit(&truth);
	pm_regions_deinit(&regions);
	pm_process_close(process);
	target_stop(&target);
}

/** Pages of hugetlbfs are not part of Rss. */
static void huge_pages_are_not_resident(void **state)
{
	(void)state;
	enum { SIZE = 2 << 20 };
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (memory == MAP_FAILED)
		skip_because("the kernel has no free huge pages");
	memory[0] = 1;

	struct pm_process *process = open_process(getpid());
	static const enum pm_pagemap_method methods[] = { PM_PAGEMAP_SCAN, PM_PAGEMAP_READ };
	for (size_t m = 0; m < 2; m++) {
		struct pm_pagemap *pagemap;
		struct pm_regions regions;
		struct pm_error error = { 0 };
		bool exact;

		if (pm_pagemap_open(process, methods[m], &pagemap, &error) < 0)
			continue;

		read_regions(process, PM_MAPS, &regions);
		assert_int_equal(pm_pagemap_measure(pagemap, &regions, &exact, &error), 0);
		const struct pm_region *region = pm_regions_find(&regions, (uintptr_t)memory);
		assert_non_null(region);
		assert_int_equal(region->bytes[PM_SIZE_RSS], 0);
		pm_regions_deinit(&regions);
		pm_pagemap_close(pagemap);
	}

	pm_process_close(process);
	munmap(memory, SIZE);
}

enum { CHANGERS = 4 };

/** The threads start to map when all of them exist: nothing else in the process maps memory then.
 */
static pthread_barrier_t changers_exist;

/**
 * Maps, changes and unmaps memory of at least three pages. The page that is unmapped first lies
 * between two others, so no thread can map its memory there before the rest is unmapped.
 */
static void *map_and_unmap(void *context)
{
	unsigned seed = (unsigned)(uintptr_t)context;
	pthread_barrier_wait(&changers_exist);

	for (;;) {
		size_t size = ((size_t)rand_r(&seed) % 64 + 3) * 4096;
		char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		                    -1, 0);
		if (memory == MAP_FAILED)
			_exit(1);
		memory[0] = 1;
		mprotect(memory, 4096, PROT_READ);
		munmap(memory + 4096, 4096);
		munmap(memory, size);
	}

	return NULL;
}

static void changing_target_still_gives_an_ordered_list(void **state)
{
	(void)state;
	pid_t pid = fork();
	if (pid == 0) {
		pthread_t thread;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_barrier_init(&changers_exist, NULL, CHANGERS);
		for (uintptr_t i = 1; i < CHANGERS; i++)
			pthread_create(&thread, NULL, map_and_unmap, (void *)i);
		map_and_unmap(NULL);
	}

	struct pm_process *process = open_process(pid);
	for (int round = 0; round < 300; round++) {
		struct pm_regions regions;
		read_regions(process, round % 2 ? PM_SMAPS : PM_MAPS, &regions);
		for (size_t i = 1; i < regions.count; i++)
			assert_true(regions.items[i].start >= regions.items[i - 1].end);
		for (size_t i = 0; i < regions.count; i++)
			assert_true(regions.items[i].start < regions.items[i].end);
		pm_regions_deinit(&regions);
	}

	pm_process_close(process);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/** States of the pages of a small range, one byte per page. */
struct picture {
	uint64_t start;
	unsigned char states[4096];
};

static int paint(void *context, const struct pm_page_run *run)
{
	struct picture *picture = context;
	for (uint64_t at = run->start; at < run->end; at += 4096) {
		uint64_t page = (at - picture->start) / 4096;
		assert_true(page < sizeof picture->states);
		/* Nothing may be reported twice. */
		assert_int_equal(picture->states[page], 0);
		picture->states[page] = (unsigned char)run->state;
	}

	return 0;
}

static void take_picture(struct pm_process *process, enum pm_pagemap_method method,
                         const void *memory, struct picture *picture)
{
	struct pm_pagemap *pagemap;
	struct pm_error error = { 0 };
	if (pm_pagemap_open(process, method, &pagemap, &error) < 0) {
		if (error.kind == PM_ERROR_UNSUPPORTED)
			skip_because("%s", error.text);
		fail_msg("%s", error.text);
	}

	memset(picture, 0, sizeof *picture);
	picture->start = (uint64_t)(uintptr_t)memory;
	if (pm_pagemap_walk(pagemap, picture->start, picture->start + sizeof picture->states * 4096,
	                    paint, picture, &error) != 0)
		fail_msg("%s", error.text);
	pm_pagemap_close(pagemap);
}

static void page_states_of_known_memory(void **state)
{
	(void)state;
	enum { PAGES = 4096, GUARD_INSTALL = 102 };
	unsigned char *memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
	                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	assert_int_equal(madvise(memory, PAGES * 4096, MADV_NOHUGEPAGE), 0);
	/* Every second page: more runs than one call returns. The last page is touched, the first
	 * is not. */
	for (size_t i = 1; i < PAGES; i += 2)
		memory[i * 4096] = 1;
	/* The first read maps the zero page of the kernel. */
	assert_int_equal(((volatile unsigned char *)memory)[100 * 4096], 0);
	bool guards = madvise(memory + 200 * 4096, 4096, GUARD_INSTALL) == 0;

	struct pm_process *process = open_process(getpid());
	struct picture scanned, reads;
	take_picture(process, PM_PAGEMAP_READ, memory, &reads);
	take_picture(process, PM_PAGEMAP_SCAN, memory, &scanned);
	for (size_t i = 0; i < PAGES; i++) {
		unsigned expected = i % 2                ? PM_PAGE_PRESENT
		                    : i == 100           ? PM_PAGE_PRESENT | PM_PAGE_ZERO
		                    : i == 200 && guards ? PM_PAGE_GUARD
		                                         : 0;
		assert_int_equal(scanned.states[i], expected);
		assert_int_equal(reads.states[i], expected & ~(unsigned)PM_PAGE_ZERO);
	}
	pm_process_close(process);
	munmap(memory, PAGES * 4096);
}

static void vsyscall_has_no_pages(void **state)
{
	(void)state;
	struct pm_process *process = open_process(getpid());
	struct pm_pagemap *pagemap;
	struct pm_error error = { 0 };
	struct picture picture = { .start = 0xffffffffff600000u };

	assert_int_equal(pm_pagemap_open(process, PM_PAGEMAP_BEST, &pagemap, &error), 0);
	assert_int_equal(pm_pagemap_walk(pagemap, picture.start, picture.start + 4096, paint,
	                                 &picture, &error),
	                 0);
	assert_int_equal(picture.states[0], 0);
	pm_pagemap_close(pagemap);
	pm_process_close(process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smaps_equals_kernel),
		cmocka_unit_test(measured_equals_smaps),
		cmocka_unit_test(huge_pages_are_not_resident),
		cmocka_unit_test(changing_target_still_gives_an_ordered_list),
		cmocka_unit_test(page_states_of_known_memory),
		cmocka_unit_test(vsyscall_has_no_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
