/* SPDX-License-Identifier: MIT */
/* Mapped files that no earlier rule has claimed. */
#include <string.h>

#include "kinds/context.h"
#include "kinds/rules.h"

int pm_rule_files(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_FILE, &at));) {
		if (strcmp(region->mapping, "/dev/zero") == 0 &&
		    !(region->perms & PM_PERM_SHARED)) {
			pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_PROVEN,
			               "a private mapping of /dev/zero, which is anonymous memory");
			continue;
		}

		if (region->perms & PM_PERM_MAYBE(PM_PERM_EXEC))
			pm_kinds_claim(
				region, PM_KIND_FILE, PM_PROOF_INFERRED,
				"a mapped file; the core file does not contain its permissions");
		else
			pm_kinds_claim(region, PM_KIND_FILE, PM_PROOF_PROVEN,
			               "a mapped file; none of its mappings is executable");

		if (strstr(region->mapping, "/hsperfdata_"))
			region->detail = (struct pm_detail){ .type = PM_DETAIL_RUNTIME_COUNTERS,
				                             .runtime = PM_RUNTIME_JAVA };
	}

	return 0;
}
