/* SPDX-License-Identifier: MIT */
/* Counting within a budget: exact if all texts fit, within the bounds if not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <procmem/tally.h>

static struct pm_tally *create(uint64_t budget)
{
	struct pm_tally *tally = NULL;
	assert_int_equal(pm_tally_create(budget, &tally, NULL), 0);
	return tally;
}

static void add(struct pm_tally *tally, uint8_t category, const char *text, size_t length,
                uint64_t first)
{
	const struct pm_tally_text what = {
		pm_tally_hash(tally, category, text, length), text, length, first, length, category
	};
	pm_tally_add(tally, &what);
}

static void test_exact(void **state)
{
	(void)state;
	struct pm_tally *tally = create(16 << 20);
	char text[32];
	/* Text i is added i times. There are more texts than the first table can hold, and all
	 * start equally and have equal lengths. */
	for (unsigned round = 0; round < 2000; round++)
		for (unsigned i = round + 1; i <= 2000; i++) {
			int length = snprintf(text, sizeof text, "a common start %08u", i);
			add(tally, 1, text, (size_t)length, (uint64_t)round * 10000 + i);
		}

	assert_int_equal(pm_tally_count(tally), 2000);
	assert_int_equal(pm_tally_dropped(tally), 0);
	assert_int_equal(pm_tally_bound(tally), 0);
	pm_tally_sort(tally, PM_TALLY_BY_COUNT);

	for (unsigned i = 0; i < 2000; i++) {
		const struct pm_tally_item *item = pm_tally_get(tally, i);
		int length = snprintf(text, sizeof text, "a common start %08u", 2000 - i);
		assert_int_equal(item->count, 2000 - i);
		assert_int_equal(item->missed, 0);
		assert_int_equal(item->first, 2000 - i);
		assert_int_equal(item->length, length);
		assert_memory_equal(item->text, text, (size_t)length);
	}

	pm_tally_destroy(tally);
}

/** Whatever the order, the texts are sorted by the sizes and counts with which they were added. */
static void test_orders(void **state)
{
	(void)state;
	static const char *const expected[] = { [PM_TALLY_BY_COUNT] = "frequent",
		                                [PM_TALLY_BY_BYTES] = "medium",
		                                [PM_TALLY_BY_LENGTH] = "long" };

	for (int order = PM_TALLY_BY_COUNT; order <= PM_TALLY_BY_LENGTH; order++) {
		struct pm_tally *tally = create(1 << 20);
		struct pm_tally_text text = {
			.text = "long", .length = 4, .hash = 1, .size = 1000
		};
		pm_tally_add(tally, &text);
		text = (struct pm_tally_text){
			.text = "medium", .length = 6, .hash = 2, .size = 300
		};
		for (int i = 0; i < 5; i++)
			pm_tally_add(tally, &text);
		text = (struct pm_tally_text){
			.text = "frequent", .length = 8, .hash = 3, .size = 10
		};
		for (int i = 0; i < 50; i++)
			pm_tally_add(tally, &text);

		pm_tally_sort(tally, (enum pm_tally_order)order);
		assert_memory_equal(pm_tally_get(tally, 0)->text, expected[order],
		                    strlen(expected[order]));
		pm_tally_destroy(tally);
	}
}

/** Adds a text at each of these addresses, and checks the distance that was found. */
static void expect_stride(const uint64_t *addresses, size_t count, uint64_t stride,
                          uint64_t stride_count)
{
	struct pm_tally *tally = create(1 << 20);
	for (size_t i = 0; i < count; i++)
		add(tally, 0, "record", 6, addresses[i]);

	pm_tally_sort(tally, PM_TALLY_BY_COUNT);
	assert_int_equal(pm_tally_get(tally, 0)->stride, stride);
	assert_int_equal(pm_tally_get(tally, 0)->stride_count, stride_count);
	pm_tally_destroy(tally);
}

static void test_strides(void **state)
{
	(void)state;
	static const uint64_t one[] = { 1000 }, equal[] = { 1000, 1200, 1400, 1600 },
			      backwards[] = { 1600, 1000, 1000 },
			      gap[] = { 1000, 1200, 1400, 9000, 9200, 9400, 9600 };
	expect_stride(one, 1, 0, 0);
	expect_stride(equal, 4, 200, 3);
	expect_stride(backwards, 3, 0, 0);
	expect_stride(gap, 7, 200, 5);

	/* Another distance comes first: the count of the right one is too low by one. */
	static const uint64_t late[] = { 1000, 1001, 1201, 1401, 1601, 1801 };
	expect_stride(late, 6, 200, 3);
}

static void test_different(void **state)
{
	(void)state;
	static const struct {
		uint8_t category;
		const char *text;
		size_t length;
	} texts[] = { { 0, "", 0 },
		      { 0, "\0", 1 },
		      { 0, "\0\0", 2 },
		      { 1, "\0", 1 },
		      { 0, "12345678", 8 },
		      { 0, "12345678\0", 9 },
		      { 0, "1234567812345678", 16 },
		      { 2, "12345678", 8 } };

	size_t count = sizeof texts / sizeof *texts;
	struct pm_tally *tally = create(PM_TALLY_BUDGET_MIN);
	for (unsigned times = 0; times < 3; times++)
		for (size_t i = 0; i < count; i++)
			add(tally, texts[i].category, texts[i].text, texts[i].length,
			    100 * times + i);

	assert_int_equal(pm_tally_count(tally), count);
	pm_tally_sort(tally, PM_TALLY_BY_COUNT);
	for (size_t i = 0; i < count; i++) {
		const struct pm_tally_item *item = pm_tally_get(tally, i);
		/* Equal counts: by address. */
		assert_int_equal(item->first, i);
		assert_int_equal(item->count, 3);
		assert_int_equal(item->category, texts[i].category);
		assert_int_equal(item->length, texts[i].length);
		assert_memory_equal(item->text, texts[i].text, texts[i].length);
	}

	pm_tally_destroy(tally);
}

enum { TEXTS = 60000, DRAWS = 600000, SKEW = 5 };

/** Returns a random number below TEXTS; small ones are far more likely. */
static uint32_t draw(uint64_t *random)
{
	uint32_t number = TEXTS;
	for (int i = 0; i < SKEW; i++) {
		*random = *random * 6364136223846793005u + 1442695040888963407u;
		number = (uint32_t)(*random >> 33) % (number + (i > 0));
	}
	return number;
}

/** Returns the number that a text ends with; it has no terminating NUL. */
static unsigned long number_of(const struct pm_tally_item *item)
{
	char digits[9] = "";
	memcpy(digits, item->text + item->length - 8, 8);
	return strtoul(digits, NULL, 10);
}

static void check_bounds(const struct pm_tally *tally, const uint32_t *exact)
{
	bool *there = calloc(TEXTS, sizeof *there);
	for (size_t i = 0; i < pm_tally_count(tally); i++) {
		const struct pm_tally_item *item = pm_tally_get(tally, i);
		unsigned long number = number_of(item);
		assert_true(item->count <= exact[number]);
		assert_true(item->count + item->missed >= exact[number]);
		assert_true(item->missed <= pm_tally_bound(tally));
		there[number] = true;
	}

	for (size_t i = 0; i < TEXTS; i++)
		assert_true(there[i] || exact[i] <= pm_tally_bound(tally));

	free(there);
}

static void fill(uint64_t budget, bool *dropped)
{
	struct pm_tally *tally = create(budget);
	uint32_t *exact = calloc(TEXTS, sizeof *exact);
	uint64_t random = budget;
	char *text = malloc(5000);

	memset(text, 'x', 5000);
	for (unsigned i = 0; i < DRAWS; i++) {
		uint32_t number = draw(&random);
		/* Some are long: some do not fit into a part of the smallest budget. */
		size_t filling = number % 1000 == 7 ? 4000 : number % 30;
		snprintf(text + filling, 9, "%08u", number);
		add(tally, 0, text, filling + 8, i);
		memset(text + filling, 'x', 9);
		exact[number]++;
	}

	pm_tally_sort(tally, PM_TALLY_BY_COUNT);
	check_bounds(tally, exact);
	*dropped = pm_tally_dropped(tally) > 0;

	/* The most frequent text is never dropped for rare ones. */
	assert_int_equal(number_of(pm_tally_get(tally, 0)), 0);
	free(text);
	free(exact);
	pm_tally_destroy(tally);
}

static void test_bounds(void **state)
{
	(void)state;
	bool dropped;
	fill(PM_TALLY_BUDGET_MIN, &dropped);
	assert_true(dropped);
	fill(PM_TALLY_BUDGET_MIN * 4, &dropped);
	assert_true(dropped);
	fill(64 << 20, &dropped);
	assert_false(dropped);
}

static void test_all_different(void **state)
{
	(void)state;
	struct pm_tally *tally = create(PM_TALLY_BUDGET_MIN);
	char text[16];
	for (unsigned i = 0; i < 100000; i++)
		add(tally, 0, text, (size_t)snprintf(text, sizeof text, "%u", i), i);

	/* Nothing else is certain about them. */
	assert_true(pm_tally_bound(tally) >= 1);
	assert_true(pm_tally_count(tally) + pm_tally_dropped(tally) == 100000);

	/* A text that does not fit at all. */
	char *giant = calloc(1, PM_TALLY_BUDGET_MIN);
	uint64_t bound = pm_tally_bound(tally);
	add(tally, 0, giant, PM_TALLY_BUDGET_MIN, 1);
	assert_int_equal(pm_tally_bound(tally), bound + 1);
	free(giant);
	pm_tally_destroy(tally);
}

/** Adds `count` different short texts. */
static void add_short(struct pm_tally *tally, const char *start, unsigned count)
{
	char text[16];
	for (unsigned i = 0; i < count; i++)
		add(tally, 0, text, (size_t)snprintf(text, sizeof text, "%s%u", start, i), i);
}

/** Dropping rare texts does not lower the bound for long ones that never fitted. */
static void test_long_then_short(void **state)
{
	enum { LONG = 20000, TIMES = 50 };
	(void)state;

	struct pm_tally *tally = create(PM_TALLY_BUDGET_MIN);
	char *text = calloc(1, LONG);
	add_short(tally, "first ", 600);

	for (unsigned i = 0; i < TIMES; i++)
		add(tally, 0, text, LONG, i);

	uint64_t dropped = pm_tally_dropped(tally);
	add_short(tally, "second ", 900);
	assert_true(pm_tally_dropped(tally) > dropped);
	pm_tally_sort(tally, PM_TALLY_BY_COUNT);

	for (size_t i = 0; i < pm_tally_count(tally); i++)
		assert_int_not_equal(pm_tally_get(tally, i)->length, LONG);

	assert_true(pm_tally_bound(tally) >= TIMES);
	free(text);
	pm_tally_destroy(tally);
}

/** Returns the bytes of the only text of a category. */
static uint64_t size_of_category(const struct pm_tally *tally, uint8_t category)
{
	for (size_t i = 0; i < pm_tally_count(tally); i++)
		if (pm_tally_get(tally, i)->category == category)
			return pm_tally_get(tally, i)->size;
	return 0;
}

/** Later parts of a long text are added to that text, whatever is counted or dropped between. */
static void test_long_in_parts(void **state)
{
	enum { FREQUENT = 100 };
	(void)state;

	struct pm_tally *tally = create(PM_TALLY_BUDGET_MIN);
	add(tally, 3, "rare", 4, 0);
	add_short(tally, "first ", 600);

	for (uint8_t category = 1; category <= 2; category++)
		for (unsigned i = 0; i < FREQUENT; i++)
			add(tally, category, "text", 4, i);

	pm_tally_extend(tally, 1, 1000);
	pm_tally_extend(tally, 2, 2000);
	add_short(tally, "second ", 900);
	assert_true(pm_tally_dropped(tally) > 0);
	pm_tally_extend(tally, 1, 10000);
	pm_tally_extend(tally, 2, 20000);

	/* A text that was dropped, and one that was never added. */
	pm_tally_extend(tally, 3, 5);
	pm_tally_extend(tally, UINT8_MAX, 5);
	pm_tally_sort(tally, PM_TALLY_BY_COUNT);
	assert_int_equal(size_of_category(tally, 1), FREQUENT * 4 + 11000);
	assert_int_equal(size_of_category(tally, 2), FREQUENT * 4 + 22000);
	assert_int_equal(size_of_category(tally, 3), 0);
	pm_tally_destroy(tally);
}

static void test_budget_out_of_range(void **state)
{
	struct pm_tally *tally = NULL;
	struct pm_error error;

	(void)state;
	assert_int_equal(pm_tally_create(PM_TALLY_BUDGET_MIN - 1, &tally, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_int_equal(pm_tally_create(PM_TALLY_BUDGET_MAX + 1, &tally, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_null(tally);
	pm_tally_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_different),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_strides),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_all_different),
		cmocka_unit_test(test_long_then_short),
		cmocka_unit_test(test_long_in_parts),
		cmocka_unit_test(test_budget_out_of_range),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
