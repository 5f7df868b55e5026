/* SPDX-License-Identifier: MIT */
#include "trace/calls.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"

/** Tests whether an advice of madvise(2) gives pages back. */
static bool is_release(uint64_t advice)
{
	enum { DONTNEED_LOCKED = 24 };
	return advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE ||
	       advice == DONTNEED_LOCKED;
}

bool pm_trace_call_populates(uint64_t advice)
{
	enum { POPULATE_READ = 22, POPULATE_WRITE = 23 };
	return advice == POPULATE_READ || advice == POPULATE_WRITE;
}

bool pm_trace_call_is_used(const struct pm_trace_event *event)
{
	bool failed = pm_trace_failed(event->result);

	switch (event->kind) {
	case PM_TRACE_MMAP:
	case PM_TRACE_MPROTECT:
	case PM_TRACE_SHMAT:
		return !failed;
	case PM_TRACE_MUNMAP_FAILED:
		return failed;
	case PM_TRACE_MADVISE:
		return !failed && is_release(event->arguments[2]);
	case PM_TRACE_POPULATE:
		return pm_trace_call_populates(event->arguments[2]);
	default:
		return true;
	}
}

bool pm_trace_call_maps_code(const struct pm_trace_event *event)
{
	if (event->kind == PM_TRACE_MMAP && event->arguments[3] & MAP_ANONYMOUS)
		return false;
	return (event->kind == PM_TRACE_MMAP || event->kind == PM_TRACE_MPROTECT) &&
	       event->arguments[2] & PROT_EXEC;
}

/** Tests whether a file is a 32-bit program, and closes it. */
static bool is_narrow(int fd)
{
	char ident[EI_NIDENT] = "";
	ssize_t length = pm_pread(fd, ident, sizeof ident, 0);

	close(fd);
	return length == (ssize_t)sizeof ident && memcmp(ident, ELFMAG, SELFMAG) == 0 &&
	       ident[EI_CLASS] == ELFCLASS32;
}

int pm_trace_calls_check(struct pm_process *process, struct pm_error *error)
{
	int fd;

	if (pm_process_open_file(process, "exe", O_RDONLY, &fd, NULL) < 0 || !is_narrow(fd))
		return 0;

	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
	                    "process %d runs a 32-bit program, which trace does not support",
	                    (int)pm_process_pid(process));
}

/**
 * Opens the program that execvp(3) would execute for a name.
 * @return  a descriptor, or -1
 */
static int open_program(const char *name)
{
	const char *at = getenv("PATH");

	if (strchr(name, '/'))
		return pm_open_regular(name);
	if (!at)
		at = "/bin:/usr/bin";

	for (const char *end; *at; at = end + (*end == ':')) {
		char path[PATH_MAX];

		end = strchrnul(at, ':');
		/* An empty folder is the current one. */
		int length = snprintf(path, sizeof path, "%.*s%s%s", (int)(end - at), at,
		                      end > at ? "/" : "", name);
		if (length < (int)sizeof path && access(path, X_OK) == 0)
			return pm_open_regular(path);
	}

	return -1;
}

int pm_trace_calls_check_command(const char *name, struct pm_error *error)
{
	int fd = open_program(name);

	if (fd < 0 || !is_narrow(fd))
		return 0;

	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
	                    "cannot start '%s': it is a 32-bit program, which trace does not "
	                    "support",
	                    name);
}
