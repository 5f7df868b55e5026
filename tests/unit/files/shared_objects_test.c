/* SPDX-License-Identifier: MIT */
/* Shared memory without a path: what a process has created, and who uses it. */
#include <procmem/shared_objects.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/sysv_segments.h"
#include "support/target.h"

#define MIB (UINT64_C(1) << 20)

static struct pm_shared_objects read_objects(pid_t pid)
{
	struct pm_shared_objects objects;
	struct pm_error error = { 0 };
	must(pm_shared_objects_read(NULL, &pid, 1, NULL, NULL, &objects, &error), &error);
	return objects;
}

/** Finds the object of a kind that a process uses. Segments of others are in the list, too. */
static const struct pm_shared_object *find(const struct pm_shared_objects *objects,
                                           enum pm_shared_kind kind)
{
	for (size_t i = 0; i < objects->count; i++)
		if (objects->items[i].kind == kind && objects->items[i].user_count > 0)
			return &objects->items[i];
	fail_msg("no object of the kind %s", pm_shared_objects_kind(kind));
	return NULL;
}

static void objects_of_a_process(void **state)
{
	(void)state;
	struct target target = { 0 };
	target_start(&target, "charger", NULL);
	target_tell(&target, "memfd 3");
	target_tell(&target, "shared 5");
	target_tell(&target, "sysv 7");

	struct pm_shared_objects objects = read_objects(target.pid);
	assert_int_equal(objects.processes, 1);
	assert_false(objects.incomplete);

	const struct pm_shared_object *memfd = find(&objects, PM_SHARED_MEMFD);
	assert_string_equal(memfd->name, "charged");
	assert_int_equal(memfd->bytes, 3 * MIB);
	assert_false(memfd->at_most);
	assert_int_equal(memfd->user_count, 1);
	assert_int_equal(memfd->users[0].pid, target.pid);
	assert_string_equal(memfd->users[0].comm, "charger");
	assert_true(memfd->users[0].open);
	assert_false(memfd->users[0].mapped);

	/* Without rights, only the size of the mapping is known, which is the same here. */
	const struct pm_shared_object *anon = find(&objects, PM_SHARED_ANON);
	assert_string_equal(anon->name, "");
	assert_int_equal(anon->bytes, 5 * MIB);
	assert_true(anon->users[0].mapped);

	const struct pm_shared_object *segment = find(&objects, PM_SHARED_SYSV);
	assert_int_equal(segment->bytes, 7 * MIB);
	assert_string_equal(segment->name, "0x00000000");
	assert_int_equal(segment->user_count, 1);
	assert_int_equal(segment->attachments, 1);
	assert_true(objects.bytes >= 15 * MIB);
	pm_shared_objects_deinit(&objects);
	target_stop(&target);
}

/** A process that has ended is left out. */
static void ended_processes_are_left_out(void **state)
{
	(void)state;
	struct target target = { 0 };
	target_start(&target, "charger", NULL);
	pid_t pid = target.pid;
	target_stop(&target);

	struct pm_shared_objects objects = read_objects(pid);
	assert_int_equal(objects.processes, 0);
	assert_int_equal(objects.unreadable, 0);
	pm_shared_objects_deinit(&objects);
}

static void the_cancel_flag_ends_the_search(void **state)
{
	(void)state;
	static const volatile sig_atomic_t cancel = 1;
	struct pm_shared_objects objects;
	struct pm_error error = { 0 };
	pid_t pid = getpid();

	assert_int_equal(pm_shared_objects_read(NULL, &pid, 1, NULL, &cancel, &objects, &error),
	                 -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
}

/** Lines of other formats are skipped, and negative keys are read. */
static void segments_are_parsed(void **state)
{
	(void)state;
	const char *at = "key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime "
			 "ctime rss swap\n"
			 " 0 5 1600 1048576 9 9 2 0 0 0 0 1 0 1 8192 4096\n"
			 "nonsense\n"
			 "1 2 3\n"
			 " -559038737 7 600 1 9 9 0 0 0 0 0 1 0 1 18446744073709551615 1\n"
			 " 99999999999 8 600 1 9 9 0 0 0 0 0 1 0 1 0 0\n"
			 " 1 9 600 1 9 9 0 0 0 0 0 1 0 1 0 0";
	struct pm_sysv_segment segment;

	assert_true(pm_sysv_segments_next(&at, &segment));
	assert_int_equal(segment.id, 5);
	assert_int_equal(segment.size, 1048576);
	assert_int_equal(segment.attached, 2);
	assert_int_equal(segment.bytes, 12288);
	assert_true(pm_sysv_segments_next(&at, &segment));
	assert_int_equal((uint32_t)segment.key, 0xdeadbeef);
	assert_true(segment.bytes == UINT64_MAX);
	assert_true(pm_sysv_segments_next(&at, &segment));
	assert_int_equal(segment.id, 9);
	assert_false(pm_sysv_segments_next(&at, &segment));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_of_a_process),
		cmocka_unit_test(ended_processes_are_left_out),
		cmocka_unit_test(the_cancel_flag_ends_the_search),
		cmocka_unit_test(segments_are_parsed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
