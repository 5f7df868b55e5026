/* SPDX-License-Identifier: MIT */
#include "support/group.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "limits/hierarchy.h"

const char *group_make(struct group *group, uint64_t limit)
{
	struct pm_process *process;
	struct pm_hierarchy own;

	*group = (struct group){ 0 };
	assert_int_equal(pm_process_open(NULL, getpid(), &process, NULL), 0);
	assert_int_equal(pm_hierarchy_find(process, "memory", "/sys", &own, NULL), 0);
	pm_process_close(process);

	if (own.version) {
		static unsigned number;
		group->version = own.version;
		snprintf(group->path, sizeof group->path, "%s/procmem-test-%d-%u", own.group,
		         (int)getpid(), number++);
		snprintf(group->folder, sizeof group->folder, "%s%s", own.folder, group->path);
	}

	pm_hierarchy_deinit(&own);
	if (!group->version)
		return "this machine has no memory cgroups";
	if (mkdir(group->folder, 0755) < 0)
		return "no right to create a cgroup";
	if (group_write(group, group->version == 1 ? "memory.limit_in_bytes" : "memory.max",
	                limit) < 0)
		return "the memory controller is not enabled in new cgroups";

	return NULL;
}

const char *group_add(const struct group *group, pid_t pid)
{
	return group_write(group, "cgroup.procs", (uint64_t)pid) < 0
	               ? "no right to move a process into a cgroup"
	               : NULL;
}

int group_write(const struct group *group, const char *name, uint64_t number)
{
	char path[8192];
	snprintf(path, sizeof path, "%s/%s", group->folder, name);

	FILE *file = fopen(path, "we");
	if (!file)
		return -1;

	fprintf(file, "%" PRIu64 "\n", number);
	return fclose(file);
}

void group_remove(struct group *group)
{
	/* The kernel releases a dead process a moment later. */
	for (int tries = 0;
	     *group->folder && rmdir(group->folder) < 0 && errno == EBUSY && tries < 30000; tries++)
		usleep(1000);
	*group = (struct group){ 0 };
}
