/* SPDX-License-Identifier: MIT */
#include "proc/access_state.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "proc/mountinfo.h"
#include "proc/process_handle.h"
#include "proc/refusal.h"

enum { HIDEPID_TEXT_SIZE = 32 };

/** What a failed call means to somebody who acts on it. */
static enum pm_error_kind kind_of(int cause)
{
	if (pm_errno_is_ours(cause))
		return PM_ERROR_RESOURCES;

	switch (cause) {
	case EACCES:
	case EPERM:
		return PM_ERROR_ACCESS;
	case ENOENT:
		return PM_ERROR_NOT_FOUND;
	case ENOSYS:
	case EOPNOTSUPP:
		return PM_ERROR_UNSUPPORTED;
	default:
		return PM_ERROR_IO;
	}
}

/**
 * Finds the hidepid option of /proc.
 * @param context where to store its value, HIDEPID_TEXT_SIZE bytes
 */
static int find_hidepid(void *context, const struct pm_mount *mount, struct pm_error *error)
{
	(void)error;
	size_t length;
	const char *value = strcmp(mount->type, "proc") == 0
	                            ? pm_mount_option(mount, "hidepid", &length)
	                            : NULL;

	if (value)
		snprintf(context, HIDEPID_TEXT_SIZE, "%.*s", (int)length, value);
	return 0;
}

/**
 * Whether the kernel has no such process. Signal 0 asks the process table, which no mount option
 * hides; other roots are other machines.
 */
static bool is_surely_gone(const struct pm_refusal *refusal)
{
	return strcmp(refusal->proc_root, "/proc") == 0 && kill(refusal->pid, 0) < 0 &&
	       errno == ESRCH;
}

bool pm_access_is_invisible(const struct pm_refusal *refusal)
{
	char hidepid[HIDEPID_TEXT_SIZE] = "";
	pm_mounts_visit(refusal->proc_root, find_hidepid, hidepid, NULL);

	bool gone = is_surely_gone(refusal);
	if (hidepid[0] != '\0' && !gone)
		return pm_refused(refusal, PM_ERROR_ACCESS,
		                  "is not there, or hidden: proc is mounted with hidepid=%s, which "
		                  "shows only your own; %s",
		                  hidepid, pm_remedy(refusal));

	if (refusal->cause == ENOENT) {
		pm_error_set(refusal->error, PM_ERROR_NOT_FOUND, ENOENT, "there is no process %d",
		             (int)refusal->pid);
		if (refusal->error)
			refusal->error->pid = refusal->pid;
		return true;
	}

	if (refusal->cause == ESRCH || refusal->cause == 0 || gone)
		return pm_refused(refusal, PM_ERROR_GONE, "has ended");

	return pm_refused(refusal, kind_of(refusal->cause), "does not even show its status: %s",
	                  strerror(refusal->cause));
}

bool pm_access_is_kernel_thread(const struct pm_refusal *refusal)
{
	if (!refusal->target.kernel_thread)
		return false;
	return pm_refused(refusal, PM_ERROR_NO_MEMORY,
	                  "is a kernel thread: it has no memory of its own");
}

bool pm_access_is_zombie(const struct pm_refusal *refusal)
{
	const struct pm_credentials *target = &refusal->target;
	struct pm_credentials parent;
	if (!pm_state_is_dead(target->state) || target->threads > 1)
		return false;
	if (!pm_credentials_read_pid(refusal->proc_root, target->parent, &parent))
		return pm_refused(refusal, PM_ERROR_NO_MEMORY,
		                  "is a zombie: it ended and has no memory any more");

	return pm_refused(refusal, PM_ERROR_NO_MEMORY,
	                  "is a zombie: it ended and has no memory any more, only its parent %d "
	                  "(%s) has not taken notice yet",
	                  (int)parent.pid, parent.name);
}

bool pm_access_is_gone(const struct pm_refusal *refusal)
{
	if (refusal->cause != 0 && refusal->cause != ESRCH)
		return false;
	return pm_refused(refusal, PM_ERROR_GONE,
	                  "gave up the memory it had: it ended or called exec meanwhile");
}

bool pm_access_is_other_failure(const struct pm_refusal *refusal)
{
	enum pm_error_kind kind = kind_of(refusal->cause);
	if (kind == PM_ERROR_ACCESS)
		return false;
	return pm_refused(refusal, kind, "is there, but the kernel answers: %s",
	                  strerror(refusal->cause));
}
