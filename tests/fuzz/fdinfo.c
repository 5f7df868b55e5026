/* SPDX-License-Identifier: MIT */
/* Texts of fdinfo of a malicious or broken /proc, and names of shared memory. */
#include <stdlib.h>

#include "files/fdinfo.h"
#include "files/file.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct pm_fdinfo info = { .offset = 7 };

	if (!pm_fdinfo_parse(text, &info))
		fuzz_check(info.offset == 7 && !info.writable);
	if (pm_file_name_is_sysv(text))
		fuzz_check(size >= 13);

	free(text);
	return 0;
}
