/* SPDX-License-Identifier: MIT */
#include <procmem/pressure.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/clock.h"
#include "limits/cgroup_file.h"
#include "limits/hierarchy.h"
#include "pressure/cgroup_level.h"
#include "pressure/machine_level.h"
#include "pressure/process_level.h"

static const struct pm_pressure_field_info fields[PM_PRESSURE_FIELDS] = {
	[PM_PRESSURE_USED] = { "used", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_MAX] = { "max", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_HIGH] = { "high_max", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_PEAK] = { "used_peak", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_RECLAIMABLE] = { "reclaimable", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES,
	                              false },
	[PM_PRESSURE_AVAILABLE] = { "available", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES,
	                            false },
	[PM_PRESSURE_FREE] = { "memory_free", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_GROUP_USED] = { "group_used", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES,
	                             false },
	[PM_PRESSURE_RSS] = { "rss", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_ANON] = { "anon", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_FILE] = { "file", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_SHMEM] = { "shmem", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_SWAP] = { "swap", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_SWAP_MAX] = { "swap_max", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_MEMSW] = { "memsw", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_MEMSW_MAX] = { "memsw_max", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES,
	                            false },
	[PM_PRESSURE_ZSWAP] = { "zswap", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_ZSWAP_MAX] = { "zswap_max", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES,
	                            false },
	[PM_PRESSURE_PAGE_TABLES] = { "page_tables", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES,
	                              false },
	[PM_PRESSURE_HUGETLB] = { "hugetlb", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_KERNEL] = { "kernel", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_SLAB] = { "slab", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_SOCK] = { "sock", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_COMMITTED] = { "committed", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES,
	                            false },
	[PM_PRESSURE_COMMIT_MAX] = { "commit_max", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES,
	                             false },
	[PM_PRESSURE_HUGE_TOTAL] = { "huge_total", PM_PRESSURE_UTILISATION, PM_PRESSURE_COUNT,
	                             false },
	[PM_PRESSURE_HUGE_FREE] = { "huge_free", PM_PRESSURE_UTILISATION, PM_PRESSURE_COUNT,
	                            false },
	[PM_PRESSURE_ADDRESSES] = { "address_space", PM_PRESSURE_UTILISATION, PM_PRESSURE_BYTES,
	                            false },
	[PM_PRESSURE_ADDRESSES_MAX] = { "address_space_max", PM_PRESSURE_UTILISATION,
	                                PM_PRESSURE_BYTES, false },

	[PM_PRESSURE_MAPPINGS] = { "mappings", PM_PRESSURE_UTILISATION, PM_PRESSURE_COUNT, false },
	[PM_PRESSURE_MAPPINGS_MAX] = { "mappings_max", PM_PRESSURE_UTILISATION, PM_PRESSURE_COUNT,
	                               false },

	[PM_PRESSURE_STALL_SOME] = { "stall_some", PM_PRESSURE_SATURATION, PM_PRESSURE_MICROSECONDS,
	                             true },
	[PM_PRESSURE_STALL_FULL] = { "stall_full", PM_PRESSURE_SATURATION, PM_PRESSURE_MICROSECONDS,
	                             true },
	[PM_PRESSURE_SOME_AVG10] = { "some_avg10", PM_PRESSURE_SATURATION, PM_PRESSURE_CENTIPERCENT,
	                             false },
	[PM_PRESSURE_FULL_AVG10] = { "full_avg10", PM_PRESSURE_SATURATION, PM_PRESSURE_CENTIPERCENT,
	                             false },
	[PM_PRESSURE_SOME_AVG60] = { "some_avg60", PM_PRESSURE_SATURATION, PM_PRESSURE_CENTIPERCENT,
	                             false },
	[PM_PRESSURE_FULL_AVG60] = { "full_avg60", PM_PRESSURE_SATURATION, PM_PRESSURE_CENTIPERCENT,
	                             false },
	[PM_PRESSURE_MAX_HITS] = { "max_hits", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_HIGH_HITS] = { "high_hits", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_LOW_HITS] = { "low_hits", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_SWAP_HITS] = { "swap_hits", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_SWAP_FAILS] = { "swap_fails", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                             true },
	[PM_PRESSURE_SCAN_DIRECT] = { "scan_direct", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                              true },
	[PM_PRESSURE_STEAL_DIRECT] = { "steal_direct", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                               true },
	[PM_PRESSURE_SCAN_KSWAPD] = { "scan_kswapd", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                              true },
	[PM_PRESSURE_STALLS] = { "alloc_stalls", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_THROTTLED] = { "throttled", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_REFAULT_ANON] = { "refault_anon", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                               true },
	[PM_PRESSURE_REFAULT_FILE] = { "refault_file", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                               true },
	[PM_PRESSURE_RESTORE_ANON] = { "restore_anon", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                               true },
	[PM_PRESSURE_RESTORE_FILE] = { "restore_file", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                               true },
	[PM_PRESSURE_SWAP_IN] = { "swap_in", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_SWAP_OUT] = { "swap_out", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_MAJOR_FAULTS] = { "major_faults", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                               true },
	[PM_PRESSURE_MINOR_FAULTS] = { "minor_faults", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                               true },
	[PM_PRESSURE_BLOCK_DELAY] = { "block_delay", PM_PRESSURE_SATURATION,
	                              PM_PRESSURE_MICROSECONDS, true },
	[PM_PRESSURE_COMPACT_STALL] = { "compact_stall", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                                true },
	[PM_PRESSURE_COMPACT_FAIL] = { "compact_fail", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                               true },
	[PM_PRESSURE_THP_FALLBACK] = { "thp_fallback", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                               true },
	[PM_PRESSURE_NUMA_MISS] = { "numa_miss", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_NUMA_FOREIGN] = { "numa_foreign", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                               true },
	[PM_PRESSURE_NUMA_MIGRATED] = { "numa_migrated", PM_PRESSURE_SATURATION, PM_PRESSURE_COUNT,
	                                true },

	[PM_PRESSURE_OOM_KILL] = { "oom_kill", PM_PRESSURE_ERRORS, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_OOM] = { "oom", PM_PRESSURE_ERRORS, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_GROUP_KILL] = { "oom_group_kill", PM_PRESSURE_ERRORS, PM_PRESSURE_COUNT,
	                             true },
	[PM_PRESSURE_LOCAL_KILL] = { "oom_kill_local", PM_PRESSURE_ERRORS, PM_PRESSURE_COUNT,
	                             true },
	[PM_PRESSURE_LOCAL_OOM] = { "oom_local", PM_PRESSURE_ERRORS, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_CORRECTED] = { "corrected", PM_PRESSURE_ERRORS, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_UNCORRECTED] = { "uncorrected", PM_PRESSURE_ERRORS, PM_PRESSURE_COUNT, true },
	[PM_PRESSURE_UNDER_OOM] = { "under_oom", PM_PRESSURE_ERRORS, PM_PRESSURE_FLAG, false },
	[PM_PRESSURE_CORRUPTED] = { "corrupted", PM_PRESSURE_ERRORS, PM_PRESSURE_BYTES, false },
	[PM_PRESSURE_KILLED] = { "killed", PM_PRESSURE_ERRORS, PM_PRESSURE_FLAG, false },
	[PM_PRESSURE_OOM_SCORE] = { "oom_score", PM_PRESSURE_ERRORS, PM_PRESSURE_COUNT, false },
	[PM_PRESSURE_OOM_SCORE_ADJ] = { "oom_score_adj", PM_PRESSURE_ERRORS, PM_PRESSURE_SIGNED,
	                                false },
};

struct pm_pressure_source {
	struct pm_process *process;
	char *proc_root;
	char *sys_root;
	struct pm_hierarchy memory;  /* the memory cgroup of the process, or the root */
	struct pm_hierarchy unified; /* its cgroup of v2, if memory is v1; it has the PSI */
	enum pm_cgroup_view view;
	uint64_t mappings; /* number of regions of the process at the last reading */
};

const struct pm_pressure_field_info *pm_pressure_field_of(enum pm_pressure_field field)
{
	return (unsigned)field < PM_PRESSURE_FIELDS ? &fields[field] : NULL;
}

void pm_pressure_close(struct pm_pressure_source *source)
{
	if (!source)
		return;

	pm_hierarchy_deinit(&source->memory);
	pm_hierarchy_deinit(&source->unified);
	free(source->proc_root);
	free(source->sys_root);
	free(source);
}

enum pm_cgroup_view pm_pressure_view(const struct pm_pressure_source *source)
{
	return source->view;
}

/**
 * Finds the cgroup of v2 of a process whose memory is controlled by v1. It has the same processes
 * as the memory cgroup only if it has the same path, as on systems with systemd.
 */
static int find_unified(struct pm_pressure_source *source, struct pm_error *error)
{
	/* v1 has no controller of this name, so that the line `0::` is found. */
	if (source->memory.version != 1)
		return 0;
	if (pm_hierarchy_find(source->process, "unified", source->sys_root, &source->unified,
	                      error) < 0)
		return -1;

	if (source->unified.version != 2 ||
	    strcmp(source->unified.group, source->memory.group) != 0)
		pm_hierarchy_deinit(&source->unified);
	return 0;
}

static int find_groups(struct pm_pressure_source *source, struct pm_error *error)
{
	if (!source->process)
		return pm_hierarchy_find_root(source->proc_root, "memory", source->sys_root,
		                              &source->memory, error);
	if (pm_hierarchy_find(source->process, "memory", source->sys_root, &source->memory, error) <
	    0)
		return -1;

	source->view = source->memory.view;
	return find_unified(source, error);
}

int pm_pressure_open(struct pm_process *process, const char *proc_root, const char *sys_root,
                     struct pm_pressure_source **source, struct pm_error *error)
{
	struct pm_pressure_source *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	if (!proc_root)
		proc_root = process ? pm_process_root(process) : "/proc";
	made->process = process;
	made->proc_root = strdup(proc_root);
	made->sys_root = strdup(sys_root ? sys_root : "/sys");
	if (!made->proc_root || !made->sys_root) {
		pm_pressure_close(made);
		return pm_error_out_of_memory(error);
	}

	if (find_groups(made, error) < 0) {
		pm_pressure_close(made);
		return -1;
	}

	*source = made;
	return 0;
}

/** Adds the levels of the cgroup of the process and of all cgroups above it. */
static int read_groups(struct pm_pressure_source *source, struct pm_levels *levels,
                       struct pm_error *error)
{
	if (!source->memory.version)
		return 0;

	struct pm_hierarchy at = source->memory, unified = source->unified;
	int result = 0;
	at.group = strdup(at.group);
	unified.group = unified.group ? strdup(unified.group) : NULL;
	if (!at.group || (source->unified.group && !unified.group))
		result = pm_error_out_of_memory(error);

	/* The root cgroup of the machine is the host. In a container, "/" is a cgroup as others. */
	size_t depth = 0;
	while (result == 0 && (*at.group || source->view == PM_CGROUP_ANCESTORS_HIDDEN)) {
		if (depth++ >= PM_PRESSURE_DEPTH_MAX)
			levels->left_out++;
		else
			result = pm_cgroup_level_add(&at, &unified, levels, error);
		if (result < 0 || !pm_cgroup_go_up(&at))
			break;
		if (unified.version && !pm_cgroup_go_up(&unified))
			unified.version = 0;
	}

	free(at.group);
	free(unified.group);
	return result;
}

static int read_levels(struct pm_pressure_source *source, struct pm_levels *levels,
                       struct pm_error *error)
{
	if (source->process &&
	    (pm_process_level_add(source->process, &source->mappings, levels, error) < 0 ||
	     read_groups(source, levels, error) < 0))
		return -1;

	if (pm_machine_level_add(source->proc_root, source->sys_root, levels, error) < 0 ||
	    pm_machine_level_add_nodes(source->sys_root, source->process ? &source->memory : NULL,
	                               levels, error) < 0)
		return -1;

	if (!source->process && source->memory.version)
		return pm_cgroup_level_add_top(&source->memory, levels, error);
	return 0;
}

int pm_pressure_read(struct pm_pressure_source *source, struct pm_pressure_reading *reading,
                     struct pm_error *error)
{
	struct pm_levels levels = { 0 };
	uint64_t time_ns = pm_clock_ns(CLOCK_MONOTONIC);

	if (read_levels(source, &levels, error) < 0) {
		free(levels.items);
		return -1;
	}

	*reading = (struct pm_pressure_reading){
		.time_ns = time_ns,
		.levels = levels.items,
		.count = levels.count,
		.left_out = levels.left_out,
		.gone = levels.gone,
		.top = !source->process,
	};
	return 0;
}

void pm_pressure_deinit(struct pm_pressure_reading *reading)
{
	free(reading->levels);
	*reading = (struct pm_pressure_reading){ 0 };
}

/** Returns the index of the first level of a scope; the number of levels if there is none. */
static size_t first_of(const struct pm_pressure_reading *reading, enum pm_pressure_scope scope)
{
	size_t i = 0;
	while (i < reading->count && reading->levels[i].scope != scope)
		i++;
	return i;
}

/**
 * Returns the same level in an earlier reading, or NULL. The cgroups of a process are always the
 * same, and the names of several of them can be equal if they are cut. A process can change its
 * name. Nodes, and cgroups below the root, can be added and removed.
 */
static const struct pm_pressure_level *find_level(const struct pm_pressure_reading *before,
                                                  const struct pm_pressure_reading *after,
                                                  size_t index)
{
	const struct pm_pressure_level *level = &after->levels[index];
	bool fixed = level->scope == PM_PRESSURE_PROCESS ||
	             (level->scope == PM_PRESSURE_CGROUP && !after->top);
	size_t first = first_of(before, level->scope);

	if (fixed) {
		size_t same = first + index - first_of(after, level->scope);
		return same < before->count && before->levels[same].scope == level->scope
		               ? &before->levels[same]
		               : NULL;
	}
	for (size_t i = first; i < before->count; i++)
		if (before->levels[i].scope == level->scope &&
		    strcmp(before->levels[i].name, level->name) == 0)
			return &before->levels[i];
	return NULL;
}

static void compare_level(const struct pm_pressure_level *before,
                          const struct pm_pressure_level *after, struct pm_pressure_rise *rise)
{
	for (int i = 0; i < PM_PRESSURE_FIELDS; i++) {
		bool risen = after->values[i] >= before->values[i];
		if (!fields[i].counter || !before->known[i] || !after->known[i] || !risen)
			continue;
		rise->known[i] = true;
		rise->rises[i] = after->values[i] - before->values[i];
	}
}

int pm_pressure_compare(const struct pm_pressure_reading *before,
                        const struct pm_pressure_reading *after, struct pm_pressure_change *change,
                        struct pm_error *error)
{
	struct pm_pressure_change made = { 0 };

	made.rises = calloc(after->count + 1, sizeof *made.rises);
	if (!made.rises)
		return pm_error_out_of_memory(error);

	if (before && after->time_ns > before->time_ns)
		made.seconds = (double)(after->time_ns - before->time_ns) / PM_NS_PER_SECOND;
	for (size_t i = 0; made.seconds > 0 && i < after->count; i++) {
		const struct pm_pressure_level *level = find_level(before, after, i);
		if (level)
			compare_level(level, &after->levels[i], &made.rises[i]);
	}

	*change = made;
	return 0;
}

void pm_pressure_change_deinit(struct pm_pressure_change *change)
{
	free(change->rises);
	*change = (struct pm_pressure_change){ 0 };
}
