/* SPDX-License-Identifier: MIT */
/* A compressed file: any bytes. The result is at most as large as the limit. */
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gunzip.h"
#include "input.h"

enum { MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pm_error error = { 0 };
	struct stat status;
	int plain = -1, fd = memfd_create("input", MFD_CLOEXEC);

	fuzz_check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)pm_gunzip_format(fd);
	if (pm_gunzip(fd, MAX, &plain, &error) == 0) {
		fuzz_check(fstat(plain, &status) == 0 && status.st_size <= MAX);
		close(plain);
	} else
		fuzz_check_error(&error);
	close(fd);
	return 0;
}
