/* SPDX-License-Identifier: MIT */
/*
 * The files in tmpfs are those that one process of the cgroup sees: the TARGET, or the process with
 * the most memory. A page is charged to the cgroup that touched it first, so the sums are compared
 * with the shared memory of the cgroup, but never equated.
 */
#include "cgroup/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/delta.h"
#include "base/interrupt.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "cgroup/suspect.h"
#include "view/table.h"

/** Maximum number of unreadable directories that the text output names. */
enum { UNREADABLE_NAMED = 3 };

/** Number of rows of shared memory without --top. */
enum { OBJECT_ROWS = 4 };

void cgroup_files_deinit(struct cgroup_files *files)
{
	pm_tmpfs_deinit(&files->earlier);
	pm_tmpfs_deinit(&files->tmpfs);
	pm_tmpfs_rows_deinit(&files->rows);
	pm_shared_objects_deinit(&files->objects);
	pm_shared_objects_deinit(&files->earlier_objects);
	*files = (struct cgroup_files){ 0 };
}

/** Returns whether a failure ends the command. Others only make the files unknown. */
static bool is_fatal(const struct pm_error *error)
{
	return error->kind == PM_ERROR_RESOURCES || error->kind == PM_ERROR_CANCELLED;
}

/** Opens the process whose files are read. The first members have the most memory. */
static int open_viewer(const struct cgroup_report *report, struct pm_process **opened,
                       struct pm_error *error)
{
	const struct pm_members *members = &report->members[0];

	pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "the cgroup has no process that could be read");
	for (size_t i = 0; i < members->count; i++)
		if (pm_process_open(NULL, members->items[i].pid, opened, error) == 0)
			return 0;

	return -1;
}

/** Reads the files in tmpfs. @return 1, 0 if they could not be read, -1 on error */
static int read_tmpfs(struct cgroup_report *report, struct pm_tmpfs *tmpfs, struct pm_error *error)
{
	struct pm_tmpfs_options options = { .cancel = interrupt_flag() };
	struct cgroup_files *files = &report->files;
	struct pm_process *process = report->process;
	struct pm_process_info info;
	int result = 0;

	if (!process)
		result = open_viewer(report, &process, &files->error);
	if (result == 0)
		result = pm_process_read_info(process, &info, &files->error);
	if (result == 0)
		result = pm_tmpfs_read(process, &options, tmpfs, &files->error);
	if (process != report->process)
		pm_process_close(process);

	if (result == 0) {
		files->pid = info.pid;
		memcpy(files->comm, info.comm, sizeof files->comm);
		return 1;
	}
	if (!is_fatal(&files->error))
		return 0;
	*error = files->error;
	return -1;
}

/** Reads the shared memory without a path, and the users of the largest files. */
static int read_objects(struct cgroup_report *report, const struct pm_tmpfs *tmpfs,
                        struct pm_shared_objects *objects, struct pm_error *error)
{
	const struct pm_members *members = &report->members[0];
	pid_t *pids = alloc_array(NULL, members->count + 1, sizeof *pids);

	for (size_t i = 0; i < members->count; i++)
		pids[i] = members->items[i].pid;
	int result = pm_shared_objects_read(NULL, pids, members->count, tmpfs, interrupt_flag(),
	                                    objects, error);
	free(pids);

	return result;
}

int cgroup_files_start(struct cgroup_report *report, struct pm_error *error)
{
	struct cgroup_files *files = &report->files;

	interrupt_catch();
	int result = read_tmpfs(report, &files->earlier, error);
	if (result < 0)
		return -1;

	files->earlier_known = result > 0;
	files->objects_seconds = -clock_boot_seconds();
	result = read_objects(report, result > 0 ? &files->earlier : NULL, &files->earlier_objects,
	                      error);
	cgroup_suspect_sort(files);
	return result;
}

int cgroup_files_read(struct cgroup_report *report, struct pm_error *error)
{
	struct cgroup_files *files = &report->files;
	int result = read_tmpfs(report, &files->tmpfs, error);
	if (result < 0)
		return -1;

	files->known = result > 0;
	if (files->known &&
	    pm_tmpfs_rows_find(&files->tmpfs, files->earlier_known ? &files->earlier : NULL,
	                       &files->rows, error) < 0)
		return -1;

	if (report->options->seconds > 0)
		files->objects_seconds += clock_boot_seconds();
	result = read_objects(report, files->known ? &files->tmpfs : NULL, &files->objects, error);
	files->objects_known = result == 0;
	return result;
}

/** Adds a size. Unlike in a table, zero is a number. */
static void put_size(const struct cgroup_report *report, struct text *text, uint64_t size)
{
	if (size == 0)
		text_char(text, '0');
	else
		text_size_as(text, size, report->options->output.bytes);
}

static void put_escaped(struct text *text, const char *name)
{
	utf8_escape(text, name, strlen(name));
}

/** Returns whether only processes of other cgroups use a System V segment. */
static bool is_of_others(const struct pm_shared_object *object)
{
	return object->user_count == 0 && object->attachments > 0;
}

/** Returns the number of rows of directories that are shown. Empty ones are left out. */
static size_t shown_rows(const struct cgroup_report *report)
{
	const struct pm_tmpfs_rows *rows = &report->files.rows;
	size_t count = 0;

	while (count < rows->count && count < cgroup_rows_max(report->options) &&
	       (rows->items[count].bytes > 0 || rows->items[count].rate != 0))
		count++;
	return count;
}

/** Returns whether an object is a row: those that are empty or not counted are not. */
static bool is_object_row(const struct pm_shared_object *object)
{
	return object->bytes > 0 && !is_of_others(object);
}

/** Returns the number of objects that are rows. */
static size_t all_objects(const struct cgroup_report *report)
{
	const struct pm_shared_objects *objects = &report->files.objects;
	size_t count = 0;

	for (size_t i = 0; i < objects->count; i++)
		count += is_object_row(&objects->items[i]);
	return count;
}

/** Returns the number of objects that are shown. */
static size_t shown_objects(const struct cgroup_report *report)
{
	size_t max = report->options->top > 0 ? (size_t)report->options->top : OBJECT_ROWS;
	return pm_min_size(all_objects(report), max);
}

/** Returns the object of a row. */
static const struct pm_shared_object *object_of_row(const struct cgroup_report *report, size_t row)
{
	const struct pm_shared_object *object = report->files.objects.items;

	while (!is_object_row(object) || row-- > 0)
		object++;
	return object;
}

/** Adds what an object is, and who uses it. */
static void put_object(const struct pm_shared_object *object, struct text *text)
{
	static const char *const labels[PM_SHARED_KINDS] = {
		[PM_SHARED_MEMFD] = "memfd",
		[PM_SHARED_ANON] = "shared anonymous memory",
		[PM_SHARED_SYSV] = "System V segment",
		[PM_SHARED_DELETED] = "deleted",
		[PM_SHARED_FILE] = "file",
		[PM_SHARED_OTHER] = "kernel object",
	};
	size_t kept = pm_min_size(object->user_count, PM_SHARED_USERS_KEPT);

	text_string(text, labels[object->kind]);
	if (*object->name) {
		text_char(text, ' ');
		put_escaped(text, object->name);
	}
	if (kept > 0)
		text_string(text, ": ");
	else
		text_string(text, ": no process uses it");

	for (size_t i = 0; i < kept; i++) {
		const struct pm_shared_user *user = &object->users[i];
		text_string(text, i > 0 ? ", " : "");
		put_escaped(text, user->comm);
		text_format(text, " (%d)", (int)user->pid);
	}
	if (object->user_count > kept)
		text_format(text, ", %zu more", object->user_count - kept);
}

enum { SIZE, FILES, RATE, WHAT, COLUMNS };

/** The data of the table: directories first, then objects. */
struct files_view {
	const struct cgroup_report *report;
	size_t directories;
	const int *columns; /* which column of enum is at each place */
};

static void directory_cell(const struct files_view *view, size_t row, int column, struct text *text)
{
	const struct pm_tmpfs_row *item = &view->report->files.rows.items[row];

	if (column == SIZE)
		put_size(view->report, text, item->bytes);
	else if (column == FILES)
		text_decimal(text, item->files);
	else if (column == WHAT)
		put_escaped(text, item->path);
	else if (item->rate_known)
		delta_put_rate(text, item->rate);
	else
		text_char(text, '?');
}

static void object_cell(const struct files_view *view, size_t row, int column, struct text *text)
{
	const struct pm_shared_object *object = object_of_row(view->report, row);
	double rate;

	if (column == SIZE) {
		text_string(text, object->at_most ? "<" : "");
		put_size(view->report, text, object->bytes);
	} else if (column == WHAT) {
		put_object(object, text);
	} else if (column == RATE && cgroup_suspect_rate(&view->report->files, object, &rate)) {
		delta_put_rate(text, rate);
	}
}

static void files_cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct files_view *view = context;
	int which = view->columns[column];

	if (row < view->directories)
		directory_cell(view, row, which, text);
	else
		object_cell(view, row - view->directories, which, text);
}

/** Prints the number of rows that are not shown. */
static void print_left_out(const struct cgroup_report *report, struct out *out)
{
	size_t rows = all_objects(report) - shown_objects(report);

	for (size_t i = shown_rows(report); i < report->files.rows.count; i++)
		rows += report->files.rows.items[i].bytes > 0;
	if (rows > 0)
		out_wrapped_format(out, 2, "\xe2\x80\xa6 %zu more row%s (--top)\n", rows,
		                   text_plural(rows));
}

static void print_table(const struct cgroup_report *report, struct out *out)
{
	static const struct table_column all[COLUMNS] = {
		[SIZE] = { .title = "SIZE", .right = true },
		[FILES] = { .title = "FILES", .right = true },
		[RATE] = { .title = "RATE", .right = true },
		[WHAT] = { .title = "DIRECTORY, OR SHARED MEMORY WITHOUT A PATH" },
	};
	struct table_column columns[COLUMNS];
	int order[COLUMNS];
	struct files_view view = { .report = report,
		                   .directories = shown_rows(report),
		                   .columns = order };
	struct table table = { .columns = columns,
		               .titles = true,
		               .open_end = true,
		               .context = &view,
		               .cell = files_cell };
	size_t widths[TABLE_COLUMNS_MAX];

	for (int column = 0; column < COLUMNS; column++) {
		if (column == RATE && !report->files.earlier_known)
			continue;
		columns[table.column_count] = all[column];
		order[table.column_count++] = column;
	}

	table.rows = view.directories + shown_objects(report);
	if (table.rows == 0)
		return;
	table_measure(&table, widths);
	table_print(&table, widths, out);
	print_left_out(report, out);
}

double cgroup_files_mount_rate(const struct cgroup_files *files, size_t mount)
{
	double rate = 0;

	for (size_t i = 0; i < files->rows.count; i++) {
		const struct pm_tmpfs_row *row = &files->rows.items[i];
		if (files->tmpfs.folders[row->folder].mount != mount)
			continue;
		if (!row->rate_known)
			return 0;
		rate += row->rate;
	}
	return rate;
}

/** Adds how full a mount is, and when its own limit is reached. */
static void put_mount(const struct cgroup_report *report, size_t index, struct text *text)
{
	const struct pm_tmpfs_mount *mount = &report->files.tmpfs.mounts[index];
	double rate = cgroup_files_mount_rate(&report->files, index);
	uint64_t left = mount->size_max - mount->used;
	char duration[PM_DURATION_TEXT_SIZE];

	put_escaped(text, mount->point);
	text_char(text, ' ');
	put_size(report, text, mount->used);
	text_string(text, " of ");
	put_size(report, text, mount->size_max);
	if (rate > 0) {
		pm_format_duration((double)left / rate, duration);
		text_format(text, " (full in %s)", duration);
	}
	if (mount->inodes_max > 0 && mount->inodes_used / 9 >= mount->inodes_max / 10)
		text_format(text, " (%llu of %llu inodes)", (unsigned long long)mount->inodes_used,
		            (unsigned long long)mount->inodes_max);
}

/** Prints how full the mounts are that hold something. */
static void print_mounts(const struct cgroup_report *report, struct out *out)
{
	const struct pm_tmpfs *tmpfs = &report->files.tmpfs;
	struct text line = { 0 };
	size_t shown = 0, left_out = 0;

	for (size_t i = 0; i < tmpfs->mount_count; i++) {
		if (tmpfs->mounts[i].used == 0)
			continue;
		if (shown == cgroup_rows_max(report->options)) {
			left_out++;
			continue;
		}
		text_string(&line, shown++ > 0 ? ", " : "limits of the mounts: ");
		put_mount(report, i, &line);
	}
	if (left_out > 0)
		text_format(&line, ", %zu more", left_out);

	if (shown > 0) {
		text_char(&line, '\n');
		out_wrapped(out, &line, 2);
	}
	text_deinit(&line);
}

const char *cgroup_files_mount_cause(int cause)
{
	if (cause == EXDEV)
		return "another file system is mounted over it";
	if (cause == EREMOTE)
		return "it is below a network or FUSE file system, which may not answer";
	return strerror(cause);
}

/** Adds the directories and mounts that could not be read. */
static void put_unreadable(const struct pm_tmpfs *tmpfs, struct text *text)
{
	size_t named = 0;

	text_format(text, "%llu director%s could not be read, files there are not counted:",
	            (unsigned long long)tmpfs->unreadable, tmpfs->unreadable == 1 ? "y" : "ies");
	for (size_t i = 0; i < tmpfs->mount_count && named < UNREADABLE_NAMED; i++) {
		const struct pm_tmpfs_mount *mount = &tmpfs->mounts[i];
		if (mount->cause == 0)
			continue;
		text_string(text, named++ > 0 ? ", " : " ");
		put_escaped(text, mount->point);
		text_format(text, " (%s)", cgroup_files_mount_cause(mount->cause));
	}

	for (size_t i = 0; i < tmpfs->folder_count && named < UNREADABLE_NAMED; i++) {
		if (tmpfs->folders[i].cause == 0)
			continue;
		char *path = pm_tmpfs_path(tmpfs, i, NULL);
		if (!path)
			alloc_failed();
		text_string(text, named++ > 0 ? ", " : " ");
		put_escaped(text, path);
		text_format(text, " (%s)", strerror(tmpfs->folders[i].cause));
		free(path);
	}
	if (tmpfs->unreadable > named)
		text_format(text, ", %llu more", (unsigned long long)tmpfs->unreadable - named);
}

static void print_line(struct text *line, struct out *out)
{
	text_char(line, '\n');
	out_wrapped(out, line, 2);
	text_clear(line);
}

/** Prints which bound was reached. */
static void print_bound(const struct pm_tmpfs *tmpfs, struct out *out)
{
	static const char *const bounds[] = {
		[PM_TMPFS_BOUND_ENTRIES] = "after 2,000,000 files: further files are not counted",
		[PM_TMPFS_BOUND_SECONDS] = "after 2 s: further files are not counted",
		[PM_TMPFS_BOUND_DEPTH] = "at the 128th level: directories below are not counted",
	};

	if (tmpfs->bound != PM_TMPFS_COMPLETE)
		out_wrapped_format(out, 2, "the search in tmpfs ended %s\n", bounds[tmpfs->bound]);
}

/**
 * Prints the number of System V segments that only other cgroups use, as far as the processes of
 * this cgroup could be examined.
 */
static void print_of_others(const struct cgroup_report *report, struct out *out)
{
	const struct pm_shared_objects *objects = &report->files.objects;
	size_t count = 0;

	for (size_t i = 0; i < objects->count; i++)
		count += is_of_others(&objects->items[i]);
	if (count == 0)
		return;

	const char *reason = objects->unreadable > 0 ? "no process that could be examined uses it"
	                                             : "used only by other cgroups";
	out_wrapped_format(out, 2, "%zu System V segment%s not counted: %s\n", count,
	                   text_plural(count), reason);
}

/** Prints why directories have no rate. */
static void print_rateless(const struct cgroup_report *report, struct out *out)
{
	const struct cgroup_files *files = &report->files;
	size_t count = 0, shown = shown_rows(report);

	for (size_t i = 0; files->earlier_known && i < shown; i++)
		count += !files->rows.items[i].rate_known;
	if (count > 0)
		out_wrapped_format(out, 2,
		                   "no rate (?) for %zu director%s: the search at the start or at "
		                   "the end reached its bound (2 s, 2,000,000 files) before\n",
		                   count, count == 1 ? "y" : "ies");
}

/** Prints what could not be read. */
static void print_unknown(const struct cgroup_report *report, struct out *out)
{
	const struct cgroup_files *files = &report->files;
	const struct pm_shared_objects *objects = &files->objects;
	struct text line = { 0 };

	print_of_others(report, out);
	print_rateless(report, out);
	print_bound(&files->tmpfs, out);

	if (files->tmpfs.unreadable > 0) {
		put_unreadable(&files->tmpfs, &line);
		print_line(&line, out);
	}
	if (objects->unreadable > 0) {
		text_format(&line,
		            "%zu of %zu processes could not be examined: their memfd and deleted "
		            "files are not counted (run procmem as root)",
		            objects->unreadable, objects->processes);
		print_line(&line, out);
	}
	if (objects->other_ipc > 0) {
		text_format(&line,
		            "%zu process%s in another IPC namespace: System V segments there are "
		            "counted only if these processes map them",
		            objects->other_ipc, objects->other_ipc == 1 ? " is" : "es are");
		print_line(&line, out);
	}
	text_deinit(&line);
}

/** Returns the bytes that were found in files and in shared memory without a path. */
static uint64_t found_bytes(const struct cgroup_files *files)
{
	uint64_t sum;
	return __builtin_add_overflow(files->tmpfs.all_bytes, files->objects.bytes, &sum)
	               ? UINT64_MAX
	               : sum;
}

/** Adds how much of the shared memory of the cgroup the files explain. */
static void put_explained(const struct cgroup_report *report, struct text *text)
{
	uint64_t shmem = report->levels.items[0].split.parts[PM_CGROUP_SHMEM];
	uint64_t found = found_bytes(&report->files);

	if (found == 0 && shmem == 0)
		return;
	if (shmem == 0) {
		text_string(text, "; nothing of this is charged here: another cgroup touched it "
		                  "first, or it is swapped out");
		return;
	}
	if (found > shmem) {
		text_string(text, "; at most ");
		put_size(report, text, shmem);
		text_string(text, " of this is charged here: other pages were touched first by "
		                  "another cgroup, or are swapped out");
		return;
	}

	text_string(text, "; this explains at most ");
	put_size(report, text, found);
	text_string(text, " of ");
	put_size(report, text, shmem);
	if (shmem > found) {
		text_string(text, ", not found: ");
		put_size(report, text, shmem - found);
	}
}

void cgroup_files_print(const struct cgroup_report *report, struct out *out)
{
	const struct cgroup_files *files = &report->files;
	struct text line = { 0 };

	if (!files->known) {
		text_string(&line, "files in tmpfs are not known: ");
		put_escaped(&line, files->error.text);
		print_line(&line, out);
	} else {
		const char *bound = files->tmpfs.bound == PM_TMPFS_COMPLETE ? "" : "at least ";
		text_string(&line, "tmpfs as ");
		put_escaped(&line, files->comm);
		text_format(&line, " (%d) sees it: %s%llu file%s, %s", (int)files->pid, bound,
		            (unsigned long long)files->tmpfs.all_files,
		            text_plural(files->tmpfs.all_files), bound);
		put_size(report, &line, files->tmpfs.all_bytes);
		text_format(&line, "; shared memory without a path: %s",
		            files->objects.incomplete ? "at least " : "");
		put_size(report, &line, files->objects.bytes);
		put_explained(report, &line);
		print_line(&line, out);
	}
	text_deinit(&line);

	print_table(report, out);
	print_mounts(report, out);
	print_unknown(report, out);
}
