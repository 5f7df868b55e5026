/* SPDX-License-Identifier: MIT */
/** @file Adds the results of a trace to a recording (--record). */
#ifndef CMD_TRACE_RECORD_H
#define CMD_TRACE_RECORD_H

#include <procmem/process_id.h>
#include <procmem/recorder.h>

#include "trace/report.h"

/** A recording to which results are added. A zeroed structure is closed. */
struct trace_record {
	struct pm_recorder *recorder;
	struct pm_process_id id;    /**< the target */
	struct pm_sampler *sampler; /**< owns the regions of `sample`; NULL before the first one */
	struct pm_sample sample;    /**< the last sample of the target */
	struct pm_process *again;   /**< the target if it was opened again after exec, or NULL */
	uint64_t first;             /**< number of the sample at the start of the trace */
	bool faults;                /**< page faults are recorded */
	const struct pm_stacks *stacks; /**< the stacks of the trace */
};

/**
 * Tests whether a recording of a command can be created, before the command is started.
 * @param file   name of the file, which must not exist yet: a recording is of one process
 * @param error  PM_ERROR_USAGE, PM_ERROR_IO
 * @return       0 or -1
 */
int trace_record_check_new(const char *file, struct pm_error *error);

/**
 * Opens a recording of a process; creates the file if it does not exist.
 *
 * @param record   filled; release with trace_record_close(), even on failure
 * @param file     name of the file
 * @param trace    the trace; must outlive `record`
 * @param faults   whether the trace records page faults
 * @param error    as for pm_process_id_read() and pm_recorder_open()
 * @return         0 or -1
 */
int trace_record_open(struct trace_record *record, const char *file, const struct pm_trace *trace,
                      bool faults, struct pm_error *error);

/**
 * Adds a sample of the process with the result. After the exit of the process, the sample has the
 * sizes of the sample before, and the recording receives the reason of the exit.
 *
 * @param record   the recording; NULL or closed: nothing is done
 * @param process  the target
 * @param report   the result; its member `sample` is set
 * @param error    as for sampled_take_sample(), pm_site_list_make() and pm_recorder_add()
 * @return         0 or -1
 */
int trace_record_add(struct trace_record *record, struct pm_process *process,
                     struct trace_report *report, struct pm_error *error);

/**
 * Closes a recording.
 * @param record  the recording; may be closed
 */
void trace_record_close(struct trace_record *record);

#endif
