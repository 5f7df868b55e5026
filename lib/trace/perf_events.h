/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The events of perf_event_open(2) on a process, as far as the limit of descriptors permits.
 * Private.
 */
#ifndef PM_TRACE_PERF_EVENTS_H
#define PM_TRACE_PERF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <procmem/process.h>

#include "trace/perf_rings.h"
#include "trace/perf_tracepoints.h"

/** Number of the event of page faults; smaller numbers are those of enum pm_tracepoint. */
#define PM_PERF_FAULTS PM_TRACEPOINT_COUNT

/** How events are selected. */
enum pm_perf_plan {
	PM_PERF_PER_THREAD, /**< an event for each thread, CPU and tracepoint */
	PM_PERF_FILTERED,   /**< two events for each thread and CPU: all system calls, filtered */
	PM_PERF_PER_CPU,    /**< an event for each CPU and tracepoint, of all processes */
	PM_PERF_PLANS,      /**< number of plans */
};

/** An open event. */
struct pm_perf_event {
	uint64_t id;   /**< identifier in records; ascending in the list */
	int fd;        /**< its descriptor */
	unsigned what; /**< enum pm_tracepoint, or PM_PERF_FAULTS */
	uint32_t
		owner; /**< number of the thread for which it was opened, in the order of opening */
};

/** What is recorded. */
struct pm_perf_choice {
	bool faults;       /**< page faults, too */
	bool chain;        /**< the chain of frame pointers, too */
	size_t stack_size; /**< bytes of the copies of stacks */
};

/** The open events of a process. */
struct pm_perf_events {
	struct pm_perf_choice choice;        /**< what is recorded */
	const struct pm_tracepoint_ids *ids; /**< numbers of the tracepoints; owned by the caller */
	const struct pm_perf_rings *rings;   /**< where records are written; owned by the caller */
	enum pm_perf_plan plan;              /**< how events are selected */
	bool exclude_kernel; /**< page faults of the kernel are not recorded: no privileges */
	bool count_lost;     /**< the kernel counts dropped records (Linux 6.0) */
	bool inherit_thread; /**< the kernel can restrict inheritance to threads (Linux 5.13) */
	struct pm_perf_event *items; /**< by ascending identifier; owned */
	size_t count;                /**< number of events */
	size_t capacity;             /**< allocated items */
	uint32_t threads;            /**< threads for which events were opened */
	bool repeated; /**< threads were created concurrently, so that a thread can have events
	                * twice
	                */
	struct rlimit limit; /**< limit of descriptors that was changed; 0 if it was not */
};

/**
 * Tests whether this process may use perf_event_open(2), also on a process.
 * @param process  the process
 * @param error    PM_ERROR_ACCESS with the reason and a remedy, PM_ERROR_GONE,
 *                 PM_ERROR_UNSUPPORTED, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_perf_events_permitted(struct pm_process *process, struct pm_error *error);

/**
 * Opens and enables the events of all threads of a process.
 *
 * @param events   its choice, ids and rings are filled in, the rest is zero; release with
 *                 pm_perf_events_close(), also after an error
 * @param process  the process
 * @param error    PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_RESOURCES (too many threads),
 *                 PM_ERROR_UNSUPPORTED
 * @return         0 or -1
 */
int pm_perf_events_open(struct pm_perf_events *events, struct pm_process *process,
                        struct pm_error *error);

/**
 * Tests whether the kernel has ended all events: that of a thread when the thread exits, and that
 * of a process when the process executes a program that changes its privileges (set-user-ID,
 * set-group-ID, capabilities).
 */
bool pm_perf_events_ended(const struct pm_perf_events *events);

/** Closes the events. */
void pm_perf_events_close(struct pm_perf_events *events);

/** Finds the event of a record. Returns NULL if there is none. */
const struct pm_perf_event *pm_perf_events_find(const struct pm_perf_events *events, uint64_t id);

/** Returns the number of records that were dropped; 0 if the kernel does not count them. */
uint64_t pm_perf_events_lost(const struct pm_perf_events *events);

/** Returns the fields of the samples of an event (perf_event_attr.sample_type). */
uint64_t pm_perf_events_sample_type(const struct pm_perf_events *events, unsigned what);

#endif
