/* SPDX-License-Identifier: MIT */
/* What processes use, compared with their status. */
#include <procmem/memory_use.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/target.h"
#include "support/tree.h"

static const uint64_t mega = 1 << 20;

/** A number in status, in bytes, by a way of its own. */
static uint64_t status_bytes(pid_t pid, const char *key)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	char *text = read_text(path, NULL);
	const char *line = strstr(text, key);
	uint64_t bytes = line ? strtoull(line + strlen(key), NULL, 10) * 1024 : 0;
	free(text);
	return bytes;
}

static void sizes_are_those_of_status(void **state)
{
	(void)state;
	struct pm_memory_use use;
	struct target target;

	target_start(&target, "hog", NULL);
	assert_int_equal(pm_memory_use_read(NULL, target.pid, &use, NULL), PM_USE_READ);
	assert_int_equal(use.pid, target.pid);
	assert_int_equal(use.parent, getpid());
	assert_string_equal(use.comm, "hog");
	assert_false(use.kernel_thread);
	assert_int_equal(use.anon, status_bytes(target.pid, "RssAnon:"));
	assert_int_equal(use.file, status_bytes(target.pid, "RssFile:"));
	assert_int_equal(use.shmem, status_bytes(target.pid, "RssShmem:"));

	uint64_t before = pm_memory_use_kept(&use);
	target_tell(&target, "eat 20");
	assert_int_equal(pm_memory_use_update(NULL, &use, false, NULL), PM_USE_READ);
	assert_int_equal(use.anon, status_bytes(target.pid, "RssAnon:"));
	assert_true(pm_memory_use_kept(&use) >= before + 20 * mega);

	target_stop(&target);
	assert_int_equal(pm_memory_use_update(NULL, &use, false, NULL), PM_USE_GONE);
	assert_true(pm_memory_use_kept(&use) >= before + 20 * mega);
}

/** Only its other threads show the memory of a process whose first thread has ended. */
static void dead_leader_has_sizes(void **state)
{
	(void)state;
	struct pm_memory_use use;
	struct target target;

	target_start(&target, "dead_leader", NULL);
	assert_int_equal(pm_memory_use_read(NULL, target.pid, &use, NULL), PM_USE_READ);
	assert_true(use.anon > 0);
	target_stop(&target);
}

static void write_files(const char *root, unsigned start, unsigned resident, unsigned anon)
{
	tree_add_process(root, 7, "shop",
	                 "RssAnon:\t%u kB\nRssFile:\t80 kB\nRssShmem:\t40 kB\n"
	                 "VmSwap:\t12 kB\n",
	                 anon);
	tree_write(root, "proc/7/stat", "7 (shop) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %u 0 0\n",
	           start);
	tree_write(root, "proc/7/statm", "1000 %u 30 1 0 1 0\n", resident);
}

/** The tree shows which files are read: its statm and its status do not agree. */
static void status_is_read_only_if_statm_changed(void **state)
{
	(void)state;
	char *root = tree_create(), *proc;
	struct pm_memory_use use;

	assert_true(asprintf(&proc, "%s/proc", root) > 0);
	write_files(root, 100, 50, 1000);
	assert_int_equal(pm_memory_use_read(proc, 7, &use, NULL), PM_USE_READ);
	assert_int_equal(use.anon, 1000 * 1024);
	assert_int_equal(pm_memory_use_kept(&use), (1000 + 40 + 12) * 1024);

	write_files(root, 100, 50, 2000);
	assert_int_equal(pm_memory_use_update(proc, &use, false, NULL), PM_USE_READ);
	assert_int_equal(use.anon, 1000 * 1024);
	assert_int_equal(pm_memory_use_update(proc, &use, true, NULL), PM_USE_READ);
	assert_int_equal(use.anon, 2000 * 1024);
	write_files(root, 100, 51, 3000);
	assert_int_equal(pm_memory_use_update(proc, &use, false, NULL), PM_USE_READ);
	assert_int_equal(use.anon, 3000 * 1024);

	/* Another process has the PID. */
	write_files(root, 900, 10, 100);
	assert_int_equal(pm_memory_use_update(proc, &use, false, NULL), PM_USE_GONE);
	assert_int_equal(use.anon, 3000 * 1024);

	tree_remove(root);
	free(proc);
}

static void all_processes_are_listed(void **state)
{
	(void)state;
	size_t count, own = 0;
	pid_t *pids;

	assert_int_equal(pm_memory_use_pids(NULL, &pids, &count, NULL), 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(i == 0 || pids[i] > pids[i - 1]);
		own += pids[i] == getpid();
	}

	assert_int_equal(own, 1);
	free(pids);

	struct pm_error error;
	assert_int_equal(pm_memory_use_pids("/nonexistent", &pids, &count, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_those_of_status),
		cmocka_unit_test(dead_leader_has_sizes),
		cmocka_unit_test(status_is_read_only_if_statm_changed),
		cmocka_unit_test(all_processes_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
