/* SPDX-License-Identifier: MIT */
#include "headroom/fillers_print.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "headroom/fillers.h"
#include "target/json_parts.h"

/* Maximum number of processes, and of directories and files, that the text output names. */
enum { PROCESSES_NAMED = 3, FILES_NAMED = 3, USERS_NAMED = 3 };

/* Of a cgroup that other memory fills, a process is not named if it grows by less than this share
 * of the growth. */
static const double notable_share = 0.05;

/* Approximate size of the objects of the kernel for a file in tmpfs, in bytes: its inode and its
 * name (shmem_inode_cache and dentry in slabinfo(5)). */
static const double file_cost = 900;

static void put_amount(const struct headroom_report *report, uint64_t bytes, struct text *text)
{
	text_size_as(text, bytes, report->options->output.bytes);
}

/** Ends a line and prints it. */
static void print_line(struct text *line, struct out *out)
{
	text_char(line, '\n');
	out_wrapped(out, line, 2);
	text_deinit(line);
}

/** Adds when a file system is full, if that is before the limit is reached. */
static void put_mount(const struct headroom_report *report, const struct headroom_filler *filler,
                      struct text *line)
{
	const struct pm_tmpfs *tmpfs = &report->rates->around.after;
	const struct pm_tmpfs_mount *mount =
		&tmpfs->mounts[tmpfs->folders[filler->folder->folder].mount];
	char duration[PM_DURATION_TEXT_SIZE];

	if (!filler->own_time.known ||
	    (filler->time.known && filler->own_time.seconds >= filler->time.seconds))
		return;

	pm_format_duration(filler->own_time.seconds, duration);
	text_string(line, "; ");
	utf8_escape(line, mount->point, strlen(mount->point));
	text_string(line, " is limited to ");
	put_amount(report, mount->size_max, line);
	text_format(line, " and full in about %s", duration);
}

/** Adds a directory: "/dev/shm/spool/ 812 files, 290.0M, +210.0K/s". */
static void put_folder(const struct headroom_report *report, const struct headroom_filler *filler,
                       struct text *line)
{
	const struct pm_tmpfs_row *row = filler->folder;

	utf8_escape(line, row->path, strlen(row->path));
	text_format(line, " %llu file%s, ", (unsigned long long)row->files,
	            text_plural(row->files));
	put_amount(report, row->bytes, line);
	text_string(line, ", ");
	delta_put_rate(line, filler->rate);
	put_mount(report, filler, line);
}

/**
 * Adds a file: "/dev/shm/ring 300.0M of 1.0G mapped, +4.0M/s, full in about 3m; written by 4712
 * feeder".
 */
static void put_file(const struct headroom_report *report, const struct headroom_filler *filler,
                     struct text *line)
{
	const struct shared_file *file = filler->file;
	char duration[PM_DURATION_TEXT_SIZE];

	utf8_escape(line, file->name, strlen(file->name));
	text_char(line, ' ');
	put_amount(report, file->used, line);
	text_string(line, file->used > file->max ? ", of which " : " of ");
	put_amount(report, file->max, line);
	text_string(line, file->used > file->max ? " are mapped, " : " mapped, ");
	delta_put_rate(line, filler->rate);

	if (filler->own_time.known) {
		pm_format_duration(filler->own_time.seconds, duration);
		text_format(line, ", full in about %s", duration);
	}

	text_string(line, "; ");
	shared_files_put_writers(&report->rates->around.files, file, line);
}

/** Adds an object: "memfd filler 290.0M, +8.0M/s; used by 4711 filler". */
static void put_object(const struct headroom_report *report, const struct headroom_filler *filler,
                       struct text *line)
{
	const struct pm_shared_object *object = filler->object;
	size_t named = pm_min_size(object->user_count, USERS_NAMED);

	text_string(line, pm_shared_objects_kind(object->kind));
	if (*object->name) {
		text_char(line, ' ');
		utf8_escape(line, object->name, strlen(object->name));
	}

	text_char(line, ' ');
	put_amount(report, object->bytes, line);
	text_string(line, ", ");
	delta_put_rate(line, filler->rate);

	for (size_t i = 0; i < named; i++) {
		text_string(line, i == 0 ? "; used by " : ", ");
		text_format(line, "%d ", (int)object->users[i].pid);
		utf8_escape(line, object->users[i].comm, strlen(object->users[i].comm));
	}

	if (object->user_count > named)
		text_format(line, " and %zu more", object->user_count - named);
}

/** Adds a directory, a file, or an object. */
static void put_memory(const struct headroom_report *report, const struct headroom_filler *filler,
                       struct text *line)
{
	if (filler->folder) {
		text_string(line, filler->doubtful ? "perhaps tmpfs " : "tmpfs ");
		put_folder(report, filler, line);
	} else if (filler->file) {
		text_string(line, "shared file ");
		put_file(report, filler, line);
	} else {
		put_object(report, filler, line);
	}
}

static bool has_process(const struct headroom_fillers *fillers)
{
	for (size_t i = 0; i < fillers->count; i++)
		if (fillers->items[i].process)
			return true;
	return false;
}

/** Adds that no process grows, and which processes are not known. */
static void put_no_process(const struct headroom_report *report, struct text *line)
{
	struct text missing = { 0 };

	neighbours_put_missing(&report->rates->around.neighbours, &missing);
	text_string(line,
	            missing.length > 0 ? "; no process that was read grows" : "; no process grows");
	text_string(line, text_terminate(&missing));
	text_deinit(&missing);
}

/** Reports that directories may be charged to other cgroups. */
static void print_doubt(const struct headroom_fillers *fillers, struct out *out)
{
	bool doubtful = false;
	struct text line = { 0 };

	for (size_t i = 0; i < fillers->count; i++)
		doubtful = doubtful || fillers->items[i].doubtful;
	if (!doubtful)
		return;

	text_string(&line, "perhaps: tmpfs and shared memory grow by ");
	delta_put_rate(&line, fillers->found_shmem);
	text_string(&line, ", but this group is charged for ");
	delta_put_rate(&line, fillers->by_shmem);
	text_string(&line, " only; the rest is charged elsewhere");
	print_line(&line, out);
}

/**
 * Prints the directories in tmpfs, and the files that the process maps, that are doubtful or not.
 *
 * @param named  number of lines so far; increased
 */
static void print_some_files(const struct headroom_report *report,
                             const struct headroom_fillers *fillers, bool doubtful, size_t *named,
                             struct out *out)
{
	for (size_t i = 0; i < fillers->count && *named < FILES_NAMED; i++) {
		const struct headroom_filler *filler = &fillers->items[i];
		struct text line = { 0 };

		if (filler->process || filler->doubtful != doubtful)
			continue;

		put_memory(report, filler, &line);
		if ((*named)++ == 0 && !has_process(fillers))
			put_no_process(report, &line);
		print_line(&line, out);
	}
}

static void print_files(const struct headroom_report *report,
                        const struct headroom_fillers *fillers, struct out *out)
{
	size_t named = 0;

	/* A line that begins with "perhaps" does not come before what is sure. */
	print_some_files(report, fillers, false, &named, out);
	print_some_files(report, fillers, true, &named, out);
	print_doubt(fillers, out);
}

/** Returns the fastest process that is not the target; NULL if there is none. */
static const struct headroom_filler *find_process(const struct headroom_fillers *fillers)
{
	for (size_t i = 0; i < fillers->count; i++) {
		const struct neighbour *process = fillers->items[i].process;

		if (process && process->relation != NEIGHBOUR_TARGET)
			return &fillers->items[i];
	}

	return NULL;
}

/**
 * Adds how long the limit lasts at the rate of the fastest process, unless the first line does, or
 * that the process is not subject to it.
 */
static void put_left(const struct headroom_report *report, const struct headroom_fillers *fillers,
                     struct text *line)
{
	const struct headroom_filler *filler = find_process(fillers);
	const struct pm_limit *limit = fillers->limit;
	bool complete = !report->rates->around.neighbours.incomplete;
	char duration[PM_DURATION_TEXT_SIZE];

	if (filler && complete && !headroom_fillers_shares_limit(fillers, filler->process))
		text_format(line, "; %d is in another cgroup and does not use up this limit",
		            (int)filler->process->use.pid);
	if (!filler || !limit || !filler->time.known ||
	    forecast_time(&report->forecasts[limit - report->headroom.limits]).known)
		return;

	pm_format_duration(filler->time.seconds, duration);
	text_string(line, "; at the rate of ");
	text_format(line, "%d, the ", (int)filler->process->use.pid);
	put_amount(report, pm_limit_left(limit), line);
	text_format(line, " left would last about %s", duration);
}

/**
 * Returns whether no process grows by a notable part of the growth of the cgroup, which other
 * memory explains. The fastest comes first.
 */
static bool is_negligible(const struct headroom_fillers *fillers)
{
	bool other = fillers->kernel_growth > 0 || fillers->by_shmem > fillers->rate / 2;

	for (size_t i = 0; i < fillers->count; i++)
		if (fillers->items[i].process)
			return fillers->rate_known && other &&
			       fillers->items[i].rate < fillers->rate * notable_share;
	return false;
}

static void print_processes(const struct headroom_report *report,
                            const struct headroom_fillers *fillers, struct out *out)
{
	const struct neighbours *neighbours = &report->rates->around.neighbours;
	struct text line = { 0 };

	if (is_negligible(fillers) || !neighbours_put_growth(neighbours, PROCESSES_NAMED, &line))
		return;

	put_left(report, fillers, &line);
	neighbours_put_missing(neighbours, &line);
	print_line(&line, out);
}

/** Returns the directory in tmpfs with the most files directly in it; SIZE_MAX if there is none. */
static size_t find_fullest(const struct pm_tmpfs *tmpfs)
{
	size_t fullest = SIZE_MAX;

	for (size_t i = 0; i < tmpfs->folder_count; i++)
		if (fullest == SIZE_MAX || tmpfs->folders[i].files > tmpfs->folders[fullest].files)
			fullest = i;
	return fullest;
}

/** Returns the number of files that a directory had at the start; 0 if it was not there. */
static uint64_t files_before(const struct headroom_around *around, size_t folder)
{
	const struct pm_tmpfs *now = &around->after, *before = &around->before;
	uint64_t device = now->mounts[now->folders[folder].mount].device;

	for (size_t i = 0; i < before->folder_count; i++)
		if (before->folders[i].inode == now->folders[folder].inode &&
		    before->mounts[before->folders[i].mount].device == device)
			return before->folders[i].files;
	return 0;
}

/**
 * Adds a directory in tmpfs whose number of files grows, if that can be most of the growth of the
 * memory of the kernel. Files without content have no bytes, so they are not seen as growth of
 * tmpfs.
 */
static void put_new_files(const struct headroom_around *around, double rate, struct text *line)
{
	const struct pm_tmpfs *now = &around->after, *before = &around->before;
	double seconds = now->time - before->time;
	size_t folder = find_fullest(now);

	if (folder == SIZE_MAX || seconds <= 0 || now->bound != PM_TMPFS_COMPLETE ||
	    before->bound != PM_TMPFS_COMPLETE)
		return;

	uint64_t files = now->folders[folder].files, had = files_before(around, folder);
	double grown = files > had ? (double)(files - had) / seconds : 0;
	char *path = grown * file_cost >= rate / 2 ? pm_tmpfs_path(now, folder, NULL) : NULL;
	if (!path)
		return;

	text_string(line, "; perhaps the files of ");
	utf8_escape(line, path, strlen(path));
	text_string(line, ": ");
	text_grouped(line, files);
	text_format(line, ", %+.0f/s", grown);
	free(path);
}

/** Reports the growth of the memory of the kernel that is charged to the cgroup. */
static void print_kernel(const struct headroom_report *report,
                         const struct headroom_fillers *fillers, struct out *out)
{
	struct text line = { 0 };

	if (fillers->kernel_growth <= 0)
		return;

	text_string(&line, "memory of the kernel for this group ");
	delta_put_rate(&line, fillers->kernel_growth);
	text_string(&line, ", such as pipes, sockets, page tables, or entries of directories");
	/* Version 1 does not split it. */
	if (report->headroom.cgroup_version == 2)
		text_string(&line, ": `procmem cgroup` splits it");
	put_new_files(&report->rates->around, fillers->kernel_growth, &line);
	print_line(&line, out);
}

/** Reports growth of the cgroup that was not found in processes and directories. */
static void print_unexplained(const struct headroom_report *report,
                              const struct headroom_fillers *fillers, struct out *out)
{
	struct text line = { 0 };

	if (fillers->shmem_unexplained > 0) {
		delta_put_rate(&line, fillers->shmem_unexplained);
		text_string(&line, " of the group's growth is shared memory that "
		                   "was not found: `procmem cgroup` splits it");
		print_line(&line, out);
	}

	if (fillers->unexplained > 0) {
		delta_put_rate(&line, fillers->unexplained);
		text_string(&line, " of the group's growth is not explained by its processes: "
		                   "`procmem cgroup` splits it");
		neighbours_put_missing(&report->rates->around.neighbours, &line);
		print_line(&line, out);
	}
}

void headroom_fillers_print(const struct headroom_report *report, struct out *out)
{
	struct headroom_fillers fillers;

	headroom_fillers_find(report, &fillers);
	print_processes(report, &fillers, out);
	print_files(report, &fillers, out);
	print_kernel(report, &fillers, out);
	print_unexplained(report, &fillers, out);
}

static void put_process(struct json *json, const struct neighbour *process)
{
	json_parts_process(json, process->use.pid, process->use.comm, NULL);
	json_put(json, "relation", json_string(neighbours_relation_name(process->relation)));
	json_put(json, "anon", json_number(process->use.anon));
	json_put(json, "shmem", json_number(process->use.shmem));
	json_put(json, "swap", json_number(process->use.swap));
	json_put(json, "verdict", json_string(pm_verdict_name(process->trend.verdict)));
	json_put(json, "reason", json_text(process->trend.reason));
}

static void put_folder_members(struct json *json, const struct headroom_filler *filler)
{
	const struct pm_tmpfs_row *row = filler->folder;

	json_put(json, "path", json_text(row->path));
	json_put(json, "file_count", json_number(row->files));
	json_put(json, "bytes", json_number(row->bytes));
	if (filler->own_time.known)
		json_put(json, "own_seconds_left", json_real(filler->own_time.seconds));
	if (filler->doubtful)
		json_put(json, "doubtful", json_true());
}

static void put_file_members(struct json *json, const struct headroom_filler *filler)
{
	const struct shared_file *file = filler->file;

	json_put(json, "path", json_text(file->name));
	json_put(json, "start", json_address(file->start));
	json_put(json, "bytes", json_number(file->used));
	json_put(json, "max", json_number(file->max));
	if (filler->own_time.known)
		json_put(json, "own_seconds_left", json_real(filler->own_time.seconds));

	json_open(json, "writers", '[');
	for (size_t i = 0; i < file->writer_count; i++) {
		const struct shared_writer *writer = &file->writers[i];

		json_open(json, NULL, '{');
		json_parts_process(json, writer->pid, writer->comm, NULL);
		json_put(json, "written", json_number(writer->written));
		json_put(json, "proven_writer",
		         json_boolean(shared_files_has_written(file, writer)));
		json_shut(json, '}');
	}

	json_shut(json, ']');
}

static void put_object_members(struct json *json, const struct pm_shared_object *object)
{
	size_t kept = pm_min_size(object->user_count, PM_SHARED_USERS_KEPT);

	json_put(json, "shared_kind", json_string(pm_shared_objects_kind(object->kind)));
	if (*object->name)
		json_put(json, "path", json_text(object->name));
	json_put(json, "bytes", json_number(object->bytes));

	json_open(json, "users", '[');
	for (size_t i = 0; i < kept; i++) {
		json_open(json, NULL, '{');
		json_parts_process(json, object->users[i].pid, object->users[i].comm, NULL);
		json_shut(json, '}');
	}

	json_shut(json, ']');
	json_put(json, "user_count", json_number(object->user_count));
}

static void put_filler(struct json *json, const struct headroom_filler *filler)
{
	const char *type = "process";

	if (filler->folder)
		type = "folder";
	else if (filler->file)
		type = "file";
	else if (filler->object)
		type = "object";

	json_open(json, NULL, '{');
	json_put(json, "type", json_string(type));
	if (filler->process)
		put_process(json, filler->process);
	else if (filler->folder)
		put_folder_members(json, filler);
	else if (filler->file)
		put_file_members(json, filler);
	else
		put_object_members(json, filler->object);

	json_put(json, "rate", json_real(filler->rate));
	json_parts_left(json, &filler->time);
	json_shut(json, '}');
}

void headroom_fillers_print_json(const struct headroom_report *report, struct json *json)
{
	struct headroom_fillers fillers;

	if (!report->rates->around.observed)
		return;

	headroom_fillers_find(report, &fillers);
	json_open(json, "fillers", '[');
	for (size_t i = 0; i < fillers.count; i++)
		put_filler(json, &fillers.items[i]);
	json_shut(json, ']');

	if (!fillers.rate_known)
		return;

	json_open(json, "group_growth", '{');
	json_put(json, "mean_rate", json_real(fillers.rate));
	json_put(json, "processes_rate", json_real(fillers.by_processes));
	json_put(json, "shmem_rate", json_real(fillers.by_shmem));
	json_put(json, "kernel_rate", json_real(fillers.by_kernel));
	json_put(json, "shmem_unexplained", json_real(fillers.shmem_unexplained));
	json_put(json, "unexplained", json_real(fillers.unexplained));
	json_shut(json, '}');
}
