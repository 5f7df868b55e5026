/* SPDX-License-Identifier: MIT */
#include "region/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/io.h"
#include "proc/process_handle.h"
#include "region/pagemap_read.h"
#include "region/pagemap_scan.h"

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
	                    "this kernel has no PAGEMAP_SCAN (it came with Linux 6.7)");
}

int pm_pagemap_open(struct pm_process *process, enum pm_pagemap_method method,
                    struct pm_pagemap **pagemap, struct pm_error *error)
{
	struct pm_pagemap *opened = calloc(1, sizeof *opened);
	if (!opened)
		return pm_error_out_of_memory(error);

	opened->process = process;
	opened->page_size = (uint64_t)sysconf(_SC_PAGESIZE);

	size_t scratch = pm_pagemap_scan_scratch > pm_pagemap_read_scratch
	                         ? pm_pagemap_scan_scratch
	                         : pm_pagemap_read_scratch;
	/* valgrind does not know that the kernel fills it. */
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
		             "page states exist only for living processes");
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

/** One call into the kernel, timed: the target cannot change its mappings meanwhile. */
static int fetch_batch(struct pm_pagemap *pagemap, uint64_t start, uint64_t end, bool files,
                       struct pm_page_batch *batch)
{
	uint64_t begin = pm_clock_ns(CLOCK_MONOTONIC);
	int result = pagemap->method == PM_PAGEMAP_SCAN
	                     ? pm_pagemap_scan_batch(pagemap, start, end, files, batch)
	                     : pm_pagemap_read_batch(pagemap, start, end, batch);
	int cause = errno;
	uint64_t took = pm_clock_ns(CLOCK_MONOTONIC) - begin;

	if (took > pagemap->longest_ns)
		pagemap->longest_ns = took;
	errno = cause;

	return result;
}

/**
 * Whether the memory still exists. For memory that is gone PAGEMAP_SCAN finds no pages and, on some
 * kernels, no fault in that; reading ends at once.
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
	/* Half a page is a whole one: with less than that the walk would never come to its end. */
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
