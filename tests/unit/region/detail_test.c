/* SPDX-License-Identifier: MIT */
/* Details of regions: the text of each type, comparisons, and copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <procmem/region.h>

#include "support/detail_samples.h"

static void every_type_has_a_text(void **state)
{
	(void)state;
	bool seen[PM_DETAIL_COUNT] = { false };

	for (size_t i = 0; i < detail_sample_count; i++) {
		const struct detail_sample *sample = &detail_samples[i];
		char text[256];
		size_t length = pm_detail_format(&sample->detail, text, sizeof text);
		assert_string_equal(text, sample->text);
		assert_int_equal(length, strlen(sample->text));
		seen[sample->detail.type] = true;
	}

	for (size_t type = 0; type < PM_DETAIL_COUNT; type++)
		assert_true(seen[type]);
}

/** The length is that of the whole text, whatever room there is. */
static void texts_are_truncated_to_the_size(void **state)
{
	(void)state;
	for (size_t i = 0; i < detail_sample_count; i++) {
		const struct detail_sample *sample = &detail_samples[i];
		size_t whole = strlen(sample->text);
		assert_int_equal(pm_detail_format(&sample->detail, NULL, 0), whole);

		for (size_t size = 1; size < whole + 1; size++) {
			char text[256];
			memset(text, 'x', sizeof text);
			assert_int_equal(pm_detail_format(&sample->detail, text, size), whole);
			assert_int_equal(strlen(text), size - 1);
			assert_memory_equal(text, sample->text, size - 1);
			assert_int_equal(text[size], 'x');
		}
	}
}

static void details_differ_from_each_other(void **state)
{
	(void)state;
	for (size_t i = 0; i < detail_sample_count; i++)
		for (size_t j = 0; j < detail_sample_count; j++)
			assert_int_equal(pm_detail_equal(&detail_samples[i].detail,
			                                 &detail_samples[j].detail),
			                 i == j);
}

/** Appends a region of each detail twice, the second time with the lists of the first one. */
static void copies_outlive_their_list(void **state)
{
	(void)state;
	struct pm_regions first, second;
	pm_regions_init(&first);
	pm_regions_init(&second);

	for (size_t i = 0; i < 2 * detail_sample_count; i++) {
		const struct pm_region region = { .start = i * 4096,
			                          .end = (i + 1) * 4096,
			                          .detail = detail_samples[i / 2].detail };
		assert_int_equal(pm_regions_append(&first, &region, NULL), 0);
	}

	for (size_t i = 0; i < first.count; i++)
		assert_int_equal(pm_regions_append(&second, &first.items[i], NULL), 0);
	pm_regions_deinit(&first);

	for (size_t i = 0; i < second.count; i++)
		assert_true(
			pm_detail_equal(&second.items[i].detail, &detail_samples[i / 2].detail));
	pm_regions_deinit(&second);
}

/** Numbers out of the bounds of the enums must not be used as an index. */
static void unknown_numbers_are_harmless(void **state)
{
	(void)state;
	char text[64];
	struct pm_detail detail = { .type = PM_DETAIL_COUNT };
	assert_int_equal(pm_detail_format(&detail, text, sizeof text), 0);
	detail = (struct pm_detail){ .type = PM_DETAIL_RUNTIME_CODE, .runtime = UINT8_MAX };
	assert_true(pm_detail_format(&detail, text, sizeof text) > 0);
	detail = (struct pm_detail){ .type = PM_DETAIL_ALLOCATOR, .allocator = UINT8_MAX };
	assert_true(pm_detail_format(&detail, text, sizeof text) > 0);
	detail = (struct pm_detail){ .type = PM_DETAIL_CHUNKS, .place = UINT8_MAX };
	assert_true(pm_detail_format(&detail, text, sizeof text) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_has_a_text),
		cmocka_unit_test(texts_are_truncated_to_the_size),
		cmocka_unit_test(details_differ_from_each_other),
		cmocka_unit_test(copies_outlive_their_list),
		cmocka_unit_test(unknown_numbers_are_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
