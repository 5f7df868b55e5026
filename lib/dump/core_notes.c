/* SPDX-License-Identifier: MIT */
#include "dump/core_notes.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/resource.h>
#include <unistd.h>

#include <procmem/threads.h>

#include "base/io.h"
#include "dump/core_thread_notes.h"
#include "proc/process.h"
#include "proc/process_handle.h"
#include "proc/process_stat.h"
#include "proc/status.h"

/* Maximum size of the auxiliary vector in bytes. The kernel writes at most 50 pairs. */
enum { AUXILIARY_MAX = 64 * 1024 };

static const char deleted_ending[] = " (deleted)";

/**
 * Converts the letter of a process state to the number for pr_state: the position of the letter in
 * "RSDTZW", as in fs/binfmt_elf.c. Returns 0 for other letters.
 */
static char state_number(char state)
{
	static const char states[] = "RSDTZW";
	const char *at = state ? strchr(states, state) : NULL;

	if (!at)
		return 0;

	return (char)(at - states);
}

static int write_process(struct pm_core_writer *writer, struct pm_process *process,
                         struct pm_error *error)
{
	struct elf_prpsinfo info;
	struct pm_process_stat stat;
	char *status, *command;

	memset(&info, 0, sizeof info);
	if (pm_process_stat_read(&process->procfs, "stat", &stat) < 0 ||
	    pm_procfs_read(&process->procfs, "status", &status, NULL) < 0)
		return pm_process_lost(process, errno, error);

	info.pr_uid = (unsigned)pm_status_number(status, "Uid", 0);
	info.pr_gid = (unsigned)pm_status_number(status, "Gid", 0);
	free(status);
	info.pr_state = state_number(stat.state);
	info.pr_sname = stat.state;
	info.pr_zomb = (char)(stat.state == 'Z');

	/* The value is -20 to 19. NOLINTNEXTLINE(bugprone-narrowing-conversions) */
	info.pr_nice = (char)getpriority(PRIO_PROCESS, (id_t)process->procfs.pid);
	info.pr_flag = stat.flags;
	info.pr_pid = process->procfs.pid;
	info.pr_ppid = (pid_t)stat.parent;
	info.pr_pgrp = (pid_t)stat.group;
	info.pr_sid = (pid_t)stat.session;
	memcpy(info.pr_fname, stat.comm, strnlen(stat.comm, sizeof info.pr_fname));

	if (pm_process_read_command(process, &command, error) < 0)
		return -1;

	memcpy(info.pr_psargs, command, strnlen(command, sizeof info.pr_psargs - 1));
	free(command);

	return pm_core_note(writer, "CORE", NT_PRPSINFO, &info, sizeof info, error);
}

static int write_auxiliary(struct pm_core_writer *writer, struct pm_process *process,
                           struct pm_error *error)
{
	int fd;
	char *bytes;
	size_t length;

	if (pm_process_open_file(process, "auxv", O_RDONLY, &fd, error) < 0)
		return -1;

	int result = pm_read_all(fd, AUXILIARY_MAX, &bytes, &length, error);
	close(fd);
	if (result < 0)
		return -1;

	result = pm_core_note(writer, "CORE", NT_AUXV, bytes, (uint32_t)length, error);
	free(bytes);

	return result;
}

static bool has_file(const struct pm_region *region)
{
	return region->inode != 0 && region->mapping[0] == '/';
}

/**
 * Writes NT_FILE: the number of mappings of files and the page size; then start, end and offset in
 * pages of each mapping; then the path of each mapping.
 */
static int write_files(struct pm_core_writer *writer, const struct pm_regions *regions,
                       struct pm_error *error)
{
	uint64_t head[2] = { 0, writer->page }, size = sizeof head;
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		if (!has_file(region))
			continue;
		head[0]++;
		size += 3 * sizeof(uint64_t) + strlen(region->mapping) + 1;
		if (region->deleted)
			size += strlen(deleted_ending);
	}

	if (size > UINT32_MAX)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		                    "the list of mapped files is larger than 4 GiB, the "
		                    "limit of a note in a core file");
	if (pm_core_note_begin(writer, "CORE", NT_FILE, (uint32_t)size, error) < 0 ||
	    pm_core_note_bytes(writer, head, sizeof head, error) < 0)
		return -1;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		const uint64_t entry[] = { region->start, region->end,
			                   region->offset / writer->page };
		if (has_file(region) && pm_core_note_bytes(writer, entry, sizeof entry, error) < 0)
			return -1;
	}

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		if (!has_file(region))
			continue;
		if (pm_core_note_bytes(writer, region->mapping, strlen(region->mapping), error) <
		            0 ||
		    (region->deleted && pm_core_note_bytes(writer, deleted_ending,
		                                           strlen(deleted_ending), error) < 0) ||
		    pm_core_note_bytes(writer, "", 1, error) < 0)
			return -1;
	}

	return pm_core_note_end(writer, error);
}

/**
 * Writes the notes of the process: NT_PRPSINFO, NT_SIGINFO, NT_AUXV and NT_FILE. In the file, they
 * follow NT_PRSTATUS of the first thread.
 */
static int write_process_notes(struct pm_core_writer *writer, const struct pm_regions *regions,
                               const struct pm_core_thread *first, struct pm_error *error)
{
	if (write_process(writer, first->process, error) < 0 ||
	    pm_core_siginfo_note_write(writer, first, error) < 0 ||
	    write_auxiliary(writer, first->process, error) < 0 ||
	    write_files(writer, regions, error) < 0)
		return -1;
	return 0;
}

/**
 * Lists the threads of a stop or, if `stop` is NULL, the current threads of the process. If the
 * thread group leader is among them, it comes first.
 * @param threads  receives the threads; the caller frees the array
 */
static int list_threads(struct pm_process *process, struct pm_stop *stop,
                        struct pm_core_thread **threads, size_t *count, struct pm_error *error)
{
	struct pm_thread *living = NULL;
	size_t found = stop ? pm_stop_count(stop) : 0;
	if (!stop && pm_process_read_threads(process, 0, &living, &found, error) < 0)
		return -1;

	struct pm_core_thread *list = calloc(found ? found : 1, sizeof *list);
	if (!list) {
		free(living);
		return pm_error_set(error, PM_ERROR_RESOURCES, ENOMEM,
		                    "out of memory in procmem itself, for the list of %zu threads",
		                    found);
	}

	for (size_t i = 0; i < found; i++) {
		list[i] = (struct pm_core_thread){ .process = process, .stop = stop, .index = i };
		if (stop)
			list[i].tid = pm_stop_thread(stop, i)->tid;
		else
			list[i].tid = living[i].tid;
		if (list[i].tid == process->procfs.pid) {
			struct pm_core_thread leader = list[i];
			memmove(list + 1, list, i * sizeof *list);
			list[0] = leader;
		}
	}

	free(living);
	*threads = list;
	*count = found;

	return 0;
}

int pm_core_notes_write(struct pm_core_writer *writer, struct pm_process *process,
                        const struct pm_regions *regions, struct pm_stop *stop,
                        struct pm_error *error)
{
	struct pm_core_thread *threads = NULL;
	size_t count = 0;
	bool first = true;
	int result = list_threads(process, stop, &threads, &count, error);

	if (result < 0)
		return -1;

	for (size_t i = 0; i < count && result >= 0; i++) {
		result = pm_core_status_note_write(writer, &threads[i], error);
		if (result <= 0)
			continue;
		if (first)
			result = write_process_notes(writer, regions, &threads[i], error);
		else if (stop)
			result = pm_core_siginfo_note_write(writer, &threads[i], error);
		if (result >= 0)
			result = pm_core_register_notes_write(writer, &threads[i], error);
		first = false;
	}

	free(threads);
	if (result >= 0 && first)
		return pm_process_lost(process, ESRCH, error);

	if (result < 0 || (stop && pm_core_layout_note_write(writer, error) < 0))
		return -1;

	return pm_core_notes_end(writer, error);
}
