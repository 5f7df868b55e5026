/* SPDX-License-Identifier: MIT */
/* Images that are added between the preparation of a copy and the stop. */
#include "reader/copy_buffer.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "support/target.h"

enum { PAGE = 4096 };

static const uint64_t first = UINT64_C(0x7f0000000000), gibibyte = UINT64_C(1) << 30;

/** Reserves an image for one page, and returns the range of the image. */
static struct pm_range reserve(struct pm_copy_buffer *buffer)
{
	const struct pm_range page = { first, first + PAGE };
	struct pm_error error;

	*buffer = (struct pm_copy_buffer){ 0 };
	must(pm_copy_buffer_reserve(buffer, &page, 1, &error), &error);
	assert_int_equal(buffer->count, 1);
	return (struct pm_range){ buffer->images[0].start, buffer->images[0].end };
}

static void extend(struct pm_copy_buffer *buffer, uint64_t start, uint64_t end)
{
	const struct pm_range range = { start, end };
	struct pm_error error;

	must(pm_copy_buffer_extend(buffer, range, &error), &error);
}

/** Copied ranges that adjoin are one range, whose bytes are read at once. */
static void memory_that_adjoins_an_image(void **state)
{
	(void)state;
	struct pm_copy_buffer buffer;
	struct pm_range image = reserve(&buffer);

	extend(&buffer, image.start - PAGE, image.start);
	assert_non_null(pm_copy_buffer_at(&buffer, image.start - PAGE, (uint64_t)2 * PAGE));
	extend(&buffer, image.end, image.end + PAGE);
	assert_non_null(pm_copy_buffer_at(&buffer, image.end - PAGE, (uint64_t)2 * PAGE));
	assert_int_equal(buffer.count, 1);

	pm_copy_buffer_deinit(&buffer, NULL, 0);
}

static void memory_far_from_an_image(void **state)
{
	(void)state;
	struct pm_copy_buffer buffer;
	struct pm_range image = reserve(&buffer);

	extend(&buffer, image.end + gibibyte, image.end + gibibyte + PAGE);
	extend(&buffer, image.start - gibibyte, image.start - gibibyte + PAGE);
	assert_int_equal(buffer.count, 3);
	for (size_t i = 0; i + 1 < buffer.count; i++)
		assert_true(buffer.images[i].end < buffer.images[i + 1].start);
	assert_null(pm_copy_buffer_at(&buffer, image.end + gibibyte, (uint64_t)2 * PAGE));

	/* The range between two images joins them. */
	extend(&buffer, image.end, image.end + gibibyte);
	assert_int_equal(buffer.count, 2);
	assert_non_null(pm_copy_buffer_at(&buffer, image.end - PAGE, gibibyte + 2 * PAGE));

	pm_copy_buffer_deinit(&buffer, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_that_adjoins_an_image),
		cmocka_unit_test(memory_far_from_an_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
