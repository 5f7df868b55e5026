/* SPDX-License-Identifier: MIT */
#include "why/evidence_around.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "why/trends.h"

/* Sizes of the arrays. More is not judged: the fastest come first. */
enum { PROCESSES_MAX = 256, FOLDERS_MAX = 64 };

/** Adds what the memory of the cgroup consists of. */
static void add_parts(struct why_evidence *made, const struct why_observation *observation)
{
	const struct why_group *group = &observation->group;
	struct pm_evidence_part *parts;

	if (!group->known)
		return;

	parts = alloc_array(NULL, PM_CGROUP_PARTS, sizeof *parts);
	for (int i = 0; i < PM_CGROUP_PARTS; i++)
		parts[i] = (struct pm_evidence_part){
			.part = (enum pm_cgroup_part)i,
			.memory = why_trends_of(observation, &group->parts[i], PM_TREND_BYTES),
		};
	made->evidence.parts = parts;
	made->evidence.part_count = PM_CGROUP_PARTS;
}

static void add_signs(struct pm_evidence *evidence, const struct why_signs *pressure)
{
	evidence->signs = pressure->signs.items;
	evidence->sign_count = pressure->signs.count;
	evidence->levels = pressure->last.levels;
	evidence->level_count = pressure->last.count;
}

/**
 * Tests whether a process grows only because it uses more pages of shared memory. They count once,
 * with the shared memory itself.
 */
static bool is_shared_growth(const struct neighbour *neighbour)
{
	const struct pm_memory_use *use = &neighbour->use;
	uint64_t private = use->anon + use->swap, kept = pm_memory_use_kept(use);
	uint64_t first = neighbour->series.count > 0 ? neighbour->series.points[0].value : 0;
	double grown = (double)kept - (double)first;

	return use->shmem > 0 && (double)private - (double)neighbour->baseline < grown / 2;
}

static void add_processes(struct why_evidence *made, const struct why_observation *observation)
{
	const struct neighbours *neighbours = &observation->rates.around.neighbours;
	struct pm_evidence_process *processes = alloc_array(NULL, PROCESSES_MAX, sizeof *processes);
	size_t count = 0;

	for (size_t i = 0; i < neighbours->count && count < PROCESSES_MAX; i++) {
		const struct neighbour *from = &neighbours->items[i];
		bool child = from->relation == NEIGHBOUR_CHILD ||
		             from->relation == NEIGHBOUR_DESCENDANT;
		bool shares_limit = from->relation == NEIGHBOUR_MEMBER && from->in_group;
		bool in_given = observation->group.given && from->named;

		if (from->own || from->gone || from->relation == NEIGHBOUR_TARGET ||
		    !(child || shares_limit || in_given) || !neighbours_grows(from) ||
		    is_shared_growth(from))
			continue;

		processes[count] = (struct pm_evidence_process){
			.pid = from->use.pid,
			.comm = from->use.comm,
			.child = child,
			.memory = why_trends_of(observation, &from->series, PM_TREND_BYTES),
		};
		processes[count].memory.first = from->baseline;
		processes[count].memory.last = pm_memory_use_kept(&from->use);
		count++;
	}

	made->evidence.processes = processes;
	made->evidence.process_count = count;
}

static void add_tmpfs(struct why_evidence *made, const struct why_observation *observation)
{
	const struct headroom_around *around = &observation->rates.around;
	struct pm_evidence_tmpfs *tmpfs = alloc_array(NULL, FOLDERS_MAX, sizeof *tmpfs);
	size_t count = 0;

	for (size_t i = 0; i < around->folders.count && count < FOLDERS_MAX; i++) {
		const struct pm_tmpfs_row *row = &around->folders.items[i];
		double seconds = observation->seconds;

		if (!row->rate_known)
			continue;
		double grown = row->rate * seconds;
		tmpfs[count++] = (struct pm_evidence_tmpfs){
			.path = row->path,
			.files = row->files,
			.charged = !around->shmem_known || around->shmem_rate > row->rate / 2,
			.bytes = why_trends_mean(row->bytes - (uint64_t)(grown > 0 ? grown : 0),
			                         row->bytes, row->rate),
		};
	}

	made->evidence.tmpfs = tmpfs;
	made->evidence.tmpfs_count = count;
	if (!around->shmem_known || made->evidence.parts)
		return;

	struct pm_evidence_part *part = alloc_array(NULL, 1, sizeof *part);
	*part = (struct pm_evidence_part){
		.part = PM_CGROUP_SHMEM,
		.memory = why_trends_mean(0, 0, around->shmem_rate),
	};
	made->evidence.parts = part;
	made->evidence.part_count = 1;
}

/** Returns the process that has written most to a file; NULL if that is the target or not known. */
static const struct shared_writer *writer_of(const struct shared_file *file)
{
	for (size_t i = 0; i < file->writer_count; i++)
		if (!file->writers[i].target)
			return &file->writers[i];
	return NULL;
}

static void add_shared(struct why_evidence *made, const struct why_observation *observation)
{
	const struct shared_files *files = &observation->rates.around.files;
	struct pm_evidence_shared *shared = alloc_array(NULL, SHARED_FILES_MAX, sizeof *shared);
	size_t count = 0;

	for (size_t i = 0; i < files->count; i++) {
		const struct shared_file *file = &files->items[i];
		const struct shared_writer *writer = writer_of(file);
		bool target_has_written = false;

		/* Page cache of files on a disk is not shared memory. */
		if (!file->memory)
			continue;
		for (size_t w = 0; w < file->writer_count; w++)
			target_has_written |= file->writers[w].target;
		shared[count++] = (struct pm_evidence_shared){
			.name = file->name,
			.start = file->start,
			.nameless = file->name[0] != '/' ||
			            strncmp(file->name, "/memfd:", strlen("/memfd:")) == 0,
			.writer_name = "",
			.target_writes = target_has_written,
			.users = (uint32_t)file->writer_count,
			.length = why_trends_mean(0, file->used, file->rate),
		};

		struct pm_evidence_shared *added = &shared[count - 1];
		if (file->first.length == file->last.length)
			added->size = file->last.length;
		if (writer) {
			added->writer = writer->pid;
			added->writer_name = writer->comm;
		}
	}

	made->evidence.shared = shared;
	made->evidence.shared_count = count;
}

static void add_limits(struct why_evidence *made, const struct why_observation *observation)
{
	const struct pm_headroom *headroom = &observation->headroom;
	struct pm_evidence_limit *limits = alloc_array(NULL, headroom->count + 1, sizeof *limits);

	for (size_t i = 0; i < headroom->count; i++) {
		struct forecast_time time = forecast_time(&observation->forecasts[i]);
		const struct pm_series *used = limit_counters_find(&observation->rates.counters,
		                                                   &headroom->limits[i]);

		/* A rate that is measured for some seconds is not more exact than this. */
		double error = time.estimate ? 0.3 : 0.1;

		limits[i] = (struct pm_evidence_limit){
			.limit = headroom->limits[i],
			.time_known = time.known,
			.seconds_min = time.seconds * (1 - error),
			.seconds_max = time.seconds * (1 + error),
		};
		if (used)
			limits[i].used = why_trends_of(observation, used,
			                               headroom->limits[i].counts ? PM_TREND_COUNT
			                                                          : PM_TREND_BYTES);
	}

	made->evidence.limits = limits;
	made->evidence.limit_count = headroom->count;
}

void why_evidence_around_add(struct why_evidence *made, const struct why_observation *observation)
{
	add_processes(made, observation);
	add_parts(made, observation);
	add_signs(&made->evidence, &observation->pressure);
	add_tmpfs(made, observation);
	add_shared(made, observation);
	add_limits(made, observation);
}
