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

const struct pm_limit *first_limit(const struct pm_headroom *headroom, first_limit_lasts *lasts,
                                   const void *context)
{
	const struct pm_limit *memory = pm_headroom_memory(headroom);
	const struct pm_limit *soonest = NULL, *tightest = memory;
	double shortest = 0, seconds;

	for (size_t i = 0; i < headroom->count; i++) {
		const struct pm_limit *limit = &headroom->limits[i];
		bool of_memory = limit->kind == PM_LIMIT_CGROUP || limit->kind == PM_LIMIT_SYSTEM;
		if ((of_memory && limit != memory) || limit->kind == PM_LIMIT_CGROUP_HIGH)
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
		[PM_LIMIT_CGROUP_HIGH] = "memory.high of its cgroup",
		[PM_LIMIT_SYSTEM] = "the memory and swap of the machine",
		[PM_LIMIT_ADDRESS_SPACE] = "its address space, RLIMIT_AS",
		[PM_LIMIT_DATA] = "its data, RLIMIT_DATA",
		[PM_LIMIT_STACK] = "its stack, RLIMIT_STACK",
		[PM_LIMIT_MAPPINGS] = "its mappings, vm.max_map_count",
		[PM_LIMIT_PIDS] = "the processes and threads of its cgroup",
		[PM_LIMIT_THREADS] = "the threads of the machine",
	};

	return words[kind];
}
