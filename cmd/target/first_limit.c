/* SPDX-License-Identifier: MIT */
#include "target/first_limit.h"

/**
 * Returns whether a limit restricts the number of bytes that the process can allocate. The bytes
 * left of such limits can be compared with each other.
 */
static bool has_room(const struct pm_limit *limit)
{
	return limit->kind == PM_LIMIT_CGROUP || limit->kind == PM_LIMIT_SYSTEM ||
	       limit->kind == PM_LIMIT_ADDRESS_SPACE || limit->kind == PM_LIMIT_DATA;
}

/**
 * Returns whether a limit ends the process, or makes its system calls fail. memory.high only
 * throttles, and the working set is only a figure.
 */
static bool is_hard(const struct pm_limit *limit)
{
	return !limit->exempt && limit->kind != PM_LIMIT_CGROUP_HIGH &&
	       limit->kind != PM_LIMIT_CGROUP_WORKING_SET;
}

const struct pm_limit *first_limit(const struct pm_headroom *headroom, first_limit_lasts *lasts,
                                   const void *context)
{
	const struct pm_limit *soonest = NULL, *tightest = pm_headroom_memory(headroom);
	double shortest = 0, seconds;

	for (size_t i = 0; i < headroom->count; i++) {
		const struct pm_limit *limit = &headroom->limits[i];
		if (!is_hard(limit))
			continue;

		if (lasts(context, limit, &seconds) && (!soonest || seconds < shortest)) {
			soonest = limit;
			shortest = seconds;
		}

		if (has_room(limit) &&
		    (!tightest || pm_limit_left(limit) < pm_limit_left(tightest)))
			tightest = limit;
	}

	if (soonest)
		return soonest;

	return tightest;
}

const char *first_limit_words(enum pm_limit_kind kind)
{
	static const char *const words[PM_LIMIT_KINDS] = {
		[PM_LIMIT_CGROUP] = "the limit of its cgroup",
		[PM_LIMIT_CGROUP_WORKING_SET] = "the working set of its cgroup",
		[PM_LIMIT_CGROUP_HIGH] = "memory.high of its cgroup",
		[PM_LIMIT_SYSTEM] = "the memory and swap of the machine",
		[PM_LIMIT_ADDRESS_SPACE] = "its address space, RLIMIT_AS",
		[PM_LIMIT_DATA] = "its data, RLIMIT_DATA",
		[PM_LIMIT_STACK] = "its stack, RLIMIT_STACK",
		[PM_LIMIT_MAPPINGS] = "its mappings, vm.max_map_count",
		[PM_LIMIT_PIDS] = "the processes and threads of its cgroup",
		[PM_LIMIT_USER_THREADS] = "the threads of its user, RLIMIT_NPROC",
		[PM_LIMIT_THREADS] = "the threads of the machine",
		[PM_LIMIT_PID_MAX] = "the process and thread IDs of the machine, kernel.pid_max",
	};

	return words[kind];
}
