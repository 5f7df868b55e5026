/* SPDX-License-Identifier: MIT */
#include "trace/record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <procmem/headroom.h>

#include "base/clock.h"
#include "target/sampled.h"

/**
 * Reads the identity of a process. If the process has called exec, it is opened again: the trace
 * may not have noticed that yet.
 * @param again  receives the process if it was opened again; otherwise unchanged
 */
static int read_id(struct pm_process *process, struct pm_process **again, struct pm_process_id *id,
                   struct pm_error *error)
{
	struct pm_process *opened;
	struct pm_error cause = { 0 };

	if (pm_process_id_read(process, id, &cause) == 0)
		return 0;

	if (cause.kind == PM_ERROR_GONE &&
	    pm_process_open(NULL, pm_process_pid(process), &opened, NULL) == 0) {
		if (pm_process_id_read(opened, id, NULL) == 0) {
			*again = opened;
			return 0;
		}
		pm_process_close(opened);
	}

	*error = cause;
	return -1;
}

int trace_record_check_new(const char *file, struct pm_error *error)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s exists already: the recording of a command needs a new "
		                    "file, because a recording is of one process",
		                    file);
	if (fd < 0)
		return pm_error_set(error, PM_ERROR_IO, errno, "cannot write %s: %s", file,
		                    strerror(errno));

	close(fd);
	unlink(file);
	return 0;
}

int trace_record_open(struct trace_record *record, const char *file, const struct pm_trace *trace,
                      bool faults, struct pm_error *error)
{
	struct pm_process *again = NULL;

	*record = (struct trace_record){ .faults = faults, .stacks = pm_trace_stacks(trace) };
	if (read_id(pm_trace_process(trace), &again, &record->id, error) < 0)
		return -1;

	pm_process_close(again);
	return pm_recorder_open(file, &record->id, &record->recorder, error);
}

/**
 * Takes a sample of the process, also if it has just called exec.
 * @param error  PM_ERROR_GONE: the process has exited
 */
static int sample_alive(struct trace_record *record, struct pm_process *process,
                        struct pm_error *error)
{
	struct pm_process *again = NULL;
	struct pm_process_id id;
	struct pm_sampler *sampler;
	struct pm_sample sample;

	if (read_id(process, &again, &id, error) < 0)
		return -1;

	bool same = pm_process_id_equal(&id, &record->id);
	pm_process_id_deinit(&id);
	if (!same)
		pm_error_set(error, PM_ERROR_GONE, 0, "process %d has exited", (int)record->id.pid);

	if (!same || sampled_take_sample(again ? again : process, &sampler, &sample, error) < 0) {
		pm_process_close(again);
		return -1;
	}

	pm_sampler_close(record->sampler);
	pm_process_close(record->again);
	record->again = again;
	record->sampler = sampler;
	record->sample = sample;
	return 0;
}

/**
 * Takes a sample of the process. If it has exited, the last sample is used again.
 * @param gone  receives why the process is gone, if it is; PM_ERROR_NONE otherwise
 */
static int take_sample(struct trace_record *record, struct pm_process *process,
                       struct pm_error *gone, struct pm_error *error)
{
	enum { TRIES = 3 };
	struct timespec now, boot;

	/* The process can call exec between the checks and the sample. */
	for (int i = 0; i < TRIES; i++) {
		*gone = (struct pm_error){ 0 };
		if (sample_alive(record, process, gone) == 0)
			return 0;
		if (gone->kind != PM_ERROR_GONE)
			break;
	}

	if (gone->kind != PM_ERROR_GONE || !record->sampler) {
		*error = *gone;
		return -1;
	}

	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	record->sample.time = (double)boot.tv_sec + (double)boot.tv_nsec / 1e9;
	record->sample.wall_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	record->sample.fresh = false;
	return 0;
}

/** Makes the list of sites that is stored. */
static int make_list(const struct trace_record *record, const struct trace_report *report,
                     struct pm_site_list *list, struct pm_error *error)
{
	if (pm_site_list_make(report->result, record->stacks, list, error) < 0)
		return -1;

	list->first = record->first;
	list->backend = report->state.backend;
	list->faults = record->faults;
	list->events = report->state.events;
	list->lost = report->state.lost;
	list->difference = report->state.difference;
	return 0;
}

int trace_record_add(struct trace_record *record, struct pm_process *process,
                     struct trace_report *report, struct pm_error *error)
{
	struct pm_recorder *recorder = record->recorder;
	struct pm_site_list list;
	struct pm_error gone;

	if (!recorder)
		return 0;
	if (take_sample(record, process, &gone, error) < 0 ||
	    make_list(record, report, &list, error) < 0)
		return -1;

	pm_recorder_set_sites(recorder, &list);
	int result = pm_recorder_add(recorder, &record->sample, NULL, error);
	pm_site_list_deinit(&list);
	if (result < 0)
		return -1;

	report->sample = pm_recorder_number(recorder);
	if (record->first == 0)
		record->first = report->sample;
	if (gone.kind != PM_ERROR_NONE)
		return pm_recorder_end(recorder, gone.text, error);
	return 0;
}

void trace_record_close(struct trace_record *record)
{
	pm_recorder_close(record->recorder);
	pm_sampler_close(record->sampler);
	pm_process_close(record->again);
	pm_process_id_deinit(&record->id);
	*record = (struct trace_record){ 0 };
}
