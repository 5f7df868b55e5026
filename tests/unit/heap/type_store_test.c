/* SPDX-License-Identifier: MIT */
/* Types and words that a target can choose. */
#include "heap/type_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/target.h"

enum { WORDS = 20000, TYPES = 5000, RUN_MAX = 500 };

/** Returns the number of slots in the longest row of slots that are in use. */
static size_t longest_row(const struct pm_type_store *store)
{
	size_t longest = 0, row = 0;

	for (size_t i = 0; i < store->word_slots; i++) {
		row = store->words[i].word ? row + 1 : 0;
		if (row > longest)
			longest = row;
	}
	return longest;
}

/** Returns the number whose product with an odd number is 1 (Newton's method). */
static uint64_t inverse_of(uint64_t odd)
{
	uint64_t inverse = odd;
	for (int i = 0; i < 6; i++)
		inverse *= 2 - odd * inverse;
	return inverse;
}

/**
 * Words whose products with the usual constant are equal in the middle bits, and words that are
 * multiples of a page: a hash without a seed puts them into few slots.
 */
static void chosen_words(void **state)
{
	(void)state;
	const uint64_t inverse = inverse_of(0x9e3779b97f4a7c15);

	for (int chosen = 0; chosen < 2; chosen++) {
		struct pm_type_store store = { 0 };
		struct pm_error error;

		for (uint64_t i = 1; i <= WORDS; i++) {
			uint64_t word = chosen ? (i << 44) * inverse : i << 12;
			must(pm_type_store_add_word(&store, word, NULL, &error), &error);
		}
		assert_int_equal(store.word_count, WORDS);
		assert_true(longest_row(&store) < RUN_MAX);
		for (uint64_t i = 1; i <= WORDS; i += 7) {
			uint64_t word = chosen ? (i << 44) * inverse : i << 12;
			const struct pm_type_word *found = pm_type_store_find(&store, word);
			assert_non_null(found);
			assert_true(found->word == word);
			assert_null(pm_type_store_find(&store, word + 1));
		}
		pm_type_store_deinit(&store);
	}
}

/** Equal types are stored once. */
static void types(void **state)
{
	(void)state;
	struct pm_type_store store = { 0 };
	struct pm_error error;

	for (unsigned i = 0; i < 2 * TYPES; i++) {
		char name[32];
		const struct pm_chunk_type *stored;

		snprintf(name, sizeof name, "type %u", i % TYPES);
		const struct pm_chunk_type type = { .name = name, .object = "/lib/any.so" };
		must(pm_type_store_add(&store, &type, &stored, &error), &error);
		assert_non_null(stored);
		assert_string_equal(stored->name, name);
	}
	assert_int_equal(store.type_count, TYPES);
	pm_type_store_deinit(&store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chosen_words),
		cmocka_unit_test(types),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
