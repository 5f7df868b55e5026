/* SPDX-License-Identifier: MIT */
#include <procmem/process_rollup.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/minmax.h"
#include "proc/access.h"
#include "proc/process_rollup.h"
#include "proc/procfs.h"
#include "proc/status.h"

static const char file_name[] = "smaps_rollup";

/** Larger than each address space. Sums of several such sizes do not overflow. */
static const uint64_t size_max = UINT64_C(1) << 60;

/** Returns a size of smaps_rollup, which the kernel gives in KiB, in bytes. */
static uint64_t size_of(const char *text, const char *key)
{
	return pm_min(pm_status_number(text, key, 0), size_max / 1024) * 1024;
}

bool pm_process_rollup_parse(const char *text, struct pm_process_rollup *rollup)
{
	if (!pm_status_find(text, "Pss"))
		return false;

	*rollup = (struct pm_process_rollup){
		.rss = size_of(text, "Rss"),
		.pss = size_of(text, "Pss"),
		.private_pages = size_of(text, "Private_Clean") + size_of(text, "Private_Dirty"),
		.hugetlb = size_of(text, "Private_Hugetlb"),
		.shared_hugetlb = size_of(text, "Shared_Hugetlb"),
		.swap_pss = size_of(text, "SwapPss"),
	};
	return true;
}

/** Explains why the file could not be read. @return always -1 */
static int refuse(const struct pm_process *process, int cause, struct pm_error *error)
{
	return pm_access_explain(pm_process_root(process), pm_process_pid(process),
	                         "read the smaps_rollup of", cause, error);
}

int pm_process_rollup_read(struct pm_process *process, struct pm_process_rollup *rollup,
                           struct pm_error *error)
{
	int fd;
	char *text;
	struct pm_error cause;

	if (pm_process_open_file(process, file_name, O_RDONLY, &fd, error) < 0)
		return -1;

	int result = pm_read_all(fd, PM_PROCFS_TEXT_MAX, &text, NULL, &cause);
	close(fd);
	if (result < 0 && cause.kind == PM_ERROR_GONE)
		return refuse(process, cause.os_errno, error);
	if (result < 0) {
		if (error)
			*error = cause;
		return -1;
	}

	bool known = pm_process_rollup_parse(text, rollup);
	free(text);
	return known ? 0 : refuse(process, 0, error);
}
