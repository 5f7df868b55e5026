/* SPDX-License-Identifier: MIT */
/*
 * Shared memory without a file on a disk (System V, POSIX, memfd, shared anonymous), recognised by
 * the name in maps.
 */
#include <string.h>

#include "kinds/context.h"
#include "kinds/rules.h"

static bool begins(const char *text, const char *words)
{
	return strncmp(text, words, strlen(words)) == 0;
}

static void claim(struct pm_kinds_context *context, struct pm_region *region)
{
	const char *name = region->mapping;

	if (begins(name, "/SYSV")) {
		/*
		 * The inode number is the shmid (ipc/shm.c). Core files do not contain inode
		 * numbers.
		 */
		if (context->evidence->any_page)
			region->detail.type = PM_DETAIL_SYSV;
		else
			region->detail = (struct pm_detail){ .type = PM_DETAIL_SYSV_ID,
				                             .shmid = region->inode };
		pm_kinds_claim(region, PM_KIND_SHM, PM_PROOF_PROVEN,
		               "named /SYSVkey by the kernel: System V shared memory, shmat(2)");
	} else if (begins(name, "/dev/shm/")) {
		region->detail.type = PM_DETAIL_POSIX;
		pm_kinds_claim(region, PM_KIND_SHM, PM_PROOF_INFERRED,
		               "a file in /dev/shm, where shm_open(3) creates files");

	} else if (begins(name, "/memfd:")) {
		region->detail.type = PM_DETAIL_MEMFD;
		pm_kinds_claim(region, PM_KIND_SHM, PM_PROOF_PROVEN,
		               "named /memfd by the kernel: created by memfd_create(2)");
	} else if (strcmp(name, "/dev/zero") == 0 && region->deleted) {
		region->detail.type = PM_DETAIL_SHARED_ANONYMOUS;
		pm_kinds_claim(region, PM_KIND_SHM, PM_PROOF_PROVEN,
		               "named /dev/zero (deleted) by the kernel: shared anonymous memory");
	}
}

int pm_rule_shared_memory(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_FILE, &at));)
		claim(context, region);

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_NAMED, &at));) {
		if (!begins(region->mapping, "[anon_shmem:"))
			continue;
		pm_kinds_claim(region, PM_KIND_SHM, PM_PROOF_PROVEN,
		               "shared anonymous memory with a name set by prctl(2)");
		region->detail.type = PM_DETAIL_SHARED_ANONYMOUS;
	}

	return 0;
}
