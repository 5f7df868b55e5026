/* SPDX-License-Identifier: MIT */
#include "limits/cgroup_pids.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/number.h"

/*
 * Maximum number of cgroups, maximum depth of nesting, and maximum size of cgroup.procs in bytes.
 * They bound time and memory for hostile trees. Machines with very many containers have about ten
 * thousand cgroups, nested about a dozen levels deep.
 */
enum { GROUPS_MAX = 20000, DEPTH_MAX = 64, PROCS_TEXT_MAX = 1 << 24 };

/** State while cgroups are visited. */
struct walk {
	pm_cgroup_pid_visitor *visit;
	void *context;
	size_t groups; /* number of cgroups visited so far */
	bool incomplete;
};

/**
 * Marks the result as incomplete because a cgroup could not be read. Does nothing if the cgroup was
 * removed or is threaded, because then no process is missing.
 */
static void note_failure(struct walk *walk, int cause)
{
	/*
	 * A cgroup may be removed at any time (ENOENT, ENODEV). The processes of a threaded cgroup
	 * (EOPNOTSUPP) are listed in one of its ancestors.
	 */
	if (cause != ENOENT && cause != ENODEV && cause != EOPNOTSUPP)
		walk->incomplete = true;
}

/** Visits the processes of one cgroup, without those of its descendants. */
static int visit_processes(struct walk *walk, int folder, struct pm_error *error)
{
	char *text;
	int fd = openat(folder, "cgroup.procs", O_RDONLY | O_CLOEXEC), result = 0;
	if (fd < 0) {
		note_failure(walk, errno);
		return 0;
	}

	struct pm_error cause = { 0 };
	int failed = pm_read_all(fd, PROCS_TEXT_MAX, &text, NULL, &cause);
	close(fd);
	if (failed < 0) {
		note_failure(walk, cause.os_errno);
		return 0;
	}

	const char *at = text;
	uint64_t pid;
	while (result == 0 && pm_scan_decimal(&at, &pid)) {
		at += *at == '\n';
		/* cgroup.procs shows PID 0 for a process of another PID namespace. */
		if (pid > INT32_MAX)
			pid = 0;
		result = walk->visit(walk->context, (pid_t)pid, error);
	}

	free(text);
	return result;
}

static int visit_group(struct walk *walk, int folder, unsigned depth, struct pm_error *error);

/**
 * Visits a child cgroup. If the maximum depth or number of cgroups is reached, marks the result as
 * incomplete instead.
 *
 * @param folder  descriptor of the cgroup; closed in any case
 * @param depth   nesting depth of the cgroup
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
static int visit_below(struct walk *walk, int folder, unsigned depth, struct pm_error *error)
{
	if (depth <= DEPTH_MAX && walk->groups < GROUPS_MAX) {
		walk->groups++;
		return visit_group(walk, folder, depth, error);
	}

	walk->incomplete = true;
	close(folder);
	return 0;
}

/**
 * Visits a cgroup and all its descendants.
 *
 * @param folder  descriptor of the cgroup; closed in any case
 * @param depth   nesting depth of the cgroup
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
static int visit_group(struct walk *walk, int folder, unsigned depth, struct pm_error *error)
{
	int result = visit_processes(walk, folder, error);
	DIR *directory = fdopendir(folder);
	if (!directory) {
		note_failure(walk, errno);
		close(folder);
		return result;
	}

	struct dirent *entry;
	while (result == 0 && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' ||
		    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		int below = openat(dirfd(directory), entry->d_name,
		                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0)
			result = visit_below(walk, below, depth + 1, error);
		/*
		 * An entry of type DT_UNKNOWN may be a file or a symbolic link, which is not a
		 * failure.
		 */
		else if (errno != ENOTDIR && errno != ELOOP)
			note_failure(walk, errno);
	}

	closedir(directory);
	return result;
}

int pm_cgroup_pids_visit(const char *folder, pm_cgroup_pid_visitor *visit, void *context,
                         bool *incomplete, struct pm_error *error)
{
	struct walk walk = { .visit = visit, .context = context };
	int result = 0;

	int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (opened < 0)
		note_failure(&walk, errno);
	else
		result = visit_group(&walk, opened, 0, error);

	*incomplete |= walk.incomplete;
	return result;
}
