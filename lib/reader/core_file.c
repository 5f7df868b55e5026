/* SPDX-License-Identifier: MIT */
#include "reader/core_file.h"

#include <errno.h>
#include <inttypes.h>

#include "base/io.h"

int pm_core_file_read(const struct pm_core *core, uint64_t offset, void *buffer, size_t size,
                      const char *what, struct pm_error *error)
{
	if (offset > core->size || size > core->size - offset)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "the file is too short to contain the %s", what);

	for (size_t done = 0; done < size;) {
		ssize_t got = pm_pread(core->fd, (char *)buffer + done, size - done, offset + done);
		if (got < 0)
			return pm_error_set(error, PM_ERROR_IO, errno, "reading the %s failed: %s",
			                    what, strerror(errno));
		if (got == 0)
			return pm_error_set(error, PM_ERROR_FORMAT, 0,
			                    "the file was truncated while it was read");
		done += (size_t)got;
	}

	return 0;
}
