/* SPDX-License-Identifier: MIT */
/* Heap pages of Ruby and the range of the heap of .NET, in fake memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "runtimes/dotnet.h"
#include "runtimes/ruby.h"
#include "support/fake_memory.h"
#include "support/target.h"

/** A process. */
struct process {
	struct fake_memory memory;
	struct pm_regions regions;
	struct pm_reader reader;
	struct pm_runtimes_source source;
	struct pm_runtimes result;
	struct pm_runtimes_context context;
};

static void process_open(struct process *process)
{
	struct pm_error error = { 0 };

	memset(process, 0, sizeof *process);
	pm_regions_init(&process->regions);
	process->reader = fake_memory_reader(&process->memory);
	process->source = (struct pm_runtimes_source){ .regions = &process->regions,
		                                       .reader = &process->reader };
	process->context = (struct pm_runtimes_context){
		.source = &process->source,
		.memory = { .regions = &process->regions, .reader = &process->reader },
		.result = &process->result,
		.deadline_ns = UINT64_MAX,
	};
	must(pm_heap_window_open(&process->context.memory, &process->context.window, &error),
	     &error);
}

static void process_close(struct process *process)
{
	free(process->result.ranges);
	pm_heap_window_close(process->context.window);
	pm_regions_deinit(&process->regions);
}

/** Puts a heap page of Ruby, and its structure, which has the layout of Ruby 3.1. */
static void put_page(struct process *process, uint64_t page, uint64_t structure, uint16_t slot,
                     uint16_t count)
{
	fake_memory_put(&process->memory, page, structure);
	fake_memory_put(&process->memory, structure, (uint64_t)count << 16 | slot);
	fake_memory_put(&process->memory, structure + 32, page + slot);
}

static void ruby_pages(void **state)
{
	static const uint64_t heap = 0x7f0000000000, malloc_at = 0x555500000000;
	struct process process;
	(void)state;

	process_open(&process);
	fake_memory_region(&process.regions, malloc_at, 64 << 10, RW);
	fake_memory_region(&process.regions, heap, 1 << 20, RW);
	put_page(&process, heap, malloc_at, 40, 409);                   /* 3.1: 16 KiB */
	put_page(&process, heap + 0x10000, malloc_at + 0x100, 80, 818); /* 3.2: 64 KiB */
	put_page(&process, heap + 0x24000, malloc_at + 0x200, 80, 818); /* not aligned */
	put_page(&process, heap + 0x40000, malloc_at + 0x300, 40, 300); /* does not fill */
	put_page(&process, heap + 0x44000, malloc_at + 0x400, 41, 399); /* no slot size */
	put_page(&process, heap + 0x48000, malloc_at + 0x500, 40, 409);
	fake_memory_put(&process.memory, malloc_at + 0x520, heap); /* of another page */

	assert_int_equal(pm_runtime_ruby_read(&process.context), 2);
	assert_int_equal(process.result.range_count, 2);
	assert_int_equal(process.result.ranges[0].range.start, heap);
	assert_int_equal(process.result.ranges[0].range.end, heap + 0x4000);
	assert_int_equal(process.result.ranges[1].range.start, heap + 0x10000);
	assert_int_equal(process.result.ranges[1].range.end, heap + 0x20000);
	assert_int_equal(process.result.ranges[0].owner, PM_OWNER_RUBY_HEAP);
	process_close(&process);
}

static void dotnet_range(void **state)
{
	static const uint64_t gib = UINT64_C(1) << 30, at = 0x7e0000000000;
	struct process process;
	(void)state;

	process_open(&process);
	fake_memory_region(&process.regions, 0x10000000, 2 * gib, RW);
	fake_memory_region(&process.regions, at, gib / 4, RW);
	fake_memory_region(&process.regions, at + gib / 4, gib / 4, 0);
	fake_memory_region(&process.regions, at + gib / 2, gib / 2, RW);
	fake_memory_region(&process.regions, at + gib, 8 * gib, 0);
	assert_true(pm_runtime_dotnet_guess(&process.context));
	assert_int_equal(process.result.range_count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(process.result.ranges[i].owner, PM_OWNER_DOTNET_HEAP);
		assert_int_equal(process.result.ranges[i].proof, PM_PROOF_INFERRED);
	}
	assert_int_equal(process.result.ranges[0].range.start, at);
	assert_int_equal(process.result.ranges[1].range.start, at + gib / 2);

	/* Another range of nearly that size: nothing stands out. */
	process.result.range_count = 0;
	fake_memory_region(&process.regions, 0x7f0000000000, 5 * gib, 0);
	assert_false(pm_runtime_dotnet_guess(&process.context));
	assert_int_equal(process.result.range_count, 0);
	process_close(&process);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(ruby_pages),
		                            cmocka_unit_test(dotnet_range) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
