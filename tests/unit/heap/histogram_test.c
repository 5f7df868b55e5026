/* SPDX-License-Identifier: MIT */
/* Histograms of chunks that a test defines, and their differences. */
#include <procmem/histogram.h>

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

/** A heap of which only the fields that a histogram needs are set. */
static const struct pm_heap heap = { .allocator = PM_HEAP_ALLOCATOR_GLIBC, .complete = true };

/** Adds chunks of a size that start with a text. */
static void add(struct pm_census *census, uint64_t size, const char *text, unsigned count)
{
	struct pm_error error;
	char head[PM_CHUNK_HEAD_SIZE] = { 0 };
	const struct pm_chunk chunk = { .start = 0x10000 + size,
		                        .end = 0x10000 + 2 * size,
		                        .size = size };

	memcpy(head, text, strnlen(text, sizeof head));
	for (unsigned i = 0; i < count; i++)
		must(pm_census_add(census, &chunk, head, sizeof head, &error), &error);
}

/** Makes a histogram of what a function adds. */
static void make(void (*fill)(struct pm_census *census), struct pm_histogram *histogram)
{
	struct fake_types fake;
	struct pm_census *census;
	struct pm_error error;

	fake_types_open(&fake);
	const struct pm_census_options options = { .keys = PM_CENSUS_SIZE | PM_CENSUS_TYPE,
		                                   .types = fake.types };
	must(pm_census_create(&options, &census, &error), &error);
	fill(census);
	must(pm_census_sort(census, PM_CENSUS_BY_BYTES, &error), &error);
	must(pm_histogram_make(census, &heap, histogram, &error), &error);
	pm_census_destroy(census);
	fake_types_close(&fake);
}

static void fill_first(struct pm_census *census)
{
	add(census, 32, "", 100);
	add(census, 64, "session 1", 50);
	add(census, 128, "gone", 7);
	add(census, 256, "same", 9);
}

static void fill_second(struct pm_census *census)
{
	add(census, 32, "", 90);
	add(census, 64, "session 1", 60);
	/* The same size with another content is another class. */
	add(census, 64, "", 3);
	add(census, 256, "same", 9);
	add(census, 512, "new", 2);
}

/** The histogram has its own texts: the census and the types are gone. */
static void a_histogram_outlives_its_census(void **state)
{
	struct pm_histogram histogram;
	(void)state;

	make(fill_first, &histogram);
	assert_true(histogram.complete);
	assert_string_equal(histogram.allocator, "glibc");
	assert_int_equal(histogram.count, 166);
	assert_int_equal(histogram.bytes, 3200 + 3200 + 896 + 2304);
	assert_int_equal(histogram.bound, 0);
	assert_int_equal(histogram.class_count, 4);

	const struct pm_histogram_class *first = &histogram.classes[0];
	assert_int_equal(first->size, 32);
	assert_int_equal(first->count, 100);
	assert_int_equal(first->bytes, 3200);
	assert_int_equal(first->content, PM_CONTENT_ZEROS);
	assert_string_equal(first->text, "");
	assert_int_equal(first->example, 0x10020);
	assert_int_equal(histogram.classes[1].content, PM_CONTENT_TEXT);
	assert_string_equal(histogram.classes[1].text, "session 1");
	pm_histogram_deinit(&histogram);
	assert_int_equal(histogram.class_count, 0);
}

static void changes_are_found(void **state)
{
	/* Sizes and changes, the largest change in bytes first. */
	static const struct {
		uint64_t size;
		int64_t count;
	} truth[] = { { 512, 2 }, { 128, -7 }, { 64, 10 }, { 32, -10 }, { 64, 3 } };
	struct pm_histogram before, after;
	struct pm_histogram_change *changes;
	struct pm_error error;
	size_t count;
	(void)state;

	make(fill_first, &before);
	make(fill_second, &after);
	must(pm_histogram_compare(&before, &after, &changes, &count, &error), &error);
	assert_int_equal(count, 5);
	for (size_t i = 0; i < count; i++) {
		const struct pm_histogram_class *class = changes[i].after;
		if (!class)
			class = changes[i].before;
		assert_int_equal(class->size, truth[i].size);
		assert_int_equal(changes[i].count, truth[i].count);
		assert_int_equal(changes[i].bytes, truth[i].count * (int64_t)truth[i].size);
		assert_int_equal(changes[i].uncertain, 0);
	}
	assert_null(changes[0].before);
	assert_null(changes[1].after);

	free(changes);
	must(pm_histogram_compare(&before, &before, &changes, &count, &error), &error);
	assert_int_equal(count, 0);
	free(changes);
	pm_histogram_deinit(&before);
	pm_histogram_deinit(&after);
}

static void fill_many(struct pm_census *census)
{
	for (uint64_t i = 1; i <= PM_HISTOGRAM_CLASSES_MAX + 100; i++)
		add(census, i * 16, "", 1);
}

/** The smallest classes are left out, and the bound says how large they can be. */
static void many_classes_are_bounded(void **state)
{
	struct pm_histogram many, few;
	struct pm_histogram_change *changes;
	struct pm_error error;
	size_t count;
	(void)state;

	make(fill_many, &many);
	make(fill_first, &few);
	assert_int_equal(many.class_count, PM_HISTOGRAM_CLASSES_MAX);
	assert_int_equal(many.count, PM_HISTOGRAM_CLASSES_MAX + 100);
	assert_int_equal(many.bound, 1600);
	assert_int_equal(many.classes[many.class_count - 1].size, 1616);

	must(pm_histogram_compare(&few, &many, &changes, &count, &error), &error);
	for (size_t i = 0; i < count; i++) {
		bool missing = !changes[i].after;
		assert_int_equal(changes[i].uncertain, missing ? 1600 : 0);
	}
	free(changes);
	pm_histogram_deinit(&many);
	pm_histogram_deinit(&few);
}

static void empty_histograms_are_equal(void **state)
{
	struct pm_histogram none = { 0 };
	struct pm_histogram_change *changes;
	struct pm_error error;
	size_t count;
	(void)state;

	must(pm_histogram_compare(&none, &none, &changes, &count, &error), &error);
	assert_int_equal(count, 0);
	free(changes);
	pm_histogram_deinit(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_histogram_outlives_its_census),
		cmocka_unit_test(changes_are_found),
		cmocka_unit_test(many_classes_are_bounded),
		cmocka_unit_test(empty_histograms_are_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
