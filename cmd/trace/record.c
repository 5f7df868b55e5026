/* SPDX-License-Identifier: MIT */
#include "trace/record.h"

#include <time.h>

#include <procmem/headroom.h>

#include "base/clock.h"
#include "target/sampled.h"

int trace_record_open(struct trace_record *record, const char *file, const struct pm_trace *trace,
                      bool faults, struct pm_error *error)
{
	*record = (struct trace_record){ .faults = faults, .stacks = pm_trace_stacks(trace) };
	if (pm_process_id_read(pm_trace_process(trace), &record->id, error) < 0)
		return -1;
	return pm_recorder_open(file, &record->id, &record->recorder, error);
}

/**
 * Takes a sample of the process. If it has exited, the last sample is used again.
 * @param gone  receives why the process is gone, if it is; PM_ERROR_NONE otherwise
 */
static int take_sample(struct trace_record *record, struct pm_process *process,
                       struct pm_error *gone, struct pm_error *error)
{
	struct pm_sampler *sampler;
	struct pm_sample sample;
	struct pm_error cause = { 0 };

	*gone = (struct pm_error){ 0 };
	if (sampled_take_sample(process, &sampler, &sample, &cause) == 0) {
		pm_sampler_close(record->sampler);
		record->sampler = sampler;
		record->sample = sample;
		return 0;
	}

	if (cause.kind != PM_ERROR_GONE || !record->sampler) {
		*error = cause;
		return -1;
	}

	struct timespec now, boot;
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	record->sample.time = (double)boot.tv_sec + (double)boot.tv_nsec / 1e9;
	record->sample.wall_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	record->sample.fresh = false;
	*gone = cause;
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
	pm_process_id_deinit(&record->id);
	*record = (struct trace_record){ 0 };
}
