/* SPDX-License-Identifier: MIT */
#include "reader/region_rules.h"

#include <string.h>

enum { UFFD_FLAGS = PM_VM_UFFD_MISSING | PM_VM_UFFD_WP | PM_VM_UFFD_MINOR };

static bool begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/** Whether one of the prefixes, which end with a NULL, begins a text. */
static bool begins_with_one_of(const char *text, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (begins_with(text, *prefixes))
			return true;
	return false;
}

/** For regions without VmFlags, which would tell: names of mappings that a driver made. */
static bool is_device_by_name(const char *mapping)
{
	static const char *const ordinary[] = { "/dev/shm/", "/dev/zero", "/dev/hugepages/",
		                                "/dev/mqueue/", NULL };
	static const char *const drivers[] = { "/dev/",  "anon_inode:", "socket:",
		                               "/proc/", "/sys/",       NULL };
	return begins_with_one_of(mapping, drivers) && !begins_with_one_of(mapping, ordinary);
}

const char *pm_region_forbidden(const struct pm_region *region)
{
	if (region->start >> 63)
		return "a page of the kernel, above the addresses that can be read";
	if (begins_with(region->mapping, "[vvar") || begins_with(region->mapping, "[vsyscall]"))
		return "data of the kernel that it lets no other process read";
	if (region->vm_flags & PM_VM_IO)
		return "memory of a device: reading it might have effects";
	if (region->vm_flags & PM_VM_PFNMAP)
		return "mapped without pages by a driver";
	if (!(region->vm_flags & PM_VM_KNOWN) && is_device_by_name(region->mapping))
		return "perhaps memory of a device: its VmFlags are not known";

	return NULL;
}

/**
 * Whether a mapping belongs to an object in memory that is shared by processes, and not to a file
 * on a disk.
 */
static bool is_shared_memory(const struct pm_region *region)
{
	static const char *const names[] = {
		"/memfd:", "/SYSV", "/dev/zero", "/dev/shm/", "/anon_hugepage", "[anon_shmem:", NULL
	};
	return begins_with_one_of(region->mapping, names);
}

struct pm_verdict pm_region_untouched(const struct pm_region *region)
{
	static const struct pm_verdict hole = { PM_SEGMENT_HOLE, "never touched: zeros" };
	static const struct pm_verdict shared = {
		PM_SEGMENT_SHARED, "shared memory that the process has not touched"
	};
	static const struct pm_verdict file = {
		PM_SEGMENT_FILE, "pages of the file that the process has not touched"
	};
	static const struct pm_verdict handled = { PM_SEGMENT_FORBIDDEN,
		                                   "not yet provided by its userfaultfd handler" };
	static const struct pm_verdict vdso = {
		PM_SEGMENT_FORBIDDEN, "code of the kernel that the process has not used"
	};

	if (region->vm_flags & PM_VM_UFFD_MISSING)
		return handled;
	if (region->perms & PM_PERM_SHARED)
		return is_shared_memory(region) ? shared : file;
	if (begins_with(region->mapping, "[vdso]"))
		return vdso;
	/* Private mappings of these begin as zeros, although they bear an inode. */
	if (region->inode == 0 || begins_with(region->mapping, "/dev/zero") ||
	    begins_with(region->mapping, "/anon_hugepage"))
		return hole;
	return is_shared_memory(region) ? shared : file;
}

bool pm_region_allows_readv(const struct pm_region *region)
{
	return (region->perms & PM_PERM_READ) && (region->vm_flags & PM_VM_KNOWN) &&
	       !(region->vm_flags & UFFD_FLAGS);
}
