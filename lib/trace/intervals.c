/* SPDX-License-Identifier: MIT */
#include "trace/intervals.h"

int pm_trace_intervals_open(struct pm_trace_intervals **list, struct pm_error *error)
{
	(void)list;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "no list of intervals");
}

void pm_trace_intervals_close(struct pm_trace_intervals *list)
{
	(void)list;
}

int pm_trace_intervals_cut(struct pm_trace_intervals *list, struct pm_range range,
                           struct pm_error *error)
{
	(void)list;
	(void)range;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "no list of intervals");
}

int pm_trace_intervals_set(struct pm_trace_intervals *list, struct pm_range range,
                           struct pm_trace_owner owner, struct pm_error *error)
{
	(void)list;
	(void)range;
	(void)owner;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "no list of intervals");
}

int pm_trace_intervals_move(struct pm_trace_intervals *list, struct pm_range from, uint64_t to,
                            bool keep, struct pm_error *error)
{
	(void)list;
	(void)from;
	(void)to;
	(void)keep;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "no list of intervals");
}

bool pm_trace_intervals_find(const struct pm_trace_intervals *list, uint64_t address,
                             struct pm_trace_interval *interval)
{
	(void)list;
	(void)address;
	(void)interval;
	return false;
}

size_t pm_trace_intervals_count(const struct pm_trace_intervals *list)
{
	(void)list;
	return 0;
}

void pm_trace_intervals_clear(struct pm_trace_intervals *list)
{
	(void)list;
}
