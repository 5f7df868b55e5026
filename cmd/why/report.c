/* SPDX-License-Identifier: MIT */
#include "why/report.h"

size_t why_report_count(const struct why_report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < report->findings->count; i++)
		count += !report->findings->items[i].harmless;
	return count;
}

double why_report_cpu_percent(const struct why_report *report)
{
	double seconds = report->observation->seconds;

	return 100 * report->observation->cpu_seconds / (seconds > 0 ? seconds : 1);
}
