/* SPDX-License-Identifier: MIT */
#include "target/first_limit.h"

#include <string.h>

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

bool first_limit_warms_up(const struct pm_limit *limit)
{
	bool classes_or_code = limit->kind == PM_LIMIT_JAVA_METASPACE ||
	                       limit->kind == PM_LIMIT_JAVA_CLASS_SPACE ||
	                       limit->kind == PM_LIMIT_JAVA_CODE;

	return classes_or_code && limit->used < limit->max / 2;
}

/**
 * Finds the limit with the fewest bytes left among the limits of memory, address space and data.
 *
 * @param headroom  the limits
 * @return          the limit, or NULL if there is none
 */
static const struct pm_limit *find_tightest(const struct pm_headroom *headroom)
{
	const struct pm_limit *tightest = pm_headroom_memory(headroom);

	for (size_t i = 0; i < headroom->count; i++) {
		const struct pm_limit *limit = &headroom->limits[i];

		if (is_hard(limit) && has_room(limit) &&
		    (!tightest || pm_limit_left(limit) < pm_limit_left(tightest)))
			tightest = limit;
	}

	return tightest;
}

/**
 * Finds a limit on numbers of which nothing is left, so that mmap(2) or clone(2) fails now. Numbers
 * that may be wrong are no proof of that.
 *
 * @param headroom  the limits
 * @return          the limit, or NULL if there is none
 */
static const struct pm_limit *find_exhausted(const struct pm_headroom *headroom)
{
	for (size_t i = 0; i < headroom->count; i++) {
		const struct pm_limit *limit = &headroom->limits[i];

		if (is_hard(limit) && limit->counts && !limit->approximate &&
		    pm_limit_left(limit) == 0)
			return limit;
	}

	return NULL;
}

const struct pm_limit *first_limit(const struct pm_headroom *headroom,
                                   const struct forecast *forecasts)
{
	const struct pm_limit *soonest = NULL, *tightest = find_tightest(headroom);
	const struct pm_limit *exhausted = find_exhausted(headroom);
	struct forecast_time shortest = { 0 };

	if (exhausted)
		return exhausted;
	if (!forecasts)
		return tightest;

	for (size_t i = 0; i < headroom->count; i++) {
		const struct pm_limit *limit = &headroom->limits[i];
		struct forecast_time time = forecast_time(&forecasts[i]);

		if (!is_hard(limit) || !time.known || forecasts[i].foreign ||
		    first_limit_warms_up(limit))
			continue;

		if (!soonest || time.seconds < shortest.seconds) {
			soonest = limit;
			shortest = time;
		}
	}

	if (!soonest)
		return tightest;

	/* The process cannot use all memory of the machine if another limit leaves less. */
	if (soonest->kind == PM_LIMIT_SYSTEM && (shortest.by_process || shortest.beneath) &&
	    pm_limit_left(tightest) < pm_limit_left(soonest) &&
	    !forecast_time(&forecasts[tightest - headroom->limits]).known)
		return tightest;

	return soonest;
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

		[PM_LIMIT_JAVA_HEAP] = "its Java heap",
		[PM_LIMIT_JAVA_METASPACE] = "its metaspace",
		[PM_LIMIT_JAVA_CLASS_SPACE] = "its compressed class space",
		[PM_LIMIT_JAVA_CODE] = "its code cache",
		[PM_LIMIT_JAVA_DIRECT] = "its direct memory",
		[PM_LIMIT_V8_OLD_SPACE] = "its old space of V8",
		[PM_LIMIT_GO_MEMORY] = "its memory of Go",

		[PM_LIMIT_MAPPINGS] = "its mappings, vm.max_map_count",
		[PM_LIMIT_PIDS] = "the processes and threads of its cgroup",
		[PM_LIMIT_USER_THREADS] = "the threads of its user, RLIMIT_NPROC",
		[PM_LIMIT_THREADS] = "the threads of the machine",
		[PM_LIMIT_PID_MAX] = "the process and thread IDs of the machine, kernel.pid_max",
	};

	return words[kind];
}

const char *first_limit_effect(enum pm_limit_kind kind)
{
	switch (kind) {
	case PM_LIMIT_JAVA_HEAP:
		return "OutOfMemoryError: Java heap space";
	case PM_LIMIT_JAVA_METASPACE:
		return "OutOfMemoryError: Metaspace";
	case PM_LIMIT_JAVA_CLASS_SPACE:
		return "OutOfMemoryError: Compressed class space";
	case PM_LIMIT_JAVA_CODE:
		return "the compiler stops";
	case PM_LIMIT_JAVA_DIRECT:
		return "OutOfMemoryError: Direct buffer memory";
	case PM_LIMIT_V8_OLD_SPACE:
		return "V8 aborts the process";
	case PM_LIMIT_GO_MEMORY:
		return "soft: the collector works harder";
	default:
		return "";
	}
}

void first_limit_put_cause(const struct pm_limit *limit, struct text *text)
{
	const char *slash = limit ? strrchr(limit->source, '/') : NULL;

	if (!slash)
		text_string(text, "the machine has no memory left");
	else if (slash == limit->source)
		text_string(text, "memory limit of /");
	else
		text_format(text, "memory limit of %.*s", (int)(slash - limit->source),
		            limit->source);
}
