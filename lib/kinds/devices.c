/* SPDX-License-Identifier: MIT */
/*
 * Memory of devices, and ring buffers shared with the kernel. Reading memory of a device (VmFlags
 * io, pf) fails or may have side effects.
 */
#include <string.h>

#include "kinds/context.h"
#include "kinds/rules.h"

static bool begins(const char *text, const char *words)
{
	return strncmp(text, words, strlen(words)) == 0;
}

/** Returns whether a file below /dev is not a device but contains ordinary memory. */
static bool is_memory_below_dev(const char *name)
{
	return begins(name, "/dev/shm/") || begins(name, "/dev/hugepages/") ||
	       strcmp(name, "/dev/zero") == 0;
}

static bool is_device_name(const char *name)
{
	/*
	 * A name that is not a path belongs to an object of the kernel: socket:[...] (packet
	 * sockets), anon_inode:[perf_event], anon_inode:kvm-vcpu:0, ...
	 */
	if (begins(name, "/dev/"))
		return !is_memory_below_dev(name);
	return name[0] != '/' || begins(name, "/dmabuf:") || begins(name, "/[aio]");
}

int pm_rule_devices(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_FILE, &at));) {
		if (region->vm_flags & (PM_VM_IO | PM_VM_PFNMAP))
			pm_kinds_claim(region, PM_KIND_DEVICE, PM_PROOF_PROVEN,
			               "VmFlags io or pf: memory of a device, must not be read");
		else if (is_device_name(region->mapping))
			pm_kinds_claim(
				region, PM_KIND_DEVICE, PM_PROOF_PROVEN,
				"its name is that of a device or of an object of the kernel");
	}

	return 0;
}
