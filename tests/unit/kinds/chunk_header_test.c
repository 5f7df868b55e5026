/* SPDX-License-Identifier: MIT */
/* Headers of blocks that malloc mapped, made by hand as glibc's versions make them, and by the
 * glibc that runs here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kinds/chunk_header.h"
#include "support/target.h"

/* Sanitizers bring a malloc of their own; gcc and clang say so in different ways. */
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer) || !defined(__GLIBC__)
#define MALLOC_IS_OF_GLIBC 0
#else
#define MALLOC_IS_OF_GLIBC 1
#endif

enum { PAGE = 4096, LONG = 1 << 20 };

static uint64_t wide(uint64_t prev_size, uint64_t size, uint64_t most)
{
	uint64_t words[2] = { prev_size, size };
	return pm_chunk_mapped_size(words, 8, PAGE, most);
}

static uint64_t narrow(uint32_t first, uint32_t second, uint32_t third, uint32_t fourth)
{
	uint32_t words[4] = { first, second, third, fourth };
	return pm_chunk_mapped_size(words, 4, PAGE, LONG);
}

static void each_layout_of_glibc_is_known(void **state)
{
	(void)state;
	assert_int_equal(wide(0, 0x31000 | 2, LONG), 0x31000);

	/* 2.43: without the header's own bytes, and with huge pages. */
	assert_int_equal(wide(0, (0x31000 - 16) | 2, LONG), 0x31000);
	assert_int_equal(wide(1, (0x40000 - 16) | 2, LONG), 0x40000);

	/* 32 bits: before 2.26, since then, and 2.43. */
	assert_int_equal(narrow(0, 0x31000 | 2, 7, 7), 0x31000);
	assert_int_equal(narrow(0, 0, 8, (0x31000 - 8) | 2), 0x31000);
	assert_int_equal(narrow(0, 0, 8, (0x31000 - 16) | 2), 0x31000);
}

static void other_words_are_not_a_header(void **state)
{
	(void)state;
	assert_int_equal(wide(0, 0, LONG), 0);
	assert_int_equal(wide(0, 2, LONG), 0);
	assert_int_equal(wide(0, 0x31000, LONG), 0);        /* no flag */
	assert_int_equal(wide(0, 0x31000 | 3, LONG), 0);    /* PREV_INUSE: of the brk heap */
	assert_int_equal(wide(0, 0x31000 | 6, LONG), 0);    /* of an arena */
	assert_int_equal(wide(0, 0x31010 | 2, LONG), 0);    /* not whole pages */
	assert_int_equal(wide(0x30, 0x31000 | 2, LONG), 0); /* of memalign, further inside */

	assert_int_equal(wide(0, (LONG + PAGE) | 2, LONG), 0); /* longer than what there is */
	assert_int_equal(wide(0, UINT64_MAX - 5, LONG), 0);
	assert_int_equal(wide(0, (uint64_t)LONG | 2, LONG), LONG);
	assert_int_equal(narrow(0, 0, 0, 0x31000 | 2), 0);
}

static void installed_glibc_has_this_layout(void **state)
{
	(void)state;
#if MALLOC_IS_OF_GLIBC

	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = malloc(300000);
	assert_non_null(block);

	uintptr_t start = (uintptr_t)block & ~(uintptr_t)(page - 1);
	uint64_t size = pm_chunk_mapped_size((const char *)start, sizeof(void *), page, LONG);
	assert_int_equal(start + size, ((uintptr_t)block + malloc_usable_size(block) + page - 1) &
	                                       ~(uintptr_t)(page - 1));
	free(block);
#else
	skip_because("malloc is not that of glibc");
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_layout_of_glibc_is_known),
		cmocka_unit_test(other_words_are_not_a_header),
		cmocka_unit_test(installed_glibc_has_this_layout),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
