/* SPDX-License-Identifier: MIT */
/*
 * The path of a cgroup and a smaps_rollup file of a malicious or broken /proc: no crash, and an ID
 * that occurs in the path.
 */
#include <stdlib.h>
#include <string.h>

#include <procmem/container.h>

#include "input.h"
#include "proc/process_rollup.h"

static void fuzz_path(const char *path)
{
	struct pm_container container;
	if (!pm_container_parse(path, &container))
		return;

	size_t length = strnlen(container.id, sizeof container.id);
	fuzz_check(length > 0 && length < sizeof container.id);
	fuzz_check(strstr(path, container.id) != NULL);
	fuzz_check(!strchr(container.id, '/'));

	length = strnlen(container.pod, sizeof container.pod);
	fuzz_check(length < sizeof container.pod);
	fuzz_check(strspn(container.pod, "0123456789abcdef-") == length);
	fuzz_check(*pm_container_runtime_name(container.runtime) != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct pm_process_rollup rollup;

	fuzz_path(text);
	if (pm_process_rollup_parse(text, &rollup))
		fuzz_check(pm_process_rollup_uss(&rollup) >= rollup.private_pages);

	free(text);
	return 0;
}
