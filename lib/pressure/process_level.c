/* SPDX-License-Identifier: MIT */
#include "pressure/process_level.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/number.h"
#include "limits/limit_source.h"
#include "proc/process_handle.h"

/** Maximum size of the files that are read here, in bytes. They have about 2 KiB. */
enum { FILE_MAX = 1 << 16 };

/** Maximum size of maps that is read, in bytes. 65,530 regions have about 6 MiB. */
enum { MAPS_MAX = 1 << 25 };

/** Maximum number of regions that are counted in each reading. This takes about 2 ms. */
enum { COUNTED_AGAIN_MAX = 4096 };

/** Fields of a stat file by their number in proc_pid_stat(5). */
enum { STAT_MINOR_FAULTS = 10, STAT_MAJOR_FAULTS = 12, STAT_BLOCK_DELAY = 42 };

/** Reads a file of the process. Returns the text, which the caller frees, or NULL. */
static char *read_file(struct pm_process *process, const char *name)
{
	char *text = NULL;
	int fd;

	if (pm_process_open_file(process, name, O_RDONLY, &fd, NULL) < 0)
		return NULL;
	if (pm_read_all(fd, FILE_MAX, &text, NULL, NULL) < 0)
		text = NULL;
	close(fd);
	return text;
}

static void read_status(struct pm_process *process, struct pm_pressure_level *level)
{
	static const struct pm_level_key keys[] = {
		{ "VmRSS", PM_PRESSURE_RSS },        { "RssAnon", PM_PRESSURE_ANON },
		{ "RssFile", PM_PRESSURE_FILE },     { "RssShmem", PM_PRESSURE_SHMEM },
		{ "VmSwap", PM_PRESSURE_SWAP },      { "VmPTE", PM_PRESSURE_PAGE_TABLES },
		{ "VmSize", PM_PRESSURE_ADDRESSES }, { "HugetlbPages", PM_PRESSURE_HUGETLB },
		{ NULL, PM_PRESSURE_FIELDS },
	};
	char *text = read_file(process, "status");

	if (text)
		pm_levels_parse(level, text, "", keys);
	free(text);
}

/**
 * Returns whether the kernel counts the delays of a process. If it does not, the delay is 0 in
 * stat. The file exists since Linux 5.14; before, only a delay that is not 0 is one.
 */
static bool counts_delays(const char *proc_root, uint64_t ticks)
{
	char *text = pm_limit_file(proc_root, "sys/kernel/task_delayacct");
	bool counts = text ? *text == '1' : ticks > 0;

	free(text);
	return counts;
}

/** Sets the field of one number of stat. */
static void set_stat(struct pm_process *process, int number, uint64_t value,
                     struct pm_pressure_level *level)
{
	uint64_t ticks_per_second = (uint64_t)sysconf(_SC_CLK_TCK);

	if (number == STAT_MINOR_FAULTS)
		pm_levels_set(level, PM_PRESSURE_MINOR_FAULTS, value);
	else if (number == STAT_MAJOR_FAULTS)
		pm_levels_set(level, PM_PRESSURE_MAJOR_FAULTS, value);
	else if (number == STAT_BLOCK_DELAY && value < UINT64_MAX / 1000000 &&
	         counts_delays(pm_process_root(process), value))
		pm_levels_set(level, PM_PRESSURE_BLOCK_DELAY, value * 1000000 / ticks_per_second);
}

static void read_stat(struct pm_process *process, struct pm_pressure_level *level)
{
	char *text = read_file(process, "stat");
	/* The name of the process can contain anything, also parentheses. */
	const char *at = text ? strrchr(text, ')') : NULL;

	/* The field after the name is number 3. Negative numbers are skipped. */
	for (int number = 3; at && number <= STAT_BLOCK_DELAY; number++) {
		uint64_t value;
		at = strchr(at, ' ');
		if (!at)
			break;
		at++;
		const char *digits = at;
		if (pm_scan_decimal(&digits, &value))
			set_stat(process, number, value, level);
	}

	free(text);
}

/**
 * Counts the regions. The kernel does not count vsyscall, which is not a region of the process, and
 * lists it last.
 *
 * @param process  the process
 * @param count    receives the number
 * @return         false if maps cannot be read, or is too long
 */
static bool count_mappings(struct pm_process *process, uint64_t *count)
{
	static const char vsyscall[] = "[vsyscall]\n";
	size_t tail = sizeof vsyscall - 1, length, total = 0;
	char buffer[1 << 14];
	uint64_t lines = 0;
	ssize_t got = 0;
	int fd;

	if (pm_process_open_file(process, "maps", O_RDONLY, &fd, NULL) < 0)
		return false;

	/* A read(2) of maps returns whole lines. */
	bool last = false;
	while (total < MAPS_MAX && (got = pm_read(fd, buffer, sizeof buffer)) > 0) {
		length = (size_t)got;
		total += length;
		for (size_t i = 0; i < length; i++)
			lines += buffer[i] == '\n';
		last = length >= tail && memcmp(buffer + length - tail, vsyscall, tail) == 0;
	}
	close(fd);

	if (got != 0 || lines == 0)
		return false;
	*count = lines - last;
	return true;
}

/** Sets the number of regions and its limit. Very many regions are counted only once. */
static void read_mappings(struct pm_process *process, uint64_t *mappings,
                          struct pm_pressure_level *level)
{
	char *text = pm_limit_file(pm_process_root(process), "sys/vm/max_map_count");
	const char *at = text;
	uint64_t max;

	if (at && pm_scan_decimal(&at, &max))
		pm_levels_set(level, PM_PRESSURE_MAPPINGS_MAX, max);
	free(text);

	if (*mappings <= COUNTED_AGAIN_MAX && !count_mappings(process, mappings))
		*mappings = 0;
	if (*mappings > 0)
		pm_levels_set(level, PM_PRESSURE_MAPPINGS, *mappings);
}

static void read_limits(struct pm_process *process, struct pm_pressure_level *level)
{
	char *text = read_file(process, "limits");
	uint64_t max;

	if (text && pm_limit_soft(text, "\nMax address space", &max))
		pm_levels_set(level, PM_PRESSURE_ADDRESSES_MAX, max);
	free(text);
}

static void read_oom(struct pm_process *process, struct pm_pressure_level *level)
{
	char *score = read_file(process, "oom_score"),
	     *adjustment = read_file(process, "oom_score_adj");
	const char *at = score;
	uint64_t value;

	if (at && pm_scan_decimal(&at, &value))
		pm_levels_set(level, PM_PRESSURE_OOM_SCORE, value);

	at = adjustment;
	bool negative = at && *at == '-';
	at += negative;
	if (at && pm_scan_decimal(&at, &value) && value <= 1000)
		pm_levels_set(level, PM_PRESSURE_OOM_SCORE_ADJ, negative ? -value : value);

	free(score);
	free(adjustment);
}

int pm_process_level_add(struct pm_process *process, uint64_t *mappings, struct pm_levels *levels,
                         struct pm_error *error)
{
	struct pm_process_info info;
	struct pm_error cause = { 0 };

	if (pm_process_read_info(process, &info, &cause) < 0) {
		levels->gone = cause.kind == PM_ERROR_GONE || cause.kind == PM_ERROR_NOT_FOUND;
		if (levels->gone)
			return 0;
		if (error)
			*error = cause;
		return -1;
	}
	if (pm_state_is_dead(info.state) && !info.leader_gone) {
		levels->gone = true;
		return 0;
	}

	struct pm_pressure_level *level = pm_levels_add(levels, PM_PRESSURE_PROCESS, error);
	if (!level)
		return -1;

	memcpy(level->name, info.comm, sizeof info.comm);
	read_status(process, level);
	read_stat(process, level);
	read_limits(process, level);
	read_mappings(process, mappings, level);
	read_oom(process, level);
	pm_levels_set(level, PM_PRESSURE_KILLED, info.killed);
	return 0;
}
