/* SPDX-License-Identifier: MIT */
/* Walks over the heap of a watched process. */
#include "watch/heap_walk.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static unsigned count_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static void a_first_walk_that_fails_releases_what_it_has_opened(void **state)
{
	(void)state;
	const volatile sig_atomic_t cancel = 1;
	struct watch_heap_walk walk;
	struct pm_process *process;
	struct pm_error error;

	assert_int_equal(pm_process_open(NULL, getpid(), &process, &error), 0);
	watch_heap_walk_init(&walk, process, "this test", false);
	walk.cancel = &cancel;
	unsigned before = count_descriptors();

	for (int i = 0; i < 3; i++) {
		watch_heap_walk_start(&walk);
		assert_int_equal(walk.result, -1);
		assert_int_equal(walk.error.kind, PM_ERROR_CANCELLED);
		assert_null(walk.cohorts);
		assert_null(walk.first.heap);
		assert_int_equal(walk.regions.count, 0);
		assert_int_equal(count_descriptors(), before);
	}

	watch_heap_walk_deinit(&walk);
	pm_process_close(process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_first_walk_that_fails_releases_what_it_has_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
