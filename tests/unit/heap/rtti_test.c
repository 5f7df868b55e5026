/* SPDX-License-Identifier: MIT */
/* Type information in fake memory: valid, damaged and hostile. */
#include <procmem/chunk_type.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reader/fake_reader.h"
#include "support/target.h"

/** A library: data with the vtables and names, then code. Unmapped memory follows both. */
enum {
	DATA = 0x7000000,
	DATA_SIZE = 0x400000,
	CODE = 0x8000000,
	CODE_SIZE = 0x1000,
	TABLE = DATA + 0x100,  /* offset 0, address of the type_info, address of a function */
	OBJECT = TABLE + 16,   /* what objects contain */
	INFO = DATA + 0x200,   /* address of a vtable, address of the name */
	NAME = DATA + 0x300,   /* the name */
	OTHER = DATA + 0x1000, /* the vtable of the class of the type_info */
};

struct fixture {
	unsigned char data[DATA_SIZE];
	struct pm_fake_range range;
	struct pm_fake_target target;
	struct pm_reader reader;
	struct pm_regions regions;
	struct pm_heap_source source;
	struct pm_chunk_types *types;
};

static void put(struct fixture *f, uint64_t address, uint64_t value)
{
	memcpy(f->data + (address - DATA), &value, sizeof value);
}

static void put_name(struct fixture *f, const char *name)
{
	memcpy(f->data + (NAME - DATA), name, strlen(name) + 1);
}

static void append(struct fixture *f, uint64_t start, uint64_t size, unsigned perms)
{
	struct pm_error error;
	const struct pm_region region = {
		.start = start,
		.end = start + size,
		.perms = (uint8_t)perms,
		.mapping = "/lib/libshop.so",
		.inode = 7,
	};
	must(pm_regions_append(&f->regions, &region, &error), &error);
}

/** Makes a library with the vtable of shop::Order. */
static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	struct pm_error error;

	put(f, TABLE, 0);
	put(f, TABLE + 8, INFO);
	put(f, TABLE + 16, CODE + 0x40);
	put(f, INFO, OTHER + 16);
	put(f, INFO + 8, NAME);
	put_name(f, "N4shop5OrderE");

	f->range = (struct pm_fake_range){ DATA, f->data, sizeof f->data };
	f->target = (struct pm_fake_target){ .ranges = &f->range, .count = 1 };
	f->reader = pm_fake_reader(&f->target);
	pm_regions_init(&f->regions);
	append(f, DATA, DATA_SIZE, PM_PERM_READ);
	append(f, CODE, CODE_SIZE, PM_PERM_READ | PM_PERM_EXEC);
	f->source = (struct pm_heap_source){ .regions = &f->regions, .reader = &f->reader };

	const struct pm_chunk_type_source source = { .memory = &f->source };
	must(pm_chunk_types_open(&source, &f->types, &error), &error);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	pm_chunk_types_close(f->types);
	pm_regions_deinit(&f->regions);
	free(f);
	return 0;
}

/** Classifies a chunk that starts with a word. */
static const struct pm_chunk_type *classify(struct fixture *f, uint64_t word)
{
	uint64_t head[8] = { word };
	const struct pm_chunk_type *type;
	struct pm_error error;
	must(pm_chunk_types_find(f->types, head, sizeof head, &type, &error), &error);
	return type;
}

static void expect_object(struct fixture *f, const char *name)
{
	const struct pm_chunk_type *type = classify(f, OBJECT);
	assert_int_equal(type->content, PM_CONTENT_OBJECT);
	assert_int_equal(type->proof, PM_TYPE_PROOF_RTTI);
	assert_string_equal(type->name, name);
}

/** Expects that the word is only a place in the library. */
static void expect_place(struct fixture *f, uint64_t word)
{
	const struct pm_chunk_type *type = classify(f, word);
	assert_int_not_equal(type->content, PM_CONTENT_OBJECT);
	assert_int_equal(type->proof, PM_TYPE_PROOF_NONE);
}

static void a_class(void **state)
{
	struct fixture *f = *state;
	expect_object(f, "shop::Order");
	assert_string_equal(classify(f, OBJECT)->object, "/lib/libshop.so");
}

static void a_local_class(void **state)
{
	struct fixture *f = *state;
	put_name(f, "*N12_GLOBAL__N_16HiddenE");
	expect_object(f, "(anonymous namespace)::Hidden");
}

/** The first function of an abstract class can be missing. */
static void no_first_function(void **state)
{
	struct fixture *f = *state;
	put(f, TABLE + 16, 0);
	expect_object(f, "shop::Order");
}

static void other_offset(void **state)
{
	struct fixture *f = *state;
	put(f, TABLE, (uint64_t)-16);
	expect_place(f, OBJECT);
}

static void no_information(void **state)
{
	struct fixture *f = *state;
	put(f, TABLE + 8, 0);
	expect_place(f, OBJECT);
}

static void information_elsewhere(void **state)
{
	struct fixture *f = *state;
	put(f, TABLE + 8, 0x1234567000);
	expect_place(f, OBJECT);
}

static void function_is_data(void **state)
{
	struct fixture *f = *state;
	put(f, TABLE + 16, INFO);
	expect_place(f, OBJECT);
}

static void information_is_its_own_name(void **state)
{
	struct fixture *f = *state;
	put(f, INFO, INFO);
	put(f, INFO + 8, INFO);
	expect_place(f, OBJECT);
}

static void name_elsewhere(void **state)
{
	struct fixture *f = *state;
	put(f, INFO + 8, UINT64_MAX - 7);
	expect_place(f, OBJECT);
}

static void wrong_names(void **state)
{
	struct fixture *f = *state;
	static const char *const names[] = {
		"", "*", "N4shop5Order", "shop", "5Order\x01", "\xff"
	};

	/* The result of a word is stored, so each name gets its own vtable. */
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		uint64_t table = DATA + 0x2000 + i * 0x40;
		put_name(f, names[i]);
		put(f, table + 8, INFO);
		put(f, table + 16, CODE);
		expect_place(f, table + 16);
	}
}

/** A name without an end, up to the end of the readable memory. */
static void endless_name(void **state)
{
	struct fixture *f = *state;
	memset(f->data + DATA_SIZE - 100, 'x', 100);
	put(f, INFO + 8, DATA + DATA_SIZE - 100);
	expect_place(f, OBJECT);
}

static void long_name(void **state)
{
	struct fixture *f = *state;
	memset(f->data + 0x5000, 'x', 3000);
	put(f, INFO + 8, DATA + 0x5000);
	expect_place(f, OBJECT);
}

/** The two words before the vtable are not in the library. */
static void vtable_at_the_start(void **state)
{
	struct fixture *f = *state;
	expect_place(f, DATA);
	expect_place(f, DATA + 8);
	expect_place(f, DATA + DATA_SIZE - 8);
}

static void unreadable_memory(void **state)
{
	struct fixture *f = *state;
	f->range.size = 0x110;
	expect_place(f, OBJECT);
}

/** A core file does not contain all permissions and pages: only the vtable is known. */
static void a_core_file(void **state)
{
	struct fixture *f = *state;
	const struct pm_chunk_type_source source = { .memory = &f->source };
	struct pm_error error;

	pm_chunk_types_close(f->types);
	f->regions.items[1].perms = PM_PERM_UNKNOWN;
	f->range.size = NAME - DATA;
	must(pm_chunk_types_open(&source, &f->types, &error), &error);
	assert_int_equal(classify(f, OBJECT)->content, PM_CONTENT_STATIC);
	assert_string_equal(classify(f, OBJECT)->name, "libshop.so+0x110");

	pm_chunk_types_close(f->types);
	f->range.size = sizeof f->data;
	must(pm_chunk_types_open(&source, &f->types, &error), &error);
	expect_object(f, "shop::Order");
}

/** An array of pointers to the same object is not an object of its class. */
static void array_of_equal_pointers(void **state)
{
	struct fixture *f = *state;
	uint64_t head[8] = { OBJECT, OBJECT, OBJECT };
	const struct pm_chunk_type *type;
	struct pm_error error;

	must(pm_chunk_types_find(f->types, head, sizeof head, &type, &error), &error);
	assert_string_equal(type->name, "");
	head[1] = 0;
	must(pm_chunk_types_find(f->types, head, sizeof head, &type, &error), &error);
	assert_string_equal(type->name, "shop::Order");
}

static void the_target_is_gone(void **state)
{
	struct fixture *f = *state;
	uint64_t head[8] = { OBJECT };
	const struct pm_chunk_type *type = NULL;
	struct pm_error error;

	f->target.gone = true;
	assert_int_equal(pm_chunk_types_find(f->types, head, sizeof head, &type, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	assert_null(type);
}

/** A target in which each chunk points to another place: memory is bounded, and known names stay.
 */
static void many_places(void **state)
{
	struct fixture *f = *state;
	size_t named = 0;

	expect_object(f, "shop::Order");
	for (uint64_t word = DATA + 0x10000; word < DATA + DATA_SIZE - 16; word += 8)
		named += classify(f, word)->name[0] != '\0';
	assert_in_range(named, 1000, 1 << 16);
	expect_object(f, "shop::Order");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_class),
		TEST(a_local_class),
		TEST(no_first_function),
		TEST(other_offset),
		TEST(no_information),
		TEST(information_elsewhere),
		TEST(function_is_data),
		TEST(information_is_its_own_name),
		TEST(name_elsewhere),
		TEST(wrong_names),
		TEST(endless_name),
		TEST(long_name),
		TEST(vtable_at_the_start),
		TEST(unreadable_memory),
		TEST(a_core_file),
		TEST(array_of_equal_pointers),
		TEST(the_target_is_gone),
		TEST(many_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
