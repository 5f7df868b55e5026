/* SPDX-License-Identifier: MIT */
/* The limit of a stop holds while page states are read. */
#include "target/stop_limit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define GIB (UINT64_C(1) << 30)

/** A source of page states that counts its walks. */
struct fake {
	struct stop_limit *limit;
	unsigned walks;
	uint64_t end;      /* of the last walk */
	unsigned late;     /* number of the walk that takes too long; 0: none */
	unsigned answered; /* number of the walk that the visitor ends; 0: none */
};

static int walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit, void *visitor,
                struct pm_error *error)
{
	struct fake *fake = context;

	(void)visit;
	(void)visitor;
	(void)error;
	assert_true(fake->walks == 0 || start == fake->end);
	fake->end = end;
	fake->walks++;
	if (fake->walks == fake->late)
		fake->limit->spent_ns = 3 * fake->limit->max_ns;
	return fake->walks == fake->answered ? 7 : 0;
}

/** Walks over 80 GiB, within a limit of an hour. */
static int walk_far(struct fake *fake, struct pm_error *error)
{
	const struct pm_page_source source = { .walk = walk, .context = fake };
	struct stop_limit limit = { .max_ns = UINT64_C(3600) * 1000 * 1000 * 1000 };

	fake->limit = &limit;
	stop_limit_begin(&limit);
	const struct pm_page_source *limited = stop_limit_pages(&limit, &source);
	return limited->walk(limited->context, GIB, 81 * GIB, NULL, NULL, error);
}

static void all_page_states_are_read_within_the_limit(void **state)
{
	(void)state;
	struct pm_error error = { 0 };
	struct fake fake = { 0 };

	assert_int_equal(walk_far(&fake, &error), 0);
	assert_int_equal(fake.end, 81 * GIB);
}

static void the_limit_ends_a_long_walk(void **state)
{
	(void)state;
	struct pm_error error = { 0 };
	struct fake fake = { .late = 2 };

	assert_int_equal(walk_far(&fake, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_RESOURCES);
	assert_int_equal(fake.walks, 2);
}

static void a_visitor_ends_the_walk(void **state)
{
	(void)state;
	struct pm_error error = { 0 };
	struct fake fake = { .answered = 3 };

	assert_int_equal(walk_far(&fake, &error), 7);
	assert_int_equal(fake.walks, 3);
}

static void without_a_limit_the_source_is_used(void **state)
{
	(void)state;
	struct pm_page_source source = { .walk = walk };
	struct stop_limit limit = { 0 };

	assert_ptr_equal(stop_limit_pages(&limit, &source), &source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_page_states_are_read_within_the_limit),
		cmocka_unit_test(the_limit_ends_a_long_walk),
		cmocka_unit_test(a_visitor_ends_the_walk),
		cmocka_unit_test(without_a_limit_the_source_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
