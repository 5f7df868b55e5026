/* SPDX-License-Identifier: MIT */
#include "proc/statm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/number.h"

/** Maximum length of the file: seven numbers of at most 20 digits, with spaces. */
enum { TEXT_SIZE = 160 };

/**
 * Reads the text of the file.
 * @return 0, or -1 with errno set
 */
static int read_text(const struct pm_procfs *procfs, char text[TEXT_SIZE])
{
	int fd = pm_procfs_open_file(procfs, "statm", O_RDONLY);
	if (fd < 0)
		return -1;

	ssize_t length = pm_read(fd, text, TEXT_SIZE - 1);
	int cause = errno;
	close(fd);
	errno = cause;
	if (length < 0)
		return -1;

	text[length] = '\0';
	return 0;
}

int pm_statm_read(const struct pm_procfs *procfs, uint64_t *resident, uint64_t *shared)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char text[TEXT_SIZE];
	uint64_t size, numbers[2];

	if (read_text(procfs, text) < 0)
		return -1;

	const char *at = text;
	bool known = pm_scan_decimal(&at, &size);
	for (size_t i = 0; i < 2 && known; i++) {
		at += strspn(at, " ");
		known = pm_scan_decimal(&at, &numbers[i]) && numbers[i] <= UINT64_MAX / page;
	}

	errno = EPROTO;
	if (!known)
		return -1;

	*resident = numbers[0] * page;
	*shared = numbers[1] * page;
	return 0;
}
