/* SPDX-License-Identifier: MIT */
/*
 * Regions with a name in brackets that the kernel assigns (proc_pid_maps(5)): [heap], [stack],
 * [vdso], [vvar], [vsyscall], [uprobes], ...
 */
#include <string.h>

#include "kinds/context.h"
#include "kinds/rules.h"

/**
 * Returns whether a region named [heap] contains memory of the brk heap. Older kernels also give
 * this name to the bss of the program if the bss is directly below the heap. If the start of the
 * heap is not known, the name is trusted.
 */
static bool holds_brk_heap(const struct pm_kinds_context *context, const struct pm_region *region)
{
	return context->info.start_brk == 0 || region->end > context->info.start_brk;
}

static void claim_stack(struct pm_kinds_context *context, struct pm_region *region)
{
	pm_kinds_claim(region, PM_KIND_STACK, PM_PROOF_PROVEN,
	               "[stack]: the kernel created it for the first thread");
	region->thread = context->info.pid;

	if (context->info.pid)
		pm_kinds_set_threads(
			context, region, PM_DETAIL_THREADS,
			&(struct pm_detail_thread){ context->info.pid, context->info.comm }, 1, 0);
	else
		region->detail.type = PM_DETAIL_FIRST_THREAD;
}

/**
 * Claims the read-only regions directly below [vdso], which are [vvar]: the data of the kernel that
 * the code in [vdso] reads (map_vdso() in arch/x86/entry/vdso/vma.c). Core files do not contain the
 * name [vvar].
 */
static void claim_below_vdso(const struct pm_kinds_context *context, const struct pm_region *vdso)
{
	struct pm_region *below = pm_kinds_below(context, vdso);
	for (; below && pm_kinds_region_class(context, below) == PM_REGION_CLASS_READABLE;
	     below = pm_kinds_below(context, below))
		pm_kinds_claim(below, PM_KIND_KERNEL, PM_PROOF_INFERRED,
		               "read-only and directly below [vdso], where the kernel maps the "
		               "data for [vdso]");
}

int pm_rule_kernel_names(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_NAMED, &at));) {
		const char *name = region->mapping;
		if (strncmp(name, "[anon_shmem:", strlen("[anon_shmem:")) == 0)
			continue;

		if (strcmp(name, "[stack]") == 0)
			claim_stack(context, region);
		else if (strcmp(name, "[heap]") != 0)
			pm_kinds_claim(region, PM_KIND_KERNEL, PM_PROOF_PROVEN,
			               "the kernel created it and gave it this name");
		else if (holds_brk_heap(context, region))
			pm_kinds_claim(region, PM_KIND_HEAP, PM_PROOF_PROVEN,
			               "the kernel names it [heap]: memory allocated by brk(2)");

		if (strcmp(name, "[vdso]") == 0)
			claim_below_vdso(context, region);
	}

	return 0;
}
