/* SPDX-License-Identifier: MIT */
#include "dump/core_filter.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/minmax.h"
#include "base/number.h"

int pm_core_filter_read(struct pm_process *process, unsigned *filter, struct pm_error *error)
{
	int fd;
	char *text;

	if (pm_process_open_file(process, "coredump_filter", O_RDONLY, &fd, error) < 0)
		return -1;

	int result = pm_read_all(fd, 4096, &text, NULL, error);
	close(fd);
	if (result < 0)
		return -1;

	uint64_t value;
	const char *at = text;
	bool good = pm_scan_hex(&at, &value);
	free(text);
	if (!good)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "coredump_filter does not contain a number");

	*filter = (unsigned)value;
	return 0;
}

/**
 * Tests whether the process has probably written to a private mapping of a file. If it has, the
 * mapping contains private pages, which differ from the file.
 */
static bool was_written(const struct pm_region *region)
{
	if (pm_region_knows(region, PM_SIZE_ANONYMOUS))
		return region->bytes[PM_SIZE_ANONYMOUS] > 0;

	return (region->perms & PM_PERM_WRITE) != 0;
}

/**
 * Returns the bit of coredump_filter that applies to a region if the region is in hugetlbfs or
 * shared. Returns 0 for other regions.
 */
static unsigned simple_bit(const struct pm_region *region)
{
	bool shared = (region->perms & PM_PERM_SHARED) != 0;

	if (region->vm_flags & PM_VM_HUGETLB)
		return shared ? PM_CORE_HUGETLB_SHARED : PM_CORE_HUGETLB_PRIVATE;
	if (!shared)
		return 0;

	/* A shared mapping of a deleted file, such as a memfd, counts as anonymous memory. */
	return region->deleted ? PM_CORE_ANON_SHARED : PM_CORE_MAPPED_SHARED;
}

/** Applies the same rules as vma_dump_size() in fs/coredump.c (Linux 6.18). */
uint64_t pm_core_filter_size(unsigned filter, const struct pm_region *region, uint64_t page)
{
	const uint64_t whole = pm_region_size(region);
	bool file = region->inode != 0;

	if (strcmp(region->mapping, "[vdso]") == 0 || strcmp(region->mapping, "[vsyscall]") == 0)
		return whole;
	if (region->vm_flags & (PM_VM_DONTDUMP | PM_VM_IO))
		return 0;

	unsigned bit = simple_bit(region);
	if (bit != 0)
		return filter & bit ? whole : 0;
	if ((filter & PM_CORE_ANON_PRIVATE) && (!file || was_written(region)))
		return whole;
	if (!file)
		return 0;
	if (filter & PM_CORE_MAPPED_PRIVATE)
		return whole;

	/* The kernel dumps the first page only if the file is an ELF file. This function does
	 * not check the format, so the first page of any file is dumped. */
	if ((filter & PM_CORE_ELF_HEADERS) && region->offset == 0 && (region->perms & PM_PERM_READ))
		return pm_min(whole, page);

	return 0;
}
