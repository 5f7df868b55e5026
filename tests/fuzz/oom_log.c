/* SPDX-License-Identifier: MIT */
/* Logs of the kernel. Names of processes and cgroups in them can be anything, records can be cut.
 */
#include <stdio.h>
#include <string.h>

#include <procmem/oom_log.h>

#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pm_oom_log log = { 0 };
	struct pm_error error = { 0 };
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fuzz_file(data, size));
	if (pm_oom_log_read(path, &log, &error) < 0) {
		fuzz_check_error(&error);
		return 0;
	}

	fuzz_check(log.count <= PM_OOM_KILLS_MAX && (log.dropped == 0 || log.count > 0));
	for (size_t i = 0; i < log.count; i++) {
		const struct pm_oom_kill *kill = &log.kills[i];
		fuzz_check(kill->pid >= 0 && !kill->age_known);
		fuzz_check(memchr(kill->comm, '\0', sizeof kill->comm) != NULL);
		fuzz_check(memchr(kill->group, '\0', sizeof kill->group) != NULL);
		fuzz_check(memchr(kill->limit_group, '\0', sizeof kill->limit_group) != NULL);
		fuzz_check(kill->constraint <= PM_OOM_POLICY);
		fuzz_check(kill->sizes_known || (kill->total_vm | kill->anon_rss) == 0);
	}

	pm_oom_log_deinit(&log);
	return 0;
}
