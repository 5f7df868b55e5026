/* SPDX-License-Identifier: MIT */
/* The words that all rules of a refusal share. */
#include "proc/refusal.h"

#include <stdarg.h>
#include <stdio.h>

bool pm_refused(const struct pm_refusal *refusal, enum pm_error_kind kind, const char *format, ...)
{
	char reason[PM_ERROR_TEXT_SIZE], name[PM_COMM_SIZE + 3] = "";
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);
	if (refusal->target.name[0] != '\0')
		snprintf(name, sizeof name, " (%s)", refusal->target.name);
	pm_error_set(refusal->error, kind, refusal->cause, "cannot %s: process %d%s %s",
	             refusal->doing, (int)refusal->pid, name, reason);

	if (refusal->error)
		refusal->error->pid = refusal->pid;

	return true;
}

const char *pm_remedy(const struct pm_refusal *refusal)
{
	if (refusal->own.users.effective != 0)
		return "run procmem as root (sudo)";
	return "root lacks CAP_SYS_PTRACE here, as in a container: start it with --cap-add "
	       "SYS_PTRACE, "
	       "or use kubectl debug --profile=sysadmin";
}
