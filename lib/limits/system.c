/* SPDX-License-Identifier: MIT */
/* Limits of the machine, and resource limits of the process (setrlimit(2)). */
#include "limits/system.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/maps.h>

#include "base/io.h"
#include "base/minmax.h"
#include "base/number.h"
#include "limits/limit_source.h"
#include "proc/credentials.h"
#include "proc/process_handle.h"
#include "proc/status.h"

void pm_gather_system_memory(const char *proc_root, struct pm_headroom *headroom)
{
	char *text = pm_limit_file(proc_root, "meminfo");
	if (!text)
		return;

	uint64_t memory = pm_status_number(text, "MemTotal", 0),
		 available = pm_status_number(text, "MemAvailable", 0);

	/*
	 * MemTotal is the first line of meminfo. pm_status_number() does not find this line,
	 * because no newline precedes it.
	 */
	const char *at = text + strlen("MemTotal:");
	if (strncmp(text, "MemTotal:", strlen("MemTotal:")) == 0) {
		at += strspn(at, " ");
		pm_scan_decimal(&at, &memory);
	}

	uint64_t swap = pm_status_number(text, "SwapTotal", 0),
		 free_swap = pm_status_number(text, "SwapFree", 0);
	free(text);

	uint64_t total = memory + swap;
	uint64_t left = pm_min(available + free_swap, total);
	if (total > 0)
		pm_limit_add(headroom, PM_LIMIT_SYSTEM, total * 1024, (total - left) * 1024,
		             "/proc/meminfo");
}

bool pm_is_in_first_pid_namespace(const char *proc_root, const char *directory)
{
	/* PROC_PID_INIT_INO in the kernel. */
	static const char first[] = "pid:[4026531836]";
	char name[PM_NAMESPACE_TEXT_SIZE];

	return !pm_namespace_read(proc_root, directory, "pid", name) || strcmp(name, first) == 0;
}

/**
 * Adds a limit on the number of threads. The limit is in a file of sys/kernel below `proc_root`.
 * @return the limit; NULL if it cannot be read
 */
static struct pm_limit *add_thread_limit(const char *proc_root, const char *path,
                                         enum pm_limit_kind kind, uint64_t threads,
                                         struct pm_headroom *headroom)
{
	char source[64];
	char *text = pm_limit_file(proc_root, path);
	struct pm_limit *limit = NULL;
	const char *at = text;
	uint64_t max;

	snprintf(source, sizeof source, "/proc/%s", path);
	if (text && pm_scan_decimal(&at, &max))
		limit = pm_limit_add(headroom, kind, max, threads, source);
	free(text);

	return limit;
}

/** Adds kernel.pid_max. Each thread has an ID of its own. */
static void add_pid_max(struct pm_process *process, uint64_t threads, struct pm_headroom *headroom)
{
	const char *root = pm_process_root(process);
	struct pm_limit *limit = add_thread_limit(root, "sys/kernel/pid_max", PM_LIMIT_PID_MAX,
	                                          threads, headroom);
	char directory[16];

	snprintf(directory, sizeof directory, "%d", (int)process->procfs.pid);
	if (limit)
		limit->approximate = !pm_is_in_first_pid_namespace(root, "self") ||
		                     !pm_is_in_first_pid_namespace(root, directory);
}

void pm_gather_system_threads(struct pm_process *process, struct pm_headroom *headroom)
{
	const char *proc_root = pm_process_root(process);
	char *load = pm_limit_file(proc_root, "loadavg");
	/*
	 * `0.20 0.18 0.12 1/80 11206`: the number after the slash counts all threads,
	 * proc_loadavg(5).
	 */
	const char *slash = NULL;
	uint64_t threads = 0;

	if (load)
		slash = strchr(load, '/');
	if (slash)
		slash++;
	bool known = slash && pm_scan_decimal(&slash, &threads);
	free(load);
	if (!known)
		return;

	add_thread_limit(proc_root, "sys/kernel/threads-max", PM_LIMIT_THREADS, threads, headroom);
	add_pid_max(process, threads, headroom);
}

int pm_gather_resource_limits(struct pm_process *process, struct pm_headroom *headroom,
                              struct pm_error *error)
{
	static const struct {
		enum pm_limit_kind kind;
		const char *name; /* line in /proc/PID/limits */
		const char *used; /* key in /proc/PID/status */
		const char *source;
	} rows[] = {
		{ PM_LIMIT_ADDRESS_SPACE, "\nMax address space", "VmSize", "RLIMIT_AS" },
		{ PM_LIMIT_DATA, "\nMax data size", "VmData", "RLIMIT_DATA" },
		{ PM_LIMIT_STACK, "\nMax stack size", "VmStk", "RLIMIT_STACK" },
	};

	char *limits = NULL, *status = NULL;
	if (pm_procfs_read(&process->procfs, "limits", &limits, NULL) < 0 ||
	    pm_procfs_read(&process->procfs, "status", &status, NULL) < 0) {
		free(limits);
		/*
		 * A saved tree may lack these files. This is an error only if the process has
		 * ended.
		 */
		return pm_process_check(process, error);
	}

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t max;
		if (pm_limit_soft(limits, rows[i].name, &max))
			pm_limit_add(headroom, rows[i].kind, max,
			             pm_status_number(status, rows[i].used, 0) * 1024,
			             rows[i].source);
	}

	free(limits);
	free(status);

	return 0;
}

void pm_gather_mappings_of(const char *proc_root, const struct pm_regions *regions,
                           struct pm_headroom *headroom)
{
	char *text = pm_limit_file(proc_root, "sys/vm/max_map_count");
	const char *at = text;
	uint64_t max;
	bool known = text && pm_scan_decimal(&at, &max);

	free(text);
	size_t count = regions->count;
	/*
	 * maps lists the vsyscall page, but the kernel does not count this page as a mapping of the
	 * process.
	 */
	if (count > 0 && regions->items[count - 1].start >> 63)
		count--;
	if (known)
		pm_limit_add(headroom, PM_LIMIT_MAPPINGS, max, count, "/proc/sys/vm/max_map_count");
}

int pm_gather_mappings(struct pm_process *process, struct pm_headroom *headroom,
                       struct pm_error *error)
{
	struct pm_regions regions;
	pm_regions_init(&regions);

	struct pm_error cause = { 0 };
	int result = pm_maps_read(process, PM_MAPS, &regions, &cause);
	if (result == 0)
		pm_gather_mappings_of(pm_process_root(process), &regions, headroom);
	pm_regions_deinit(&regions);
	if (result == 0 || cause.kind == PM_ERROR_ACCESS || cause.kind == PM_ERROR_NO_MEMORY ||
	    cause.kind == PM_ERROR_NOT_FOUND)
		return 0;
	if (error)
		*error = cause;
	return -1;
}
