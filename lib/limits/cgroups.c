/* SPDX-License-Identifier: MIT */
/*
 * Limits of cgroups. The limit of the cgroup of a process and the limits of all ancestors of this
 * cgroup apply to the process. Only the limit with the least headroom is reported.
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

/**
 * Files from which one limit of a cgroup is read. The index of the arrays is the version of
 * cgroups, 1 or 2. If `max` is NULL, the version has no such limit.
 */
struct group_files {
	enum pm_limit_kind kind;
	const char *max[3];
	const char *used[3];
	/* Key in memory.stat whose value is the part of the used memory that the kernel can
	 * reclaim. NULL if the limit is not a limit on memory. */
	const char *cache_key[3];
};

/*
 * In v1, only keys that begin with total_ include the descendants of the cgroup; in v2, all keys
 * include them.
 */
static const struct group_files memory_files = {
	PM_LIMIT_CGROUP,
	{ NULL, "memory.limit_in_bytes", "memory.max" },
	{ NULL, "memory.usage_in_bytes", "memory.current" },
	{ NULL, "total_inactive_file", "inactive_file" },
};

static const struct group_files high_files = {
	PM_LIMIT_CGROUP_HIGH,
	{ NULL, NULL, "memory.high" },
	{ NULL, "memory.usage_in_bytes", "memory.current" },
	{ NULL, "total_inactive_file", "inactive_file" },
};

static const struct group_files pids_files = { PM_LIMIT_PIDS,
	                                       { NULL, "pids.max", "pids.max" },
	                                       { NULL, "pids.current", "pids.current" },
	                                       { NULL } };

static int read_reclaimable(const struct pm_hierarchy *hierarchy, const char *key, uint64_t *bytes,
                            struct pm_error *error)
{
	char *text;
	*bytes = 0;
	if (!key)
		return 0;

	int found = pm_cgroup_text(hierarchy, "memory.stat", &text, error);
	if (found <= 0)
		return found;

	if (!pm_cgroup_entry(text, key, bytes))
		*bytes = 0;
	free(text);

	return 0;
}

/** The limit with the least headroom, among the limits of the cgroups examined so far. */
struct tightest {
	struct pm_limit limit;
	char *group; /* path of the cgroup that has the limit, owned; NULL if no limit was found */
};

/**
 * Reads the limit of one cgroup, and stores the limit if it has less headroom than the limit found
 * so far. Does nothing if the cgroup has no limit.
 *
 * @param hierarchy  the cgroup
 * @param files      files of the limit
 * @param tightest   the limit found so far; receives the limit of the cgroup if that limit has less
 *                   headroom
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int consider(const struct pm_hierarchy *hierarchy, const struct group_files *files,
                    struct tightest *tightest, struct pm_error *error)
{
	struct pm_limit own = { .kind = files->kind };
	const char *name = files->max[hierarchy->version];
	if (!name)
		return 0;

	int found = pm_cgroup_number(hierarchy, name, &own.max, error);
	if (found <= 0)
		return found;
	if (pm_cgroup_is_unlimited(hierarchy, own.max))
		return 0;
	if (pm_cgroup_number(hierarchy, files->used[hierarchy->version], &own.used, error) < 0 ||
	    read_reclaimable(hierarchy, files->cache_key[hierarchy->version], &own.reclaimable,
	                     error) < 0)
		return -1;
	if (tightest->group && pm_limit_left(&own) >= pm_limit_left(&tightest->limit))
		return 0;

	char group[1024];
	char *path = strdup(hierarchy->group);
	if (!path)
		return pm_error_out_of_memory(error);

	pm_cgroup_name(hierarchy, group, sizeof group);
	snprintf(own.source, sizeof own.source, "%s%s%s", group, strcmp(group, "/") == 0 ? "" : "/",
	         name);
	free(tightest->group);
	*tightest = (struct tightest){ own, path };

	/* cppcheck-suppress memleak ; `tightest` keeps it */
	return 0;
}

/**
 * Finds the limit with the least headroom, among the limits of the cgroup of the process and of all
 * its ancestors.
 *
 * @param hierarchy  the cgroup of the process
 * @param files      files of the limit
 * @param tightest   receives the limit; the caller zeroes it before and frees its `group`
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int find_tightest(const struct pm_hierarchy *hierarchy, const struct group_files *files,
                         struct tightest *tightest, struct pm_error *error)
{
	struct pm_hierarchy at = *hierarchy;
	at.group = strdup(hierarchy->group);
	if (!at.group)
		return pm_error_out_of_memory(error);

	int result;
	do {
		result = consider(&at, files, tightest, error);
	} while (result == 0 && pm_cgroup_go_up(&at));

	free(at.group);
	return result;
}

/**
 * Finds the limit with the least headroom, and adds it to `headroom`. Adds nothing if no cgroup has
 * a limit.
 */
static int gather(const struct pm_hierarchy *hierarchy, const struct group_files *files,
                  struct pm_headroom *headroom, struct pm_error *error)
{
	struct tightest tightest = { 0 };
	int result = find_tightest(hierarchy, files, &tightest, error);
	if (result == 0 && tightest.group) {
		struct pm_limit *added = pm_limit_add(headroom, files->kind, tightest.limit.max,
		                                      tightest.limit.used, "%s",
		                                      tightest.limit.source);
		added->reclaimable = tightest.limit.reclaimable;
	}

	free(tightest.group);
	return result;
}

int pm_cgroup_go_to_limit(struct pm_hierarchy *hierarchy, struct pm_error *error)
{
	struct tightest tightest = { 0 };
	int result = find_tightest(hierarchy, &memory_files, &tightest, error);
	if (result < 0 || !tightest.group) {
		free(tightest.group);
		return result;
	}

	free(hierarchy->group);
	hierarchy->group = tightest.group;
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

int pm_gather_memory_cgroup(struct pm_process *process, const char *sys_root,
                            struct pm_headroom *headroom, struct pm_error *error)
{
	struct pm_hierarchy hierarchy;
	if (pm_hierarchy_find(process, "memory", sys_root, &hierarchy, error) < 0)
		return -1;

	int result = 0;
	if (hierarchy.version) {
		headroom->cgroup_version = hierarchy.version;
		result = gather(&hierarchy, &memory_files, headroom, error);
		if (result == 0)
			result = gather(&hierarchy, &high_files, headroom, error);
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
	if (hierarchy.version)
		result = gather(&hierarchy, &pids_files, headroom, error);
	pm_hierarchy_deinit(&hierarchy);
	return result;
}
