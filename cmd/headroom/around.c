/* SPDX-License-Identifier: MIT */
#include "headroom/around.h"

#include <procmem/members.h>

#include "base/clock.h"
#include "base/interrupt.h"

/* Maximum duration of a walk through the files in tmpfs, in seconds. 100,000 files take 0.5 s. */
static const double walk_seconds = 2;

void headroom_around_deinit(struct headroom_around *around)
{
	neighbours_deinit(&around->neighbours);
	pm_tmpfs_rows_deinit(&around->folders);
	pm_tmpfs_deinit(&around->before);
	pm_tmpfs_deinit(&around->after);
	*around = (struct headroom_around){ 0 };
}

/**
 * Walks through the files in tmpfs. If they cannot be read, `folders_error` says why.
 * @return 0, or -1 if the process has ended or memory runs out
 */
static int walk(struct headroom_around *around, struct pm_tmpfs *tmpfs, struct pm_error *error)
{
	struct pm_tmpfs_options options = { .seconds_max = walk_seconds };
	const volatile sig_atomic_t *interrupted = interrupt_flag();
	struct pm_error cause;

	/* After an interrupt, the results so far are still completed. */
	if (!*interrupted)
		options.cancel = interrupted;

	if (pm_tmpfs_read(around->neighbours.process, &options, tmpfs, &cause) == 0)
		return 0;
	if (cause.kind == PM_ERROR_GONE || cause.kind == PM_ERROR_RESOURCES) {
		*error = cause;
		return -1;
	}

	around->folders_error = cause;
	return 0;
}

/**
 * Reads the size of the files in tmpfs and of the shared memory that are charged to the cgroup.
 * @return 1, 0 if there is no cgroup with a limit, -1 on failure
 */
static int read_shmem(struct headroom_around *around, uint64_t *shmem, struct pm_error *error)
{
	struct pm_members members;

	if (pm_members_read(around->neighbours.process, NULL, &members, error) < 0)
		return -1;

	int known = members.group != NULL;
	*shmem = members.shmem;
	pm_members_deinit(&members);
	return known;
}

int headroom_around_begin(struct headroom_around *around, struct pm_process *process,
                          struct pm_error *error)
{
	struct neighbours_options options = { .family = true, .group = true };
	struct pm_headroom headroom;

	if (pm_headroom_read_memory(process, NULL, &headroom, error) < 0)
		return -1;

	const struct pm_limit *memory = pm_headroom_memory(&headroom);
	options.machine = memory && memory->kind == PM_LIMIT_SYSTEM;
	neighbours_begin(&around->neighbours, process, &options);

	int known = read_shmem(around, &around->shmem_first, error);
	if (known < 0)
		return -1;

	around->shmem_known = known > 0;
	around->shmem_first_time = clock_boot_seconds();
	return walk(around, &around->before, error);
}

int headroom_around_add(struct headroom_around *around, double time, struct pm_error *error)
{
	return neighbours_add(&around->neighbours, time, error);
}

int headroom_around_end(struct headroom_around *around, struct pm_error *error)
{
	uint64_t shmem;
	double time = clock_boot_seconds() - around->shmem_first_time;

	neighbours_judge(&around->neighbours);
	around->observed = around->neighbours.samples > 1;
	if (!around->observed)
		return 0;

	int known = read_shmem(around, &shmem, error);
	if (known < 0)
		return -1;

	around->shmem_known = around->shmem_known && known > 0 && time > 0;
	if (around->shmem_known)
		around->shmem_rate = ((double)shmem - (double)around->shmem_first) / time;

	if (around->folders_error.kind != PM_ERROR_NONE)
		return 0;
	if (walk(around, &around->after, error) < 0)
		return -1;
	if (around->folders_error.kind != PM_ERROR_NONE)
		return 0;

	return pm_tmpfs_rows_find(&around->after, &around->before, &around->folders, error);
}
