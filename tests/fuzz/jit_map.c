/* SPDX-License-Identifier: MIT */
/* Maps of generated code, which a runtime of the target writes, with any content. */
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "stack/jit_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t addresses[] = { 0, 0x10, 0x1000, 0x1001, 0x2000, UINT64_MAX };
	enum { COUNT = sizeof addresses / sizeof *addresses };
	struct pm_jit_name names[COUNT] = { 0 };
	char *text = fuzz_text(data, size);

	for (size_t i = 0; i < COUNT; i++)
		names[i].address = addresses[i];
	fuzz_check(pm_jit_map_find(text, size, names, COUNT, NULL) == 0);

	for (size_t i = 0; i < COUNT; i++)
		if (names[i].name) {
			fuzz_check(names[i].length > 0 && names[i].length <= PM_JIT_NAME_MAX);
			fuzz_check(names[i].name >= text &&
			           names[i].name + names[i].length <= text + size);
			fuzz_check(!memchr(names[i].name, '\n', names[i].length));
			fuzz_check(!memchr(names[i].name, '\0', names[i].length));
		}

	free(text);
	return 0;
}
