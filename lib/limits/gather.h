/* SPDX-License-Identifier: MIT */
/** @file The sources of limits. Each adds those that it finds. Private. */
#ifndef PM_LIMITS_GATHER_H
#define PM_LIMITS_GATHER_H

#include <procmem/headroom.h>

/** Adds a limit. @param source printf format of where it stands @return it, to be completed */
struct pm_limit *pm_limit_add(struct pm_headroom *headroom, enum pm_limit_kind kind, uint64_t max, uint64_t used, const char *source, ...)
	__attribute__((format(printf, 5, 6)));

/** Reads a small file below a root. @param path behind the root @return its text, the caller frees it; NULL where it cannot be read */
char *pm_limit_file(const char *root, const char *path);

/** Adds the limits of memory cgroups, their events and pressure. @return 0 or -1 */
int pm_gather_memory_group(struct pm_process *process, const char *sys_root, struct pm_headroom *headroom, struct pm_error *error);

/** Adds the limit of the pids controller. @return 0 or -1 */
int pm_gather_pids_group(struct pm_process *process, const char *sys_root, struct pm_headroom *headroom, struct pm_error *error);

/** Adds the machine's memory. */
void pm_gather_system_memory(const char *proc_root, struct pm_headroom *headroom);

/** Adds the machine's threads. */
void pm_gather_system_threads(const char *proc_root, struct pm_headroom *headroom);

/** Adds resource limits, setrlimit(2). @return 0 or -1 */
int pm_gather_resource_limits(struct pm_process *process, struct pm_headroom *headroom, struct pm_error *error);

/** Adds the number of regions. @return 0 or -1 */
int pm_gather_mappings(struct pm_process *process, struct pm_headroom *headroom, struct pm_error *error);

/** Fills pressure from the text of a PSI file. */
void pm_pressure_parse(const char *text, struct pm_pressure *pressure);

#endif
