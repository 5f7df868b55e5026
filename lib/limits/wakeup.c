/* SPDX-License-Identifier: MIT */
#include <procmem/wakeup.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "limits/cgroup_file.h"
#include "limits/cgroups.h"
#include "limits/gather.h"
#include "limits/wakeup_open.h"

struct pm_wakeup {
	struct pm_wakeup_source sources[PM_WAKEUP_CAUSES]; /* those that there are */
	size_t count;
	struct pm_hierarchy hierarchy; /* the process's own group */
};

const char *pm_wakeup_name(enum pm_wakeup_cause cause)
{
	static const char *const names[PM_WAKEUP_CAUSES] = { "usage", "oom", "events", "pressure" };
	return (unsigned)cause < PM_WAKEUP_CAUSES ? names[cause] : "";
}

/** What is being opened: one source of each cause, and whether this system has it. */
struct opening {
	struct pm_wakeup_source sources[PM_WAKEUP_CAUSES];
	bool has[PM_WAKEUP_CAUSES];
	const uint64_t *usage;
	size_t count;
};

static bool has_limit(const struct pm_hierarchy *hierarchy)
{
	static const char *const names[][2] = {
		[1] = { "memory.limit_in_bytes", NULL }, [2] = { "memory.max", "memory.high" }
	};

	for (size_t i = 0; i < 2 && names[hierarchy->version][i]; i++) {
		uint64_t max;
		if (pm_cgroup_number(hierarchy, names[hierarchy->version][i], &max, NULL) > 0 &&
		    !pm_cgroup_is_unlimited(hierarchy, max))
			return true;
	}

	return false;
}

/** Listens to one group. */
static void listen_to(const struct pm_hierarchy *hierarchy, struct opening *opening)
{
	struct pm_wakeup_source *sources = opening->sources;
	bool *has = opening->has;
	if (hierarchy->version == 2) {
		has[PM_WAKEUP_EVENTS] |= pm_wakeup_add_events(hierarchy,
		                                              &sources[PM_WAKEUP_EVENTS]);
	} else {
		has[PM_WAKEUP_USAGE] |= pm_wakeup_add_usage(
			hierarchy, opening->usage, opening->count, &sources[PM_WAKEUP_USAGE]);
		has[PM_WAKEUP_OOM] |= pm_wakeup_add_oom(hierarchy, &sources[PM_WAKEUP_OOM]);
	}
}

/**
 * Listens to the process's group and those above it that have a limit. The top has none, and what
 * happens there is the machine's.
 */
static int listen_to_all(const struct pm_hierarchy *hierarchy, struct opening *opening,
                         struct pm_error *error)
{
	struct pm_hierarchy at = *hierarchy;
	at.group = strdup(hierarchy->group);
	if (!at.group)
		return pm_error_out_of_memory(error);

	bool own = true;
	do {
		if (at.group[0] != '\0' && (own || has_limit(&at)))
			listen_to(&at, opening);
		own = false;
	} while (pm_cgroup_go_up(&at));

	free(at.group);
	return 0;
}

/**
 * Listens to pressure, in the group or in the machine.
 * @return 0 or -1
 */
static int listen_to_pressure(const struct pm_hierarchy *hierarchy, const char *proc_root,
                              struct opening *opening, struct pm_error *error)
{
	struct pm_wakeup_source *source = &opening->sources[PM_WAKEUP_PRESSURE];
	char *path;
	bool found = false;
	if (hierarchy->version == 2) {
		if (asprintf(&path, "%s%s/memory.pressure", hierarchy->folder, hierarchy->group) <
		    0)
			return pm_error_out_of_memory(error);
		found = pm_wakeup_add_pressure(path, source);
		free(path);
	}

	if (!found) {
		if (asprintf(&path, "%s/pressure/memory", proc_root) < 0)
			return pm_error_out_of_memory(error);
		found = pm_wakeup_add_pressure(path, source);
		free(path);
	}

	opening->has[PM_WAKEUP_PRESSURE] = found;
	return 0;
}

static void close_sources(struct pm_wakeup_source *sources, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sources[i].fd >= 0)
			close(sources[i].fd);
}

int pm_wakeup_open(struct pm_process *process, const char *sys_root, const uint64_t *usage,
                   size_t count, struct pm_wakeup **wakeup, struct pm_error *error)
{
	struct pm_wakeup *made = calloc(1, sizeof *made);
	struct opening opening = { .usage = usage, .count = count };

	if (!made)
		return pm_error_out_of_memory(error);

	for (int i = 0; i < PM_WAKEUP_CAUSES; i++)
		opening.sources[i] = (struct pm_wakeup_source){ .cause = (enum pm_wakeup_cause)i,
			                                        .fd = -1 };

	int result = pm_hierarchy_find(process, "memory", sys_root ? sys_root : "/sys",
	                               &made->hierarchy, error);
	if (result == 0 && made->hierarchy.version)
		result = listen_to_all(&made->hierarchy, &opening, error);
	if (result == 0)
		result = listen_to_pressure(&made->hierarchy, pm_process_root(process), &opening,
		                            error);

	if (result < 0) {
		close_sources(opening.sources, PM_WAKEUP_CAUSES);
		pm_hierarchy_deinit(&made->hierarchy);
		free(made);
		return -1;
	}

	for (size_t i = 0; i < PM_WAKEUP_CAUSES; i++)
		if (opening.has[i])
			made->sources[made->count++] = opening.sources[i];

	*wakeup = made;
	return 0;
}

void pm_wakeup_close(struct pm_wakeup *wakeup)
{
	if (!wakeup)
		return;
	close_sources(wakeup->sources, wakeup->count);
	pm_hierarchy_deinit(&wakeup->hierarchy);
	free(wakeup);
}

const struct pm_wakeup_source *pm_wakeup_sources(const struct pm_wakeup *wakeup, size_t *count)
{
	*count = wakeup->count;
	return wakeup->sources;
}

bool pm_wakeup_consume(struct pm_wakeup *wakeup, size_t index, short revents)
{
	struct pm_wakeup_source *source = &wakeup->sources[index];
	if (source->fd < 0 || revents == 0)
		return false;

	/* PSI and a removed group show themselves by POLLERR, without end. */
	if (revents & (POLLERR | POLLNVAL)) {
		close(source->fd);
		source->fd = -1;
		return false;
	}

	if (!(revents & source->events))
		return false;

	/* Eight bytes of an eventfd, or the events of inotify, which all say the same. Asking for
	 * PSI has taken its event. */
	char bytes[4096];
	while (source->events & POLLIN && pm_read(source->fd, bytes, sizeof bytes) > 0) {
	}

	return true;
}

int pm_wakeup_read_events(const struct pm_wakeup *wakeup, struct pm_limit_events *events,
                          struct pm_error *error)
{
	struct pm_limit_events read = { 0 };
	if (wakeup->hierarchy.version &&
	    pm_cgroup_read_events(&wakeup->hierarchy, &read, error) < 0)
		return -1;
	*events = read;
	return 0;
}
