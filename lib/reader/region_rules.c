/* SPDX-License-Identifier: MIT */
#include "reader/region_rules.h"

#include <string.h>

enum { UFFD_FLAGS = PM_VM_UFFD_MISSING | PM_VM_UFFD_WP | PM_VM_UFFD_MINOR };

const char pm_region_secret[] =
	"memory of memfd_secret(2): the kernel lets only processes that map it read it";

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/** Tests whether a text starts with one of the prefixes. The array of prefixes ends with NULL. */
static bool starts_with_any(const char *text, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (starts_with(text, *prefixes))
			return true;
	return false;
}

/**
 * Tests whether the name of a region shows that the region is a mapping of a driver. This is used
 * for regions whose VmFlags are not known.
 */
static bool is_device_by_name(const char *mapping)
{
	static const char *const ordinary[] = { "/dev/shm/", "/dev/zero", "/dev/hugepages/",
		                                "/dev/mqueue/", NULL };
	static const char *const drivers[] = { "/dev/",  "anon_inode:", "socket:",
		                               "/proc/", "/sys/",       NULL };
	return starts_with_any(mapping, drivers) && !starts_with_any(mapping, ordinary);
}

bool pm_region_is_of_kernel(const struct pm_region *region)
{
	return region->start >> 63 || starts_with(region->mapping, "[vvar") ||
	       starts_with(region->mapping, "[vsyscall]");
}

const char *pm_region_forbidden(const struct pm_region *region)
{
	if (region->start >> 63)
		return "a page of the kernel, above the readable addresses";
	if (starts_with(region->mapping, "[vvar") || starts_with(region->mapping, "[vsyscall]"))
		return "data of the kernel that other processes cannot read";
	if (region->vm_flags & PM_VM_IO)
		return "memory of a device: reading might have side effects";
	if (region->vm_flags & PM_VM_PFNMAP)
		return "mapped by a driver, without struct pages (VM_PFNMAP)";
	if (!(region->vm_flags & PM_VM_KNOWN) && is_device_by_name(region->mapping))
		return "possibly memory of a device: the VmFlags are not known";

	return NULL;
}

bool pm_region_is_shared_memory(const struct pm_region *region)
{
	static const char *const names[] = {
		"/memfd:", "/SYSV", "/dev/zero", "/dev/shm/", "/anon_hugepage", "[anon_shmem:", NULL
	};
	return starts_with_any(region->mapping, names);
}

bool pm_region_is_secret(const struct pm_region *region)
{
	/* A deleted file of this name can exist on a disk, too. The file system of memfd_secret(2)
	 * has no device, so the major number is 0, and the kernel sets VM_DONTDUMP. */
	return strcmp(region->mapping, "/secretmem") == 0 && region->deleted &&
	       region->device_major == 0 &&
	       (!(region->vm_flags & PM_VM_KNOWN) || region->vm_flags & PM_VM_DONTDUMP);
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
	static const struct pm_verdict handled = { PM_SEGMENT_PENDING,
		                                   "not provided by the userfaultfd handler yet" };
	static const struct pm_verdict secret = { PM_SEGMENT_FORBIDDEN, pm_region_secret };
	static const struct pm_verdict vdso = {
		PM_SEGMENT_FORBIDDEN, "code of the kernel that the process has not used"
	};

	if (region->vm_flags & PM_VM_UFFD_MISSING)
		return handled;
	if (pm_region_is_secret(region))
		return secret;
	if (region->perms & PM_PERM_SHARED)
		return pm_region_is_shared_memory(region) ? shared : file;
	if (starts_with(region->mapping, "[vdso]"))
		return vdso;
	/* Private mappings of /dev/zero and private anonymous huge pages have an inode, but
	 * their untouched pages contain zeros. */
	if (region->inode == 0 || starts_with(region->mapping, "/dev/zero") ||
	    starts_with(region->mapping, "/anon_hugepage"))
		return hole;
	return pm_region_is_shared_memory(region) ? shared : file;
}

bool pm_region_allows_readv(const struct pm_region *region)
{
	return (region->perms & PM_PERM_READ) && (region->vm_flags & PM_VM_KNOWN) &&
	       !(region->vm_flags & UFFD_FLAGS);
}
