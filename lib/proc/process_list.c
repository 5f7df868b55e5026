/* SPDX-License-Identifier: MIT */
#include <procmem/process_list.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "proc/access.h"
#include "proc/command.h"
#include "proc/pids.h"
#include "proc/process_handle.h"
#include "proc/self.h"
#include "proc/status.h"

/**
 * Replaces the sizes and the command line of a process whose first thread is dead by those that a
 * living thread shows. The fields stay unchanged if those of the thread cannot be read.
 */
static void fill_from_living_thread(struct pm_process_row *row)
{
	struct pm_process *process;
	struct pm_process_info info;
	char *command;

	if (pm_process_open(NULL, row->pid, &process, NULL) < 0)
		return;

	if (pm_process_read_info(process, &info, NULL) == 0) {
		row->rss = info.vm_rss;
		row->peak = info.vm_hwm;
		row->swap = info.vm_swap;
		row->size = info.vm_size;
	}

	if (pm_process_read_command(process, &command, NULL) == 0) {
		free(row->command);
		row->command = command;
	}

	pm_process_close(process);
}

/**
 * Fills the name, the command line and the peak of the resident size.
 * @param procfs  the directory of the process
 * @return 0, or -1 with errno set
 */
static int fill_texts(const struct pm_procfs *procfs, struct pm_process_row *row)
{
	size_t length;
	char *status;
	if (pm_comm_read(procfs, "comm", row->comm) < 0 ||
	    pm_procfs_read(procfs, "status", &status, NULL) < 0)
		return -1;

	/* The peak is read from status, since libproc2 does not return the peak. */
	row->peak = pm_status_number(status, "VmHWM", 0) * 1024;
	free(status);
	if (pm_command_read(procfs, &row->command, &length) < 0)
		return -1;

	pm_command_join(row->command, length);
	return 0;
}

/** The state of add_row(): the list to which it appends processes. */
struct builder {
	struct pm_process_list list;
	size_t capacity;
	struct pm_self own;
};

static int add_row(void *context, const struct pm_pids_entry *entry, struct pm_error *error)
{
	struct builder *builder = context;
	struct pm_process_list *list = &builder->list;
	if (pm_array_reserve(&list->items, &builder->capacity, list->count, 1, sizeof *list->items,
	                     error) < 0)
		return -1;

	struct pm_process_row row = {
		.pid = entry->pid,
		.uid = entry->uid,
		.threads = entry->threads,
		.state = entry->state,
		.kernel_thread = entry->kernel_thread,
		.own = pm_self_has(&builder->own, entry->pid),
		.start_ticks = entry->start_ticks,
		.rss = entry->rss,
		.swap = entry->swap,
		.size = entry->size,
	};

	struct pm_procfs procfs;
	if (pm_procfs_open(&procfs, "/proc", entry->pid) < 0)
		return pm_pids_skip(errno, error);

	int result = fill_texts(&procfs, &row), cause = errno;
	pm_procfs_close(&procfs);
	if (result < 0)
		return pm_pids_skip(cause, error);

	if (pm_state_is_dead(row.state) && row.threads > 1)
		fill_from_living_thread(&row);
	list->items[list->count++] = row;

	return 0;
}

static int compare_pids(const void *a, const void *b)
{
	const struct pm_process_row *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

int pm_process_list_read(struct pm_process_list *list, struct pm_error *error)
{
	struct builder builder = { 0 };
	pm_self_read(&builder.own);
	if (pm_pids_visit(add_row, &builder, error) < 0) {
		pm_process_list_deinit(&builder.list);
		return -1;
	}

	qsort(builder.list.items, builder.list.count, sizeof *builder.list.items, compare_pids);
	*list = builder.list;
	return 0;
}

void pm_process_list_deinit(struct pm_process_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].command);
	free(list->items);
	*list = (struct pm_process_list){ 0 };
}

int pm_process_read_pss(struct pm_process *process, uint64_t *pss, struct pm_error *error)
{
	static const char name[] = "smaps_rollup";
	int fd;
	char *text;
	struct pm_error cause;

	if (pm_process_open_file(process, name, O_RDONLY, &fd, error) < 0)
		return -1;

	int result = pm_read_all(fd, PM_PROCFS_TEXT_MAX, &text, NULL, &cause);
	close(fd);
	if (result < 0 && cause.kind == PM_ERROR_GONE)
		return pm_access_explain(pm_process_root(process), pm_process_pid(process),
		                         "read the smaps_rollup of", cause.os_errno, error);
	if (result < 0) {
		if (error)
			*error = cause;
		return -1;
	}

	bool known = pm_status_find(text, "Pss") != NULL;
	uint64_t kilobytes = pm_status_number(text, "Pss", 0);
	free(text);
	if (!known)
		return pm_access_explain(pm_process_root(process), pm_process_pid(process),
		                         "read the smaps_rollup of", 0, error);

	*pss = kilobytes * 1024;
	return 0;
}
