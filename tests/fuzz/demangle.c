/* SPDX-License-Identifier: MIT */
/* Names of symbols and types, with any content, in buffers of different sizes. */
#include <procmem/demangle.h>

#include <stdlib.h>
#include <string.h>

#include "input.h"

static void check(bool (*demangle)(const char *, char *, size_t), const char *name, size_t size)
{
	/* A buffer of the exact size, so that AddressSanitizer finds writes beyond it. */
	char *buffer = malloc(size);
	fuzz_check(buffer != NULL);

	bool done = demangle(name, buffer, size);
	size_t length = strnlen(buffer, size);
	fuzz_check(length < size);
	fuzz_check(!done || length > 0);
	if (!done && strlen(name) < size)
		fuzz_check(strcmp(buffer, name) == 0);
	free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t sizes[] = { 16, 61, PM_DEMANGLED_SIZE };
	char *name = fuzz_text(data, size);

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		check(pm_demangle, name, sizes[i]);
		check(pm_demangle_type, name, sizes[i]);
	}

	free(name);
	return 0;
}
