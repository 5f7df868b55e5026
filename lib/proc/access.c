/* SPDX-License-Identifier: MIT */
/*
 * The kernel's rules stand in ptrace(2), "Ptrace access mode checking"; each has a function here
 * that tells whether it is the one that refused, in the order in which the kernel asks them. None
 * of this grants or forbids anything: it only finds the words.
 */
#include "proc/access.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/number.h"
#include "proc/access_rules.h"
#include "proc/access_state.h"
#include "proc/process_handle.h"
#include "proc/refusal.h"

/* Generations between a process and its ancestor that are followed before a loop of recycled PIDs
 * is assumed. */
enum { ANCESTORS_MAX = 256 };

enum { USER_TEXT_SIZE = 96 };

/** Names a user: "root", "www-data (uid 33)", "uid 1234". */
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

static bool lacks_right(const struct pm_refusal *refusal)
{
	return !pm_credentials_can(&refusal->own, PM_CAP_SYS_PTRACE);
}

static bool all_are(const struct pm_ids *ids, uint32_t id)
{
	return ids->real == id && ids->effective == id && ids->saved == id;
}

static bool is_other_user(const struct pm_refusal *refusal)
{
	const struct pm_ids *users = &refusal->target.users;
	uint32_t own = refusal->own.users.effective;
	char text[USER_TEXT_SIZE];

	if (!lacks_right(refusal) || all_are(users, own))
		return false;

	const char *remedy = pm_remedy(refusal);
	if (own == 0)
		return pm_refused(refusal, PM_ERROR_ACCESS, "runs as %s; %s",
		                  user_text(users->effective, text), remedy);
	if (users->real != own)
		return pm_refused(refusal, PM_ERROR_ACCESS, "runs as %s and you are uid %u; %s",
		                  user_text(users->effective, text), own, remedy);

	uint32_t other = users->effective == own ? users->saved : users->effective;
	return pm_refused(refusal, PM_ERROR_ACCESS,
	                  "is yours but a set-user-ID program: it may act as %s; %s",
	                  user_text(other, text), remedy);
}

static bool is_other_group(const struct pm_refusal *refusal)
{
	const struct pm_ids *groups = &refusal->target.groups;
	uint32_t own = refusal->own.groups.effective;
	if (!lacks_right(refusal) || all_are(groups, own))
		return false;

	uint32_t other = groups->effective == own ? groups->saved : groups->effective;
	return pm_refused(refusal, PM_ERROR_ACCESS, "runs with group %u and you with group %u; %s",
	                  other, own, pm_remedy(refusal));
}

/**
 * Whether its files belong to somebody else than a user; those of a dead first thread belong to
 * root whatever it was.
 */
static bool is_owned_by_another(const struct pm_credentials *target, uint32_t user)
{
	return target->owner != user && !pm_state_is_dead(target->state);
}

static bool is_not_dumpable(const struct pm_refusal *refusal)
{
	if (!lacks_right(refusal) ||
	    !is_owned_by_another(&refusal->target, refusal->target.users.effective))
		return false;
	return pm_refused(refusal, PM_ERROR_ACCESS,
	                  "is yours but not dumpable: it asked to be left alone (PR_SET_DUMPABLE) "
	                  "or was started with more rights; %s",
	                  pm_remedy(refusal));
}

static bool is_in_other_namespace(const struct pm_refusal *refusal)
{
	const char *own = refusal->own.namespace_text, *target = refusal->target.namespace_text;
	if (target[0] != '\0'
	            ? strcmp(own, target) == 0
	            : lacks_right(refusal) || pm_credentials_in_first_namespace(refusal->proc_root))
		return false;

	return pm_refused(refusal, PM_ERROR_ACCESS,
	                  "lives in another user namespace, where you have no CAP_SYS_PTRACE; run "
	                  "procmem as root outside of all "
	                  "containers (sudo), or inside that of the process: nsenter -t %d -U",
	                  (int)refusal->pid);
}

static bool has_more_capabilities(const struct pm_refusal *refusal)
{
	if (!lacks_right(refusal) || (refusal->target.permitted & ~refusal->own.permitted) == 0)
		return false;
	return pm_refused(refusal, PM_ERROR_ACCESS, "has capabilities that you lack; %s",
	                  pm_remedy(refusal));
}

/**
 * CAP_SYS_PTRACE passes the kernel's check, but files like mem and pagemap (mode 0400) are still
 * those of their owner.
 */
static bool is_file_of_another(const struct pm_refusal *refusal)
{
	const struct pm_credentials *own = &refusal->own;
	bool opens_any_file = pm_credentials_can(own, PM_CAP_DAC_OVERRIDE) ||
	                      pm_credentials_can(own, PM_CAP_DAC_READ_SEARCH);
	if (refusal->cause != EACCES || lacks_right(refusal) || opens_any_file ||
	    !is_owned_by_another(&refusal->target, own->users.effective))
		return false;

	char text[USER_TEXT_SIZE];
	return pm_refused(refusal, PM_ERROR_ACCESS,
	                  "has that file readable for %s only, and CAP_SYS_PTRACE does not help "
	                  "with that; run procmem as root (sudo), "
	                  "or give its program file cap_dac_read_search as well",
	                  user_text(refusal->target.owner, text));
}

/**
 * Number in sys/kernel/yama/ptrace_scope.
 * @return 0 where Yama is not part of the kernel
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
	uint64_t scope;
	return length > 0 && pm_scan_decimal(&at, &scope) ? scope : 0;
}

static bool descends_from_us(const struct pm_refusal *refusal)
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
 * Words about who traces the process already, "" where nobody does. A tracer is a thread: its
 * process is named.
 */
static void tracer_text(const struct pm_refusal *refusal, const char *before, char *text,
                        size_t size)
{
	struct pm_credentials tracer;
	pid_t pid = refusal->target.tracer;
	text[0] = '\0';
	if (pid == 0)
		return;

	if (pm_credentials_read_pid(refusal->proc_root, pid, &tracer))
		snprintf(text, size, "%straced by process %d (%s) already", before, (int)tracer.pid,
		         tracer.name);
	else
		snprintf(text, size, "%straced by process %d already", before, (int)pid);
}

static bool is_refused_by_yama(const struct pm_refusal *refusal)
{
	static const char *const remedies[] = {
		[1] = "only its own ancestors may; run procmem as root (sudo), or: sysctl "
		      "kernel.yama.ptrace_scope=0",
		[2] = "only root may; run procmem as root (sudo)",
		[3] = "nobody may, until the machine is started with another value",
	};
	uint64_t scope = yama_scope(refusal->proc_root);

	if (scope == 0 || scope > 3 || (scope < 3 && !lacks_right(refusal)) ||
	    (scope == 1 && descends_from_us(refusal)))
		return false;

	char tracer[128];
	tracer_text(refusal, "; it is also ", tracer, sizeof tracer);

	return pm_refused(refusal, PM_ERROR_ACCESS,
	                  "is protected by Yama, kernel.yama.ptrace_scope=%d: %s%s", (int)scope,
	                  remedies[scope], tracer);
}

static bool is_traced(const struct pm_refusal *refusal)
{
	char tracer[128];
	tracer_text(refusal, "is ", tracer, sizeof tracer);
	if (tracer[0] == '\0')
		return false;
	return pm_refused(
		refusal, PM_ERROR_ACCESS,
		"%s, and a process has one tracer only: end that one, or do without stopping",
		tracer);
}

static bool is_unexplained(const struct pm_refusal *refusal)
{
	const char *who =
		"a security module (AppArmor, SELinux, Landlock); the log of the system tells more";
	if (refusal->own.seccomp)
		who = "the seccomp filter that procmem runs under, as in a container: start it "
		      "with --cap-add SYS_PTRACE, "
		      "or use kubectl debug --profile=sysadmin";

	return pm_refused(
		refusal, PM_ERROR_ACCESS,
		"is withheld (%s), though users and capabilities would do: probably by %s",
		strerror(refusal->cause), who);
}

int pm_access_explain(const char *proc_root, pid_t pid, const char *doing, int os_errno,
                      struct pm_error *error)
{
	static pm_access_rule *const rules[] = {
		pm_access_is_kernel_thread,
		pm_access_is_zombie,
		pm_access_is_gone,
		pm_access_is_other_failure,
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

	struct pm_refusal refusal = { .proc_root = proc_root,
		                      .pid = pid,
		                      .doing = doing,
		                      .cause = os_errno,
		                      .error = error };

	if (!pm_credentials_read(proc_root, "self", &refusal.own))
		refusal.own.users = (struct pm_ids){ getuid(), geteuid(), geteuid() };
	if (!pm_credentials_read_pid(proc_root, pid, &refusal.target)) {
		pm_access_is_invisible(&refusal);
		return -1;
	}

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i](&refusal))
			break;

	return -1;
}
