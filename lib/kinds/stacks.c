/* SPDX-License-Identifier: MIT */
/*
 * Stacks of threads. The stack pointer of a thread, in task/TID/syscall, lies in its stack: that is the proof. Threads on a processor show none; for them there is
 * the inaccessible guard below, and VmFlags `nh`, which MAP_STACK sets since Linux 6.7 where transparent huge pages are compiled in. glibc from 2.42 on
 * makes guards by MADV_GUARD_INSTALL: no region of their own, and then neighbouring stacks may merge into one.
 */
#include <string.h>

#include <procmem/pagemap.h>

#include "kinds/rules.h"

/** The inaccessible region that ends where this one begins, or NULL. */
static struct pm_region *guard_below(const struct pm_kinds_context *context, const struct pm_region *region)
{
	struct pm_region *below = pm_kinds_below(context, region);
	return below && pm_kinds_looks(context, below) == PM_LOOKS_CLOSED ? below : NULL;
}

static bool is_candidate(const struct pm_kinds_context *context, const struct pm_region *region)
{
	return pm_kinds_looks(context, region) == PM_LOOKS_WRITABLE && (region->kind == PM_KIND_UNKNOWN || region->kind == PM_KIND_STACK);
}

static void claim(struct pm_kinds_context *context, struct pm_region *region, const struct pm_thread *thread)
{
	if (region->kind == PM_KIND_STACK && region->thread != 0) {
		region->detail = pm_kinds_text(context, "%s, %d %s", region->detail, (int)thread->tid, thread->name);
		return;
	}
	bool marked = guard_below(context, region) || region->vm_flags & PM_VM_NOHUGEPAGE;
	pm_kinds_claim(region, PM_KIND_STACK, marked ? PM_PROOF_PROVEN : PM_PROOF_INFERRED,
	               marked ? "the stack pointer of the thread lies in it, and it is mapped like a stack (guard below, or VmFlags nh)"
	                      : "the stack pointer of the thread lies in it, though it has no guard and no flag of a stack");
	region->thread = thread->tid;
	region->detail = pm_kinds_text(context, "%d %s", (int)thread->tid, thread->name);
}

static bool has_unclaimed(const struct pm_kinds_context *context)
{
	size_t at = 0;
	return pm_kinds_next(context, PM_LOOKS_WRITABLE, &at) != NULL;
}

int pm_rule_thread_stacks(struct pm_kinds_context *context, struct pm_error *error)
{
	/* Reading the threads costs two files each: only where something is left that may be a stack. */
	if (!has_unclaimed(context))
		return 0;
	if (pm_kinds_read_threads(context, error) < 0)
		return -1;
	for (size_t i = 0; i < context->thread_count; i++) {
		const struct pm_thread *thread = &context->threads[i];
		struct pm_region *region = thread->stack_pointer ? pm_regions_find(context->regions, thread->stack_pointer) : NULL;
		if (region && is_candidate(context, region))
			claim(context, region, thread);
	}
	return 0;
}

/** Whether the region has guard pages of MADV_GUARD_INSTALL. */
static int note_guard(void *found, const struct pm_page_run *run)
{
	*(bool *)found = (run->state & PM_PAGE_GUARD) != 0;
	return *(bool *)found;
}

static int has_guard_pages(struct pm_kinds_context *context, const struct pm_region *region, bool *found, struct pm_error *error)
{
	struct pm_error why = { 0 };
	*found = false;
	if (!context->evidence->pagemap || context->page_states_refused)
		return 0;
	if (pm_pagemap_walk(context->evidence->pagemap, region->start, region->end, note_guard, found, &why) < 0) {
		context->page_states_refused = true;
		if (pm_kinds_fails(&why))
			return pm_kinds_pass_on(&why, error);
	}
	return 0;
}

/** The only thread whose stack was not found: then the only stack that is left must be its. NULL where there is not exactly one. */
static const struct pm_thread *only_thread_left(const struct pm_kinds_context *context)
{
	const struct pm_thread *left = NULL;
	for (size_t i = 0; i < context->thread_count; i++) {
		const struct pm_thread *thread = &context->threads[i];
		if (thread->stack_pointer != 0 || thread->tid == context->info.pid)
			continue;
		if (left)
			return NULL;
		left = thread;
	}
	return left;
}

int pm_rule_stack_guards(struct pm_kinds_context *context, struct pm_error *error)
{
	struct pm_region *region, *last = NULL;
	size_t found = 0;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_LOOKS_WRITABLE, &at));) {
		/* The flag alone is also that of MADV_NOHUGEPAGE, the guard alone that of many things. */
		if (!(region->vm_flags & PM_VM_NOHUGEPAGE))
			continue;
		bool guarded = guard_below(context, region) != NULL;
		if (!guarded && has_guard_pages(context, region, &guarded, error) < 0)
			return -1;
		if (!guarded)
			continue;
		pm_kinds_claim(region, PM_KIND_STACK, PM_PROOF_INFERRED, "mapped like a stack (VmFlags nh, guard pages); no thread was seen waiting on it");
		last = region;
		found++;
	}
	const struct pm_thread *thread = found == 1 ? only_thread_left(context) : NULL;
	if (thread) {
		last->why = "mapped like a stack (VmFlags nh, guard pages), and only one thread is left whose stack pointer is not known";
		last->thread = thread->tid;
		last->detail = pm_kinds_text(context, "%d %s", (int)thread->tid, thread->name);
	}
	return 0;
}
