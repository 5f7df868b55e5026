/* SPDX-License-Identifier: MIT */
#include "target/stopping.h"

#include "base/report.h"

/**
 * The stop of the session. It is global because all commands of the session must share it: the
 * program can trace a process only once.
 */
static struct held {
	struct pm_stop *stop;
	pid_t pid;
} held;

bool stopping_holds(const struct pm_process *process)
{
	return held.stop && held.pid == pm_process_pid(process);
}

int stopping_begin(struct pm_process *process, const volatile sig_atomic_t *cancel,
                   struct pm_stop **stop, struct pm_error *error)
{
	if (!stopping_holds(process))
		return pm_stop_begin(process, cancel, stop, error);

	*stop = held.stop;
	return 0;
}

uint64_t stopping_end(struct pm_stop *stop)
{
	if (stop && stop == held.stop)
		return 0;

	return pm_stop_end(stop);
}

void stopping_report(uint64_t nanoseconds, size_t threads)
{
	const char *unit = threads == 1 ? "thread" : "threads";

	if (nanoseconds > 0)
		report_note("the process was stopped for %.1f ms (%zu %s)",
		            (double)nanoseconds / 1e6, threads, unit);
	else
		report_note("the process stays stopped (%zu %s)", threads, unit);
}

struct stopping_others stopping_find_others(struct pm_process *process)
{
	struct stopping_others others = { 0 };

	struct pm_error error = { 0 };

	if (pm_stop_find_sharing(process, &others.first, &others.count, &error) < 0)
		return (struct stopping_others){ .unknown = error };
	return others;
}

void stopping_report_excess(uint64_t nanoseconds, uint64_t max_ns)
{
	if (max_ns > 0 && nanoseconds > max_ns)
		report_note("the stop has taken longer than the %g s that are allowed (--max-stop)",
		            (double)max_ns / 1e9);
}

void stopping_report_others(const struct stopping_others *others)
{
	if (others->unknown.kind != PM_ERROR_NONE)
		report_note("%s; if other processes share the memory, they were not stopped and "
		            "may have changed it",
		            others->unknown.text);
	else if (others->count == 1)
		report_note("process %d shares this memory and was not stopped: it may have "
		            "changed the memory",
		            (int)others->first);
	else if (others->count > 1)
		report_note("%zu processes share this memory and were not stopped: they may have "
		            "changed the memory (one of them is process %d)",
		            others->count, (int)others->first);
}

int stopping_hold(struct pm_process *process, const volatile sig_atomic_t *cancel,
                  struct pm_error *error)
{
	if (pm_stop_begin(process, cancel, &held.stop, error) < 0)
		return -1;

	held.pid = pm_process_pid(process);
	return 0;
}

uint64_t stopping_release(void)
{
	uint64_t nanoseconds = pm_stop_end(held.stop);
	held = (struct held){ 0 };
	return nanoseconds;
}

const struct pm_stop *stopping_held(void)
{
	return held.stop;
}
