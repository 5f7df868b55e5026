/* SPDX-License-Identifier: MIT */
/* Allocators that are part of a program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <procmem/heap.h>

#include "support/fake_heap.h"
#include "support/look.h"
#include "support/target.h"

static enum pm_heap_allocator linked_into(const char *program)
{
	struct target target;

	target_start(&target, program, NULL);
	struct pm_process *process = open_process(target.pid);
	enum pm_heap_allocator allocator = pm_heap_find_linked(process);
	pm_process_close(process);
	target_stop(&target);
	return allocator;
}

/** What the program only refers to, or what is not a function, is not found. */
static void functions_of_an_allocator(void **state)
{
	(void)state;
	assert_int_equal(linked_into("linked_allocator"), PM_HEAP_ALLOCATOR_MIMALLOC);
	assert_int_equal(linked_into("holders"), PM_HEAP_ALLOCATOR_UNKNOWN);
}

static struct pm_heap *open_with(struct fake_heap *fake, enum pm_heap_allocator linked)
{
	const struct pm_heap_source source = { .regions = &fake->regions,
		                               .reader = &fake->reader,
		                               .stopped = true,
		                               .linked = linked };
	struct pm_error error = { 0 };
	struct pm_heap *heap = NULL;

	must(pm_heap_open(&source, &heap, &error), &error);
	return heap;
}

static void it_is_named_beside_glibc(void **state)
{
	(void)state;
	struct fake_heap fake;

	fake_heap_init(&fake, FAKE_GLIBC_236);
	struct pm_heap *heap = open_with(&fake, PM_HEAP_ALLOCATOR_TCMALLOC);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_GLIBC);
	assert_int_equal(heap->other, PM_HEAP_ALLOCATOR_TCMALLOC);
	assert_false(heap->other_known);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

static void it_is_named_without_glibc(void **state)
{
	(void)state;
	struct fake_heap fake;

	fake_heap_init(&fake, FAKE_GLIBC_236);
	fake.regions.count = 0;
	struct pm_heap *heap = open_with(&fake, PM_HEAP_ALLOCATOR_GO);
	assert_int_equal(heap->allocator, PM_HEAP_ALLOCATOR_GO);
	assert_string_equal(pm_heap_allocator_name(heap->allocator), "Go");
	assert_int_equal(heap->other, PM_HEAP_ALLOCATOR_UNKNOWN);
	assert_int_equal(heap->chunk_count, 0);
	assert_true(heap->proof[0]);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_an_allocator),
		cmocka_unit_test(it_is_named_beside_glibc),
		cmocka_unit_test(it_is_named_without_glibc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
