/* SPDX-License-Identifier: MIT */
/** @file The result of a trace with the stacks of its sites: what all outputs are made of. */
#ifndef CMD_TRACE_REPORT_H
#define CMD_TRACE_REPORT_H

#include <procmem/threads.h>
#include <procmem/trace.h>

#include "base/text.h"

/** A result, and what is needed to show it. All outputs are functions of this structure. */
struct trace_report {
	pid_t pid;                            /**< PID of the target; 0 if it is not known */
	char name[PM_COMM_SIZE];              /**< name of the target; "" if it is not known */
	const char *command;                  /**< command line; NULL if it is not known */
	const struct pm_trace_result *result; /**< the sites */
	/** The previous result, for changes, sorted by trace_report_sort(); NULL if there is none
	 */
	const struct pm_trace_result *last;
	const struct pm_stack *stacks;   /**< the stack of each site */
	struct pm_trace_state state;     /**< the state of the trace */
	const struct pm_thread *threads; /**< threads by ascending TID; NULL if not known */
	size_t thread_count;             /**< number of threads */
	bool per_thread;                 /**< whether each site is of one thread */
	int64_t wall_ns;                 /**< time of the result, nanoseconds since 1970 */
	uint64_t sample; /**< number of the sample of the recording; 0: it is not recorded */
};

/**
 * Tests whether no code of the trace is responsible for the memory of a site: it was mapped before
 * the trace, and no recorded page fault has touched it.
 *
 * @param report  the report
 * @param site    index of the site
 * @return        true or false
 */
bool trace_report_is_untouched(const struct trace_report *report, size_t site);

/**
 * Returns the resident bytes of the sites of trace_report_is_untouched(). The pictures and profiles
 * leave this memory out.
 *
 * @param report  the report
 * @return        bytes
 */
uint64_t trace_report_untouched(const struct trace_report *report);

/**
 * Sorts the sites of a result by stack, for trace_report_last().
 * @param result  the result
 */
void trace_report_sort(struct pm_trace_result *result);

/**
 * Returns the site of the previous result that has the same stack.
 *
 * @param report  the report
 * @param site    a site of `report->result`
 * @return        the site; NULL if there was none
 */
const struct pm_trace_site *trace_report_last(const struct trace_report *report,
                                              const struct pm_trace_site *site);

/**
 * Adds the sites of the previous result that have no memory any more, as sites without memory: so
 * their change is shown.
 *
 * @param result  the result of `report`; its sites stay first
 * @param report  the report, with `last`
 */
void trace_report_add_released(struct pm_trace_result *result, const struct trace_report *report);

/**
 * Returns the name of a thread.
 *
 * @param report  the report
 * @param tid     thread ID
 * @return        the name, unescaped; NULL if it is not known
 */
const char *trace_report_thread(const struct trace_report *report, pid_t tid);

/**
 * Copies the stacks of the sites.
 *
 * @param result  the result
 * @param stacks  the stacks of the trace
 * @return        an array with the stack of each site; the caller frees it. The frames are valid
 *                until the trace continues
 */
struct pm_stack *trace_report_stacks(const struct pm_trace_result *result,
                                     const struct pm_stacks *stacks);

#endif
