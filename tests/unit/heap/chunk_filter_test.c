/* SPDX-License-Identifier: MIT */
/* Which chunks a filter selects. */
#include <procmem/chunk_filter.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/target.h"

static const struct pm_chunk_type order = {
	.content = PM_CONTENT_OBJECT,
	.name = "shop::Order",
	.object = "/bin/shop",
};
static const struct pm_chunk_type text = { .content = PM_CONTENT_TEXT, .name = "", .object = "" };

static bool selects(struct pm_chunk_filter *filter, const struct pm_chunk_type *type, uint64_t size,
                    enum pm_chunk_state state, const char *head)
{
	const struct pm_chunk_item item = {
		.chunk = { .size = size, .state = (uint8_t)state },
		.type = type,
		.head = head,
		.size = strlen(head),
	};
	return pm_chunk_filter_match(filter, &item);
}

static struct pm_chunk_filter *create(struct pm_chunk_filter_options options)
{
	struct pm_chunk_filter *filter;
	struct pm_error error;
	must(pm_chunk_filter_create(&options, &filter, &error), &error);
	return filter;
}

static void by_default_all_in_use(void **state)
{
	struct pm_chunk_filter *filter = create((struct pm_chunk_filter_options){ 0 });
	(void)state;

	assert_true(selects(filter, &order, 48, PM_CHUNK_IN_USE, ""));
	assert_false(selects(filter, &order, 48, PM_CHUNK_FREE, ""));
	assert_true(selects(NULL, &order, 48, PM_CHUNK_IN_USE, ""));
	assert_false(selects(NULL, &order, 48, PM_CHUNK_CACHED, ""));
	assert_int_equal(pm_chunk_filter_states(filter), 1 << PM_CHUNK_IN_USE);
	assert_int_equal(pm_chunk_filter_states(NULL), 1 << PM_CHUNK_IN_USE);
	pm_chunk_filter_destroy(filter);
	pm_chunk_filter_destroy(NULL);
}

static void by_size_and_state(void **state)
{
	struct pm_chunk_filter *filter = create((struct pm_chunk_filter_options){
		.states = 1 << PM_CHUNK_FREE | 1 << PM_CHUNK_CACHED,
		.size_min = 48,
		.size_max = 96,
	});
	(void)state;

	assert_true(selects(filter, &order, 48, PM_CHUNK_FREE, ""));
	assert_true(selects(filter, &order, 96, PM_CHUNK_CACHED, ""));
	assert_false(selects(filter, &order, 32, PM_CHUNK_FREE, ""));
	assert_false(selects(filter, &order, 112, PM_CHUNK_FREE, ""));
	assert_false(selects(filter, &order, 48, PM_CHUNK_IN_USE, ""));
	pm_chunk_filter_destroy(filter);
}

static void by_type(void **state)
{
	struct pm_chunk_filter *filter = create(
		(struct pm_chunk_filter_options){ .type = "^shop::" });
	struct pm_chunk_filter *contents = create(
		(struct pm_chunk_filter_options){ .type = "^text$" });
	(void)state;

	/* Alternating, since the filter stores the last result. */
	for (int i = 0; i < 3; i++) {
		assert_true(selects(filter, &order, 48, PM_CHUNK_IN_USE, ""));
		assert_false(selects(filter, &text, 48, PM_CHUNK_IN_USE, "shop::Order"));
	}
	assert_true(selects(contents, &text, 48, PM_CHUNK_IN_USE, ""));
	assert_false(selects(contents, &order, 48, PM_CHUNK_IN_USE, "text"));
	pm_chunk_filter_destroy(filter);
	pm_chunk_filter_destroy(contents);
}

static void by_text(void **state)
{
	struct pm_chunk_filter *filter = create(
		(struct pm_chunk_filter_options){ .text = "user=[0-9]+$" });
	(void)state;

	assert_true(selects(filter, &text, 48, PM_CHUNK_IN_USE, "session user=17"));
	assert_false(selects(filter, &text, 48, PM_CHUNK_IN_USE, "session user=17x"));
	assert_false(selects(filter, &text, 48, PM_CHUNK_IN_USE, ""));
	pm_chunk_filter_destroy(filter);
}

/** An expression that backtracks for a long time ends without a match. */
static void matching_ends(void **state)
{
	struct pm_chunk_filter *filter = create(
		(struct pm_chunk_filter_options){ .text = "(a+)+b(?=c)|(a*)*d" });
	(void)state;

	assert_false(selects(filter, &text, 80, PM_CHUNK_IN_USE,
	                     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac"));
	pm_chunk_filter_destroy(filter);
}

static void wrong_expressions(void **state)
{
	struct pm_chunk_filter *filter = NULL;
	struct pm_error error;
	(void)state;

	const struct pm_chunk_filter_options type = { .type = "a(" };
	assert_int_equal(pm_chunk_filter_create(&type, &filter, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_non_null(strstr(error.text, "invalid pattern"));
	const struct pm_chunk_filter_options text_option = { .type = "a", .text = "[" };
	assert_int_equal(pm_chunk_filter_create(&text_option, &filter, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_null(filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_default_all_in_use),
		cmocka_unit_test(by_size_and_state),
		cmocka_unit_test(by_type),
		cmocka_unit_test(by_text),
		cmocka_unit_test(matching_ends),
		cmocka_unit_test(wrong_expressions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
