/* SPDX-License-Identifier: MIT */
/* Counts of chunks that a test defines. The expected counts are those of the loops that add them.
 */
#include <procmem/census.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fake_types.h"
#include "support/target.h"

/** Address of the first chunk of a test. */
enum { FIRST = 0x10000 };

struct fixture {
	struct fake_types fake;
	struct pm_census *census;
	uint64_t next; /* address of the next chunk */
};

static void begin(struct fixture *fixture, unsigned keys, uint64_t budget)
{
	struct pm_error error;
	*fixture = (struct fixture){ .next = FIRST };
	fake_types_open(&fixture->fake);

	const struct pm_census_options options = {
		.keys = keys,
		.types = fixture->fake.types,
		.budget = budget,
	};
	must(pm_census_create(&options, &fixture->census, &error), &error);
}

static void end(struct fixture *fixture)
{
	pm_census_destroy(fixture->census);
	fake_types_close(&fixture->fake);
}

/** Adds a chunk that contains a text, or zeros. */
static void add_in(struct fixture *fixture, uint32_t arena, uint64_t size, const char *text)
{
	char head[PM_CHUNK_HEAD_SIZE] = { 0 };
	struct pm_error error;
	const struct pm_chunk chunk = {
		.address = fixture->next,
		.start = fixture->next + 16,
		.end = fixture->next + size + 8,
		.size = size,
		.arena = arena,
		.state = PM_CHUNK_IN_USE,
	};

	memcpy(head, text, strnlen(text, sizeof head));
	must(pm_census_add(fixture->census, &chunk, head, sizeof head, &error), &error);
	fixture->next += size;
}

static void add(struct fixture *fixture, uint64_t size, const char *text)
{
	add_in(fixture, 0, size, text);
}

static void sort(struct fixture *fixture, enum pm_census_order order)
{
	struct pm_error error;
	must(pm_census_sort(fixture->census, order, &error), &error);
}

static const struct pm_census_class *get(struct fixture *fixture, size_t index)
{
	assert_true(index < pm_census_count(fixture->census));
	return pm_census_get(fixture->census, index);
}

static void expect_text(const struct pm_census_class *class, const char *text)
{
	char found[PM_CHUNK_HEAD_SIZE + 1] = { 0 };
	memcpy(found, class->text, class->text_length);
	assert_string_equal(found, text);
}

static void counts_by_size(void **state)
{
	struct fixture fixture;
	(void)state;

	begin(&fixture, PM_CENSUS_SIZE, 0);
	for (int i = 0; i < 300; i++) {
		add(&fixture, 48, "some text");
		if (i % 3 == 0)
			add(&fixture, 1024, "");
	}
	sort(&fixture, PM_CENSUS_BY_BYTES);

	assert_int_equal(pm_census_count(fixture.census), 2);
	const struct pm_census_class *large = get(&fixture, 0), *small = get(&fixture, 1);
	assert_int_equal(large->size, 1024);
	assert_int_equal(large->count, 100);
	assert_int_equal(large->bytes, 102400);
	assert_int_equal(large->zeros, 100);
	assert_int_equal(large->equal, 100);
	assert_int_equal(large->type->content, PM_CONTENT_ZEROS);
	assert_int_equal(large->text_length, 0);
	assert_int_equal(large->example, FIRST + 48 + 16);
	assert_int_equal(small->count, 300);
	assert_int_equal(small->type->content, PM_CONTENT_TEXT);
	assert_int_equal(small->type_count, 300);
	assert_int_equal(small->missed, 0);
	expect_text(small, "some text");
	assert_int_equal(small->text_percent, 100);
	assert_int_equal(large->text_percent, 0);
	assert_false(small->text_varies);
	assert_false(small->text_cut);

	sort(&fixture, PM_CENSUS_BY_COUNT);
	assert_int_equal(get(&fixture, 0)->count, 300);
	sort(&fixture, PM_CENSUS_BY_SIZE);
	assert_int_equal(get(&fixture, 0)->size, 1024);
	assert_int_equal(pm_census_bound(fixture.census), 0);
	end(&fixture);
}

static void counts_by_type(void **state)
{
	struct fixture fixture;
	(void)state;

	begin(&fixture, PM_CENSUS_SIZE | PM_CENSUS_TYPE, 0);
	for (int i = 0; i < 10; i++)
		add(&fixture, 48, i < 7 ? "a text" : "");
	sort(&fixture, PM_CENSUS_BY_BYTES);

	assert_int_equal(pm_census_count(fixture.census), 2);
	assert_int_equal(get(&fixture, 0)->count, 7);
	assert_int_equal(get(&fixture, 0)->type->content, PM_CONTENT_TEXT);
	assert_int_equal(get(&fixture, 1)->count, 3);
	assert_int_equal(get(&fixture, 1)->type->content, PM_CONTENT_ZEROS);
	end(&fixture);
}

/** Without the key, the type is that of most chunks. */
static void most_frequent_type(void **state)
{
	struct fixture fixture;
	(void)state;

	begin(&fixture, PM_CENSUS_SIZE, 0);
	for (int i = 0; i < 100; i++)
		add(&fixture, 48, i % 5 == 0 ? "" : "a text");
	sort(&fixture, PM_CENSUS_BY_BYTES);

	assert_int_equal(get(&fixture, 0)->type->content, PM_CONTENT_TEXT);
	assert_in_range(get(&fixture, 0)->type_count, 60, 80);
	end(&fixture);
}

static void counts_by_text(void **state)
{
	struct fixture fixture;
	char text[64];
	(void)state;

	begin(&fixture, PM_CENSUS_TEXT, 0);
	for (unsigned i = 0; i < 1000; i++) {
		sprintf(text, "session user=%u state=active", i * 7);
		add(&fixture, 48 + i % 2 * 16, text);
		if (i % 4 == 0)
			add(&fixture, 48, "the same text");
		if (i % 10 == 0)
			add(&fixture, 48, "");
	}
	sort(&fixture, PM_CENSUS_BY_COUNT);

	assert_int_equal(pm_census_count(fixture.census), 3);
	assert_int_equal(get(&fixture, 0)->count, 1000);
	assert_int_equal(get(&fixture, 0)->size, 0);
	assert_true(get(&fixture, 0)->text_varies);
	expect_text(get(&fixture, 0), "session user=# state=active");
	assert_int_equal(get(&fixture, 1)->count, 250);
	assert_int_equal(get(&fixture, 1)->size, 48);
	assert_false(get(&fixture, 1)->text_varies);
	expect_text(get(&fixture, 1), "the same text");
	assert_int_equal(get(&fixture, 2)->count, 100);
	expect_text(get(&fixture, 2), "");
	end(&fixture);
}

/** Texts are cut at different places of their templates. */
static void long_texts_have_one_class(void **state)
{
	struct fixture fixture;
	char text[128];
	(void)state;

	begin(&fixture, PM_CENSUS_TEXT, 0);
	for (unsigned i = 1; i < 1000000; i *= 10) {
		sprintf(text, "order %u of a customer with a name that is longer than the bytes",
		        i);
		add(&fixture, 256, text);
	}
	sort(&fixture, PM_CENSUS_BY_COUNT);

	assert_int_equal(pm_census_count(fixture.census), 1);
	expect_text(get(&fixture, 0), "order # of a customer with a nam");
	assert_true(get(&fixture, 0)->text_cut);
	end(&fixture);
}

/** If the chunks of a class have no common text, the class has no text. */
static void no_text_for_different_texts(void **state)
{
	static const char *const words[] = { "apple", "pear", "plum", "cherry", "fig" };
	struct fixture fixture;
	(void)state;

	begin(&fixture, PM_CENSUS_SIZE, 0);
	for (unsigned i = 0; i < 500; i++)
		add(&fixture, 48, words[i % 5]);
	sort(&fixture, PM_CENSUS_BY_COUNT);

	assert_int_equal(get(&fixture, 0)->count, 500);
	assert_int_equal(get(&fixture, 0)->text_length, 0);
	end(&fixture);
}

/** A text that three of four chunks have. */
static void text_of_most_chunks(void **state)
{
	struct fixture fixture;
	(void)state;

	begin(&fixture, PM_CENSUS_SIZE, 0);
	for (unsigned i = 0; i < 200; i++)
		add(&fixture, 48, i % 4 == 0 ? "rare" : "frequent");
	sort(&fixture, PM_CENSUS_BY_COUNT);

	expect_text(get(&fixture, 0), "frequent");
	assert_in_range(get(&fixture, 0)->text_percent, 70, 75);
	end(&fixture);
}

static void counts_by_arena(void **state)
{
	struct fixture fixture;
	(void)state;

	begin(&fixture, PM_CENSUS_ARENA, 0);
	for (uint32_t i = 0; i < 100; i++)
		add_in(&fixture, i % 4 == 0 ? PM_CHUNK_MAPPED : 1, 32 + i * 16, "");
	sort(&fixture, PM_CENSUS_BY_COUNT);

	assert_int_equal(pm_census_count(fixture.census), 2);
	assert_int_equal(get(&fixture, 0)->arena, 1);
	assert_int_equal(get(&fixture, 0)->count, 75);
	assert_int_equal(get(&fixture, 1)->arena, PM_CHUNK_MAPPED);
	assert_int_equal(get(&fixture, 1)->count, 25);
	end(&fixture);
}

/**
 * More classes than memory: a few large ones among many small ones. The counts in the census are
 * within the promised bounds, and the large classes are in the census.
 */
static void bounds_hold_in_little_memory(void **state)
{
	enum { LARGE = 20, SMALL = 4000, ROUNDS = 40 };
	static uint64_t truth[LARGE + SMALL];
	struct fixture fixture;
	uint64_t all = 0;
	(void)state;

	begin(&fixture, PM_CENSUS_SIZE, PM_CENSUS_BUDGET_MIN);
	for (unsigned i = 0; i < SMALL; i++) {
		uint64_t size = 32 + 16 * (uint64_t)(LARGE + i);
		truth[LARGE + i] += size;
		all += size;
		add(&fixture, size, "");
		for (unsigned k = 0; k < LARGE && i % (SMALL / ROUNDS) == 0; k++) {
			for (unsigned n = 0; n < 1000; n++)
				add(&fixture, 32 + 16 * k, "");
			truth[k] += 1000 * (uint64_t)(32 + 16 * k);
			all += 1000 * (uint64_t)(32 + 16 * k);
		}
	}
	sort(&fixture, PM_CENSUS_BY_BYTES);

	uint64_t bound = pm_census_bound(fixture.census);
	static bool seen[LARGE + SMALL];
	assert_true(bound > 0);
	assert_true(pm_census_count(fixture.census) < SMALL / 2);
	for (size_t i = 0; i < pm_census_count(fixture.census); i++) {
		const struct pm_census_class *class = get(&fixture, i);
		size_t index = (size_t)(class->size - 32) / 16;
		assert_true(class->bytes <= truth[index]);
		assert_true(class->bytes + class->missed >= truth[index]);
		seen[index] = true;
	}
	for (size_t i = 0; i < LARGE + SMALL; i++)
		if (truth[i] > bound)
			assert_true(seen[i]);
	for (size_t i = 0; i < LARGE; i++)
		assert_true(seen[i]);
	assert_int_equal(pm_census_total(fixture.census).bytes, all);
	assert_int_equal(pm_census_total(fixture.census).count, SMALL + ROUNDS * LARGE * 1000);
	end(&fixture);
}

static void wrong_options(void **state)
{
	struct fake_types fake;
	struct pm_census *census = NULL;
	struct pm_error error;
	(void)state;

	fake_types_open(&fake);
	struct pm_census_options options = { .types = fake.types };
	assert_int_equal(pm_census_create(&options, &census, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	options.keys = PM_CENSUS_SIZE;
	options.budget = PM_CENSUS_BUDGET_MIN - 1;
	assert_int_equal(pm_census_create(&options, &census, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_null(census);
	pm_census_destroy(NULL);
	fake_types_close(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_by_size),
		cmocka_unit_test(counts_by_type),
		cmocka_unit_test(most_frequent_type),
		cmocka_unit_test(counts_by_text),
		cmocka_unit_test(long_texts_have_one_class),
		cmocka_unit_test(no_text_for_different_texts),
		cmocka_unit_test(text_of_most_chunks),
		cmocka_unit_test(counts_by_arena),
		cmocka_unit_test(bounds_hold_in_little_memory),
		cmocka_unit_test(wrong_options),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
