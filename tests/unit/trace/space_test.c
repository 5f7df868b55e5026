/* SPDX-License-Identifier: MIT */
/* The rules of the address space of a trace, with invented events. */
#include "trace/space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <procmem/stacks.h>

#include "support/target.h"
#include "trace/faults.h"

enum { TID = 7, OTHER = 8, DONTUNMAP = 4 };
static const uint64_t page = PM_TRACE_PAGE;
static const uint64_t base = (uint64_t)0x7f0000000000;
static const uint64_t failure = (uint64_t)-12;

static struct pm_trace_space space;

static int begin(void **state)
{
	(void)state;
	struct pm_error error;
	must(pm_trace_space_init(&space, &error), &error);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pm_trace_space_deinit(&space);
	return 0;
}

static void apply_of(pid_t tid, enum pm_trace_kind kind, uint32_t stack,
                     const uint64_t arguments[6], uint64_t result)
{
	static uint64_t time;
	struct pm_trace_event event = {
		.time = ++time, .kind = kind, .tid = tid, .stack = stack, .result = result
	};
	struct pm_error error;

	memcpy(event.arguments, arguments, sizeof event.arguments);
	must(pm_trace_space_apply(&space, &event, &error), &error);
}

/** Addresses are numbers of pages from `base`. */
static uint64_t at(uint64_t number)
{
	return base + number * page;
}

static void map(uint32_t stack, uint64_t first, uint64_t pages, uint64_t protection)
{
	const uint64_t arguments[6] = { 0, pages * page, protection, MAP_PRIVATE | MAP_ANONYMOUS };
	apply_of(TID, PM_TRACE_MMAP, stack, arguments, at(first));
}

static void unmap(pid_t tid, uint64_t first, uint64_t pages)
{
	const uint64_t arguments[6] = { at(first), pages * page };
	apply_of(tid, PM_TRACE_MUNMAP_BEGIN, PM_STACK_NONE, arguments, 0);
}

static void remap_begin(pid_t tid, uint64_t first, uint64_t old, uint64_t new, uint64_t flags)
{
	const uint64_t arguments[6] = { at(first), old * page, new *page, flags };
	apply_of(tid, PM_TRACE_MREMAP_BEGIN, PM_STACK_NONE, arguments, 0);
}

static void remap_end(pid_t tid, uint32_t stack, uint64_t first, uint64_t old, uint64_t new,
                      uint64_t flags, uint64_t result)
{
	const uint64_t arguments[6] = { at(first), old * page, new *page, flags };
	apply_of(tid, PM_TRACE_MREMAP, stack, arguments, result);
}

static void remap(uint32_t stack, uint64_t first, uint64_t old, uint64_t new, uint64_t flags,
                  uint64_t to)
{
	remap_begin(TID, first, old, new, flags);
	remap_end(TID, stack, first, old, new, flags, at(to));
}

static void call(enum pm_trace_kind kind, uint32_t stack, uint64_t first, uint64_t pages,
                 uint64_t third, uint64_t result)
{
	const uint64_t arguments[6] = { at(first), pages * page, third };
	apply_of(TID, kind, stack, arguments, result);
}

static void fault(uint32_t stack, uint64_t number)
{
	const uint64_t arguments[6] = { at(number) + 123 };
	apply_of(TID, PM_TRACE_FAULT, stack, arguments, 0);
}

/** Adds memory that was mapped before the trace. */
static void add_before(uint64_t first, uint64_t pages, bool present, bool reserve)
{
	const struct pm_range range = { at(first), at(first + pages) };
	const struct pm_trace_owner owner = { .before = true,
		                              .present = present,
		                              .reserve = reserve };
	struct pm_error error;

	must(pm_trace_intervals_set(space.list, range, owner, &error), &error);
}

/** Returns the pages of a stack. */
static uint64_t pages_of(uint32_t stack, bool before)
{
	struct pm_trace_interval interval;
	uint64_t bytes = 0;

	for (uint64_t from = 0; pm_trace_intervals_find(space.list, from, &interval);
	     from = interval.range.end)
		if (interval.owner.stack == stack && interval.owner.before == before)
			bytes += pm_range_size(interval.range);

	return bytes / page;
}

/** Returns the stack that owns a page; UINT32_MAX if it is not mapped. */
static uint32_t stack_at(uint64_t number)
{
	struct pm_trace_interval interval;

	if (!pm_trace_intervals_find(space.list, at(number), &interval) ||
	    interval.range.start > at(number))
		return UINT32_MAX;
	return interval.owner.stack;
}

static void pieces_of_a_mapping_keep_their_stacks(void **state)
{
	(void)state;
	/* 8 MiB, of which 1 MiB is mapped again, 1 MiB is unmapped, and 1 MiB is moved and grows.
	 */
	map(1, 0, 2048, PROT_READ | PROT_WRITE);
	map(2, 512, 256, PROT_READ | PROT_WRITE);
	unmap(TID, 1024, 256);
	remap(3, 1536, 256, 512, MREMAP_MAYMOVE, 4096);

	assert_int_equal(pages_of(1, false), 2048 - 256 - 256);
	assert_int_equal(pages_of(2, false), 256);
	assert_int_equal(pages_of(3, false), 256);
	assert_int_equal(stack_at(1536), UINT32_MAX);
	assert_int_equal(stack_at(4096), 1);
	assert_int_equal(stack_at(4096 + 256), 3);
	assert_int_equal(pm_trace_intervals_count(space.list), 7);
	assert_int_equal(pm_trace_space_counts(&space, 3).calls, 1);
}

static void growth_in_many_steps_is_not_lost(void **state)
{
	(void)state;
	uint64_t place = 0;

	map(1, place, 1, PROT_READ | PROT_WRITE);
	for (uint64_t size = 1; size <= 1000; size++) {
		uint64_t next = size % 10 == 0 ? place + 100000 : place;

		remap(2 + (uint32_t)(size % 2), place, size, size + 1, MREMAP_MAYMOVE, next);
		place = next;
	}

	assert_int_equal(pages_of(1, false), 1);
	assert_int_equal(pages_of(2, false), 500);
	assert_int_equal(pages_of(3, false), 500);
}

static void failed_calls_change_nothing(void **state)
{
	(void)state;
	const uint64_t arguments[6] = { at(0), 10 * page };

	map(1, 0, 10, PROT_READ | PROT_WRITE);
	apply_of(TID, PM_TRACE_MMAP, 2, arguments, failure);
	unmap(TID, 2, 3);
	assert_int_equal(pages_of(1, false), 7);
	call(PM_TRACE_MUNMAP_FAILED, PM_STACK_NONE, 2, 3, 0, failure);
	assert_int_equal(pages_of(1, false), 10);

	remap_begin(TID, 0, 10, 20, 0);
	remap_end(TID, 3, 0, 10, 20, 0, failure);
	assert_int_equal(pages_of(1, false), 10);
	assert_int_equal(pages_of(3, false), 0);
	assert_int_equal(pm_trace_intervals_count(space.list), 1);

	/* An address that is not that of a page is refused by the kernel. */
	const uint64_t crooked[6] = { at(0) + 1, page };
	apply_of(TID, PM_TRACE_MUNMAP_BEGIN, 0, crooked, 0);
	const uint64_t endless[6] = { at(0), UINT64_MAX };
	apply_of(TID, PM_TRACE_MUNMAP_BEGIN, 0, endless, 0);
	assert_int_equal(pages_of(1, false), 10);
}

static void memory_is_released_when_the_call_begins(void **state)
{
	(void)state;
	const uint64_t arguments[6] = { 0, 10 * page, PROT_READ, MAP_PRIVATE };

	/* The other thread gets the addresses before munmap of this thread has ended. */
	map(1, 0, 10, PROT_READ);
	unmap(TID, 0, 10);
	apply_of(OTHER, PM_TRACE_MMAP, 2, arguments, at(0));
	assert_int_equal(pages_of(2, false), 10);

	/* The same with mremap, which moves the old pieces although they were replaced. */
	remap_begin(TID, 0, 10, 10, MREMAP_MAYMOVE);
	apply_of(OTHER, PM_TRACE_MMAP, 3, arguments, at(0));
	remap_end(TID, 4, 0, 10, 10, MREMAP_MAYMOVE, at(100));
	assert_int_equal(pages_of(3, false), 10);
	assert_int_equal(stack_at(100), 2);
	assert_int_equal(pages_of(2, false), 10);
}

static void the_end_of_another_call_moves_nothing_of_a_pending_call(void **state)
{
	(void)state;
	map(1, 0, 10, PROT_READ);
	map(2, 50, 10, PROT_READ);

	/* The events between these two were lost. */
	unmap(TID, 0, 10);
	remap_end(TID, 3, 50, 10, 10, MREMAP_MAYMOVE, at(100));
	assert_int_equal(pages_of(1, false), 0);
	assert_int_equal(stack_at(100), 2);
	assert_int_equal(stack_at(50), UINT32_MAX);

	/* The pieces of a thread that has exited are forgotten. */
	remap_begin(TID, 100, 10, 10, MREMAP_MAYMOVE);
	call(PM_TRACE_EXIT, 0, 0, 0, 0, 0);
	remap_end(TID, 3, 100, 10, 10, MREMAP_MAYMOVE, failure);
	assert_int_equal(pages_of(2, false), 0);
}

/* A gap stays a gap, and what is at its destination stays there. */
static void gaps_are_not_moved(void **state)
{
	(void)state;
	enum { FIXED = MREMAP_MAYMOVE | MREMAP_FIXED };

	map(1, 0, 4, PROT_READ);
	map(2, 6, 4, PROT_READ);
	map(4, 100, 5, PROT_READ);
	remap(3, 0, 10, 10, FIXED, 100);
	assert_int_equal(pages_of(1, false), 4);
	assert_int_equal(pages_of(2, false), 4);
	assert_int_equal(pages_of(PM_STACK_NONE, true), 0);
	assert_int_equal(stack_at(100), 1);
	assert_int_equal(stack_at(104), 4);
	assert_int_equal(stack_at(105), UINT32_MAX);
	assert_int_equal(stack_at(106), 2);

	/* What was moved is not known at all: the regions were read after the call. */
	remap(3, 200, 5, 5, FIXED, 300);
	assert_int_equal(pages_of(PM_STACK_NONE, true), 5);
}

static void mremap_can_shrink(void **state)
{
	(void)state;
	map(1, 0, 10, PROT_READ);
	remap(2, 0, 10, 4, 0, 0);
	assert_int_equal(pages_of(1, false), 4);
	assert_int_equal(pages_of(2, false), 0);
	assert_int_equal(pm_trace_space_counts(&space, 2).calls, 0);
}

static void mremap_can_keep_or_copy_the_old_range(void **state)
{
	(void)state;
	map(1, 0, 10, PROT_READ);
	remap(2, 0, 10, 10, MREMAP_MAYMOVE | DONTUNMAP, 50);
	assert_int_equal(pages_of(1, false), 20);
	assert_int_equal(pages_of(2, false), 0);

	/* An old size of 0 is a second mapping of shared memory. */
	remap(3, 0, 0, 5, MREMAP_MAYMOVE, 200);
	assert_int_equal(pages_of(1, false), 20);
	assert_int_equal(pages_of(3, false), 5);
}

static void huge_pages_are_rounded_up(void **state)
{
	(void)state;
	const uint64_t arguments[6] = { 0, page, PROT_READ,
		                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB };

	apply_of(TID, PM_TRACE_MMAP, 1, arguments, at(0));
	assert_int_equal(pages_of(1, false), 512);
}

static void brk_grows_and_shrinks(void **state)
{
	(void)state;
	const uint64_t none[6] = { 0 };

	apply_of(TID, PM_TRACE_BRK, 1, none, at(0) + 100);
	assert_int_equal(space.brk, at(1));
	apply_of(TID, PM_TRACE_BRK, 2, none, at(10) + 1);
	apply_of(TID, PM_TRACE_BRK, 3, none, at(20));
	assert_int_equal(pages_of(2, false), 10);
	assert_int_equal(pages_of(3, false), 9);

	apply_of(TID, PM_TRACE_BRK, 4, none, at(5));
	assert_int_equal(pages_of(2, false), 4);
	assert_int_equal(pages_of(3, false), 0);
	assert_int_equal(pages_of(4, false), 0);
}

static void a_reserve_belongs_to_the_stack_that_commits_it(void **state)
{
	(void)state;
	map(1, 0, 100, PROT_NONE);
	call(PM_TRACE_MPROTECT, 2, 10, 20, PROT_READ | PROT_WRITE, 0);
	assert_int_equal(pages_of(2, false), 20);
	assert_int_equal(pages_of(1, false), 80);

	/* Memory that is accessible already, a failure, and less access change nothing. */
	call(PM_TRACE_MPROTECT, 3, 10, 20, PROT_READ, 0);
	call(PM_TRACE_MPROTECT, 3, 50, 20, PROT_READ, failure);
	call(PM_TRACE_MPROTECT, 3, 10, 50, PROT_NONE, 0);
	assert_int_equal(pages_of(3, false), 0);
	assert_int_equal(pm_trace_space_counts(&space, 2).calls, 1);
	assert_int_equal(pm_trace_space_counts(&space, 3).calls, 0);

	/* A reserve that mremap extends. */
	map(5, 400, 10, PROT_NONE);
	remap(6, 400, 10, 20, MREMAP_MAYMOVE, 400);
	assert_int_equal(pages_of(6, false), 10);
	call(PM_TRACE_MPROTECT, 7, 405, 10, PROT_READ | PROT_WRITE, 0);
	assert_int_equal(pages_of(5, false), 5);
	assert_int_equal(pages_of(6, false), 5);
	assert_int_equal(pages_of(7, false), 10);

	/* A reserve from before the trace, but not its pages that are present. */
	add_before(200, 10, false, true);
	add_before(210, 10, true, true);
	call(PM_TRACE_MPROTECT, 4, 200, 20, PROT_READ | PROT_WRITE, 0);
	assert_int_equal(pages_of(4, false), 10);
	assert_int_equal(pages_of(PM_STACK_NONE, true), 10);
}

static uint64_t fixed_size(void *context, uint64_t start, uint64_t time)
{
	unsigned *calls = context;

	assert_true(time > 0);
	assert_int_equal(start, at(0));
	(*calls)++;
	return 16 * page;
}

static void segments_are_attached_and_detached(void **state)
{
	(void)state;
	const uint64_t id[6] = { 33 };
	const uint64_t first[6] = { at(0) }, second[6] = { at(100) };
	unsigned calls = 0;

	space.size = fixed_size;
	space.context = &calls;
	apply_of(TID, PM_TRACE_SHMAT, 1, id, at(0));
	apply_of(TID, PM_TRACE_SHMAT, 2, id, at(100));
	apply_of(TID, PM_TRACE_SHMAT, 3, id, failure);
	assert_int_equal(pages_of(1, false), 16);
	assert_int_equal(pages_of(2, false), 16);
	assert_int_equal(pages_of(3, false), 0);
	assert_int_equal(calls, 1);

	apply_of(TID, PM_TRACE_SHMDT_BEGIN, 0, first, 0);
	assert_int_equal(pages_of(1, false), 0);
	apply_of(TID, PM_TRACE_SHMDT_BEGIN, 0, first, 0);
	apply_of(TID, PM_TRACE_SHMDT_BEGIN, 0, second, 0);
	assert_int_equal(pm_trace_intervals_count(space.list), 0);
}

static void page_faults_split_memory_from_before_the_trace(void **state)
{
	(void)state;
	add_before(0, 100, false, false);
	add_before(10, 20, true, false);
	for (uint64_t i = 0; i < 50; i++)
		fault(1, i);
	fault(2, 0);
	fault(2, 60);
	assert_int_equal(pages_of(1, true), 30);
	assert_int_equal(pages_of(2, true), 1);
	assert_int_equal(pages_of(PM_STACK_NONE, true), 69);
	assert_int_equal(pm_trace_space_counts(&space, 1).touches, 30);

	/* Memory of the trace belongs to the stack that has mapped it. */
	map(3, 200, 10, PROT_READ);
	fault(1, 200);
	fault(1, 1000);
	assert_int_equal(pages_of(3, false), 10);
	assert_int_equal(pm_trace_space_counts(&space, 3).faults, 1);
	assert_int_equal(pm_trace_space_counts(&space, 1).touches, 30);
}

static void what_the_kernel_loads_is_of_no_stack(void **state)
{
	(void)state;
	const uint64_t loaded[6] = { at(5), 1 };

	add_before(0, 10, false, false);
	apply_of(TID, PM_TRACE_FAULT, PM_STACK_NONE, loaded, 0);
	/* A later fault there is a copy of the page. */
	fault(1, 5);
	fault(1, 6);
	assert_int_equal(pages_of(1, true), 1);
	assert_int_equal(pm_trace_space_counts(&space, PM_STACK_NONE).touches, 0);
}

static void memory_that_is_given_back_belongs_to_the_next_stack(void **state)
{
	(void)state;
	add_before(0, 10, true, false);
	add_before(10, 10, false, false);
	fault(1, 10);
	fault(1, 11);

	call(PM_TRACE_MADVISE, 9, 0, 20, MADV_DONTNEED, failure);
	call(PM_TRACE_MADVISE, 9, 0, 20, MADV_WILLNEED, 0);
	fault(2, 10);
	assert_int_equal(pages_of(1, true), 2);

	call(PM_TRACE_MADVISE, 9, 5, 6, MADV_DONTNEED, 0);
	assert_int_equal(pages_of(1, true), 1);
	fault(2, 5);
	fault(2, 10);
	assert_int_equal(pages_of(2, true), 2);

	/* With MADV_FREE, the pages stay until the kernel needs them. */
	call(PM_TRACE_MADVISE, 9, 11, 1, MADV_FREE, 0);
	assert_int_equal(stack_at(11), 1);
	fault(3, 11);
	assert_int_equal(stack_at(11), 3);

	/* Four pages that were given back, and eight that nothing has touched. */
	call(PM_TRACE_POPULATE, 4, 0, 20, 23 /* MADV_POPULATE_WRITE */, 0);
	assert_int_equal(pages_of(4, true), 12);
	assert_int_equal(stack_at(0), PM_STACK_NONE);
}

static void pages_around_a_touched_page_have_its_owner(void **state)
{
	(void)state;
	struct pm_trace_owner owner;
	const struct pm_range block = { at(0), at(16) }, next = { at(16), at(32) };

	add_before(0, 32, false, false);
	fault(5, 7);
	assert_true(pm_trace_faults_around(&space, block, &owner));
	assert_int_equal(owner.stack, 5);
	assert_false(pm_trace_faults_around(&space, next, &owner));
}

static void exec_empties_the_list(void **state)
{
	(void)state;
	map(1, 0, 10, PROT_READ);
	remap_begin(TID, 0, 10, 20, 0);
	call(PM_TRACE_EXEC, 0, 0, 0, 0, 0);
	remap_end(TID, 3, 0, 10, 20, 0, failure);
	assert_int_equal(pm_trace_intervals_count(space.list), 0);
	assert_int_equal(pm_trace_space_counts(&space, 1).calls, 1);
}

/** Whatever a target passes: no failure, and no address that cannot exist. */
static void random_arguments_are_harmless(void **state)
{
	(void)state;
	const uint64_t values[] = { 0,
		                    1,
		                    page,
		                    at(0),
		                    at(1),
		                    UINT64_MAX,
		                    failure,
		                    at(0) + 3,
		                    (uint64_t)1 << 63,
		                    (uint64_t)1 << 56,
		                    2 * page,
		                    4,
		                    8,
		                    23 };
	struct pm_trace_interval interval;

	srand(15);
	for (int i = 0; i < 200000; i++) {
		uint64_t arguments[6];
		const size_t count = sizeof values / sizeof *values;

		for (size_t k = 0; k < 6; k++)
			arguments[k] = values[(size_t)rand() % count];
		apply_of(rand() % 5, (enum pm_trace_kind)(rand() % (PM_TRACE_LOST + 1)),
		         (uint32_t)rand() % 9, arguments, values[(size_t)rand() % count]);
	}

	for (uint64_t from = 0; pm_trace_intervals_find(space.list, from, &interval);
	     from = interval.range.end) {
		assert_true(interval.range.start >= from);
		assert_true(interval.range.start < interval.range.end);
		assert_true(interval.range.end <= PM_TRACE_ADDRESS_END + ((uint64_t)1 << 30));
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pieces_of_a_mapping_keep_their_stacks),
		TEST(growth_in_many_steps_is_not_lost),
		TEST(failed_calls_change_nothing),
		TEST(memory_is_released_when_the_call_begins),
		TEST(the_end_of_another_call_moves_nothing_of_a_pending_call),
		TEST(gaps_are_not_moved),
		TEST(mremap_can_shrink),
		TEST(mremap_can_keep_or_copy_the_old_range),
		TEST(huge_pages_are_rounded_up),
		TEST(brk_grows_and_shrinks),
		TEST(a_reserve_belongs_to_the_stack_that_commits_it),
		TEST(segments_are_attached_and_detached),
		TEST(page_faults_split_memory_from_before_the_trace),
		TEST(what_the_kernel_loads_is_of_no_stack),
		TEST(memory_that_is_given_back_belongs_to_the_next_stack),
		TEST(pages_around_a_touched_page_have_its_owner),
		TEST(exec_empties_the_list),
		TEST(random_arguments_are_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
