/* SPDX-License-Identifier: MIT */
/* Performance counters of HotSpot, with any content. */
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "runtimes/hsperf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "sun.gc.metaspace.used", "a", "" };
	struct pm_hsperf hsperf = { .bytes = malloc(size + 1), .size = size };
	int64_t value;

	if (!hsperf.bytes)
		return 0;

	memcpy(hsperf.bytes, data, size);
	if (pm_hsperf_check(&hsperf)) {
		fuzz_check(hsperf.first <= size);
		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			value = 99;
			fuzz_check(pm_hsperf_number(&hsperf, names[i], &value) || value == 99);
		}
	}

	pm_hsperf_deinit(&hsperf);
	return 0;
}
