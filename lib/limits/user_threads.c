/* SPDX-License-Identifier: MIT */
/*
 * RLIMIT_NPROC. The kernel compares the limit with the number of threads of all processes of the
 * real user, and skips the check for privileged processes (copy_process() in kernel/fork.c).
 *
 * The kernel counts separately in each user namespace. Here, all visible processes with the same
 * real user ID are counted, so the number is uncertain if a process is in another user namespace or
 * if not all PIDs are visible.
 */
#include "limits/user_threads.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limits/limit_source.h"
#include "limits/system.h"
#include "proc/credentials.h"
#include "proc/process_handle.h"
#include "proc/procfs.h"
#include "proc/status.h"

/* Name of the first user namespace (PROC_USER_INIT_INO in the kernel). */
static const char first_users[] = "user:[4026531837]";

/** A process, and what determines whether RLIMIT_NPROC is enforced for this process. */
struct owner {
	const char *root; /* directory of /proc */
	struct pm_credentials credentials;
	bool first; /* the process is in the first user namespace */
};

/** Returns whether the kernel does not enforce RLIMIT_NPROC for a process. */
static bool is_exempt(const struct owner *owner)
{
	/*
	 * User ID 0 is that of root only as seen from the first user namespace. Capabilities count
	 * only if the process is in that namespace.
	 */
	if (!pm_credentials_in_first_namespace(owner->root))
		return false;
	if (owner->credentials.users.real == 0)
		return true;

	return owner->first && (pm_credentials_can(&owner->credentials, PM_CAP_SYS_RESOURCE) ||
	                        pm_credentials_can(&owner->credentials, PM_CAP_SYS_ADMIN));
}

/**
 * Returns whether processes of the user may be missing in /proc, or counted elsewhere: this process
 * or the target is not in the first PID and user namespaces.
 */
static bool is_uncertain(const struct owner *owner)
{
	if (!pm_credentials_in_first_namespace(owner->root) || !owner->first)
		return true;

	return !pm_is_in_first_pid_namespace(owner->root, "self");
}

/**
 * Reads the credentials of a process.
 * @return false if they cannot be read
 */
static bool read_owner(struct pm_process *process, struct owner *owner)
{
	const char *users = owner->credentials.namespace_text;

	owner->root = pm_process_root(process);
	if (!pm_credentials_read_pid(owner->root, process->procfs.pid, &owner->credentials))
		return false;

	/* A saved tree has no namespaces. */
	owner->first = strcmp(users, first_users) == 0;
	if (*users == '\0')
		owner->first = !pm_procfs_is_live(&process->procfs);

	return true;
}

/** Returns the number of threads of a process, or 0 if the process belongs to another user. */
static uint64_t threads_of_user(const char *root, pid_t pid, uint32_t user)
{
	struct pm_procfs procfs;
	uint64_t threads = 0;
	char *status;

	if (pm_procfs_open(&procfs, root, pid) < 0)
		return 0;

	if (pm_procfs_read(&procfs, "status", &status, NULL) == 0) {
		if (pm_status_find(status, "Uid") && pm_status_number(status, "Uid", 0) == user)
			threads = pm_status_number(status, "Threads", 0);
		free(status);
	}
	pm_procfs_close(&procfs);

	return threads;
}

/**
 * Counts the threads of all visible processes of a user. Processes that end concurrently are left
 * out.
 *
 * @param root     directory of /proc
 * @param user     real user ID
 * @param threads  receives the number
 * @return         false if the processes cannot be listed
 */
static bool count_threads(const char *root, uint32_t user, uint64_t *threads)
{
	struct pm_procfs all = { .fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	pid_t *pids = NULL;
	size_t count = 0;
	int failed = -1;

	if (all.fd >= 0) {
		failed = pm_procfs_list_numbers(&all, ".", &pids, &count);
		close(all.fd);
	}
	if (failed < 0)
		return false;

	*threads = 0;
	for (size_t i = 0; i < count; i++)
		*threads += threads_of_user(root, pids[i], user);
	free(pids);

	return true;
}

int pm_gather_user_threads(struct pm_process *process, struct pm_headroom *headroom,
                           struct pm_error *error)
{
	struct owner owner;
	uint64_t max, used = 0;
	char *limits = NULL;

	pm_limit_remove(headroom, PM_LIMIT_USER_THREADS);
	bool limited = pm_procfs_read(&process->procfs, "limits", &limits, NULL) == 0 &&
	               pm_limit_soft(limits, "\nMax processes", &max) &&
	               read_owner(process, &owner);

	/*
	 * The credentials were read by PID, which may have been reused. A saved tree may lack the
	 * files.
	 */
	free(limits);
	if (pm_process_check(process, error) < 0)
		return -1;

	bool exempt = limited && is_exempt(&owner);
	if (!limited ||
	    (!exempt && !count_threads(owner.root, owner.credentials.users.real, &used)))
		return 0;

	struct pm_limit *limit = pm_limit_add(headroom, PM_LIMIT_USER_THREADS, max, used,
	                                      "RLIMIT_NPROC");
	limit->exempt = exempt;
	limit->approximate = !exempt && is_uncertain(&owner);

	return 0;
}
