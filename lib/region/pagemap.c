/* SPDX-License-Identifier: MIT */
#include "region/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/minmax.h"
#include "proc/process_handle.h"
#include "region/pagemap_read.h"
#include "region/pagemap_scan.h"

/* If the gap between two regions is smaller than this number of bytes, both regions are walked
 * together. Walking the unmapped addresses between them takes almost no time. */
static const uint64_t joinable_gap = UINT64_C(1) << 20;

static int choose_method(struct pm_pagemap *pagemap, enum pm_pagemap_method wanted,
                         struct pm_error *error)
{
	pagemap->method = PM_PAGEMAP_READ;
	if (wanted == PM_PAGEMAP_READ)
		return 0;
	if (pm_pagemap_scan_probe(pagemap) == 0) {
		pagemap->method = PM_PAGEMAP_SCAN;
		return 0;
	}
	if (wanted == PM_PAGEMAP_BEST)
		return 0;

	return pm_error_set(error, PM_ERROR_UNSUPPORTED, errno,
	                    "this kernel does not support PAGEMAP_SCAN, which needs Linux 6.7");
}

int pm_pagemap_open(struct pm_process *process, enum pm_pagemap_method method,
                    struct pm_pagemap **pagemap, struct pm_error *error)
{
	struct pm_pagemap *opened = calloc(1, sizeof *opened);
	if (!opened)
		return pm_error_out_of_memory(error);

	opened->process = process;
	opened->page_size = (uint64_t)sysconf(_SC_PAGESIZE);

	/* The buffer is zeroed because valgrind does not detect that the ioctl initialises it. */
	size_t scratch = pm_max_size(pm_pagemap_scan_scratch, pm_pagemap_read_scratch);
	opened->scratch = calloc(1, scratch);
	opened->fd = -1;
	if (!opened->scratch) {
		pm_error_out_of_memory(error);
		goto fail;
	}
	if (pm_process_open_file(process, "pagemap", O_RDONLY, &opened->fd, error) < 0)
		goto fail;
	if (!pm_procfs_is_live(&process->procfs)) {
		pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		             "page states can be read only from a living process, not from a saved "
		             "copy of /proc");
		goto fail;
	}
	if (choose_method(opened, method, error) < 0)
		goto fail;

	*pagemap = opened;
	return 0;
fail:
	pm_pagemap_close(opened);

	return -1;
}

void pm_pagemap_close(struct pm_pagemap *pagemap)
{
	if (!pagemap)
		return;
	if (pagemap->fd >= 0)
		close(pagemap->fd);
	free(pagemap->scratch);
	free(pagemap);
}

enum pm_pagemap_method pm_pagemap_method(const struct pm_pagemap *pagemap)
{
	return pagemap->method;
}

static int walk_failed(const struct pm_pagemap *pagemap, uint64_t address, struct pm_error *error)
{
	int cause = errno;
	if (pm_process_check(pagemap->process, error) < 0)
		return -1;

	pm_error_set(error, PM_ERROR_IO, cause, "cannot read the page states of process %d: %s",
	             (int)pm_process_pid(pagemap->process), strerror(cause));
	if (error) {
		error->pid = pm_process_pid(pagemap->process);
		error->address = address;
	}

	return -1;
}

/**
 * Fetches page states with one system call, and measures the duration of the call. During the call,
 * the kernel holds the map lock of the target.
 * @param files  whether PM_PAGE_FILE is needed
 * @return       0, or -1 with errno set
 */
static int fetch_batch(struct pm_pagemap *pagemap, uint64_t start, uint64_t end, bool files,
                       struct pm_page_batch *batch)
{
	uint64_t begin = pm_clock_ns(CLOCK_MONOTONIC);
	int result;

	if (pagemap->method == PM_PAGEMAP_SCAN)
		result = pm_pagemap_scan_batch(pagemap, start, end, files, batch);
	else
		result = pm_pagemap_read_batch(pagemap, start, end, batch);

	int cause = errno;
	uint64_t took = pm_clock_ns(CLOCK_MONOTONIC) - begin;
	pagemap->longest_ns = pm_max(pagemap->longest_ns, took);
	errno = cause;

	return result;
}

/**
 * Tests whether the address space of the process still exists. PAGEMAP_SCAN is not sufficient for
 * this test: if the address space is gone, the ioctl succeeds on some kernels and returns no pages.
 * A read(2) of pagemap returns 0 if the address space is gone.
 */
static bool memory_exists(const struct pm_pagemap *pagemap)
{
	uint64_t entry;
	return pm_pread(pagemap->fd, &entry, sizeof entry, 0) != 0;
}

int pm_pagemap_walk(struct pm_pagemap *pagemap, uint64_t start, uint64_t end,
                    pm_page_visitor *visit, void *context, struct pm_error *error)
{
	return pm_pagemap_walk_states(pagemap, start, end, true, visit, context, error);
}

int pm_pagemap_walk_states(struct pm_pagemap *pagemap, uint64_t start, uint64_t end, bool files,
                           pm_page_visitor *visit, void *context, struct pm_error *error)
{
	/* Round to page boundaries; otherwise the walk would never reach the end of the range. */
	start -= start % pagemap->page_size;
	if (end > PM_USER_END)
		end = PM_USER_END;
	else
		end += (pagemap->page_size - end % pagemap->page_size) % pagemap->page_size;

	struct pm_page_batch batch = { .count = 1 };
	while (start < end) {
		if (fetch_batch(pagemap, start, end, files, &batch) < 0)
			return walk_failed(pagemap, start, error);
		for (size_t i = 0; i < batch.count; i++) {
			int answer = visit(context, &pagemap->runs[i]);
			if (answer != 0)
				return answer;
		}
		start = batch.next;
	}

	if (batch.count == 0 && !memory_exists(pagemap)) {
		errno = ESRCH;
		return walk_failed(pagemap, start, error);
	}

	return 0;
}

/** State of add_run(). Both runs and regions are visited by ascending address. */
struct measuring {
	struct pm_regions *regions;
	const bool
		*chosen; /**< for each region, whether it is measured; NULL if all are measured */
	size_t region;   /**< index of the first region that can contain the next run */
	/**
	 * Whether a huge page table entry was found in a region that is neither anonymous nor of a
	 * file on a block device. The page may belong to hugetlbfs, or may be a transparent huge
	 * page.
	 */
	bool huge_in_files;
	const struct pm_page_observer *observer; /**< receives the runs; NULL if there is none */
	struct pm_error *error;                  /**< error that the observer fills on failure */
};

static bool is_chosen(const bool *chosen, size_t region)
{
	return !chosen || chosen[region];
}

/**
 * Returns whether a region has huge pages of hugetlbfs, which smaps does not count as Rss. If
 * VmFlags are not known, only anonymous huge pages are recognised, by their name.
 */
static bool is_hugetlb(const struct pm_region *region)
{
	if (region->vm_flags & PM_VM_KNOWN)
		return region->vm_flags & PM_VM_HUGETLB;
	return strcmp(region->mapping, "/anon_hugepage") == 0;
}

/**
 * Returns whether the file of a region is on a block device. Such a file is neither in tmpfs nor in
 * hugetlbfs, whose device numbers have the major number 0. (Other file systems have it, too.)
 */
static bool is_on_disk(const struct pm_region *region)
{
	return region->device_major != 0;
}

static void count_pages(struct measuring *measuring, struct pm_region *region, unsigned state,
                        uint64_t size)
{
	if (is_hugetlb(region))
		return;

	if (state & PM_PAGE_PRESENT && !(state & PM_PAGE_ZERO))
		region->bytes[PM_SIZE_RSS] += size;
	else if (state & PM_PAGE_SWAPPED)
		region->bytes[PM_SIZE_SWAP] += size;
	if (state & PM_PAGE_HUGE && !pm_region_is_anonymous(region) && !is_on_disk(region))
		measuring->huge_in_files = true;
}

static int add_run(void *context, const struct pm_page_run *run)
{
	struct measuring *measuring = context;
	struct pm_regions *regions = measuring->regions;

	if (measuring->observer &&
	    measuring->observer->run(measuring->observer->context, run, measuring->error) < 0)
		return -1;

	for (uint64_t at = run->start; at < run->end;) {
		while (measuring->region < regions->count &&
		       regions->items[measuring->region].end <= at)
			measuring->region++;

		if (measuring->region == regions->count)
			return 0;

		/* No region contains this run if the mapping of the run was created after the list
		 * of regions was read. */
		struct pm_region *region = &regions->items[measuring->region];
		if (region->start >= run->end)
			return 0;

		uint64_t from = pm_max(at, region->start);
		uint64_t to = pm_min(run->end, region->end);
		if (is_chosen(measuring->chosen, measuring->region))
			count_pages(measuring, region, run->state, to - from);
		at = to;
	}

	return 0;
}

/**
 * Tests whether the system uses swap devices or files. If so, shared memory can have swapped pages.
 * smaps counts such pages, but pagemap does not show them, since they have no page table entries.
 * @return also true if the path of the file `swaps` is too long; false if the file cannot be opened
 */
static bool swap_is_active(const char *root)
{
	char path[PATH_MAX], text[1024];
	if ((size_t)snprintf(path, sizeof path, "%s/swaps", root) >= sizeof path)
		return true;

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;

	ssize_t length = pm_read(fd, text, sizeof text);
	close(fd);

	/* The first line is a heading; each further line is a swap device or file. */
	const char *newline = length > 0 ? memchr(text, '\n', (size_t)length) : NULL;
	return newline && newline + 1 < text + length;
}

/** Tests whether a chosen region can be shared memory, of which pages can be in swap. */
static bool has_shared_memory(const struct pm_regions *regions, const bool *chosen)
{
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		if (is_chosen(chosen, i) && region->perms & PM_PERM_SHARED && region->inode != 0 &&
		    !is_on_disk(region))
			return true;
	}

	return false;
}

static int walk_spans(struct pm_pagemap *pagemap, struct pm_regions *regions,
                      struct measuring *measuring, struct pm_error *error)
{
	const struct pm_page_observer *observer = measuring->observer;
	for (size_t first = 0; first < regions->count;) {
		if (!is_chosen(measuring->chosen, first)) {
			first++;
			continue;
		}

		uint64_t start = regions->items[first].start, end = regions->items[first].end;
		size_t next = first + 1;
		for (; next < regions->count && regions->items[next].start - end < joinable_gap;
		     next++)
			if (is_chosen(measuring->chosen, next))
				end = regions->items[next].end;

		measuring->region = first;
		if (observer && observer->span(observer->context, start, end, error) < 0)
			return -1;
		if (pm_pagemap_walk_states(pagemap, start, end, false, add_run, measuring, error) <
		    0)
			return -1;

		first = next;
	}

	return 0;
}

int pm_pagemap_measure(struct pm_pagemap *pagemap, struct pm_regions *regions, bool *exact,
                       struct pm_error *error)
{
	return pm_pagemap_measure_chosen(pagemap, regions, NULL, NULL, exact, error);
}

int pm_pagemap_measure_chosen(struct pm_pagemap *pagemap, struct pm_regions *regions,
                              const bool *chosen, const struct pm_page_observer *observer,
                              bool *exact, struct pm_error *error)
{
	const uint32_t measured = PM_SIZE_BIT(PM_SIZE_RSS) | PM_SIZE_BIT(PM_SIZE_SWAP);

	for (size_t i = 0; i < regions->count; i++)
		if (is_chosen(chosen, i))
			regions->items[i].bytes[PM_SIZE_RSS] =
				regions->items[i].bytes[PM_SIZE_SWAP] = 0;

	struct measuring measuring = {
		.regions = regions, .chosen = chosen, .observer = observer, .error = error
	};
	if (walk_spans(pagemap, regions, &measuring, error) < 0)
		return -1;

	for (size_t i = 0; i < regions->count; i++)
		if (is_chosen(chosen, i))
			regions->items[i].known |= measured;

	*exact = pm_pagemap_method(pagemap) == PM_PAGEMAP_SCAN && !measuring.huge_in_files &&
	         !(has_shared_memory(regions, chosen) &&
	           swap_is_active(pm_process_root(pagemap->process)));

	return 0;
}
