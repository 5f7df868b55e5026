/* SPDX-License-Identifier: MIT */
/*
 * Limits of cgroups. The limits of the cgroup of a process and of all ancestors of this cgroup
 * apply to the process, so the limits of each level are reported.
 */
#include "limits/cgroups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "limits/cgroup_file.h"
#include "limits/hierarchy.h"
#include "limits/limit_source.h"

/** Names in the memory controller. The index of the arrays is the version of cgroups, 1 or 2. */
static const struct {
	const char *max[3];  /* file of the limit */
	const char *high[3]; /* file of memory.high; NULL if the version has no such limit */
	const char *used[3]; /* file of the usage */
	/*
	 * Keys in memory.stat. In v1, only keys that begin with total_ include the descendants of
	 * the cgroup; in v2, all keys include them.
	 */
	const char *inactive[3];
	const char *active[3];
} memory_names = {
	{ NULL, "memory.limit_in_bytes", "memory.max" },
	{ NULL, NULL, "memory.high" },
	{ NULL, "memory.usage_in_bytes", "memory.current" },
	{ NULL, "total_inactive_file", "inactive_file" },
	{ NULL, "total_active_file", "active_file" },
};

/** The memory of one cgroup, in bytes. */
struct level_memory {
	uint64_t used;
	uint64_t inactive; /* page cache that was not used recently */
	uint64_t active;   /* page cache that was used recently; shared memory and tmpfs excluded */
};

/**
 * Reads a limit of a cgroup.
 *
 * @param hierarchy  the cgroup
 * @param name       name of the file; may be NULL
 * @param max        receives the limit
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           1; 0 if the cgroup has no such limit; -1 on error
 */
static int read_max(const struct pm_hierarchy *hierarchy, const char *name, uint64_t *max,
                    struct pm_error *error)
{
	if (!name)
		return 0;

	int found = pm_cgroup_number(hierarchy, name, max, error);
	if (found > 0 && pm_cgroup_is_unlimited(hierarchy, *max))
		return 0;

	return found;
}

/**
 * Reads the memory of a cgroup. Page cache stays 0 if there is no memory.stat.
 *
 * @param hierarchy  the cgroup
 * @param memory     filled
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           1; 0 if the usage cannot be read, as in a cgroup that is being removed; -1 on
 *                   error
 */
static int read_memory(const struct pm_hierarchy *hierarchy, struct level_memory *memory,
                       struct pm_error *error)
{
	int version = hierarchy->version;
	char *text;

	*memory = (struct level_memory){ 0 };
	int found = pm_cgroup_number(hierarchy, memory_names.used[version], &memory->used, error);
	if (found <= 0)
		return found;

	found = pm_cgroup_text(hierarchy, "memory.stat", &text, error);
	if (found <= 0)
		return found < 0 ? -1 : 1;

	pm_cgroup_entry(text, memory_names.inactive[version], &memory->inactive);
	pm_cgroup_entry(text, memory_names.active[version], &memory->active);
	free(text);

	return 1;
}

/** Writes the name of a file of a cgroup, such as "/shop/memory.max". */
static void name_source(const struct pm_hierarchy *hierarchy, const char *name,
                        char source[PM_LIMIT_SOURCE_SIZE])
{
	char group[1024];
	const char *slash = "/";

	pm_cgroup_name(hierarchy, group, sizeof group);
	if (strcmp(group, "/") == 0)
		slash = "";
	snprintf(source, PM_LIMIT_SOURCE_SIZE, "%s%s%s", group, slash, name);
}

static struct pm_limit make_limit(const struct pm_hierarchy *hierarchy, enum pm_limit_kind kind,
                                  uint64_t max, const char *name)
{
	struct pm_limit limit = { .kind = kind, .max = max };
	name_source(hierarchy, name, limit.source);
	return limit;
}

/**
 * Adds the memory limits of one cgroup.
 *
 * The kernel can reclaim active and inactive page cache before it kills a process. It cannot
 * reclaim shared memory and tmpfs files without swap; the kernel does not count these as active or
 * inactive file pages (Documentation/admin-guide/cgroup-v2.rst, memory.stat).
 *
 * @param hierarchy  the cgroup
 * @param headroom   receives the limits
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int add_memory_level(const struct pm_hierarchy *hierarchy, struct pm_headroom *headroom,
                            struct pm_error *error)
{
	const char *max_name = memory_names.max[hierarchy->version],
		   *high_name = memory_names.high[hierarchy->version];
	uint64_t max, high;
	int has_max = read_max(hierarchy, max_name, &max, error);
	int has_high = has_max < 0 ? -1 : read_max(hierarchy, high_name, &high, error);
	struct level_memory memory;

	if (has_high < 0)
		return -1;
	if (!has_max && !has_high)
		return 0;

	int has_usage = read_memory(hierarchy, &memory, error);
	if (has_usage <= 0)
		return has_usage;

	if (has_max) {
		struct pm_limit limit = make_limit(hierarchy, PM_LIMIT_CGROUP, max, max_name);
		limit.used = memory.used;
		limit.reclaimable = memory.inactive + memory.active;
		pm_limit_insert(headroom, &limit);

		limit.kind = PM_LIMIT_CGROUP_WORKING_SET;
		limit.reclaimable = memory.inactive;
		pm_limit_insert(headroom, &limit);
	}

	if (has_high) {
		struct pm_limit limit = make_limit(hierarchy, PM_LIMIT_CGROUP_HIGH, high,
		                                   high_name);
		limit.used = memory.used;
		limit.reclaimable = memory.inactive + memory.active;
		pm_limit_insert(headroom, &limit);
	}

	return 0;
}

/** Adds the limit of the pids controller of one cgroup. */
static int add_pids_level(const struct pm_hierarchy *hierarchy, struct pm_headroom *headroom,
                          struct pm_error *error)
{
	struct pm_limit limit = make_limit(hierarchy, PM_LIMIT_PIDS, 0, "pids.max");
	int found = read_max(hierarchy, "pids.max", &limit.max, error);

	if (found > 0)
		found = pm_cgroup_number(hierarchy, "pids.current", &limit.used, error);
	if (found <= 0)
		return found;

	pm_limit_insert(headroom, &limit);
	return 0;
}

typedef int add_level(const struct pm_hierarchy *hierarchy, struct pm_headroom *headroom,
                      struct pm_error *error);

/**
 * Adds the limits of a cgroup and of all its ancestors.
 *
 * @param hierarchy  the cgroup
 * @param add        adds the limits of one cgroup
 * @param headroom   receives the limits
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int gather_levels(const struct pm_hierarchy *hierarchy, add_level *add,
                         struct pm_headroom *headroom, struct pm_error *error)
{
	struct pm_hierarchy at = *hierarchy;
	at.group = strdup(hierarchy->group);
	if (!at.group)
		return pm_error_out_of_memory(error);

	int result;
	do {
		result = add(&at, headroom, error);
	} while (result == 0 && pm_cgroup_go_up(&at));

	free(at.group);
	return result;
}

/**
 * Reads what is left of the memory limit of a cgroup.
 *
 * @param hierarchy  the cgroup
 * @param left       receives the number of bytes
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           1; 0 if the cgroup has no limit; -1 on error
 */
static int read_left(const struct pm_hierarchy *hierarchy, uint64_t *left, struct pm_error *error)
{
	struct pm_limit limit = { 0 };
	struct level_memory memory;
	int found = read_max(hierarchy, memory_names.max[hierarchy->version], &limit.max, error);

	if (found <= 0)
		return found;
	/* If the usage cannot be read, the cgroup still has a limit, and counts as unused. */
	if (read_memory(hierarchy, &memory, error) < 0)
		return -1;

	limit.used = memory.used;
	limit.reclaimable = memory.inactive + memory.active;
	*left = pm_limit_left(&limit);

	return 1;
}

int pm_cgroup_go_to_limit(struct pm_hierarchy *hierarchy, struct pm_error *error)
{
	struct pm_hierarchy at = *hierarchy;
	uint64_t least = UINT64_MAX, left;
	char *tightest = NULL;
	int result;

	at.group = strdup(hierarchy->group);
	if (!at.group)
		return pm_error_out_of_memory(error);

	do {
		result = read_left(&at, &left, error);
		if (result <= 0 || (tightest && left >= least))
			continue;

		least = left;
		free(tightest);
		tightest = strdup(at.group);
		if (!tightest)
			result = pm_error_out_of_memory(error);
	} while (result >= 0 && pm_cgroup_go_up(&at));

	free(at.group);
	if (result < 0 || !tightest) {
		free(tightest);
		return result < 0 ? -1 : 0;
	}

	free(hierarchy->group);
	hierarchy->group = tightest;
	return 1;
}

int pm_cgroup_read_events(const struct pm_hierarchy *hierarchy, struct pm_limit_events *events,
                          struct pm_error *error)
{
	char *text;
	const char *name = hierarchy->version == 2 ? "memory.events" : "memory.oom_control";
	int found = pm_cgroup_text(hierarchy, name, &text, error);
	if (found <= 0)
		return found;

	/* `known` is false for v1 on kernels before 4.13, which do not count OOM kills. */
	events->known = pm_cgroup_entry(text, "oom_kill", &events->oom_kill);
	pm_cgroup_entry(text, "high", &events->high);
	pm_cgroup_entry(text, "max", &events->max);
	pm_cgroup_entry(text, "oom", &events->oom);
	free(text);
	if (hierarchy->version == 2)
		return 0;

	if (pm_cgroup_number(hierarchy, "memory.failcnt", &events->max, error) < 0)
		return -1;

	return 0;
}

/**
 * Parses a decimal fraction such as `1.25`. Returns 0 if the text does not begin with a digit.
 * strtod(3) is not used because it depends on the locale.
 */
static double scan_percent(const char *text)
{
	uint64_t whole = 0, part = 0;
	if (!pm_scan_decimal(&text, &whole))
		return 0;

	const char *digits = text + 1;
	if (*text != '.' || (text = digits, !pm_scan_decimal(&text, &part)))
		return (double)whole;

	double scale = 1;
	for (const char *at = digits; at < text; at++)
		scale *= 10;

	return (double)whole + (double)part / scale;
}

void pm_pressure_parse(const char *text, struct pm_pressure *pressure)
{
	static const char *const words[] = { "some avg10=", "full avg10=" };
	double *const ten[] = { &pressure->some10, &pressure->full10 };
	double *const sixty[] = { &pressure->some60, &pressure->full60 };

	for (size_t i = 0; i < 2; i++) {
		const char *line = strstr(text, words[i]);
		if (!line)
			continue;
		pressure->known = true;
		*ten[i] = scan_percent(line + strlen(words[i]));
		const char *longer = strstr(line, "avg60=");
		*sixty[i] = 0;
		if (longer)
			*sixty[i] = scan_percent(longer + strlen("avg60="));
	}
}

static int read_pressure(const struct pm_hierarchy *hierarchy, struct pm_pressure *pressure,
                         struct pm_error *error)
{
	char *text;
	int found = pm_cgroup_text(hierarchy, "memory.pressure", &text, error);
	if (found <= 0)
		return found;

	pm_pressure_parse(text, pressure);
	free(text);
	return 0;
}

/** Records which cgroups are visible, unless even fewer are visible in another hierarchy. */
static void note_view(const struct pm_hierarchy *hierarchy, struct pm_headroom *headroom)
{
	if (hierarchy->view > headroom->cgroup_view)
		headroom->cgroup_view = hierarchy->view;
}

int pm_gather_memory_cgroup(struct pm_process *process, const char *sys_root,
                            struct pm_headroom *headroom, struct pm_error *error)
{
	struct pm_hierarchy hierarchy;
	if (pm_hierarchy_find(process, "memory", sys_root, &hierarchy, error) < 0)
		return -1;

	int result = 0;
	note_view(&hierarchy, headroom);
	if (hierarchy.version) {
		headroom->cgroup_version = hierarchy.version;
		result = gather_levels(&hierarchy, add_memory_level, headroom, error);
		if (result == 0)
			result = pm_cgroup_read_events(&hierarchy, &headroom->events, error);
		if (result == 0 && hierarchy.version == 2)
			result = read_pressure(&hierarchy, &headroom->pressure, error);
	}

	pm_hierarchy_deinit(&hierarchy);
	if (result == 0 && !headroom->pressure.known) {
		char *text = pm_limit_file(pm_process_root(process), "pressure/memory");
		if (text)
			pm_pressure_parse(text, &headroom->pressure);
		headroom->pressure.machine = headroom->pressure.known;
		free(text);
	}

	return result;
}

int pm_gather_pids_cgroup(struct pm_process *process, const char *sys_root,
                          struct pm_headroom *headroom, struct pm_error *error)
{
	struct pm_hierarchy hierarchy;
	if (pm_hierarchy_find(process, "pids", sys_root, &hierarchy, error) < 0)
		return -1;

	int result = 0;
	note_view(&hierarchy, headroom);
	pm_limit_remove(headroom, PM_LIMIT_PIDS);
	if (hierarchy.version)
		result = gather_levels(&hierarchy, add_pids_level, headroom, error);
	pm_hierarchy_deinit(&hierarchy);
	return result;
}
