/* SPDX-License-Identifier: MIT */
/*
 * Stacks of threads: regions that contain the stack pointer or the descriptor of a thread. A
 * descriptor proves the claim, and so does a stack pointer together with a guard or VmFlags nh
 * (MAP_STACK). A stack pointer alone does not prove the claim, because the stacks of fibers can be
 * in memory that also contains other data. The kernel names only the stack of the first thread
 * ([stack:TID] was removed in Linux 4.5).
 */
#include <stdlib.h>

#include "kinds/context.h"
#include "kinds/rules.h"
#include "kinds/stack_guard.h"
#include "kinds/thread_match.h"

/** Sets the detail of a region to the threads whose stacks were found in the region. */
static void set_threads(struct pm_kinds_context *context, struct pm_region *region,
                        const struct pm_thread_match *matches, size_t count, unsigned stacks)
{
	struct pm_detail_thread threads[PM_DETAIL_THREADS_MAX];

	for (size_t i = 0; i < count && i < PM_DETAIL_THREADS_MAX; i++)
		threads[i] = (struct pm_detail_thread){
			matches[i].thread->tid, pm_kinds_thread_name(context, matches[i].thread)
		};

	pm_kinds_set_threads(context, region, PM_DETAIL_THREADS, threads, count, stacks);
}

/** Claims a region for the threads whose stacks were found in the region. */
static int claim(struct pm_kinds_context *context, const struct pm_thread_match *matches,
                 size_t count, struct pm_error *error)
{
	struct pm_region *region = matches[0].region;
	bool guard = pm_stack_guard_below(context, region) != NULL;
	bool stack_flag = (region->vm_flags & PM_VM_NOHUGEPAGE) != 0;
	unsigned guards = 0;
	uint64_t bytes;

	if (!guard && pm_stack_guard_pages(context, region, &guards, &bytes, error) < 0)
		return -1;

	const char *mark = NULL;
	if (guard)
		mark = ", and a guard directly below";
	else if (guards > 0)
		mark = ", and guard pages (MADV_GUARD_INSTALL)";
	else if (stack_flag)
		mark = ", and VmFlags nh, which MAP_STACK sets";

	if (matches[0].by_descriptor)
		pm_kinds_claim(region, PM_KIND_STACK, PM_PROOF_PROVEN,
		               pm_kinds_text(context, "thread descriptor at the top%s",
		                             mark ? mark : ""));
	else if (mark)
		pm_kinds_claim(region, PM_KIND_STACK, PM_PROOF_PROVEN,
		               pm_kinds_text(context, "contains the stack pointer of a thread%s",
		                             mark));
	else
		pm_kinds_claim(region, PM_KIND_STACK, PM_PROOF_INFERRED,
		               "contains the stack pointer of a thread; there is no guard or stack "
		               "flag, so it may contain other memory, too");

	if (count == 1 && guards <= 1)
		region->thread = matches[0].thread->tid;
	set_threads(context, region, matches, count, guards);

	return 0;
}

int pm_rule_thread_stacks(struct pm_kinds_context *context, struct pm_error *error)
{
	size_t at = 0;
	if ((!context->evidence->process && !context->evidence->threads) ||
	    !pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at))
		return 0;

	struct pm_thread_matches matches = { 0 };
	int result = pm_kinds_read_threads(context, error);
	if (result == 0)
		result = pm_thread_match_pointers(context, &matches, error);
	if (result == 0)
		result = pm_thread_match_descriptors(context, &matches, error);
	pm_thread_match_sort(&matches);

	for (size_t i = 0, count; result == 0 && i < matches.count; i += count) {
		count = 1;
		while (i + count < matches.count &&
		       matches.items[i + count].region == matches.items[i].region)
			count++;
		result = claim(context, &matches.items[i], count, error);
	}

	free(matches.items);
	return result;
}
