/* SPDX-License-Identifier: MIT */
#include "reader/copy_limits.h"

#include <inttypes.h>

#include <procmem/number.h>

#include "base/clock.h"
#include "base/minmax.h"

/*
 * Predicted duration of a stop in nanoseconds: for each KiB that is copied (0.45 s for 1 GiB), for
 * each thread, and for everything else. The time to read the page states is measured.
 */
enum { NS_PER_KIB = 429, NS_PER_THREAD = 400000, NS_FIXED = 2000000 };

/* Assumed size of a chunk of malloc in bytes, to predict the size of an index. */
enum { CHUNK_SIZE = 128 };

void pm_copy_limits_predict(struct pm_copy_info *info, uint64_t walk_ns)
{
	info->predicted_ns = NS_FIXED + info->planned / 1024 * NS_PER_KIB +
	                     info->threads * NS_PER_THREAD + walk_ns;
}

/*
 * Maximum size of all vector registers, and the part of the memory limit that they may take. They
 * take less than 1 KiB for a thread without AVX-512.
 */
enum { VECTORS_MAX = 64 << 20, VECTORS_PART = 16 };

uint64_t pm_copy_limits_vectors(const struct pm_copy_options *options)
{
	uint64_t max = options->memory_max;

	return max == 0 ? VECTORS_MAX : pm_min(max / VECTORS_PART, VECTORS_MAX);
}

/** Returns the bytes that an index of copied memory is assumed to need. */
static uint64_t index_size(const struct pm_copy_options *options, uint64_t copied)
{
	return copied / CHUNK_SIZE * options->chunk_bytes;
}

int pm_copy_limits_check_plan(const struct pm_copy_info *info,
                              const struct pm_copy_options *options, struct pm_error *error)
{
	uint64_t planned = info->planned, max = options->memory_max;
	uint64_t index = index_size(options, planned);
	char texts[3][PM_SIZE_TEXT_SIZE];

	if (max == 0 || planned + index <= max)
		return 0;

	pm_format_size(planned, texts[0]);
	pm_format_size(index, texts[1]);
	pm_format_size(max, texts[2]);
	return pm_error_set(error, PM_ERROR_RESOURCES, 0,
	                    "not enough memory: the copy needs %s and its index about %s, but "
	                    "only %s may be used; free memory, raise the limit of the cgroup, or "
	                    "examine a core file on another machine",
	                    texts[0], texts[1], texts[2]);
}

int pm_copy_limits_check_prediction(const struct pm_copy_info *info,
                                    const struct pm_copy_options *options, pid_t pid,
                                    struct pm_error *error)
{
	uint64_t predicted = info->predicted_ns, max = options->stop_max_ns;

	if (max == 0 || predicted <= max)
		return 0;

	return pm_error_set(error, PM_ERROR_RESOURCES, 0,
	                    "process %d would be stopped for about %" PRIu64
	                    " ms, but only %" PRIu64 " ms are allowed; allow a longer stop, or "
	                    "examine a core file",
	                    (int)pid, predicted / 1000000, max / 1000000);
}

int pm_copy_limits_check_duration(const struct pm_copy_options *options, uint64_t begun,
                                  struct pm_error *error)
{
	uint64_t max = options->stop_max_ns;

	if (max == 0 || pm_clock_ns(CLOCK_MONOTONIC) - begun < 2 * max)
		return 0;

	return pm_error_set(error, PM_ERROR_RESOURCES, 0,
	                    "the stop was ended after %" PRIu64 " ms, before all memory was "
	                    "copied: it took more than twice the %" PRIu64 " ms that are allowed",
	                    2 * max / 1000000, max / 1000000);
}

int pm_copy_limits_check_size(const struct pm_copy_info *info,
                              const struct pm_copy_options *options, uint64_t next,
                              struct pm_error *error)
{
	uint64_t copied = info->copied + next, max = options->memory_max;
	char texts[3][PM_SIZE_TEXT_SIZE];

	if (max == 0 || copied + index_size(options, copied) <= max)
		return 0;

	pm_format_size(info->planned, texts[0]);
	pm_format_size(copied, texts[1]);
	pm_format_size(max, texts[2]);
	return pm_error_set(error, PM_ERROR_RESOURCES, 0,
	                    "not enough memory: the process has grown since its %s were found; the "
	                    "copy now needs more than %s, but only %s may be used for the copy and "
	                    "its index; free memory, raise the limit of the cgroup, or examine a "
	                    "core file on another machine",
	                    texts[0], texts[1], texts[2]);
}
