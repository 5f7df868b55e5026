/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The sites of a trace with their stacks, in a form that outlives the trace: it can be stored in a
 * recording (recorder.h), and two of them can be compared.
 *
 * A comparison matches stacks by the names of their functions and files, not by addresses. So the
 * lists may be of different traces, and of different runs of a program.
 */
#ifndef PROCMEM_SITE_LIST_H
#define PROCMEM_SITE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/stacks.h>
#include <procmem/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of sites of a list. */
#define PM_SITE_LIST_MAX 65536

/** Maximum number of frames of a stack of a list, with inlined functions. */
#define PM_SITE_FRAMES_MAX 4096

/** Memory that one stack is responsible for. */
struct pm_site {
	struct pm_stack stack; /**< frames, the innermost first; owned by the list. No frames: the
	                          stack is not known */
	bool before;           /**< as pm_trace_site.before */
	pid_t tid;             /**< the thread; 0 if several threads */
	uint64_t resident;     /**< bytes that are resident or in swap */
	uint64_t mapped;       /**< bytes that are mapped; 0 if `before` */
	uint64_t calls;        /**< calls that mapped memory; if `before`: page faults */
	uint64_t regions;      /**< intervals of addresses */
	uint64_t faults;       /**< page faults recorded in this memory */
};

/** The sites of a trace at one moment. A zeroed list is empty. */
struct pm_site_list {
	/**
	 * Number of the sample that was added to the recording when the trace began. 0: the trace
	 * begins with the sample to which this list belongs. Two samples of a recording with the
	 * same number are of the same trace
	 */
	uint64_t first;
	enum pm_trace_backend backend; /**< how events were recorded */
	bool faults;                   /**< page faults were recorded */
	double seconds;                /**< time since the trace began */
	uint64_t events;               /**< as pm_trace_state.events */
	uint64_t lost;                 /**< as pm_trace_state.lost */
	uint64_t difference;           /**< as pm_trace_state.difference */
	uint64_t before_start;         /**< as pm_trace_result.before_start */
	uint64_t before_now;           /**< as pm_trace_result.before_now */
	/** A site that is not in the list has at most this number of resident bytes */
	uint64_t bound;
	struct pm_site *sites;  /**< most resident bytes first; owned */
	size_t count;           /**< number of sites */
	struct pm_texts *texts; /**< private: owns the frames and texts of all stacks */
};

/**
 * Makes a list of the result of a trace. If there are more than PM_SITE_LIST_MAX sites, those with
 * the least resident bytes are left out.
 *
 * @param result  the result, as of pm_trace_measure()
 * @param stacks  the stacks of the trace; all numbers of stacks in `result` are valid
 * @param list    filled, except for `first`, `backend`, `faults`, `events`, `lost` and
 *                `difference`; release with pm_site_list_deinit()
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_site_list_make(const struct pm_trace_result *result,
                                const struct pm_stacks *stacks, struct pm_site_list *list,
                                struct pm_error *error);

/**
 * Releases a list; it is empty afterwards.
 * @param list  the list; may be zeroed
 */
PM_PUBLIC void pm_site_list_deinit(struct pm_site_list *list);

/** Sizes and counts of the sites that have the same functions on their stacks. */
struct pm_site_sums {
	const struct pm_site *site; /**< the site with the most resident bytes; NULL: no site */
	uint64_t resident;          /**< sums, as in struct pm_site */
	uint64_t mapped;            /**< bytes */
	uint64_t calls;             /**< calls */
	uint64_t regions;           /**< intervals */
	uint64_t faults;            /**< page faults */
};

/** A stack whose memory differs in two lists. */
struct pm_site_change {
	struct pm_site_sums before; /**< its sites in the first list */
	struct pm_site_sums after;  /**< its sites in the second list */
	int64_t resident;           /**< resident bytes in the second list, minus the first */
	/** The true difference is at most this number of bytes more or less than `resident`: the
	 * lists leave out small sites */
	uint64_t uncertain;
};

/**
 * Compares two lists. Stacks with the same functions in the same files are added up: a stack whose
 * calls are at different addresses of the same functions is the same stack. Files are compared by
 * name, without directory, without what follows ".so", and without " (deleted)".
 *
 * @param before   the first list; must outlive the changes
 * @param after    the second list; must outlive the changes
 * @param changes  receives the stacks whose resident or mapped bytes differ, the largest change in
 *                 resident bytes first; release with free()
 * @param count    receives the number of changes
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_site_list_compare(const struct pm_site_list *before,
                                   const struct pm_site_list *after,
                                   struct pm_site_change **changes, size_t *count,
                                   struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
