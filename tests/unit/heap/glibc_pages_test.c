/* SPDX-License-Identifier: MIT */
/* Page states of a large range are read in parts, between which the caller can cancel. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "heap/glibc_pages.h"

/** A source without pages. The third part cancels. */
struct parts {
	volatile sig_atomic_t cancel;
	unsigned walks;
	uint64_t next; /* where the next part must start */
};

static int walk_part(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
                     void *visitor, struct pm_error *error)
{
	struct parts *parts = context;

	(void)visit;
	(void)visitor;
	(void)error;
	assert_int_equal(start, parts->next);
	parts->next = end;
	parts->cancel = ++parts->walks == 3;
	return 0;
}

static void a_large_range_can_be_cancelled(void **state)
{
	const struct pm_range range = { 4096, UINT64_C(1) << 44 };
	struct parts parts = { .next = range.start };
	const struct pm_page_source pages = { .walk = walk_part, .context = &parts };
	const struct pm_heap_source source = { .pages = &pages, .cancel = &parts.cancel };
	struct pm_glibc_pages found = { 0 };
	struct pm_error error = { 0 };
	uint64_t bytes;

	(void)state;
	assert_int_equal(pm_glibc_pages_find(&source, range, &found, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	assert_int_equal(parts.walks, 3);

	parts = (struct parts){ .next = range.start };
	assert_int_equal(pm_glibc_pages_count(&source, &range, 1, &bytes, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	assert_int_equal(parts.walks, 3);

	/* A cancelled command does not begin. */
	assert_int_equal(pm_glibc_pages_find(&source, range, &found, &error), -1);
	assert_int_equal(parts.walks, 3);
	free(found.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_range_can_be_cancelled),
	};

	return cmocka_run_group_tests_name("page states of glibc", tests, NULL, NULL);
}
