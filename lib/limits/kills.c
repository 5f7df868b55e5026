/* SPDX-License-Identifier: MIT */
#include <procmem/kills.h>

#include <stdlib.h>

#include "base/array.h"
#include "limits/cgroups.h"

struct pm_kills {
	struct pm_hierarchy hierarchy;
};

int pm_kills_open(struct pm_process *process, const char *sys_root, struct pm_kills **kills,
                  struct pm_error *error)
{
	struct pm_kills *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);
	if (pm_hierarchy_find(process, "memory", sys_root, &made->hierarchy, error) < 0) {
		free(made);
		return -1;
	}

	*kills = made;
	return 0;
}

void pm_kills_close(struct pm_kills *kills)
{
	if (!kills)
		return;
	pm_hierarchy_deinit(&kills->hierarchy);
	free(kills);
}

bool pm_kills_count(const struct pm_kills *kills, uint64_t *count)
{
	struct pm_limit_events events = { 0 };
	if (!kills->hierarchy.version ||
	    pm_cgroup_read_events(&kills->hierarchy, &events, NULL) < 0 || !events.known)
		return false;
	*count = events.oom_kill;
	return true;
}
