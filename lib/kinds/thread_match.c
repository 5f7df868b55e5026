/* SPDX-License-Identifier: MIT */
#include "kinds/thread_match.h"

#include <stdlib.h>

#include "base/array.h"
#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/objects.h"
#include "kinds/stack_guard.h"

/*
 * Layout of the thread descriptor (struct pthread) in glibc on x86-64. The descriptor is at the top
 * of the stack, aligned to at least 64 bytes. Its first and third word contain its own address
 * (tcbhead_t.tcb and .self, which the ABI defines). The TID comes after 704 bytes of padding and a
 * list node.
 */
enum { TOP_SIZE = 4096, DESCRIPTOR_ALIGN = 64, SELF_OFFSET = 16, TID_OFFSET = 720 };

/*
 * TOPS_A_CALL limits the memory: at most this number of stack tops are read by one call. TOPS_MAX
 * limits the time: the stack tops of at most this number of regions are read.
 */
enum { TOPS_A_CALL = 32, TOPS_MAX = 1024 };

int pm_thread_match_add(struct pm_thread_matches *matches, struct pm_thread_match match,
                        struct pm_error *error)
{
	if (pm_array_reserve(&matches->items, &matches->capacity, matches->count, 1,
	                     sizeof *matches->items, error) < 0)
		return -1;
	matches->items[matches->count++] = match;
	return 0;
}

static int by_region(const void *one, const void *other)
{
	const struct pm_thread_match *a = one, *b = other;
	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;

	return (a->thread->tid > b->thread->tid) - (a->thread->tid < b->thread->tid);
}

void pm_thread_match_sort(struct pm_thread_matches *matches)
{
	if (matches->count > 0)
		qsort(matches->items, matches->count, sizeof *matches->items, by_region);
}

static bool may_be_stack(const struct pm_kinds_context *context, const struct pm_region *region)
{
	return pm_kinds_region_class(context, region) == PM_REGION_CLASS_WRITABLE &&
	       region->kind == PM_KIND_UNKNOWN;
}

int pm_thread_match_pointers(struct pm_kinds_context *context, struct pm_thread_matches *matches,
                             struct pm_error *error)
{
	for (size_t i = 0; i < context->thread_count; i++) {
		const struct pm_thread *thread = &context->threads[i];
		if (thread->stack_pointer == 0)
			continue;

		struct pm_region *region = pm_regions_find(context->regions, thread->stack_pointer);
		if (region && may_be_stack(context, region) &&
		    pm_thread_match_add(matches, (struct pm_thread_match){ region, thread, false },
		                        error) < 0)
			return -1;
	}

	return 0;
}

static bool is_hidden(const struct pm_kinds_context *context, const struct pm_thread *thread)
{
	return thread->stack_pointer == 0 && thread->tid != context->info.pid;
}

/**
 * Finds the thread whose descriptor is at the top of a stack. Only threads whose stack pointer is
 * not shown are considered.
 *
 * @param context  the context
 * @param top      TOP_SIZE bytes of the stack
 * @param start    address in the target of the first byte of `top`
 * @return         the thread, or NULL if there is no descriptor of such a thread
 */
static const struct pm_thread *find_descriptor(const struct pm_kinds_context *context,
                                               const char *top, uint64_t start)
{
	for (size_t at = 0; at + TID_OFFSET + sizeof(uint32_t) <= TOP_SIZE;
	     at += DESCRIPTOR_ALIGN) {
		if (pm_kinds_word(top + at, 8) != start + at ||
		    pm_kinds_word(top + at + SELF_OFFSET, 8) != start + at)
			continue;
		const struct pm_thread *thread = pm_kinds_thread(
			context, (pid_t)pm_kinds_word(top + at + TID_OFFSET, 4));
		if (thread && is_hidden(context, thread))
			return thread;
	}

	return NULL;
}

/** Stack tops that are read together. */
struct tops {
	struct pm_region *regions[TOPS_A_CALL];
	uint64_t addresses[TOPS_A_CALL];
	size_t count;
	size_t asked; /* number of regions examined so far */
};

/** Reads the collected stack tops, and adds a match for each thread whose descriptor is found. */
static int match_tops(struct pm_kinds_context *context, struct tops *tops,
                      struct pm_thread_matches *matches, struct pm_error *error)
{
	bool got[TOPS_A_CALL];
	char *bytes = malloc((size_t)TOPS_A_CALL * TOP_SIZE);
	if (!bytes)
		return pm_error_out_of_memory(error);

	int result = pm_kinds_read(context, tops->addresses, tops->count, TOP_SIZE, bytes, got,
	                           error);
	for (size_t i = 0; result == 0 && i < tops->count; i++) {
		if (!got[i])
			continue;

		const struct pm_thread *thread = find_descriptor(context, bytes + i * TOP_SIZE,
		                                                 tops->addresses[i]);
		if (thread)
			result = pm_thread_match_add(
				matches, (struct pm_thread_match){ tops->regions[i], thread, true },
				error);
	}

	free(bytes);
	tops->count = 0;

	return result;
}

/**
 * Returns whether a region has one of the marks of a stack of glibc: VmFlags nh, or a guard
 * directly below. Marked regions are examined first. Stacks that the program allocated itself have
 * no mark.
 */
static bool has_mark(const struct pm_kinds_context *context, const struct pm_region *region)
{
	return (region->vm_flags & PM_VM_NOHUGEPAGE) || pm_stack_guard_below(context, region);
}

/**
 * Examines the regions that have a mark of a stack if `marked` is true, otherwise the regions
 * without a mark, until the list contains `wanted` matches or TOPS_MAX regions were examined.
 */
static int match_regions(struct pm_kinds_context *context, struct tops *tops, bool marked,
                         size_t wanted, struct pm_thread_matches *matches, struct pm_error *error)
{
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		enum pm_presence presence;

		if (matches->count >= wanted || tops->asked >= TOPS_MAX)
			break;
		if (pm_region_size(region) < TOP_SIZE || has_mark(context, region) != marked)
			continue;

		tops->asked++;
		if (pm_kinds_presence(context, region, region->end - 1, &presence, error) < 0)
			return -1;
		if (presence != PM_PRESENT)
			continue;

		tops->regions[tops->count] = region;
		tops->addresses[tops->count++] = region->end - TOP_SIZE;
		if (tops->count == TOPS_A_CALL && match_tops(context, tops, matches, error) < 0)
			return -1;
	}

	if (tops->count == 0)
		return 0;
	return match_tops(context, tops, matches, error);
}

int pm_thread_match_descriptors(struct pm_kinds_context *context, struct pm_thread_matches *matches,
                                struct pm_error *error)
{
	size_t hidden = 0;
	for (size_t i = 0; i < context->thread_count; i++)
		hidden += is_hidden(context, &context->threads[i]);
#ifndef __x86_64__

	hidden = 0;
#endif
	if (hidden == 0 || context->page != TOP_SIZE || pm_kinds_word_size(context) != 8 ||
	    context->refusal[0] != '\0')
		return 0;

	struct tops tops = { .count = 0 };
	size_t wanted = matches->count + hidden;
	if (match_regions(context, &tops, true, wanted, matches, error) < 0)
		return -1;

	return match_regions(context, &tops, false, wanted, matches, error);
}
