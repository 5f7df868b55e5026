/* SPDX-License-Identifier: MIT */
/*
 * Statistics of a cgroup and lists of System V segments of a malicious or broken kernel: no part is
 * larger than the sum, and rest and excess agree with the usage.
 */
#include <stdlib.h>
#include <string.h>

#include <procmem/cgroup_parts.h>

#include "files/sysv_segments.h"
#include "input.h"

static void fuzz_parts(const char *text, int version, uint64_t usage)
{
	struct pm_cgroup_split split;
	pm_cgroup_parts_split(version, text, usage / 3, usage, &split);

	uint64_t sum = pm_cgroup_parts_sum(&split);
	fuzz_check(split.known);
	fuzz_check(split.rest == 0 || split.excess == 0);
	if (usage != UINT64_MAX && sum != UINT64_MAX)
		fuzz_check(sum + split.rest - split.excess == usage);
	for (int part = 0; part < PM_CGROUP_PARTS; part++)
		fuzz_check(split.parts[part] <= sum);
	fuzz_check(pm_cgroup_parts_kernel(&split) <= sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	const char *at = text;
	struct pm_sysv_segment segment;
	uint64_t usage = 0;

	for (size_t i = 0; i < size && i < sizeof usage; i++)
		usage = usage << 8 | data[size - 1 - i];
	for (int version = 1; version <= 2; version++) {
		fuzz_parts(text, version, usage);
		fuzz_parts(text, version, UINT64_MAX);
	}

	while (pm_sysv_segments_next(&at, &segment))
		fuzz_check(at <= text + size);

	free(text);
	return 0;
}
