/* SPDX-License-Identifier: MIT */
#include "headroom/fillers.h"

#include <string.h>
#include <unistd.h>

#include "base/minmax.h"

/* A directory is not named if it grows by less than this share of the growth of the cgroup. */
static const double min_share = 0.05;

/*
 * A directory is not named if its growth without that of the mapped files in it is less than this
 * share of their growth: the two are not measured at the same time.
 */
static const double min_rest = 0.33;

/* If more than this part of the growth of shared memory was found, some of it is charged elsewhere.
 */
static const double max_found = 1.25;

/* Growth without an explanation is reported from this share of the growth of the cgroup on. */
static const double min_unexplained = 0.15;

/*
 * The kernel charges memory to a cgroup in advance, for each CPU: up to this number of bytes is not
 * used yet (MEMCG_CHARGE_BATCH: 64 pages in current kernels, 32 in older ones).
 */
static const double charged_per_cpu = 256 * 1024;

/* Growth of less than this number of bytes is not noticeable, as in trends. */
static const double min_growth = 256 * 1024;

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/** Returns the time until an amount has grown at a rate. */
static struct forecast_time time_to(uint64_t amount, double rate, bool estimate)
{
	return (struct forecast_time){
		.known = true, .estimate = estimate, .seconds = (double)amount / rate, .rate = rate
	};
}

static void insert(struct headroom_fillers *fillers, const struct headroom_filler *filler)
{
	size_t at = fillers->count;

	if (at == FILLERS_MAX && fillers->items[--at].rate >= filler->rate)
		return;
	if (fillers->count < FILLERS_MAX)
		fillers->count++;

	for (; at > 0 && fillers->items[at - 1].rate < filler->rate; at--)
		fillers->items[at] = fillers->items[at - 1];
	fillers->items[at] = *filler;
}

/** Returns whether the growth of a process can use up the limit. */
static bool uses_limit(const struct headroom_report *report, const struct headroom_fillers *fillers,
                       const struct neighbour *process)
{
	if (!fillers->limit || !headroom_fillers_shares_limit(fillers, process))
		return false;
	return headroom_around_is_charged(&report->rates->around, process);
}

static void add_processes(const struct headroom_report *report, struct headroom_fillers *fillers)
{
	const struct neighbour *growing[FILLERS_MAX];
	size_t count = neighbours_growing(&report->rates->around.neighbours, growing, FILLERS_MAX);

	for (size_t i = 0; i < count; i++) {
		struct headroom_filler filler = { .process = growing[i] };
		bool estimate;

		filler.rate = neighbours_rate(growing[i], &estimate);
		if (uses_limit(report, fillers, growing[i]))
			filler.time = time_to(pm_limit_left(fillers->limit), filler.rate, estimate);
		insert(fillers, &filler);
	}
}

/** Returns the time until the file system of a directory is full. Not known if it has no limit. */
static struct forecast_time mount_time(const struct pm_tmpfs *tmpfs, const struct pm_tmpfs_row *row)
{
	const struct pm_tmpfs_mount *mount = &tmpfs->mounts[tmpfs->folders[row->folder].mount];

	if (mount->size_max == 0)
		return (struct forecast_time){ 0 };

	uint64_t left = mount->size_max > mount->used ? mount->size_max - mount->used : 0;
	return time_to(left, row->rate, true);
}

/**
 * Returns whether shared memory that grows at a rate can be charged to the cgroup with the limit:
 * a page is charged to the cgroup of the process that touched it first.
 */
static bool may_be_charged(const struct headroom_report *report,
                           const struct headroom_fillers *fillers, double rate)
{
	return !fillers->rate_known || report->rates->around.shmem_rate >= rate / 2;
}

/** Adds the files that the process maps and that grow. */
static void add_files(const struct headroom_report *report, struct headroom_fillers *fillers)
{
	const struct shared_files *files = &report->rates->around.files;

	for (size_t i = 0; i < files->count; i++) {
		const struct shared_file *file = &files->items[i];
		struct headroom_filler filler = { .file = file, .rate = file->rate };

		/* A file on a disk matters only as long as it can fill its mapping. */
		if (file->rate <= 0 || (!file->memory && file->max <= file->used))
			continue;
		if (fillers->limit && file->memory && may_be_charged(report, fillers, file->rate))
			filler.time = time_to(pm_limit_left(fillers->limit), file->rate, true);
		if (file->max > file->used)
			filler.own_time = time_to(file->max - file->used, file->rate, true);
		insert(fillers, &filler);
	}
}

/**
 * Returns the growth of those files in a directory in tmpfs that the process maps: these are
 * reported with their names.
 */
static double rate_of_mapped(const struct shared_files *files, const struct pm_tmpfs_row *row)
{
	double sum = 0;

	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].file.type == PM_FILE_TMPFS &&
		    strncmp(files->items[i].name, row->path, strlen(row->path)) == 0)
			sum += files->items[i].rate;
	return sum;
}

/**
 * Adds the directories in tmpfs that grow. If the limit is that of a cgroup, they must be charged
 * to it: its shared memory grows, too.
 * @return the growth of all of them, in bytes per second
 */
static double add_folders(const struct headroom_report *report, struct headroom_fillers *fillers)
{
	const struct headroom_around *around = &report->rates->around;
	double seconds = around->neighbours.last - around->neighbours.first, sum = 0;

	for (size_t i = 0; i < around->folders.count; i++) {
		const struct pm_tmpfs_row *row = &around->folders.items[i];
		double mapped = rate_of_mapped(&around->files, row);
		struct headroom_filler filler = { .folder = row, .rate = row->rate - mapped };

		if (!row->rate_known || row->rate <= 0)
			continue;
		if (!may_be_charged(report, fillers, row->rate))
			continue;

		sum += row->rate;
		if (filler.rate * seconds < min_growth || filler.rate < min_rest * mapped ||
		    filler.rate < min_share * fillers->rate)
			continue;

		if (fillers->limit)
			filler.time = time_to(pm_limit_left(fillers->limit), filler.rate, true);
		filler.own_time = mount_time(&around->after, row);
		insert(fillers, &filler);
	}

	return sum;
}

/** Returns whether the process maps an object: then it is one of the files. */
static bool is_mapped(const struct shared_files *files, const struct pm_shared_object *object)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct shared_file *file = &files->items[i];
		bool tmpfs = file->file.type == PM_FILE_TMPFS;

		if (file->memory && file->file.inode == object->inode &&
		    tmpfs == (object->kind == PM_SHARED_DELETED))
			return true;
	}

	return false;
}

/**
 * Adds the shared memory without a directory that grows.
 * @return the growth of all of it, in bytes per second
 */
static double add_objects(const struct headroom_report *report, struct headroom_fillers *fillers)
{
	const struct headroom_around *around = &report->rates->around;
	double seconds = around->objects_seconds, sum = 0;

	for (size_t i = 0; i < around->objects.count; i++) {
		const struct pm_shared_object *object = &around->objects.items[i];
		struct headroom_filler filler = { .object = object };

		filler.rate = headroom_around_object_rate(around, object);
		sum += filler.rate;
		if (filler.rate * seconds < min_growth || filler.rate < min_share * fillers->rate ||
		    is_mapped(&around->files, object))
			continue;

		if (fillers->limit && may_be_charged(report, fillers, filler.rate))
			filler.time = time_to(pm_limit_left(fillers->limit), filler.rate, true);
		insert(fillers, &filler);
	}

	return sum;
}

/**
 * Marks the directories if all that grows is more than what the cgroup is charged for. Nothing
 * shows which of them are charged to other cgroups.
 */
static void mark_doubtful(const struct headroom_report *report, struct headroom_fillers *fillers)
{
	const struct neighbours *neighbours = &report->rates->around.neighbours;
	double noise = min_growth / larger(neighbours->last - neighbours->first, 1);

	if (!fillers->rate_known ||
	    fillers->found_shmem <= max_found * larger(fillers->by_shmem, 0) + noise)
		return;

	for (size_t i = 0; i < fillers->count; i++)
		fillers->items[i].doubtful = fillers->items[i].folder != NULL;
}

/** Computes the mean growth of the cgroup, and what explains it. */
static void split(const struct headroom_report *report, struct headroom_fillers *fillers)
{
	const struct headroom_rates *rates = report->rates;
	const struct headroom_around *around = &rates->around;
	const struct pm_series *series = NULL;

	if (fillers->limit && fillers->limit->kind == PM_LIMIT_CGROUP)
		series = limit_counters_find(&rates->counters, fillers->limit);
	if (!series || series->count == 0 || !around->shmem_known)
		return;

	const struct pm_point *first = &series->points[0],
			      *last = &series->points[series->count - 1];
	double seconds = series->last - first->time;
	if (seconds <= 0)
		return;

	fillers->rate_known = true;
	fillers->rate = ((double)last->value - (double)first->value) / seconds;
	fillers->by_processes = neighbours_group_rate(&around->neighbours);
	fillers->by_shmem = around->shmem_rate;
	fillers->by_kernel = fillers->kernel_growth = around->kernel_rate;
	fillers->unexplained = fillers->rate - larger(fillers->by_processes, 0) -
	                       larger(fillers->by_shmem, 0) - larger(fillers->by_kernel, 0);
}

/** Sets growth that no process and no file explains to 0 if it is within the error of the
 * measurement. */
static void drop_noise(const struct headroom_report *report, struct headroom_fillers *fillers)
{
	const struct neighbours *neighbours = &report->rates->around.neighbours;
	double seconds = neighbours->last - neighbours->first;
	double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN);
	double noise = larger(min_unexplained * fillers->rate,
	                      (charged_per_cpu * cpus + min_growth) / larger(seconds, 1));

	if (!fillers->rate_known || fillers->unexplained < noise)
		fillers->unexplained = 0;
	if (!fillers->rate_known || fillers->shmem_unexplained < noise)
		fillers->shmem_unexplained = 0;
	if (!fillers->rate_known || fillers->kernel_growth < noise)
		fillers->kernel_growth = 0;
}

bool headroom_fillers_shares_limit(const struct headroom_fillers *fillers,
                                   const struct neighbour *process)
{
	return !fillers->limit || fillers->limit->kind != PM_LIMIT_CGROUP || process->in_group ||
	       process->relation == NEIGHBOUR_TARGET;
}

void headroom_fillers_find(const struct headroom_report *report, struct headroom_fillers *fillers)
{
	*fillers = (struct headroom_fillers){ .limit = pm_headroom_memory(&report->headroom) };
	if (!report->rates->around.observed)
		return;

	split(report, fillers);
	add_processes(report, fillers);
	add_files(report, fillers);
	fillers->found_shmem = add_folders(report, fillers) + add_objects(report, fillers);
	mark_doubtful(report, fillers);
	fillers->shmem_unexplained = fillers->by_shmem - fillers->found_shmem;
	drop_noise(report, fillers);

	for (size_t i = 0; i < fillers->count; i++) {
		const struct neighbour *process = fillers->items[i].process;

		if (!process || process->relation != NEIGHBOUR_TARGET)
			fillers->others = true;
	}
}
