/* SPDX-License-Identifier: MIT */
/* Limits and cancellation of copies of the target `copied`. */
#include <procmem/copy.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/core.h"
#include "support/copy_session.h"
#include "support/core_image.h"
#include "support/target.h"

static struct copy_session session;

static int begin(void **state)
{
	(void)state;
	copy_session_begin(&session);
	return 0;
}

static int end(void **state)
{
	(void)state;
	copy_session_end(&session);
	return 0;
}

static void limits_refuse_a_copy(void **state)
{
	(void)state;
	struct pm_error error = { 0 };
	struct pm_copy *copy = NULL;
	struct pm_copy_options options = { .memory_max = 8 << 20 };
	assert_int_equal(pm_copy_open(session.process, &options, &copy, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_RESOURCES);
	assert_null(copy);

	/* 17 MiB fit, but not together with their index. */
	options.memory_max = 24 << 20;
	pm_copy_close(copy_session_open(&session, &options));
	options.chunk_bytes = 128;
	assert_int_equal(pm_copy_open(session.process, &options, &copy, &error), -1);

	options = (struct pm_copy_options){ .stop_max_ns = 1000 };
	copy = copy_session_open(&session, &options);
	assert_true(pm_copy_info(copy)->predicted_ns > 1000);
	assert_int_equal(pm_copy_take(copy, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_RESOURCES);
	assert_int_equal(pm_copy_info(copy)->stopped_ns, 0);
	pm_copy_close(copy);
	target_tell(&session.target, "ping");
}

/** Expects a copy to be refused at the stop because the target has grown by 256 MiB. */
static struct pm_copy_info refuse_grown(const struct pm_copy_options *options, const char *words)
{
	struct pm_error error = { 0 };
	struct pm_copy *copy = copy_session_open(&session, options);

	target_tell(&session.target, "grow 256");
	assert_int_equal(pm_copy_take(copy, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_RESOURCES);
	assert_non_null(strstr(error.text, words));

	const struct pm_copy_info info = *pm_copy_info(copy);
	pm_copy_close(copy);
	target_tell(&session.target, "ping");

	return info;
}

static void a_process_that_has_grown_is_not_copied_beyond_the_limit(void **state)
{
	(void)state;
	struct pm_copy *copy = copy_session_open(&session, NULL);
	uint64_t planned = pm_copy_info(copy)->planned;
	pm_copy_close(copy);

	const struct pm_copy_options options = { .memory_max = planned + (32 << 20) };
	struct pm_copy_info info = refuse_grown(&options, "has grown");
	assert_true(info.copied <= options.memory_max);
	assert_false(info.ended);
}

static void a_stop_ends_within_a_large_region(void **state)
{
	(void)state;
	struct pm_copy *copy = copy_session_open(&session, NULL);
	uint64_t predicted = pm_copy_info(copy)->predicted_ns;
	pm_copy_close(copy);

	/* The region of 256 MiB takes more than ten times as long as everything else. */
	const struct pm_copy_options options = { .stop_max_ns = predicted + predicted / 4 };
	struct pm_copy_info info = refuse_grown(&options, "the stop was ended");
	assert_true(info.copied < 256 << 20);
	assert_true(info.ended);
}

static void a_cancelled_copy_leaves_the_target_running(void **state)
{
	(void)state;
	volatile sig_atomic_t cancel = 0;
	struct pm_copy_options options = { .cancel = &cancel };
	struct pm_error error = { 0 };
	struct pm_copy *copy = copy_session_open(&session, &options);

	cancel = 1;
	assert_int_equal(pm_copy_take(copy, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	pm_copy_close(copy);
	target_tell(&session.target, "ping");
}

/** Opens a core file. */
static struct pm_core *open_core(const struct core_image *image)
{
	struct pm_error error;
	struct pm_core *core;
	int fd = memfd_create("core", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, image->bytes, image->size), image->size);
	must(pm_core_open_fd(fd, &core, &error), &error);

	return core;
}

static void a_copy_without_pages_can_be_cancelled(void **state)
{
	(void)state;
	static struct core_image image;
	volatile sig_atomic_t cancel = 1;
	const struct pm_copy_options options = { .cancel = &cancel };
	struct pm_error error = { 0 };
	struct pm_copy *copy;
	Elf64_Phdr *programs = core_image_make(&image, 1);

	programs[0] = core_image_load(0x10000, 4 * PAGE, 0, 0);
	struct pm_core *core = open_core(&image);
	assert_int_equal(pm_copy_open_core(core, &options, &copy, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);

	cancel = 0;
	must(pm_copy_open_core(core, &options, &copy, &error), &error);
	cancel = 1;
	assert_int_equal(pm_copy_take(copy, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);

	pm_copy_close(copy);
	pm_core_close(core);
}

static void the_prediction_includes_absent_pages(void **state)
{
	(void)state;
	/* Under strict accounting (2), no program can reserve 1 TiB. */
	FILE *policy = fopen("/proc/sys/vm/overcommit_memory", "re");
	int strict = policy ? fgetc(policy) : EOF;
	if (policy)
		fclose(policy);
	if (strict == '2') {
		print_message("vm.overcommit_memory is 2: 1 TiB cannot be reserved\n");
		skip();
	}

	struct pm_copy *copy = copy_session_open(&session, NULL);
	struct pm_copy_info before = *pm_copy_info(copy);
	pm_copy_close(copy);

	target_tell(&session.target, "reserve");
	copy = copy_session_open(&session, NULL);
	struct pm_copy_info after = *pm_copy_info(copy);
	pm_copy_close(copy);

	/* Walking over 1 TiB takes longer than copying 16 pages. */
	assert_in_range(after.planned, before.planned, before.planned + 16 * PAGE);
	assert_true(after.predicted_ns > before.predicted_ns + 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(limits_refuse_a_copy, begin, end),
		cmocka_unit_test_setup_teardown(
			a_process_that_has_grown_is_not_copied_beyond_the_limit, begin, end),
		cmocka_unit_test_setup_teardown(a_stop_ends_within_a_large_region, begin, end),
		cmocka_unit_test_setup_teardown(a_cancelled_copy_leaves_the_target_running, begin,
		                                end),
		cmocka_unit_test(a_copy_without_pages_can_be_cancelled),
		cmocka_unit_test_setup_teardown(the_prediction_includes_absent_pages, begin, end),
	};

	return cmocka_run_group_tests_name("copy limits", tests, NULL, NULL);
}
