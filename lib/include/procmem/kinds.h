/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Classifies regions by a list of rules, the most reliable first. docs/KERNEL.md describes the
 * rules and their sources.
 *
 * A kind is never guessed from a size alone. Regions of glibc's malloc are identified by malloc's
 * headers in the memory of the target. If the calling process is not allowed to read this memory,
 * such a region gets the kind `anon`, and its `why` gives the reason.
 */
#ifndef PROCMEM_KINDS_H
#define PROCMEM_KINDS_H

#include <stdbool.h>

#include <procmem/process.h>
#include <procmem/reader.h>
#include <procmem/region.h>
#include <procmem/runtimes.h>
#include <procmem/threads.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Evidence for the classification rules, in addition to the regions. Each member may be zero or
 * NULL. For a saved maps file, all members are zero or NULL.
 */
struct pm_kinds_evidence {
	struct pm_process *process; /**< the running target; NULL if there is none */
	struct pm_reader *reader;   /**< reads the memory of the target; NULL if not available */
	/** Page states of the target, by which guard pages are found; NULL if not available */
	struct pm_pagemap *pagemap;
	/**
	 * True if all pages may be read, as in a core file, where reading changes nothing. False if
	 * only pages that are present in memory may be read.
	 */
	bool any_page;
	/** Threads of a target that is not running, by ascending TID. NULL if not known. */
	const struct pm_thread *threads;
	size_t thread_count; /**< number of elements of `threads` */
	/**
	 * The runtimes of the target, read from these regions. If NULL, and `reader` is not NULL,
	 * pm_kinds_assign() reads them. To keep them, for their limits and ranges, read them
	 * before.
	 */
	const struct pm_runtimes *runtimes;
	/**
	 * The reason why `reader` is NULL. It becomes a part of pm_region.why. If `refusal` is
	 * NULL, a default text is used.
	 */
	const char *refusal;
};

/**
 * Classifies all regions: sets their members `kind`, `proof`, `detail`, `why`, `thread`,
 * `arena` and `owner`.
 *
 * In a running target, only pages that are present in memory are read. So the target does not grow.
 *
 * @param regions   the regions; the classification is more reliable if VmFlags are known
 * @param evidence  the evidence; NULL has the same meaning as all zeros
 * @param error     PM_ERROR_GONE, PM_ERROR_RESOURCES; missing rights are not an error
 * @return          0 or -1
 */
PM_PUBLIC int pm_kinds_assign(struct pm_regions *regions, const struct pm_kinds_evidence *evidence,
                              struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
