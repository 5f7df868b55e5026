/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which of several events of a thread counts. A thread that was created while the trace attached to
 * its process can have the same event twice: inherited from its creator, and its own. Each event
 * has an owner, the number of the thread for which it was opened. Of the records of a thread, those
 * with the highest owner are complete, and the others are repeated. Private.
 */
#ifndef PM_TRACE_PERF_OWNERS_H
#define PM_TRACE_PERF_OWNERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>

/** The highest owner of the records of a thread. */
struct pm_perf_owner {
	pid_t tid;      /**< the thread; 0: the slot is free */
	uint32_t owner; /**< the highest owner so far */
};

/** The highest owner of each thread, a hash table. Start with zeros. */
struct pm_perf_owners {
	struct pm_perf_owner *slots; /**< a power of 2 of slots; owned */
	size_t capacity;             /**< number of slots */
	size_t count;                /**< slots in use */
};

/**
 * Notes a record.
 * @param owners  the table
 * @param tid     the thread of the record
 * @param owner   the owner of its event
 * @param error   PM_ERROR_RESOURCES
 * @return        1 if the record counts, 0 if it is repeated, or -1
 */
int pm_perf_owners_add(struct pm_perf_owners *owners, pid_t tid, uint32_t owner,
                       struct pm_error *error);

/** Returns the highest owner of a thread, or 0. */
uint32_t pm_perf_owners_find(const struct pm_perf_owners *owners, pid_t tid);

/** Forgets a thread that has exited: its ID can be used again. */
void pm_perf_owners_forget(struct pm_perf_owners *owners, pid_t tid);

/** Forgets all threads, and releases the table. */
void pm_perf_owners_clear(struct pm_perf_owners *owners);

#endif
