/* SPDX-License-Identifier: MIT */
#include "pressure/machine_level.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "limits/cgroup_file.h"
#include "limits/limit_source.h"
#include "pressure/cgroup_level.h"

/** Maximum number of memory controllers whose errors are counted. */
enum { CONTROLLERS_MAX = 64 };

static const struct pm_level_key meminfo_keys[] = {
	{ "MemTotal", PM_PRESSURE_MAX },
	{ "MemAvailable", PM_PRESSURE_AVAILABLE },
	{ "SwapTotal", PM_PRESSURE_SWAP_MAX },
	/* The used part is computed from the free part. */
	{ "SwapFree", PM_PRESSURE_SWAP },
	{ "Committed_AS", PM_PRESSURE_COMMITTED },
	{ "CommitLimit", PM_PRESSURE_COMMIT_MAX },
	{ "SUnreclaim", PM_PRESSURE_SLAB },
	{ "PageTables", PM_PRESSURE_PAGE_TABLES },
	{ "HugePages_Total", PM_PRESSURE_HUGE_TOTAL },
	{ "HugePages_Free", PM_PRESSURE_HUGE_FREE },
	{ "HardwareCorrupted", PM_PRESSURE_CORRUPTED },
	{ NULL, PM_PRESSURE_FIELDS },
};

static const struct pm_level_key vmstat_keys[] = {
	{ "allocstall", PM_PRESSURE_STALLS },
	{ "allocstall_dma", PM_PRESSURE_STALLS },
	{ "allocstall_dma32", PM_PRESSURE_STALLS },
	{ "allocstall_normal", PM_PRESSURE_STALLS },
	{ "allocstall_high", PM_PRESSURE_STALLS },
	{ "allocstall_movable", PM_PRESSURE_STALLS },
	{ "allocstall_device", PM_PRESSURE_STALLS },
	{ "pgscan_direct", PM_PRESSURE_SCAN_DIRECT },
	{ "pgsteal_direct", PM_PRESSURE_STEAL_DIRECT },
	{ "pgscan_kswapd", PM_PRESSURE_SCAN_KSWAPD },
	{ "pgscan_direct_throttle", PM_PRESSURE_THROTTLED },
	{ "pswpin", PM_PRESSURE_SWAP_IN },
	{ "pswpout", PM_PRESSURE_SWAP_OUT },
	{ "workingset_refault", PM_PRESSURE_REFAULT_FILE },
	{ "workingset_refault_anon", PM_PRESSURE_REFAULT_ANON },
	{ "workingset_refault_file", PM_PRESSURE_REFAULT_FILE },
	{ "workingset_restore_anon", PM_PRESSURE_RESTORE_ANON },
	{ "workingset_restore_file", PM_PRESSURE_RESTORE_FILE },
	{ "pgmajfault", PM_PRESSURE_MAJOR_FAULTS },
	{ "compact_stall", PM_PRESSURE_COMPACT_STALL },
	{ "compact_fail", PM_PRESSURE_COMPACT_FAIL },
	{ "thp_fault_fallback", PM_PRESSURE_THP_FALLBACK },
	{ "numa_pages_migrated", PM_PRESSURE_NUMA_MIGRATED },
	{ "oom_kill", PM_PRESSURE_OOM_KILL },
	{ NULL, PM_PRESSURE_FIELDS },
};

static const struct pm_level_key node_keys[] = {
	{ "MemTotal", PM_PRESSURE_MAX },
	{ "MemUsed", PM_PRESSURE_USED },
	{ "MemFree", PM_PRESSURE_FREE },
	{ "SUnreclaim", PM_PRESSURE_SLAB },
	{ "PageTables", PM_PRESSURE_PAGE_TABLES },
	{ "HugePages_Total", PM_PRESSURE_HUGE_TOTAL },
	{ "HugePages_Free", PM_PRESSURE_HUGE_FREE },
	{ NULL, PM_PRESSURE_FIELDS },
};

static const struct pm_level_key numastat_keys[] = {
	{ "numa_miss", PM_PRESSURE_NUMA_MISS },
	{ "numa_foreign", PM_PRESSURE_NUMA_FOREIGN },
	{ NULL, PM_PRESSURE_FIELDS },
};

static void unset(struct pm_pressure_level *level, enum pm_pressure_field field)
{
	level->known[field] = false;
	level->values[field] = 0;
}

/** Replaces a free part by the used part of a maximum. */
static void use_rest(struct pm_pressure_level *level, enum pm_pressure_field max,
                     uint64_t free_part, enum pm_pressure_field used)
{
	uint64_t all = level->values[max];
	pm_levels_set(level, used, all > free_part ? all - free_part : 0);
}

static void read_meminfo(const char *proc_root, struct pm_pressure_level *level)
{
	char *text = pm_limit_file(proc_root, "meminfo");
	char *mode = pm_limit_file(proc_root, "sys/vm/overcommit_memory");

	if (text)
		pm_levels_parse(level, text, "", meminfo_keys);
	if (level->known[PM_PRESSURE_MAX] && level->known[PM_PRESSURE_AVAILABLE])
		use_rest(level, PM_PRESSURE_MAX, level->values[PM_PRESSURE_AVAILABLE],
		         PM_PRESSURE_USED);
	if (level->known[PM_PRESSURE_SWAP_MAX] && level->known[PM_PRESSURE_SWAP])
		use_rest(level, PM_PRESSURE_SWAP_MAX, level->values[PM_PRESSURE_SWAP],
		         PM_PRESSURE_SWAP);
	else
		unset(level, PM_PRESSURE_SWAP);

	/* The kernel enforces the limit only in mode 2 (proc(5), overcommit_memory). */
	if (!mode || *mode != '2')
		unset(level, PM_PRESSURE_COMMIT_MAX);
	free(text);
	free(mode);
}

/** Adds the number in a file to a field. */
static void add_number(const char *root, const char *path, enum pm_pressure_field field,
                       struct pm_pressure_level *level)
{
	char *text = pm_limit_file(root, path);
	const char *at = text;
	uint64_t number;

	if (at && pm_scan_decimal(&at, &number))
		pm_levels_increase(level, field, number);
	free(text);
}

/** Reads the errors of the memory controllers, if a driver of edac is loaded. */
static void read_errors(const char *sys_root, struct pm_pressure_level *level)
{
	char path[128];
	snprintf(path, sizeof path, "%s", "devices/system/edac/mc");

	char *whole;
	if (asprintf(&whole, "%s/%s", sys_root, path) < 0)
		return;
	DIR *directory = opendir(whole);
	struct dirent *entry;

	free(whole);
	for (int count = 0; directory && count < CONTROLLERS_MAX && (entry = readdir(directory));) {
		if (strncmp(entry->d_name, "mc", 2) != 0 || strlen(entry->d_name) > 16)
			continue;
		count++;
		snprintf(path, sizeof path, "devices/system/edac/mc/%.16s/ce_count", entry->d_name);
		add_number(sys_root, path, PM_PRESSURE_CORRECTED, level);
		snprintf(path, sizeof path, "devices/system/edac/mc/%.16s/ue_count", entry->d_name);
		add_number(sys_root, path, PM_PRESSURE_UNCORRECTED, level);
	}
	if (directory)
		closedir(directory);
}

int pm_machine_level_add(const char *proc_root, const char *sys_root, struct pm_levels *levels,
                         struct pm_error *error)
{
	struct pm_pressure_level *level = pm_levels_add(levels, PM_PRESSURE_HOST, error);
	if (!level)
		return -1;

	snprintf(level->name, sizeof level->name, "host");
	read_meminfo(proc_root, level);

	char *text = pm_limit_file(proc_root, "vmstat");
	if (text)
		pm_levels_parse(level, text, "", vmstat_keys);
	free(text);

	text = pm_limit_file(proc_root, "pressure/memory");
	if (text)
		pm_levels_parse_stall(level, text);
	free(text);

	read_errors(sys_root, level);
	return 0;
}

/** Reads the level of one node. */
static int add_node(const char *sys_root, unsigned node, const char *shares, int version,
                    struct pm_levels *levels, struct pm_error *error)
{
	struct pm_pressure_level *level = pm_levels_add(levels, PM_PRESSURE_NODE, error);
	char path[64], prefix[24];
	uint64_t bytes;
	if (!level)
		return -1;

	snprintf(level->name, sizeof level->name, "node%u", node);
	snprintf(path, sizeof path, "devices/system/node/node%u/meminfo", node);
	snprintf(prefix, sizeof prefix, "Node %u ", node);
	char *text = pm_limit_file(sys_root, path);
	if (text)
		pm_levels_parse(level, text, prefix, node_keys);
	free(text);

	snprintf(path, sizeof path, "devices/system/node/node%u/numastat", node);
	text = pm_limit_file(sys_root, path);
	if (text)
		pm_levels_parse(level, text, "", numastat_keys);
	free(text);

	if (shares && pm_cgroup_level_on_node(shares, version, node, &bytes))
		pm_levels_set(level, PM_PRESSURE_GROUP_USED, bytes);
	return 0;
}

static int by_number(const void *left, const void *right)
{
	const unsigned *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

/** Lists the numbers of the nodes. Returns their number, and counts those that do not fit. */
static size_t list_nodes(const char *sys_root, unsigned *nodes, size_t *others)
{
	char *path;
	size_t count = 0;
	if (asprintf(&path, "%s/devices/system/node", sys_root) < 0)
		return 0;

	DIR *directory = opendir(path);
	struct dirent *entry;
	free(path);
	while (directory && (entry = readdir(directory))) {
		const char *at = entry->d_name + 4;
		uint64_t number;
		if (strncmp(entry->d_name, "node", 4) != 0 || !pm_scan_decimal(&at, &number) ||
		    *at || number > 65535)
			continue;
		if (count >= PM_PRESSURE_NODES_MAX)
			++*others;
		else
			nodes[count++] = (unsigned)number;
	}

	if (directory)
		closedir(directory);
	qsort(nodes, count, sizeof *nodes, by_number);
	return count;
}

int pm_machine_level_add_nodes(const char *sys_root, const struct pm_hierarchy *group,
                               struct pm_levels *levels, struct pm_error *error)
{
	unsigned nodes[PM_PRESSURE_NODES_MAX];
	size_t count = list_nodes(sys_root, nodes, &levels->left_out);
	char *shares = NULL;
	int result = 0;

	/* The root cgroup would repeat the numbers of the machine. */
	if (group && group->version && *group->group &&
	    pm_cgroup_text(group, "memory.numa_stat", &shares, NULL) <= 0)
		shares = NULL;
	for (size_t i = 0; result == 0 && i < count; i++)
		result = add_node(sys_root, nodes[i], shares, group ? group->version : 0, levels,
		                  error);

	free(shares);
	return result;
}
