/* SPDX-License-Identifier: MIT */
#include "ps/listing.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/report.h"
#include "ps/tree.h"
#include "view/json.h"

/* Maximum number of processes that a note names. */
enum { NAMED_MAX = 5 };

/** What became of a process while it was read. */
enum outcome { READ, ENDED };

/** Stores that a process was refused. */
static void add_unread(struct ps_listing *listing, const struct ps_row *row,
                       const struct pm_error *error)
{
	/* Double the array when its length is a power of two. */
	if ((listing->unread_count & (listing->unread_count - 1)) == 0)
		listing->unread = alloc_array(listing->unread, 2 * listing->unread_count + 1,
		                              sizeof *listing->unread);

	listing->unread[listing->unread_count++] = (struct ps_unread){
		.process = row->process,
		.reason = alloc_string(error->text),
	};
}

/** Reads smaps_rollup. */
static enum outcome read_rollup(struct ps_listing *listing, struct ps_row *row,
                                struct pm_process *process)
{
	struct pm_error error = { 0 };

	if (pm_process_rollup_read(process, &row->rollup, &error) == 0) {
		row->rollup_known = true;
		return READ;
	}
	if (error.kind == PM_ERROR_GONE)
		return ENDED;

	/* The process has become a zombie since the list was read, and has no memory any more. */
	if (error.kind == PM_ERROR_NO_MEMORY)
		row->rollup_known = true;
	else
		add_unread(listing, row, &error);
	return READ;
}

/**
 * Reads the values of a row that the list of processes does not contain. These values remain
 * unknown if procmem has no permission to read them.
 */
static enum outcome read_more(struct ps_listing *listing, struct ps_row *row, unsigned needs)
{
	struct pm_process *process;
	struct pm_error error = { 0 };
	enum outcome outcome = READ;

	if (needs & PS_NEEDS_USER)
		row->user = user_names_find(&listing->users, row->process->uid);

	/* The PSS of kernel threads and zombies is known to be 0, because they have no memory. */
	row->rollup_known = row->process->kernel_thread || row->process->state == 'Z';
	if (row->rollup_known)
		needs &= ~(unsigned)(PS_NEEDS_ROLLUP | PS_NEEDS_LIMIT);
	if (!(needs & (PS_NEEDS_ROLLUP | PS_NEEDS_LIMIT | PS_NEEDS_CGROUP)))
		return READ;

	if (pm_process_open(NULL, row->process->pid, &process, &error) < 0) {
		if (error.kind == PM_ERROR_NOT_FOUND || error.kind == PM_ERROR_GONE)
			return ENDED;
		if (needs & PS_NEEDS_ROLLUP)
			add_unread(listing, row, &error);
		return READ;
	}

	/* Another process can have the PID since the list was read. */
	if (pm_process_start_ticks(process) != row->process->start_ticks)
		outcome = ENDED;
	if (outcome == READ && (needs & (PS_NEEDS_LIMIT | PS_NEEDS_CGROUP)))
		row->cgroup = ps_cgroups_find(&listing->cgroups, process);
	if (outcome == READ && (needs & PS_NEEDS_ROLLUP))
		outcome = read_rollup(listing, row, process);

	pm_process_close(process);
	return outcome;
}

/**
 * Checks whether a process matches NAME. If NAME consists of digits, it is a PID, never a name.
 */
static bool matches(const struct pm_process_row *process, const struct ps_filter *filter)
{
	const char *name = filter->name;
	uint64_t pid;

	if (name && *name && name[strspn(name, "0123456789")] == '\0')
		return pm_parse_decimal(name, INT_MAX, &pid, NULL) == 0 &&
		       process->pid == (pid_t)pid;

	/* With NAME, skip the processes that started procmem, such as sudo: their command lines
	 * contain NAME only because it is an argument of procmem. */
	if ((process->kernel_thread && !filter->all) || (process->own && name))
		return false;

	return name_filter_fits(&filter->regex, process->comm) ||
	       name_filter_fits(&filter->regex, process->command);
}

/** Tests whether an earlier listing has a row for a process. */
static bool is_in(const struct ps_listing *earlier, const struct pm_process_row *process)
{
	size_t low = 0, high = earlier ? earlier->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pm_process_row *found = earlier->rows[middle].process;

		if (found->pid == process->pid)
			return found->start_ticks == process->start_ticks;
		if (found->pid < process->pid)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/** Removes the rows that are not listed. */
static void remove_unlisted(struct ps_listing *listing)
{
	size_t kept = 0;

	for (size_t i = 0; i < listing->count; i++) {
		if (listing->rows[i].listed)
			listing->rows[kept++] = listing->rows[i];
	}
	listing->count = kept;
}

/**
 * Makes a row for each process to be listed. The procmem process itself is not listed. The
 * descendants of a process are listed with it in a tree, except kernel threads, which have no
 * memory.
 */
static void add_rows(struct ps_listing *listing, const struct ps_filter *filter,
                     const struct ps_listing *earlier)
{
	const struct pm_process_list *list = &listing->processes;

	listing->rows = alloc_array(NULL, list->count, sizeof *listing->rows);
	for (size_t i = 0; i < list->count; i++) {
		const struct pm_process_row *process = &list->items[i];
		bool listed = matches(process, filter) || is_in(earlier, process);
		bool can_be_child = filter->tree && (!process->kernel_thread || filter->all);

		if (process->pid == getpid() || (!listed && !can_be_child))
			continue;
		listing->rows[listing->count++] = (struct ps_row){ .process = process,
			                                           .listed = listed };
	}

	if (filter->tree && filter->name)
		ps_tree_list_descendants(listing->rows, listing->count);
	remove_unlisted(listing);
}

/** Sets the start times, which the kernel gives relative to the start of the machine. */
static void set_start_times(struct ps_listing *listing)
{
	struct timespec wall, boot;
	const int64_t second = 1000000000;
	long ticks = sysconf(_SC_CLK_TCK);
	const int64_t tick = second / (ticks > 0 ? ticks : 100);

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_BOOTTIME, &boot);

	int64_t booted = (wall.tv_sec - boot.tv_sec) * second + wall.tv_nsec - boot.tv_nsec;

	for (size_t i = 0; i < listing->count; i++)
		listing->rows[i].started_ns = booted +
		                              (int64_t)listing->rows[i].process->start_ticks * tick;
}

/** Stores in the list of all processes that a process has ended since the list was read. */
static void mark_ended(struct ps_listing *listing, const struct ps_row *row)
{
	listing->processes.items[row->process - listing->processes.items].state = 'X';
	listing->ended++;
}

int ps_listing_read(struct ps_listing *listing, const struct ps_filter *filter, unsigned needs,
                    const struct ps_listing *earlier, struct pm_error *error)
{
	if (pm_process_list_read(&listing->processes, error) < 0)
		return -1;

	add_rows(listing, filter, earlier);
	set_start_times(listing);
	for (size_t i = 0; i < listing->count; i++) {
		struct ps_row *row = &listing->rows[i];

		row->listed = read_more(listing, row, needs) == READ;
		if (!row->listed)
			mark_ended(listing, row);
	}
	remove_unlisted(listing);

	return 0;
}

static int compare_pids(const void *key, const void *item)
{
	pid_t wanted = ((const struct pm_process_row *)key)->pid;
	pid_t pid = ((const struct pm_process_row *)item)->pid;

	return (wanted > pid) - (wanted < pid);
}

const struct pm_process_row *ps_listing_find(const struct pm_process_list *list,
                                             const struct pm_process_row *process)
{
	const struct pm_process_row *found = bsearch(process, list->items, list->count,
	                                             sizeof *list->items, compare_pids);

	if (!found || found->start_ticks != process->start_ticks || found->state == 'X')
		return NULL;
	return found;
}

static void report_unread(const struct ps_listing *listing)
{
	size_t count = listing->unread_count, named = pm_min_size(count, NAMED_MAX);
	struct text names = { 0 };

	for (size_t i = 0; i < named; i++) {
		const struct pm_process_row *process = listing->unread[i].process;

		text_format(&names, "%s%s (%d)", i > 0 ? ", " : "", process->comm,
		            (int)process->pid);
	}
	if (named < count)
		text_format(&names, " and %zu more", count - named);

	report_note("PSS and USS of %zu process%s are not known: %s; %s", count,
	            count == 1 ? "" : "es", text_terminate(&names), listing->unread[0].reason);
	text_deinit(&names);
}

void ps_listing_report(const struct ps_listing *listing, bool verbose)
{
	if (listing->unread_count > 0)
		report_unread(listing);
	if (listing->ended > 0 && verbose)
		report_note("%zu process%s ended while the processes were read; not listed",
		            listing->ended, listing->ended == 1 ? "" : "es");
	if (pm_process_list_is_partial())
		report_note("/proc is mounted with hidepid: processes of other users are hidden, "
		            "and not counted; root sees all processes");
}

json_t *ps_listing_json_unread(const struct ps_listing *listing)
{
	if (listing->unread_count == 0)
		return NULL;

	json_t *array = json_array();

	for (size_t i = 0; i < listing->unread_count; i++) {
		const struct ps_unread *unread = &listing->unread[i];
		json_t *object = json_object();

		json_object_set_new(object, "pid", json_integer(unread->process->pid));
		json_object_set_new(object, "name", json_text(unread->process->comm));
		json_object_set_new(object, "reason", json_text(unread->reason));
		json_array_append_new(array, object);
	}
	return array;
}

void ps_listing_deinit(struct ps_listing *listing)
{
	for (size_t i = 0; i < listing->unread_count; i++)
		free(listing->unread[i].reason);
	free(listing->unread);
	free(listing->rows);
	user_names_deinit(&listing->users);
	ps_cgroups_deinit(&listing->cgroups);
	pm_process_list_deinit(&listing->processes);
	*listing = (struct ps_listing){ 0 };
}
