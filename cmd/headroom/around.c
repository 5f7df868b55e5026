/* SPDX-License-Identifier: MIT */
#include "headroom/around.h"

#include <stdlib.h>

#include <procmem/members.h>
#include <procmem/process_find.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "headroom/rates.h"

/* Maximum duration of a walk through the files in tmpfs, in seconds. 100,000 files take 0.5 s. */
static const double walk_seconds = 2;

/* Share of a processor that may be spent on the search for processes by name. */
static const double cpu_share = 0.05;

void headroom_around_deinit(struct headroom_around *around)
{
	neighbours_deinit(&around->neighbours);
	shared_files_deinit(&around->files);
	pm_shared_objects_deinit(&around->objects_before);
	pm_shared_objects_deinit(&around->objects);
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
 * Reads the sizes that are charged to the cgroup.
 *
 * @param shmem   receives the size of the files in tmpfs and of the shared memory, in bytes
 * @param kernel  receives the size of the memory of the kernel, in bytes
 * @return        1, 0 if there is no cgroup with a limit, -1 on failure
 */
static int read_charged(struct headroom_around *around, uint64_t *shmem, uint64_t *kernel,
                        struct pm_error *error)
{
	struct pm_members members;

	if (pm_members_read(around->neighbours.process, NULL, &members, error) < 0)
		return -1;

	int known = members.group != NULL;
	*shmem = members.shmem;
	*kernel = members.kernel;
	pm_members_deinit(&members);
	return known;
}

int headroom_around_begin(struct headroom_around *around, struct pm_process *process,
                          const struct headroom_source *source, struct pm_error *error)
{
	struct neighbours_options options = { .family = true,
		                              .group = true,
		                              .own_group = source->scope == HEADROOM_CGROUP };
	struct pm_headroom headroom;

	if (pm_headroom_read_memory(process, NULL, &headroom, error) < 0)
		return -1;

	const struct pm_limit *memory = pm_headroom_memory(&headroom);
	options.machine = memory && memory->kind == PM_LIMIT_SYSTEM;
	if (source->observed && source->observed->process) {
		around->neighbours = *source->observed;
		*source->observed = (struct neighbours){ 0 };
		neighbours_move(&around->neighbours, process, &options);
	} else {
		neighbours_begin(&around->neighbours, process, &options);
	}

	around->name = source->name;
	return 0;
}

/**
 * Finds the shared memory that no directory shows, and that processes of the cgroup use. Finds
 * nothing if no cgroup has a limit.
 * @return 0 or -1
 */
static int read_objects(struct headroom_around *around, struct pm_shared_objects *objects,
                        struct pm_error *error)
{
	struct pm_process *process = around->neighbours.process;
	const volatile sig_atomic_t *interrupted = interrupt_flag();
	/* Only the mounts: files that a directory shows are not wanted. */
	const struct pm_tmpfs mounts = { .mounts = around->before.mounts,
		                         .mount_count = around->before.mount_count };
	struct pm_member_pids pids;
	struct pm_error cause;

	if (pm_member_pids_read(process, NULL, PM_MEMBERS_OF_LIMIT, &pids, error) < 0)
		return -1;

	int result = 0;
	if (pids.count > 0 &&
	    pm_shared_objects_read(NULL, pids.items, pids.count, &mounts,
	                           *interrupted ? NULL : interrupted, objects, &cause) < 0 &&
	    cause.kind != PM_ERROR_CANCELLED) {
		*error = cause;
		result = -1;
	}

	pm_member_pids_deinit(&pids);
	return result;
}

/**
 * Returns the size that a deleted file had at the start, when a directory showed it.
 * @return bytes; 0 if no directory did, or if it was not one of the largest files
 */
static uint64_t size_before_deletion(const struct pm_tmpfs *tmpfs,
                                     const struct pm_shared_object *object)
{
	for (size_t i = 0; i < tmpfs->file_count; i++) {
		const struct pm_tmpfs_file *file = &tmpfs->files[i];
		size_t mount = tmpfs->folders[file->folder].mount;

		if (file->inode == object->inode && tmpfs->mounts[mount].device == object->device)
			return file->bytes;
	}

	return 0;
}

double headroom_around_object_rate(const struct headroom_around *around,
                                   const struct pm_shared_object *object)
{
	const struct pm_shared_objects *before = &around->objects_before;
	uint64_t bytes = 0;

	if (around->objects_seconds <= 0 || object->at_most)
		return 0;
	if (object->kind == PM_SHARED_DELETED)
		bytes = size_before_deletion(&around->before, object);

	for (size_t i = 0; i < before->count; i++) {
		const struct pm_shared_object *was = &before->items[i];

		if (was->kind == object->kind && was->device == object->device &&
		    was->inode == object->inode)
			bytes = was->bytes;
	}

	if (object->bytes <= bytes)
		return 0;
	return (double)(object->bytes - bytes) / around->objects_seconds;
}

bool headroom_around_is_charged(const struct headroom_around *around,
                                const struct neighbour *process)
{
	return !around->shmem_known || !process->in_group ||
	       neighbours_is_charged(&around->neighbours, process, around->shmem_rate);
}

int headroom_around_walk(struct headroom_around *around, struct pm_error *error)
{
	int known = read_charged(around, &around->shmem_first, &around->kernel_first, error);
	if (known < 0)
		return -1;

	around->shmem_known = known > 0;
	around->shmem_first_time = clock_boot_seconds();
	if (walk(around, &around->before, error) < 0 ||
	    read_objects(around, &around->objects_before, error) < 0)
		return -1;

	return shared_files_begin(&around->files, around->neighbours.process, error);
}

/** Follows the processes with the name. There can be none at the moment. */
static int follow_named(struct headroom_around *around, double time, struct pm_error *error)
{
	double begin = clock_cpu_seconds();
	pid_t *pids = NULL;
	size_t count = 0;
	int result = 0;

	if (!around->name || time < around->name_due)
		return 0;
	if (pm_process_find_all(around->name, &pids, &count, error) < 0)
		return error->kind == PM_ERROR_RESOURCES ? -1 : 0;

	for (size_t i = 0; result == 0 && i < count; i++)
		result = neighbours_follow(&around->neighbours, pids[i], time, error);

	free(pids);
	around->name_due = time + (clock_cpu_seconds() - begin) / cpu_share;
	return result;
}

int headroom_around_add(struct headroom_around *around, double time,
                        const struct pm_regions *regions, struct pm_error *error)
{
	if (follow_named(around, time, error) < 0)
		return -1;
	if (regions &&
	    shared_files_add(&around->files, around->neighbours.process, regions, error) < 0)
		return -1;

	return neighbours_add(&around->neighbours, time, error);
}

void headroom_around_stop(struct headroom_around *around)
{
	neighbours_judge(&around->neighbours);
	around->observed = around->neighbours.samples > 1;
	around->shmem_known = false;
}

int headroom_around_end(struct headroom_around *around, struct pm_error *error)
{
	uint64_t shmem, kernel;
	double time = clock_boot_seconds() - around->shmem_first_time;

	neighbours_judge(&around->neighbours);
	around->observed = around->neighbours.samples > 1;
	if (!around->observed)
		return 0;

	int known = read_charged(around, &shmem, &kernel, error);
	if (known < 0)
		return -1;

	around->shmem_known = around->shmem_known && known > 0 && time > 0;
	if (around->shmem_known) {
		around->shmem_rate = ((double)shmem - (double)around->shmem_first) / time;
		around->kernel_rate = ((double)kernel - (double)around->kernel_first) / time;
	}

	if (read_objects(around, &around->objects, error) < 0)
		return -1;
	around->objects_seconds = time;
	if (shared_files_end(&around->files, around->neighbours.process, error) < 0)
		return -1;
	if (around->folders_error.kind != PM_ERROR_NONE)
		return 0;
	if (walk(around, &around->after, error) < 0)
		return -1;
	if (around->folders_error.kind != PM_ERROR_NONE)
		return 0;

	return pm_tmpfs_rows_find(&around->after, &around->before, &around->folders, error);
}
