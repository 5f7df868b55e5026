/* SPDX-License-Identifier: MIT */
/*
 * Huge pages of hugetlbfs, recognised by the VmFlag `ht` or by the name that the kernel gives to
 * anonymous huge pages. The kernel counts them in Private_Hugetlb and Shared_Hugetlb, not in Rss.
 * Transparent huge pages are ordinary memory and have no kind of their own.
 */
#include <string.h>

#include "kinds/context.h"
#include "kinds/rules.h"

int pm_rule_huge_pages(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_FILE, &at));) {
		if (region->vm_flags & PM_VM_HUGETLB)
			pm_kinds_claim(region, PM_KIND_HUGE, PM_PROOF_PROVEN,
			               "VmFlags ht: pages of hugetlbfs, counted as Hugetlb and not "
			               "as Rss");
		else if (strcmp(region->mapping, "/anon_hugepage") == 0)
			pm_kinds_claim(
				region, PM_KIND_HUGE, PM_PROOF_PROVEN,
				"the kernel gives this name to anonymous huge pages (MAP_HUGETLB)");
		else if (!(region->vm_flags & PM_VM_KNOWN) &&
		         strncmp(region->mapping, "/dev/hugepages/", strlen("/dev/hugepages/")) ==
		                 0)
			pm_kinds_claim(region, PM_KIND_HUGE, PM_PROOF_INFERRED,
			               "a file where hugetlbfs is usually mounted");
	}

	return 0;
}
