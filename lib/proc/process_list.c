/* SPDX-License-Identifier: MIT */
#include <procmem/process_list.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <procmem/process_rollup.h>

#include "base/array.h"
#include "base/io.h"
#include "proc/command.h"
#include "proc/mountinfo.h"
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

static uint64_t boot_time_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int add_row(void *context, const struct pm_pids_entry *entry, struct pm_error *error)
{
	struct builder *builder = context;
	struct pm_process_list *list = &builder->list;
	if (pm_array_reserve(&list->items, &builder->capacity, list->count, 1, sizeof *list->items,
	                     error) < 0)
		return -1;

	struct pm_process_row row = {
		.pid = entry->pid,
		.ppid = entry->ppid,
		.uid = entry->uid,
		.threads = entry->threads,
		.state = entry->state,
		.kernel_thread = entry->kernel_thread,
		.own = pm_self_has(&builder->own, entry->pid),
		.start_ticks = entry->start_ticks,
		.time_ns = boot_time_ns(),
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

/** Notes whether proc is mounted with a value of hidepid other than 0 or "off". */
static int find_hidepid(void *context, const struct pm_mount *mount, struct pm_error *error)
{
	bool *hides = context;
	size_t length;

	(void)error;
	if (strcmp(mount->type, "proc") != 0 || strcmp(mount->point, "/proc") != 0)
		return 0;

	/* The last mount is on top. */
	const char *value = pm_mount_option(mount, "hidepid", &length);

	*hides = value && !(length == 1 && *value == '0') &&
	         !(length == 3 && memcmp(value, "off", 3) == 0);
	return 0;
}

bool pm_process_list_is_partial(void)
{
	bool hides = false;

	if (pm_mounts_visit("/proc", find_hidepid, &hides, NULL) < 0 || !hides)
		return false;

	/* The first process of a PID namespace always exists, and mostly belongs to root. If
	 * hidepid does not hide it from this process, then it hides no process. */
	return access("/proc/1/stat", R_OK) < 0;
}

int pm_process_read_pss(struct pm_process *process, uint64_t *pss, struct pm_error *error)
{
	struct pm_process_rollup rollup;

	if (pm_process_rollup_read(process, &rollup, error) < 0)
		return -1;

	*pss = rollup.pss;
	return 0;
}
