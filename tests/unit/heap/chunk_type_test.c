/* SPDX-License-Identifier: MIT */
/* What chunks contain: in targets that print what they created, with and without symbols. */
#include <procmem/chunk_type.h>

#include <procmem/symbols.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/look.h"
#include "support/target.h"

/** A target whose chunks are classified. */
struct fixture {
	struct target target;
	struct look look;
	struct pm_symbols *symbols;
	struct pm_chunk_types *types;
	struct pm_heap_source source;
};

static void begin(struct fixture *fixture, const char *program, bool with_symbols)
{
	struct pm_error error;
	*fixture = (struct fixture){ 0 };

	target_start(&fixture->target, program, NULL);
	look_open(&fixture->look, fixture->target.pid);
	if (with_symbols)
		must(pm_symbols_open(fixture->look.process, &fixture->look.regions,
		                     &fixture->symbols, &error),
		     &error);

	fixture->source = (struct pm_heap_source){
		.regions = &fixture->look.regions,
		.reader = &fixture->look.memory,
		.pages = &fixture->look.pages,
	};
	const struct pm_chunk_type_source source = {
		.memory = &fixture->source,
		.symbols = fixture->symbols,
		.files = &fixture->look.files,
	};
	must(pm_chunk_types_open(&source, &fixture->types, &error), &error);
}

static void end(struct fixture *fixture)
{
	pm_chunk_types_close(fixture->types);
	pm_symbols_close(fixture->symbols);
	look_close(&fixture->look);
	target_stop(&fixture->target);
}

/** Classifies the chunk at an address. */
static const struct pm_chunk_type *type_at(struct fixture *fixture, uint64_t address, size_t size)
{
	char head[PM_CHUNK_HEAD_SIZE];
	const struct pm_chunk_type *type;
	struct pm_error error;

	if (size > sizeof head)
		size = sizeof head;
	must(pm_reader_read(&fixture->look.memory, address, head, size, NULL, &error), &error);
	must(pm_chunk_types_find(fixture->types, head, size, &type, &error), &error);
	return type;
}

/** Compares the type of each chunk that the target printed with the name that it printed. */
static void compare(struct fixture *fixture, const char *what, enum pm_type_proof proof)
{
	size_t compared = 0;

	for (size_t i = 0; i < fixture->target.count; i++) {
		const char *fact = fixture->target.facts[i];
		unsigned long size, address;
		char word[32], name[100];

		if (sscanf(fact, "%31s %*u %lu %lx %99[^\n]", word, &size, &address, name) != 4 ||
		    strcmp(word, what) != 0)
			continue;

		const struct pm_chunk_type *type = type_at(fixture, address, size);
		const char *label = pm_chunk_type_label(type);
		if (strcmp(name, "floats") == 0)
			strcpy(name, "numbers");
		if (strcmp(name, "inner") == 0)
			strcpy(name, "data");
		if (strcmp(name, label) != 0)
			fail_msg("%s: is '%s'", fact, label);
		if (type->name[0])
			assert_int_equal(type->proof, proof);
		compared++;
	}

	assert_true(compared >= 8);
}

static void objects_with_symbols(void **state)
{
	struct fixture fixture;
	(void)state;
	begin(&fixture, "objects", true);
	compare(&fixture, "class", PM_TYPE_PROOF_SYMBOL);
	end(&fixture);
}

static void objects_without_symbols(void **state)
{
	struct fixture fixture;
	(void)state;
	begin(&fixture, "objects", false);
	compare(&fixture, "class", PM_TYPE_PROOF_RTTI);
	end(&fixture);
}

static void objects_of_a_stripped_program(void **state)
{
	struct fixture fixture;
	(void)state;
	begin(&fixture, "objects_stripped", true);
	compare(&fixture, "class", PM_TYPE_PROOF_RTTI);
	end(&fixture);
}

static void contents_with_symbols(void **state)
{
	struct fixture fixture;
	(void)state;
	begin(&fixture, "contents", true);
	compare(&fixture, "chunks", PM_TYPE_PROOF_SYMBOL);
	end(&fixture);
}

/** Returns the type of the chunk with a name that the target printed. */
static const struct pm_chunk_type *type_of(struct fixture *fixture, const char *wanted)
{
	for (size_t i = 0; i < fixture->target.count; i++) {
		unsigned long size, address;
		char name[100];
		if (sscanf(fixture->target.facts[i], "%*s %*u %lu %lx %99[^\n]", &size, &address,
		           name) == 3 &&
		    strcmp(name, wanted) == 0)
			return type_at(fixture, address, size);
	}

	fail_msg("the target did not print '%s'", wanted);
	return NULL;
}

/** Without a symbol, the file and the offset in it distinguish variables and functions. */
static void places_without_symbols(void **state)
{
	struct fixture fixture;
	(void)state;

	begin(&fixture, "contents", false);
	const struct pm_chunk_type *variable = type_of(&fixture, "contents_descriptor");
	assert_int_equal(variable->content, PM_CONTENT_STATIC);
	assert_int_equal(variable->proof, PM_TYPE_PROOF_NONE);
	assert_memory_equal(variable->name, "contents+0x", 11);

	const struct pm_chunk_type *function = type_of(&fixture, "contents_callback");
	assert_int_equal(function->content, PM_CONTENT_FUNCTION);
	assert_memory_equal(function->name, "contents+0x", 11);
	assert_string_not_equal(function->name, variable->name);
	end(&fixture);
}

/** Chunks of equal type have the same pointer. */
static void types_are_unique(void **state)
{
	struct fixture fixture;
	(void)state;

	begin(&fixture, "objects", true);
	const struct pm_chunk_type *circle = type_of(&fixture, "Circle");
	assert_ptr_equal(circle, type_of(&fixture, "Circle"));
	assert_ptr_not_equal(circle, type_of(&fixture, "Sprite"));
	assert_true(strstr(circle->object, "/objects") != NULL);
	assert_int_equal(circle->word, 0);
	end(&fixture);
}

/** The number of elements is before the objects of an array. */
static void arrays_of_objects(void **state)
{
	struct fixture fixture;
	size_t arrays = 0;
	(void)state;

	begin(&fixture, "objects", true);
	for (size_t i = 0; i < fixture.target.count; i++) {
		unsigned long address;
		if (sscanf(fixture.target.facts[i], "class 12 296 %lx Square", &address) != 1)
			continue;
		assert_int_equal(type_at(&fixture, address, 64)->word, 8);
		arrays++;
	}
	assert_int_equal(arrays, 1);
	end(&fixture);
}

/** Looking names up does not make pages of the target resident. */
static void the_target_does_not_grow(void **state)
{
	struct fixture fixture;
	(void)state;

	begin(&fixture, "objects", false);
	uint64_t before = status_number(fixture.target.pid, "VmRSS:");
	compare(&fixture, "class", PM_TYPE_PROOF_RTTI);
	assert_int_equal(status_number(fixture.target.pid, "VmRSS:"), before);
	end(&fixture);
}

static void bytes_that_were_not_read(void **state)
{
	struct fixture fixture;
	const struct pm_chunk_type *type;
	struct pm_error error;
	(void)state;

	begin(&fixture, "contents", true);
	must(pm_chunk_types_find(fixture.types, "", 0, &type, &error), &error);
	assert_int_equal(type->content, PM_CONTENT_UNREAD);
	assert_string_equal(pm_chunk_type_label(type), "unread");
	end(&fixture);
}

/** Expects a content of 64 bytes. */
static void expect_content(struct fixture *fixture, const uint64_t words[8],
                           enum pm_content content)
{
	const struct pm_chunk_type *type;
	struct pm_error error;

	must(pm_chunk_types_find(fixture->types, words, 64, &type, &error), &error);
	assert_int_equal(type->content, content);
}

/** The pointers below a node and the bytes after its colour do not change its content. */
static void nodes_of_a_tree_have_one_content(void **state)
{
	const uint64_t colours[] = { 0, 1, UINT64_C(0x5581) << 32, (UINT64_C(0x7f12) << 32) | 1,
		                     UINT64_C(0xdeadbeef) << 32 };
	struct fixture fixture;
	uint64_t p = 0;
	(void)state;

	begin(&fixture, "contents", true);
	for (size_t i = 0; i < fixture.look.regions.count; i++)
		if (strcmp(fixture.look.regions.items[i].mapping, "[heap]") == 0)
			p = fixture.look.regions.items[i].start + 32;
	assert_int_not_equal(p, 0);

	for (size_t i = 0; i < sizeof colours / sizeof *colours; i++) {
		const uint64_t c = colours[i];
		expect_content(&fixture, (uint64_t[8]){ c, p, 0, 0, 1, 2, 3, 4 },
		               PM_CONTENT_POINTERS);
		expect_content(&fixture, (uint64_t[8]){ c, p, p + 48, 0, 1, 2, ~3ul << 40, 4 },
		               PM_CONTENT_POINTERS);
		expect_content(&fixture, (uint64_t[8]){ c, p, p + 48, p + 96, 1, 2, 3, 4 },
		               PM_CONTENT_POINTERS);
	}

	/* Other numbers and addresses. */
	expect_content(&fixture, (uint64_t[8]){ 2, p, 0, 0, 1, 2, 3, 4 }, PM_CONTENT_NUMBERS);
	expect_content(&fixture, (uint64_t[8]){ 1, p, 9, 0, 1, 2, 3, 4 }, PM_CONTENT_NUMBERS);
	expect_content(&fixture, (uint64_t[8]){ 1, p + 4, 0, 0, 1, 2, 3, 4 }, PM_CONTENT_NUMBERS);
	expect_content(&fixture, (uint64_t[8]){ 1, 8, 0, 0, 1, 2, 3, 4 }, PM_CONTENT_NUMBERS);
	end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_of_a_tree_have_one_content),
		cmocka_unit_test(objects_with_symbols),
		cmocka_unit_test(objects_without_symbols),
		cmocka_unit_test(objects_of_a_stripped_program),
		cmocka_unit_test(contents_with_symbols),
		cmocka_unit_test(places_without_symbols),
		cmocka_unit_test(types_are_unique),
		cmocka_unit_test(arrays_of_objects),
		cmocka_unit_test(the_target_does_not_grow),
		cmocka_unit_test(bytes_that_were_not_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
