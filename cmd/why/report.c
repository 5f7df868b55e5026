/* SPDX-License-Identifier: MIT */
#include "why/report.h"

size_t why_report_count(const struct why_report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < report->findings->count; i++)
		count += !report->findings->items[i].harmless;
	return count;
}

bool why_report_is_too_early(const struct why_report *report)
{
	const struct pm_evidence_trend *memory = &report->evidence->memory;

	return !memory->known || memory->trend.verdict == PM_VERDICT_TOO_EARLY;
}

/** Tests whether a signal or a debugger had stopped the process at all samples. */
static bool was_stopped(const struct why_observation *observation)
{
	return observation->source == PM_EVIDENCE_LIVE && observation->rates.stopped > 0 &&
	       observation->rates.stopped >= observation->samples;
}

const char *why_report_nothing(const struct why_report *report)
{
	bool judged = !why_report_is_too_early(report);

	if (was_stopped(report->observation))
		return ", but the process was stopped all the time";
	if (judged && report->findings->count > 0)
		return " that is known to be wrong";
	if (judged && pm_evidence_rate(&report->evidence->memory) > 0)
		return ", but its memory is not flat";
	if (judged)
		return " that grows or weighs";
	if (report->observation->source != PM_EVIDENCE_LIVE)
		return " that weighs";
	return ", but it is too early to judge growth";
}

double why_report_cpu_percent(const struct why_report *report)
{
	double seconds = report->observation->seconds;

	return 100 * report->observation->cpu_seconds / (seconds > 0 ? seconds : 1);
}
