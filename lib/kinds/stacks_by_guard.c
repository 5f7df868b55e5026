/* SPDX-License-Identifier: MIT */
/*
 * Stacks whose thread is not known: the thread has ended and glibc keeps its stack for reuse, or
 * this process may not read the stack pointers. Such a stack has a guard and VmFlags nh, which
 * MAP_STACK sets since Linux 6.7 on kernels with transparent huge pages. If VmFlags are not known,
 * a guard and one of the two default lengths of stacks are sufficient. The rule also claims regions
 * that consist only of guard pages.
 */
#include "kinds/context.h"
#include "kinds/rules.h"
#include "kinds/stack_guard.h"

static const uint64_t GLIBC_STACK = UINT64_C(8) << 20; /* default of RLIMIT_STACK in Linux */
static const uint64_t JAVA_STACK = UINT64_C(1) << 20;  /* -Xss of the JVM on x86-64 */

static struct pm_detail no_thread(const struct pm_kinds_context *context)
{
	bool known = context->threads_read && !context->threads_refused;
	return (struct pm_detail){ .type = known ? PM_DETAIL_NO_THREAD : PM_DETAIL_UNKNOWN_THREAD };
}

static bool has_usual_length(const struct pm_region *region, const struct pm_region *guard)
{
	uint64_t size = pm_region_size(region);
	uint64_t whole = size + pm_region_size(guard);

	return size == GLIBC_STACK || size == JAVA_STACK || whole == GLIBC_STACK ||
	       whole == JAVA_STACK;
}

/**
 * Claims a region above a guard as a stack if it has VmFlags nh or, if VmFlags are not known, a
 * usual length of stacks.
 */
static void claim_above_guard(const struct pm_kinds_context *context, struct pm_region *region,
                              const struct pm_region *guard)
{
	if (region->vm_flags & PM_VM_NOHUGEPAGE)
		pm_kinds_claim(region, PM_KIND_STACK, PM_PROOF_INFERRED,
		               "a guard directly below, and VmFlags nh, which MAP_STACK sets");
	else if (!(region->vm_flags & PM_VM_KNOWN) && has_usual_length(region, guard))
		pm_kinds_claim(region, PM_KIND_STACK, PM_PROOF_INFERRED,
		               "a guard directly below, and the usual length of a stack");
	else
		return;

	region->detail = no_thread(context);
}

/**
 * Claims a region that contains guard pages: as a guard if it consists only of guard pages, as a
 * stack if it has VmFlags nh.
 */
static int claim_with_guard_pages(struct pm_kinds_context *context, struct pm_region *region,
                                  struct pm_error *error)
{
	unsigned guards;
	uint64_t bytes;
	if (pm_stack_guard_pages(context, region, &guards, &bytes, error) < 0)
		return -1;

	if (bytes == pm_region_size(region)) {
		pm_kinds_claim(region, PM_KIND_GUARD, PM_PROOF_PROVEN,
		               "consists of guard pages (MADV_GUARD_INSTALL)");
	} else if (guards > 0 && (region->vm_flags & PM_VM_NOHUGEPAGE)) {
		pm_kinds_claim(region, PM_KIND_STACK, PM_PROOF_INFERRED,
		               "contains guard pages (MADV_GUARD_INSTALL), and has VmFlags nh, "
		               "which MAP_STACK sets");
		if (guards == 1)
			region->detail = no_thread(context);
		else
			pm_kinds_set_threads(context, region, PM_DETAIL_THREADS, NULL, 0, guards);
	}

	return 0;
}

/**
 * Returns whether to search a region for guard pages: it has VmFlags nh, like a stack, or it holds
 * no resident memory and is small enough to be a guard.
 */
static bool may_have_guard_pages(const struct pm_region *region)
{
	if (region->vm_flags & PM_VM_NOHUGEPAGE)
		return true;
	bool untouched = pm_region_knows(region, PM_SIZE_RSS) && region->bytes[PM_SIZE_RSS] == 0;
	return untouched && pm_region_size(region) <= PM_STACK_GUARD_MAX;
}

int pm_rule_stack_guards(struct pm_kinds_context *context, struct pm_error *error)
{
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_CLOSED, &at));) {
		struct pm_region *above = pm_kinds_above(context, region);
		if (above && above->kind == PM_KIND_UNKNOWN &&
		    pm_kinds_region_class(context, above) == PM_REGION_CLASS_WRITABLE &&
		    pm_region_size(region) <= PM_STACK_GUARD_MAX)
			claim_above_guard(context, above, region);
	}

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		if (may_have_guard_pages(region) &&
		    claim_with_guard_pages(context, region, error) < 0)
			return -1;
	}

	return 0;
}
