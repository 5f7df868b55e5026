/* SPDX-License-Identifier: MIT */
/* CPython in fake memory, with the sizes of several versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "support/fake_python.h"

static const unsigned versions[] = { 8, 9, 10, 11, 12, 13 };

enum { VERSIONS = sizeof versions / sizeof versions[0] };

/** Opens the heap. Fails the test if there is none. */
static struct pm_python_heap *open_heap(struct fake_python *fake)
{
	struct pm_runtimes_source source = fake_python_source(fake);
	struct pm_python_heap *heap = NULL;
	struct pm_error error;

	assert_int_equal(pm_python_heap_open(&source, &heap, &error), 0);
	assert_non_null(heap);
	return heap;
}

static void expect_type(const struct pm_python_heap *heap, const char *name, uint64_t count,
                        uint64_t bytes)
{
	const struct pm_runtime_type *type = pm_python_heap_type(heap, name);

	assert_non_null(type);
	assert_string_equal(type->family, "python");
	assert_int_equal(type->count, count);
	assert_int_equal(type->bytes, bytes);
}

/** Returns the number of objects of a type. */
static uint64_t count_of(const struct pm_python_heap *heap, const char *name)
{
	const struct pm_runtime_type *type = pm_python_heap_type(heap, name);

	return type ? type->count : 0;
}

/** Numbers of pools, blocks and objects. */
static void all_versions(void **state)
{
	(void)state;
	for (size_t i = 0; i < VERSIONS; i++) {
		struct fake_python *fake = fake_python_create(versions[i]);
		fake_python_fill(fake);

		struct pm_python_heap *heap = open_heap(fake);
		uint64_t room = fake->pool_size - 48;
		uint64_t pools = (fake_python_arena + fake->arena_size - fake->base) /
		                 fake->pool_size;
		assert_memory_equal(heap->version, "3.", 2);
		assert_string_equal(heap->variant, "");
		assert_string_equal(heap->missing, "");
		assert_true(heap->complete);
		assert_int_equal(heap->arena_size, fake->arena_size);
		assert_int_equal(heap->pool_size, fake->pool_size);
		assert_int_equal(heap->arenas, 1);
		assert_int_equal(heap->pools, 3);
		assert_int_equal(heap->pools_free, pools - 3);
		assert_int_equal(heap->blocks, 30 + 20 + 8);
		assert_int_equal(heap->in_use, 30 * 80 + 20 * 32 + 8 * 64);
		assert_int_equal(heap->free, (room / 80 - 30) * 80 + (room / 32 - 20) * 32 +
		                                     (room / 64 - 8) * 64 +
		                                     (pools - 3) * fake->pool_size);
		assert_int_equal(heap->classes[4].size, 80);
		assert_int_equal(heap->classes[4].pools, 1);
		assert_int_equal(heap->classes[4].count, 30);
		assert_int_equal(heap->classes[4].free, room / 80 - 30);
		assert_int_equal(heap->classes[31].pools, 0);

		assert_true(heap->types_known);
		assert_int_equal(heap->type_count, 3);
		assert_string_equal(heap->types[0].name, "Session");
		expect_type(heap, "Session", 30, 30 * 80);
		expect_type(heap, "int", 15, 15 * 32);
		expect_type(heap, "str", 8, 8 * 64);
		assert_int_equal(heap->other, 5);
		assert_int_equal(heap->other_bytes, 5 * 32);
		pm_python_heap_close(heap);
		fake_python_destroy(fake);
	}
}

/** Blocks that look like objects, but are not. */
static void not_objects(void **state)
{
	(void)state;
	struct fake_python *fake = fake_python_create(11);
	fake_python_fill(fake);
	uint64_t number = fake->metatype + 2 * 512;
	uint64_t plain = fake_python_add_type(fake, "Plain", 0, 32, 0);
	uint64_t tracked = fake_python_add_type(fake, "Tracked", FAKE_PYTHON_GC, 16, 0);
	uint64_t nameless = fake_python_add_type(fake, "", 0, 32, 0);
	uint64_t binary = fake_python_add_type(fake, "bad\xff", 0, 32, 0);
	uint64_t odd = fake_python_add_type(fake, "Odd", 0, 32, 0);
	uint64_t pool = fake_python_add_pool(fake, 32, 12);

	/* The type of this type is not a metaclass. */
	fake_python_put(fake, odd + 8, number);

	fake_python_put_object(fake, pool, 0, plain, 0, 1);
	fake_python_put_object(fake, pool, 1, tracked, 16, 1);
	/* The reference count of an object that is kept for reuse, or a pointer */
	fake_python_put_object(fake, pool, 2, plain, 0, 0);
	fake_python_put_object(fake, pool, 3, plain, 0, fake_python_heap);
	/* Objects of this type have another place in a block. */
	fake_python_put_object(fake, pool, 4, tracked, 0, 1);
	fake_python_put_object(fake, pool, 5, plain, 16, 1);
	fake_python_put_object(fake, pool, 6, nameless, 0, 1);
	fake_python_put_object(fake, pool, 7, binary, 0, 1);
	fake_python_put_object(fake, pool, 8, odd, 0, 1);
	fake_python_put_object(fake, pool, 9, fake_python_data + 8, 0, 1);
	fake_python_put_object(fake, pool, 10, UINT64_MAX - 7, 0, 1);
	/* A link of the garbage collector that is not an address */
	fake_python_put_object(fake, pool, 11, tracked, 16, 1);
	fake_python_put(fake, fake_python_block(fake, pool, 11), 0x123456789abcdef1);

	/* Objects of this type are not as large as the block. */
	uint64_t large = fake_python_add_pool(fake, 48, 1);
	fake_python_put_object(fake, large, 0, plain, 0, 1);

	struct pm_python_heap *heap = open_heap(fake);
	assert_int_equal(count_of(heap, "Plain"), 1);
	assert_int_equal(count_of(heap, "Tracked"), 1);
	assert_int_equal(count_of(heap, "Odd"), 0);
	assert_int_equal(heap->type_count, 5);
	assert_int_equal(heap->other, 5 + 10 + 1);
	pm_python_heap_close(heap);
	fake_python_destroy(fake);
}

/** Types of the same name are added up; the debug hooks are before the data. */
static void names_and_hooks(void **state)
{
	(void)state;
	struct fake_python *fake = fake_python_create(12);
	uint64_t one = fake_python_add_type(fake, "Node", 0, 24, 0);
	uint64_t other = fake_python_add_type(fake, "Node", 0, 32, 0);
	uint64_t pool = fake_python_add_pool(fake, 64, 3);

	for (uint32_t i = 0; i < 3; i++) {
		uint64_t block = fake_python_block(fake, pool, i);
		fake_python_put(fake, block + 8, UINT64_C(0xfdfdfdfdfdfdfd00) | 'o');
		fake_python_put_object(fake, pool, i, i == 0 ? one : other, 16, 1);
	}

	struct pm_python_heap *heap = open_heap(fake);
	assert_int_equal(heap->type_count, 1);
	expect_type(heap, "Node", 3, 3 * 64);
	assert_non_null(strstr(heap->variant, "debug hooks"));
	pm_python_heap_close(heap);
	fake_python_destroy(fake);
}

/** A list of free blocks that is a circle, leaves its pool, or is too short. */
static void broken_lists(void **state)
{
	(void)state;
	for (unsigned way = 0; way < 4; way++) {
		struct fake_python *fake = fake_python_create(13);
		fake_python_fill(fake);
		uint64_t block = fake_python_block(fake, fake->base, 27);

		if (way == 0)
			fake_python_put(fake, block, block);
		else if (way == 1)
			fake_python_put(fake, block, fake_python_heap);
		else if (way == 2)
			fake_python_put(fake, block, 0);
		else
			fake_python_put(fake, block, UINT64_MAX);

		struct pm_python_heap *heap = open_heap(fake);
		assert_false(heap->complete);
		assert_string_not_equal(heap->missing, "");
		assert_int_equal(heap->in_use, 30 * 80 + 20 * 32 + 8 * 64);
		expect_type(heap, "int", 15, 15 * 32);
		pm_python_heap_close(heap);
		fake_python_destroy(fake);
	}
}

/** Without arenas, objects are elsewhere, and the heap says where. */
static void other_allocators(void **state)
{
	(void)state;
	struct fake_python *fake = fake_python_create(13);
	fake_python_put(fake, fake_python_data + FAKE_PYTHON_POINTER, 0);

	struct pm_python_heap *heap = open_heap(fake);
	assert_int_equal(heap->arenas, 0);
	assert_int_equal(heap->type_count, 0);
	assert_non_null(strstr(heap->variant, "PYTHONMALLOC=malloc"));
	assert_string_equal(heap->version, "3.13.2");
	pm_python_heap_close(heap);

	strcpy((char *)fake->data + FAKE_PYTHON_TEXT,
	       "3.13.2 experimental free-threading build (main, Apr 28 2025) [GCC 12.2.0]");
	heap = open_heap(fake);
	assert_non_null(strstr(heap->variant, "mimalloc"));
	pm_python_heap_close(heap);
	fake_python_destroy(fake);
}

/** Versions whose objects are not known: only pools are counted. */
static void unknown_version(void **state)
{
	(void)state;
	struct fake_python *fake = fake_python_create(14);
	fake_python_fill(fake);

	struct pm_python_heap *heap = open_heap(fake);
	assert_int_equal(heap->blocks, 58);
	assert_false(heap->types_known);
	assert_int_equal(heap->type_count, 0);
	assert_non_null(strstr(heap->missing, "types"));
	pm_python_heap_close(heap);
	fake_python_destroy(fake);
}

/** Opens the runtimes, and returns the number of ranges that belong to Python. */
static size_t labelled(struct fake_python *fake)
{
	struct pm_runtimes_source source = fake_python_source(fake);
	struct pm_runtimes *runtimes = NULL;
	struct pm_error error;

	assert_int_equal(pm_runtimes_open(&source, &runtimes, &error), 0);
	size_t count = runtimes->range_count;
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(runtimes->ranges[i].owner, PM_OWNER_PYTHON_OBJECTS);
		assert_int_equal(runtimes->ranges[i].proof, PM_PROOF_PROVEN);
		assert_int_equal(runtimes->ranges[i].range.start, fake_python_arena);
		assert_int_equal(runtimes->ranges[i].range.end,
		                 fake_python_arena + fake->arena_size);
	}
	pm_runtimes_close(runtimes);
	return count;
}

/** An arena is labelled only if all its structures agree with each other. */
static void labels(void **state)
{
	(void)state;
	struct fake_python *fake = fake_python_create(9);
	uint64_t entry = fake_python_heap + FAKE_PYTHON_ARRAY;
	fake_python_fill(fake);
	assert_int_equal(labelled(fake), 1);

	/* The index of the arena in its first pool */
	fake_python_put_u32(fake, fake->base + 32, 1);
	assert_int_equal(labelled(fake), 0);
	fake_python_put_u32(fake, fake->base + 32, 0);

	/* The number of pools */
	fake_python_put_u32(fake, entry + 20, 63);
	assert_int_equal(labelled(fake), 0);
	fake_python_put_u32(fake, entry + 20, 64);

	/* Other entries: a few of them can be changed by the process at this moment. */
	fake_python_put(fake, entry + 48, 0x12345);
	assert_int_equal(labelled(fake), 1);
	for (uint64_t i = 1; i < FAKE_PYTHON_ENTRIES; i++)
		fake_python_put(fake, entry + i * 48, 0x12345);
	assert_int_equal(labelled(fake), 0);
	for (uint64_t i = 1; i < FAKE_PYTHON_ENTRIES; i++)
		fake_python_put(fake, entry + i * 48, 0);

	/* The number of entries */
	fake_python_put_u32(fake, fake_python_data + FAKE_PYTHON_COUNT, 17);
	assert_int_equal(labelled(fake), 0);
	fake_python_put_u32(fake, fake_python_data + FAKE_PYTHON_COUNT, 16);

	/* The region ends inside the arena. */
	fake->items[1].end -= 4096;
	assert_int_equal(labelled(fake), 0);
	fake->items[1].end += 4096;
	assert_int_equal(labelled(fake), 1);
	fake_python_destroy(fake);
}

/** Reports page states as the kernel does: all pages exist, but there are no addresses above 2^47.
 */
static int walk_pages(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
                      void *visitor, struct pm_error *error)
{
	const struct pm_page_run run = { start, end, PM_PAGE_PRESENT };
	(void)context;

	if (end > UINT64_C(1) << 47) {
		*error = (struct pm_error){ .kind = PM_ERROR_IO, .text = "Bad address" };
		return -1;
	}
	return visit(visitor, &run);
}

/** A name, a type and a link at addresses that no process can have. */
static void impossible_addresses(void **state)
{
	(void)state;
	static const uint64_t impossible[] = { UINT64_MAX - 7, UINT64_C(1) << 63,
		                               UINT64_C(0xffff800000000000),
		                               UINT64_C(0x800000000000) };

	for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; i++) {
		struct fake_python *fake = fake_python_create(11);
		fake_python_fill(fake);
		uint64_t bad = fake_python_add_type(fake, "Bad", 0, 32, 0);
		uint64_t pool = fake_python_add_pool(fake, 32, 2);
		fake_python_put(fake, bad + 24, impossible[i]);
		fake_python_put_object(fake, pool, 0, bad, 0, 1);
		fake_python_put_object(fake, pool, 1, impossible[i], 0, 1);

		struct pm_page_source pages = { .walk = walk_pages };
		struct pm_runtimes_source source = fake_python_source(fake);
		struct pm_python_heap *heap = NULL;
		struct pm_error error;
		source.pages = &pages;
		assert_int_equal(pm_python_heap_open(&source, &heap, &error), 0);
		assert_non_null(heap);
		assert_int_equal(heap->type_count, 3);
		assert_int_equal(heap->other, 5 + 2);
		pm_python_heap_close(heap);
		fake_python_destroy(fake);
	}
}

/** A file with such a name that is not CPython. */
static void not_python(void **state)
{
	(void)state;
	struct fake_python *fake = fake_python_create(11);
	struct pm_runtimes_source source = fake_python_source(fake);
	struct pm_python_heap *heap = NULL;
	struct pm_error error;

	memset(fake->data, 0, FAKE_PYTHON_DATA);
	assert_int_equal(pm_python_heap_open(&source, &heap, &error), 0);
	assert_null(heap);
	pm_python_heap_close(heap);

	fake->target.gone = true;
	assert_int_equal(pm_python_heap_open(&source, &heap, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	fake_python_destroy(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_versions),
		cmocka_unit_test(not_objects),
		cmocka_unit_test(names_and_hooks),
		cmocka_unit_test(broken_lists),
		cmocka_unit_test(other_allocators),
		cmocka_unit_test(unknown_version),
		cmocka_unit_test(labels),
		cmocka_unit_test(not_python),
		cmocka_unit_test(impossible_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
