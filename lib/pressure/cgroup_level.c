/* SPDX-License-Identifier: MIT */
#include "pressure/cgroup_level.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/number.h"
#include "limits/cgroup_file.h"

/**
 * Maximum number of cgroups below the root whose usage is compared. It bounds the time of a
 * reading: to read one usage takes about 10 µs.
 */
enum { COMPARED_MAX = 128 };

/** A file with one number. A limit that is not set is not known. */
struct number_file {
	const char *name;
	enum pm_pressure_field field;
};

static const struct number_file number_files[3][9] = {
	[1] = {
		{ "memory.usage_in_bytes", PM_PRESSURE_USED },
		{ "memory.limit_in_bytes", PM_PRESSURE_MAX },
		{ "memory.max_usage_in_bytes", PM_PRESSURE_PEAK },
		{ "memory.memsw.usage_in_bytes", PM_PRESSURE_MEMSW },
		{ "memory.memsw.limit_in_bytes", PM_PRESSURE_MEMSW_MAX },
		{ "memory.failcnt", PM_PRESSURE_MAX_HITS },
	},
	[2] = {
		{ "memory.current", PM_PRESSURE_USED },
		{ "memory.max", PM_PRESSURE_MAX },
		{ "memory.high", PM_PRESSURE_HIGH },
		{ "memory.peak", PM_PRESSURE_PEAK },
		{ "memory.swap.current", PM_PRESSURE_SWAP },
		{ "memory.swap.max", PM_PRESSURE_SWAP_MAX },
		{ "memory.zswap.current", PM_PRESSURE_ZSWAP },
		{ "memory.zswap.max", PM_PRESSURE_ZSWAP_MAX },
	},
};

/* In v1, only keys that begin with total_ include the cgroups below. */
static const struct pm_level_key v1_stat[] = {
	{ "total_rss", PM_PRESSURE_ANON },
	{ "total_cache", PM_PRESSURE_FILE },
	{ "total_shmem", PM_PRESSURE_SHMEM },
	{ "total_swap", PM_PRESSURE_SWAP },
	{ "total_inactive_file", PM_PRESSURE_RECLAIMABLE },
	{ "total_active_file", PM_PRESSURE_RECLAIMABLE },
	{ "total_pgmajfault", PM_PRESSURE_MAJOR_FAULTS },
	{ "total_workingset_refault_anon", PM_PRESSURE_REFAULT_ANON },
	{ "total_workingset_refault_file", PM_PRESSURE_REFAULT_FILE },
	{ NULL, PM_PRESSURE_FIELDS },
};

static const struct pm_level_key v1_oom_control[] = {
	{ "oom_kill", PM_PRESSURE_OOM_KILL },
	{ "under_oom", PM_PRESSURE_UNDER_OOM },
	{ NULL, PM_PRESSURE_FIELDS },
};

static const struct pm_level_key v2_stat[] = {
	{ "anon", PM_PRESSURE_ANON },
	{ "file", PM_PRESSURE_FILE },
	{ "shmem", PM_PRESSURE_SHMEM },
	{ "kernel", PM_PRESSURE_KERNEL },
	{ "pagetables", PM_PRESSURE_PAGE_TABLES },
	{ "slab", PM_PRESSURE_SLAB },
	{ "sock", PM_PRESSURE_SOCK },
	{ "inactive_file", PM_PRESSURE_RECLAIMABLE },
	{ "active_file", PM_PRESSURE_RECLAIMABLE },
	{ "pgscan_direct", PM_PRESSURE_SCAN_DIRECT },
	{ "pgsteal_direct", PM_PRESSURE_STEAL_DIRECT },
	{ "pgscan_kswapd", PM_PRESSURE_SCAN_KSWAPD },
	{ "pgmajfault", PM_PRESSURE_MAJOR_FAULTS },
	{ "workingset_refault", PM_PRESSURE_REFAULT_FILE },
	{ "workingset_refault_anon", PM_PRESSURE_REFAULT_ANON },
	{ "workingset_refault_file", PM_PRESSURE_REFAULT_FILE },
	{ "workingset_restore_anon", PM_PRESSURE_RESTORE_ANON },
	{ "workingset_restore_file", PM_PRESSURE_RESTORE_FILE },
	{ "pswpin", PM_PRESSURE_SWAP_IN },
	{ "pswpout", PM_PRESSURE_SWAP_OUT },
	{ NULL, PM_PRESSURE_FIELDS },
};

static const struct pm_level_key v2_events[] = {
	{ "low", PM_PRESSURE_LOW_HITS },      { "high", PM_PRESSURE_HIGH_HITS },
	{ "max", PM_PRESSURE_MAX_HITS },      { "oom", PM_PRESSURE_OOM },
	{ "oom_kill", PM_PRESSURE_OOM_KILL }, { "oom_group_kill", PM_PRESSURE_GROUP_KILL },
	{ NULL, PM_PRESSURE_FIELDS },
};

static const struct pm_level_key v2_local_events[] = {
	{ "oom", PM_PRESSURE_LOCAL_OOM },
	{ "oom_kill", PM_PRESSURE_LOCAL_KILL },
	{ NULL, PM_PRESSURE_FIELDS },
};

static const struct pm_level_key v2_swap_events[] = {
	{ "max", PM_PRESSURE_SWAP_HITS },
	{ "fail", PM_PRESSURE_SWAP_FAILS },
	{ NULL, PM_PRESSURE_FIELDS },
};

/** Reads a file of lines `KEY NUMBER`. A file that cannot be read leaves its values unknown. */
static void read_keys(const struct pm_hierarchy *group, const char *name,
                      const struct pm_level_key *keys, struct pm_pressure_level *level)
{
	char *text;
	if (pm_cgroup_text(group, name, &text, NULL) <= 0)
		return;

	pm_levels_parse(level, text, "", keys);
	free(text);
}

static void read_numbers(const struct pm_hierarchy *group, struct pm_pressure_level *level)
{
	const struct number_file *files = number_files[group->version];

	for (size_t i = 0; files[i].name; i++) {
		uint64_t number;
		if (pm_cgroup_number(group, files[i].name, &number, NULL) > 0 &&
		    !pm_cgroup_is_unlimited(group, number))
			pm_levels_set(level, files[i].field, number);
	}
}

static void read_stall(const struct pm_hierarchy *group, struct pm_pressure_level *level)
{
	char *text;
	if (pm_cgroup_text(group, "memory.pressure", &text, NULL) <= 0)
		return;

	pm_levels_parse_stall(level, text);
	free(text);
}

int pm_cgroup_level_add(const struct pm_hierarchy *group, const struct pm_hierarchy *unified,
                        struct pm_levels *levels, struct pm_error *error)
{
	struct pm_pressure_level *level = pm_levels_add(levels, PM_PRESSURE_CGROUP, error);
	if (!level)
		return -1;

	pm_cgroup_name(group, level->name, sizeof level->name);
	read_numbers(group, level);
	if (group->version == 1) {
		read_keys(group, "memory.stat", v1_stat, level);
		read_keys(group, "memory.oom_control", v1_oom_control, level);
		/* The root of v2 has the PSI of the machine. */
		if (unified && unified->version == 2 && *unified->group)
			read_stall(unified, level);
		return 0;
	}

	read_keys(group, "memory.stat", v2_stat, level);
	read_keys(group, "memory.events", v2_events, level);
	read_keys(group, "memory.events.local", v2_local_events, level);
	read_keys(group, "memory.swap.events", v2_swap_events, level);
	read_stall(group, level);
	return 0;
}

/** A cgroup below the root. */
struct candidate {
	char *group;   /* its path, owned */
	uint64_t used; /* bytes; 0 if not known */
};

static int by_usage(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	if (a->used != b->used)
		return a->used < b->used ? 1 : -1;
	return strcmp(a->group, b->group);
}

/**
 * Finds the cgroups below the root.
 *
 * @param root        the root
 * @param candidates  receives at most COMPARED_MAX cgroups
 * @param count       receives their number
 * @param others      receives the number of the other ones
 * @param error       PM_ERROR_RESOURCES
 * @return            0 or -1
 */
static int find_candidates(const struct pm_hierarchy *root, struct candidate *candidates,
                           size_t *count, size_t *others, struct pm_error *error)
{
	char *path;
	if (asprintf(&path, "%s%s", root->folder, root->group) < 0)
		return pm_error_out_of_memory(error);

	DIR *directory = opendir(path);
	struct dirent *entry;
	int result = 0;

	free(path);
	while (result == 0 && directory && (entry = readdir(directory))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (*count >= COMPARED_MAX) {
			++*others;
			continue;
		}

		struct candidate *candidate = &candidates[*count];
		struct pm_hierarchy group = *root;
		if (asprintf(&group.group, "%s/%s", root->group, entry->d_name) < 0) {
			result = pm_error_out_of_memory(error);
			break;
		}
		*candidate = (struct candidate){ .group = group.group };
		pm_cgroup_number(&group, number_files[root->version][0].name, &candidate->used,
		                 NULL);
		++*count;
	}

	if (directory)
		closedir(directory);
	return result;
}

int pm_cgroup_level_add_top(const struct pm_hierarchy *root, struct pm_levels *levels,
                            struct pm_error *error)
{
	struct candidate candidates[COMPARED_MAX];
	size_t count = 0, others = 0;
	int result = find_candidates(root, candidates, &count, &others, error);

	qsort(candidates, count, sizeof *candidates, by_usage);
	for (size_t i = 0; i < count; i++) {
		struct pm_hierarchy group = *root;
		group.group = candidates[i].group;
		if (i >= PM_PRESSURE_TOP_MAX)
			others++;
		else if (result == 0)
			result = pm_cgroup_level_add(&group, NULL, levels, error);
		free(candidates[i].group);
	}

	levels->left_out += others;
	return result;
}

/** Finds the number of a node in a line such as `anon N0=4096 N1=0`. */
static bool find_node(const char *line, unsigned node, uint64_t *number)
{
	char word[24];
	const char *end = line + strcspn(line, "\n");

	snprintf(word, sizeof word, " N%u=", node);
	const char *at = strstr(line, word);
	if (!at || at >= end)
		return false;

	at += strlen(word);
	return pm_scan_decimal(&at, number);
}

bool pm_cgroup_level_on_node(const char *text, int version, unsigned node, uint64_t *bytes)
{
	/* In v2, shmem and file_mapped are parts of file. */
	static const char *const v1[] = { "hierarchical_total=", NULL };
	static const char *const v2[] = { "anon ",
		                          "file ",
		                          "pagetables ",
		                          "kernel_stack ",
		                          "slab_reclaimable ",
		                          "slab_unreclaimable ",
		                          NULL };
	uint64_t sum = 0, number;
	bool found = false;

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		for (const char *const *key = version == 1 ? v1 : v2; *key; key++) {
			if (strncmp(line, *key, strlen(*key)) != 0 ||
			    !find_node(line, node, &number) ||
			    __builtin_add_overflow(sum, number, &sum))
				continue;
			found = true;
		}
	}

	uint64_t unit = version == 1 ? (uint64_t)sysconf(_SC_PAGESIZE) : 1;
	if (!found || __builtin_mul_overflow(sum, unit, &sum))
		return false;
	*bytes = sum;
	return true;
}
