/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Classification of regions: a list of rules, the surest first. docs/KERNEL.md describes the rules
 * and their sources.
 *
 * A kind is never guessed from a size alone. Regions of glibc's malloc are identified by malloc's
 * headers in the memory of the target. Without permission to read them, such a region keeps the
 * kind `anon`, and `why` gives the reason.
 */
#ifndef PROCMEM_KINDS_H
#define PROCMEM_KINDS_H

#include <stdbool.h>

#include <procmem/process.h>
#include <procmem/reader.h>
#include <procmem/region.h>
#include <procmem/threads.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Evidence for the rules. All members may be zero, as for saved files, where only the regions are
 * known.
 */
struct pm_kinds_evidence {
	struct pm_process *process; /**< the running target, or NULL */
	struct pm_reader *reader;   /**< its memory, or NULL */
	struct pm_pagemap *pagemap; /**< its page states (guard pages), or NULL */
	bool any_page; /**< true: all pages may be read, as in a core file, where reading changes
	                  nothing; false: only pages that are present */
	const struct pm_thread
		*threads; /**< threads of a target that is not running, by ascending TID; or NULL */
	size_t thread_count; /**< number of threads */
	const char *refusal; /**< if `reader` is NULL: the reason, a sentence that is copied to
	                        pm_region.why; or NULL */
};

/**
 * Sets kind, proof, detail, why, thread and arena of all regions.
 *
 * Reading touches only pages of the target that are present, and changes nothing in it.
 *
 * @param regions   the regions; VmFlags make the classification more reliable
 * @param evidence  the evidence, or NULL
 * @param error     PM_ERROR_GONE, PM_ERROR_RESOURCES; missing rights are not an error
 * @return          0 or -1
 */
PM_PUBLIC int pm_kinds_assign(struct pm_regions *regions, const struct pm_kinds_evidence *evidence,
                              struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
