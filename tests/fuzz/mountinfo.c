/* SPDX-License-Identifier: MIT */
/*
 * Lines of mountinfo, stat and status of a malicious or broken /proc: no crash, and readable texts.
 */
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "proc/mountinfo.h"
#include "proc/process_handle.h"
#include "proc/process_stat.h"
#include "proc/status.h"

static void fuzz_mount(char *line)
{
	struct pm_mount mount;
	size_t length;
	if (!pm_mount_parse(line, &mount))
		return;

	fuzz_check(strlen(mount.root) + strlen(mount.point) + strlen(mount.type) +
	                   strlen(mount.options) <
	           SIZE_MAX);

	const char *value = pm_mount_option(&mount, "hidepid", &length);
	fuzz_check(!value || (value >= mount.options && length <= strlen(value)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text, *line;
	struct pm_process_stat stat;
	if (pm_process_stat_parse(text, size, &stat))
		fuzz_check(strlen(stat.comm) < sizeof stat.comm);

	const char *value = pm_status_find(text, "Tgid");
	fuzz_check(!value || (value >= text && value <= text + size));
	pm_status_number(text, "Uid", 3);
	pm_status_mask(text, "CapEff");

	while ((line = strsep(&rest, "\n")))
		fuzz_mount(line);

	free(text);
	return 0;
}
