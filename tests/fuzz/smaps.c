/* SPDX-License-Identifier: MIT */
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_maps(data, size, PM_SMAPS);
	return 0;
}
