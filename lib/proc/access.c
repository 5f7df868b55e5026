/* SPDX-License-Identifier: MIT */
/*
 * Finds out why the kernel refused access to a process. The rules of the kernel are in ptrace(2),
 * "Ptrace access mode checking". For each rule there is a function which tests whether this rule
 * refused the access. The functions are called in the order in which the kernel tests the rules.
 * The functions only explain a refusal; the decision remains with the kernel.
 */
#include "proc/access.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/number.h"
#include "proc/credentials.h"
#include "proc/mountinfo.h"
#include "proc/process_handle.h"

/** A refused access: the request, and the credentials of both processes. */
struct refusal {
	const char *proc_root;
	pid_t pid;
	const char *doing;            /* the refused action: "stop", "read the maps of" */
	int cause;                    /* errno of the refused call; 0 if it returned no data */
	struct pm_credentials own;    /* credentials of this process */
	struct pm_credentials target; /* credentials of the target */
	struct pm_error *error;
};

/**
 * A rule. Tests whether this rule refused the access, and if so, fills the error.
 * @return true if the rule refused the access
 */
typedef bool rule_function(const struct refusal *refusal);

/**
 * Fills the error with the text "cannot DOING process PID (NAME): it REASON".
 * @param format  printf(3) format of REASON
 * @return        always true, so that a rule can return the result of this function
 */
__attribute__((format(printf, 3, 4))) static bool refused(const struct refusal *refusal,
                                                          enum pm_error_kind kind,
                                                          const char *format, ...)
{
	char reason[PM_ERROR_TEXT_SIZE], name[PM_COMM_SIZE + 3] = "";
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);

	if (refusal->target.name[0] != '\0')
		snprintf(name, sizeof name, " (%s)", refusal->target.name);
	pm_error_set(refusal->error, kind, refusal->cause, "cannot %s process %d%s: it %s",
	             refusal->doing, (int)refusal->pid, name, reason);

	if (refusal->error)
		refusal->error->pid = refusal->pid;

	return true;
}

/**
 * Returns the remedy for a caller who may not inspect processes of other users.
 * @return text to be appended after a semicolon
 */
static const char *remedy_for(const struct refusal *refusal)
{
	if (refusal->own.users.effective != 0)
		return "run procmem as root (sudo)";
	return "root lacks CAP_SYS_PTRACE here, as in a container: start the container with "
	       "--cap-add SYS_PTRACE, or use kubectl debug --profile=sysadmin";
}

/* Rules about the state of the process. If one of them applies, no privilege makes its memory
 * readable. */

enum { HIDEPID_TEXT_SIZE = 32 };

/** Maps an errno value to the kind of error that is reported to the caller. */
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
 * Called for each mount; copies the value of the hidepid option if the mount is a proc file system.
 * @param context  buffer of HIDEPID_TEXT_SIZE bytes; unchanged if the mount has no such option
 * @return         always 0
 */
static int find_hidepid(void *context, const struct pm_mount *mount, struct pm_error *error)
{
	(void)error;
	size_t length;

	if (strcmp(mount->type, "proc") != 0)
		return 0;

	const char *value = pm_mount_option(mount, "hidepid", &length);
	if (value)
		snprintf(context, HIDEPID_TEXT_SIZE, "%.*s", (int)length, value);

	return 0;
}

/**
 * Tests whether the kernel has no process with this PID. kill(2) with signal 0 also finds processes
 * that a mount option of /proc hides. If another directory than /proc is used, such as a saved
 * tree, the result is always false, because its PIDs can belong to other processes here.
 */
static bool is_surely_gone(const struct refusal *refusal)
{
	return strcmp(refusal->proc_root, "/proc") == 0 && kill(refusal->pid, 0) < 0 &&
	       errno == ESRCH;
}

/**
 * The rule for a target whose status cannot be read. The error says that the process is hidden by a
 * mount option of /proc, does not exist, or has ended; otherwise it contains the text of `cause`.
 * @return always true
 */
static bool is_invisible(const struct refusal *refusal)
{
	char hidepid[HIDEPID_TEXT_SIZE] = "";

	if (!pm_procfs_is_mounted(refusal->proc_root)) {
		pm_error_set(refusal->error, PM_ERROR_UNSUPPORTED, 0, PM_PROCFS_NOT_MOUNTED);
		return true;
	}

	pm_mounts_visit(refusal->proc_root, find_hidepid, hidepid, NULL);

	bool gone = is_surely_gone(refusal);
	if (hidepid[0] != '\0' && !gone)
		return refused(refusal, PM_ERROR_ACCESS,
		               "does not exist or is hidden: proc is mounted with hidepid=%s, "
		               "which shows only your own processes; %s",
		               hidepid, remedy_for(refusal));

	if (refusal->cause == ENOENT) {
		pm_error_set(refusal->error, PM_ERROR_NOT_FOUND, ENOENT, "no process has PID %d",
		             (int)refusal->pid);
		if (refusal->error)
			refusal->error->pid = refusal->pid;
		return true;
	}

	if (refusal->cause == ESRCH || refusal->cause == 0 || gone)
		return refused(refusal, PM_ERROR_GONE, "has ended");

	return refused(refusal, kind_of(refusal->cause), "has an unreadable status file: %s",
	               strerror(refusal->cause));
}

static bool is_kernel_thread(const struct refusal *refusal)
{
	if (!refusal->target.kernel_thread)
		return false;
	return refused(refusal, PM_ERROR_NO_MEMORY,
	               "is a kernel thread and has no memory of its own");
}

static bool is_zombie(const struct refusal *refusal)
{
	const struct pm_credentials *target = &refusal->target;
	struct pm_credentials parent;

	if (!pm_state_is_dead(target->state) || target->threads > 1)
		return false;
	if (!pm_credentials_read_pid(refusal->proc_root, target->parent, &parent))
		return refused(refusal, PM_ERROR_NO_MEMORY, "is a zombie and has no memory");

	return refused(refusal, PM_ERROR_NO_MEMORY,
	               "is a zombie and has no memory; its parent %d (%s) has not waited for it "
	               "yet",
	               (int)parent.pid, parent.name);
}

/**
 * Tests whether the memory of the process is gone: the call returned no data or ESRCH, because the
 * process ended or called exec.
 */
static bool is_gone(const struct refusal *refusal)
{
	if (refusal->cause != 0 && refusal->cause != ESRCH)
		return false;
	return refused(refusal, PM_ERROR_GONE,
	               "no longer has the memory that it had, because it ended or called exec");
}

/** Tests whether the call failed for a reason other than insufficient privileges. */
static bool is_other_failure(const struct refusal *refusal)
{
	enum pm_error_kind kind = kind_of(refusal->cause);
	if (kind == PM_ERROR_ACCESS)
		return false;
	return refused(refusal, kind, "exists, but the kernel returned: %s",
	               strerror(refusal->cause));
}

/* Rules about users, groups, capabilities, namespaces and security modules. */

/* Maximum number of ancestors that are examined. The search would not end if a PID was reused
 * during the search and the ancestors therefore seem to form a loop. */
enum { ANCESTORS_MAX = 256 };

enum { USER_TEXT_SIZE = 96 };

/**
 * Formats a user: "root", "www-data (uid 33)", or "uid 1234" if the user has no name.
 * @param text  buffer of USER_TEXT_SIZE bytes
 * @return      `text`, or a constant text for root
 */
static const char *user_text(uint32_t uid, char *text)
{
	char buffer[4096];
	struct passwd entry, *found = NULL;
	if (uid == 0)
		return "root";

	if (getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) == 0 && found)
		snprintf(text, USER_TEXT_SIZE, "%.64s (uid %u)", found->pw_name, uid);
	else
		snprintf(text, USER_TEXT_SIZE, "uid %u", uid);

	return text;
}

static bool lacks_right(const struct refusal *refusal)
{
	return !pm_credentials_can(&refusal->own, PM_CAP_SYS_PTRACE);
}

static bool all_are(const struct pm_ids *ids, uint32_t id)
{
	return ids->real == id && ids->effective == id && ids->saved == id;
}

static bool is_other_user(const struct refusal *refusal)
{
	const struct pm_ids *users = &refusal->target.users;
	uint32_t own = refusal->own.users.effective;
	char text[USER_TEXT_SIZE];

	if (!lacks_right(refusal) || all_are(users, own))
		return false;

	const char *remedy = remedy_for(refusal);

	if (own == 0)
		return refused(refusal, PM_ERROR_ACCESS, "runs as %s; %s",
		               user_text(users->effective, text), remedy);
	if (users->real != own)
		return refused(refusal, PM_ERROR_ACCESS, "runs as %s, but you are uid %u; %s",
		               user_text(users->effective, text), own, remedy);

	uint32_t other = users->effective == own ? users->saved : users->effective;
	return refused(refusal, PM_ERROR_ACCESS,
	               "is yours, but runs a set-user-ID program and can switch to %s; %s",
	               user_text(other, text), remedy);
}

static bool is_other_group(const struct refusal *refusal)
{
	const struct pm_ids *groups = &refusal->target.groups;
	uint32_t own = refusal->own.groups.effective;
	if (!lacks_right(refusal) || all_are(groups, own))
		return false;

	uint32_t other = groups->effective == own ? groups->saved : groups->effective;
	return refused(refusal, PM_ERROR_ACCESS,
	               "runs with group ID %u, but procmem with group ID %u; %s", other, own,
	               remedy_for(refusal));
}

/**
 * Tests whether the files of a process in /proc belong to another user than `user`. If the first
 * thread is dead, the files always belong to root, which proves nothing; the result is then false.
 */
static bool is_owned_by_another(const struct pm_credentials *target, uint32_t user)
{
	return target->owner != user && !pm_state_is_dead(target->state);
}

static bool is_not_dumpable(const struct refusal *refusal)
{
	if (!lacks_right(refusal) ||
	    !is_owned_by_another(&refusal->target, refusal->target.users.effective))
		return false;
	return refused(refusal, PM_ERROR_ACCESS,
	               "is yours, but not dumpable: it called prctl(PR_SET_DUMPABLE), or its "
	               "program has more privileges than you, or is not readable for you; %s",
	               remedy_for(refusal));
}

/**
 * Tests whether the target is in the user namespace of this process. If the namespace of the target
 * may not be read, the result is true in two cases: if this process lacks CAP_SYS_PTRACE, because
 * then another rule may have refused the access, or if this process is in the first user namespace.
 */
static bool shares_namespace(const struct refusal *refusal)
{
	const char *target = refusal->target.namespace_text;

	if (target[0] != '\0')
		return strcmp(refusal->own.namespace_text, target) == 0;
	return lacks_right(refusal) || pm_credentials_in_first_namespace(refusal->proc_root);
}

static bool is_in_other_namespace(const struct refusal *refusal)
{
	if (shares_namespace(refusal))
		return false;
	return refused(refusal, PM_ERROR_ACCESS,
	               "is in another user namespace, in which you lack CAP_SYS_PTRACE; run "
	               "procmem as root on the host (sudo), or in the user namespace of the "
	               "process: nsenter -t %d -U",
	               (int)refusal->pid);
}

static bool has_more_capabilities(const struct refusal *refusal)
{
	if (!lacks_right(refusal) || (refusal->target.permitted & ~refusal->own.permitted) == 0)
		return false;
	return refused(refusal, PM_ERROR_ACCESS, "has capabilities that you lack; %s",
	               remedy_for(refusal));
}

/**
 * Tests whether the mode of the file refused the access. With CAP_SYS_PTRACE, this process passes
 * the ptrace check of the kernel, but files such as mem and pagemap have mode 0400, so only their
 * owner may open them.
 */
static bool is_file_of_another(const struct refusal *refusal)
{
	const struct pm_credentials *own = &refusal->own;
	bool opens_any_file = pm_credentials_can(own, PM_CAP_DAC_OVERRIDE) ||
	                      pm_credentials_can(own, PM_CAP_DAC_READ_SEARCH);
	if (refusal->cause != EACCES || lacks_right(refusal) || opens_any_file ||
	    !is_owned_by_another(&refusal->target, own->users.effective))
		return false;

	char text[USER_TEXT_SIZE];
	return refused(refusal, PM_ERROR_ACCESS,
	               "has /proc files that only %s may open, and CAP_SYS_PTRACE does not "
	               "override this; run procmem as root (sudo), or add cap_dac_read_search "
	               "to the program file of procmem",
	               user_text(refusal->target.owner, text));
}

/**
 * Reads sys/kernel/yama/ptrace_scope.
 * @return the number in the file; 0 if the kernel is built without Yama
 */
static uint64_t yama_scope(const char *proc_root)
{
	char *path, text[32] = "";
	if (asprintf(&path, "%s/sys/kernel/yama/ptrace_scope", proc_root) < 0)
		return 0;

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return 0;

	ssize_t length = pm_read(fd, text, sizeof text - 1);
	close(fd);

	const char *at = text;
	uint64_t scope = 0;
	if (length > 0)
		pm_scan_decimal(&at, &scope);

	return scope;
}

/** Tests whether this process is an ancestor of the target. */
static bool descends_from_us(const struct refusal *refusal)
{
	struct pm_credentials ancestor = refusal->target;
	for (int i = 0; i < ANCESTORS_MAX && ancestor.parent > 0; i++) {
		if (ancestor.parent == refusal->own.pid)
			return true;
		if (!pm_credentials_read_pid(refusal->proc_root, ancestor.parent, &ancestor))
			return false;
	}
	return false;
}

/**
 * Formats the process that traces the target: "traced by process 123 (gdb)". The kernel reports the
 * ID of the tracing thread; the text contains the PID and the name of the process of that thread.
 * @param before  words to be written before "traced by"
 * @param text    buffer of `size` bytes; receives the text, or "" if the target is not traced
 */
static void tracer_text(const struct refusal *refusal, const char *before, char *text, size_t size)
{
	struct pm_credentials tracer;
	pid_t pid = refusal->target.tracer;
	text[0] = '\0';
	if (pid == 0)
		return;

	if (pm_credentials_read_pid(refusal->proc_root, pid, &tracer))
		snprintf(text, size, "%straced by process %d (%s)", before, (int)tracer.pid,
		         tracer.name);
	else
		snprintf(text, size, "%straced by process %d", before, (int)pid);
}

static bool is_refused_by_yama(const struct refusal *refusal)
{
	static const char *const remedies[] = {
		[1] = "only its own ancestors may access it; run procmem as root (sudo), or: "
		      "sysctl kernel.yama.ptrace_scope=0",
		[2] = "only root may access it; run procmem as root (sudo)",
		[3] = "no process may attach to another; this can be changed only by a reboot",
	};
	uint64_t scope = yama_scope(refusal->proc_root);

	if (scope == 0 || scope > 3 || (scope < 3 && !lacks_right(refusal)) ||
	    (scope == 1 && descends_from_us(refusal)))
		return false;

	char tracer[128];
	tracer_text(refusal, "; it is also ", tracer, sizeof tracer);

	return refused(refusal, PM_ERROR_ACCESS,
	               "is protected by Yama, kernel.yama.ptrace_scope=%d: %s%s", (int)scope,
	               remedies[scope], tracer);
}

static bool is_traced(const struct refusal *refusal)
{
	char tracer[128];
	tracer_text(refusal, "is already ", tracer, sizeof tracer);
	if (tracer[0] == '\0')
		return false;
	return refused(refusal, PM_ERROR_ACCESS,
	               "%s, and a process can have only one tracer: detach that tracer, or omit "
	               "--stop or --backend ptrace",
	               tracer);
}

static bool is_unexplained(const struct refusal *refusal)
{
	const char *who = "a security module (AppArmor, SELinux, Landlock); see the system log";
	if (refusal->own.seccomp)
		who = "the seccomp filter of procmem, as in a container: start the container "
		      "with --cap-add SYS_PTRACE, or use kubectl debug --profile=sysadmin";

	return refused(
		refusal, PM_ERROR_ACCESS,
		"is protected (%s), although users and capabilities permit access: probably by %s",
		strerror(refusal->cause), who);
}

int pm_access_explain(const char *proc_root, pid_t pid, const char *doing, int os_errno,
                      struct pm_error *error)
{
	static rule_function *const rules[] = {
		is_kernel_thread,
		is_zombie,
		is_gone,
		is_other_failure,
		is_other_user,
		is_other_group,
		is_not_dumpable,
		is_in_other_namespace,
		has_more_capabilities,
		is_file_of_another,
		is_refused_by_yama,
		is_traced,
		is_unexplained,
	};

	struct refusal refusal = { .proc_root = proc_root,
		                   .pid = pid,
		                   .doing = doing,
		                   .cause = os_errno,
		                   .error = error };

	if (!pm_credentials_read(proc_root, "self", &refusal.own))
		refusal.own.users = (struct pm_ids){ getuid(), geteuid(), geteuid() };
	if (!pm_credentials_read_pid(proc_root, pid, &refusal.target)) {
		is_invisible(&refusal);
		return -1;
	}

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i](&refusal))
			break;

	return -1;
}
