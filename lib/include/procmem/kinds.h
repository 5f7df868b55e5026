/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What each region is for: a list of rules, the surest first. The rules and their sources stand in
 * docs/KERNEL.md.
 *
 * A kind is never guessed from a size alone. Claims about glibc's malloc are proven by reading its
 * headers in the target; without the right to read the region stays `anon`, and `why` says so.
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

/** What the rules may look at. Everything but the regions may be missing (saved files). */
struct pm_kinds_evidence {
	struct pm_process *process; /**< the living target, or NULL */
	struct pm_reader *reader;   /**< its memory, or NULL */
	struct pm_pagemap *pagemap; /**< its page states (guard pages), or NULL */
	bool any_page; /**< the reader may be asked for any page: a core file, where reading changes
	                  nothing */
	const struct pm_thread *threads; /**< of a target that does not live: its threads by
	                                    ascending TID, or NULL */
	size_t thread_count;             /**< how many these are */
	const char
		*refusal; /**< why there is no reader, one sentence that `why` repeats; or NULL */
};

/**
 * Fills kind, proof, detail, why, thread and arena of all regions.
 *
 * Reads of the target touch only pages that are present: they change nothing in it.
 *
 * @param regions   the regions; those that have VmFlags are classified more surely
 * @param evidence  what else the rules may look at
 * @param error     PM_ERROR_GONE, PM_ERROR_RESOURCES; refused rights are no error
 * @return          0 or -1
 */
PM_PUBLIC int pm_kinds_assign(struct pm_regions *regions, const struct pm_kinds_evidence *evidence,
                              struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
