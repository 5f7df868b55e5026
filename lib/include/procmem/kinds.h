/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Classification of regions: a list of rules, the surest first. docs/KERNEL.md describes the rules
 * and their sources.
 *
 * A kind is never guessed from a size alone. Claims about glibc's malloc are proven by reading its
 * headers in the target; without the right to read them the region stays `anon`, and `why` gives
 * the reason.
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

/** Evidence for the rules. Everything but the regions may be missing (saved files). */
struct pm_kinds_evidence {
	struct pm_process *process; /**< the running target, or NULL */
	struct pm_reader *reader;   /**< its memory, or NULL */
	struct pm_pagemap *pagemap; /**< its page states (guard pages), or NULL */
	bool any_page; /**< any page may be read: a core file, where reading changes nothing */
	const struct pm_thread
		*threads; /**< threads of a target that is not running, by ascending TID; or NULL */
	size_t thread_count; /**< number of threads */
	const char *refusal; /**< why there is no reader, a sentence that `why` repeats; or NULL */
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
