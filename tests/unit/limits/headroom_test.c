/* SPDX-License-Identifier: MIT */
/* Headroom: saved trees of both versions of cgroups, and a group of our own in which the kernel
 * kills. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <procmem/headroom.h>
#include <procmem/maps.h>

#include "support/group.h"
#include "support/target.h"
#include "support/tree.h"

#define MIB (UINT64_C(1) << 20)

static const char maps[] = "00400000-00500000 r-xp 00000000 08:01 7 /bin/shop\n"
			   "00600000-00700000 rw-p 00000000 00:00 0 [heap]\n"
			   "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n";

/**
 * A saved machine with one process; PID 12.
 * @param cgroup text of its cgroup file
 * @return the root
 */
static char *make_machine(const char *cgroup)
{
	char *root = tree_create();
	tree_add_process(root, 12, "shop",
	                 "VmSize:\t  2048 kB\nVmData:\t 300 kB\nVmStk:\t  132 kB\n");
	tree_write(
		root, "proc/12/limits",
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max data size             unlimited            unlimited            bytes     \n"
		"Max stack size            8388608              unlimited            bytes     \n"
		"Max address space         4294967296           unlimited            bytes     \n");

	tree_write(root, "proc/12/maps", "%s", maps);
	tree_write(root, "proc/12/cgroup", "%s", cgroup);
	tree_write(root, "proc/sys/vm/max_map_count", "65530\n");
	tree_write(root, "proc/sys/kernel/threads-max", "31000\n");
	tree_write(root, "proc/loadavg", "0.20 0.18 0.12 1/345 11206\n");
	tree_write(root, "proc/meminfo",
	           "MemTotal:       16384 kB\nMemFree:          100 kB\nMemAvailable:    4096 "
	           "kB\nSwapTotal:        2048 kB\nSwapFree:"
	           "         1024 kB\n");

	return root;
}

static struct pm_headroom read_saved(const char *root)
{
	char *sys;
	struct pm_process *process = tree_open_process(root, 12, &sys);
	struct pm_headroom headroom = { 0 };
	struct pm_error error = { 0 };

	must(pm_headroom_read(process, sys, &headroom, &error), &error);
	pm_process_close(process);
	free(sys);
	return headroom;
}

static void expect(const struct pm_headroom *headroom, enum pm_limit_kind kind, uint64_t max,
                   uint64_t used, uint64_t left, const char *source)
{
	const struct pm_limit *limit = pm_headroom_find(headroom, kind);
	if (!limit)
		fail_msg("no limit %s", pm_limit_name(kind));
	assert_int_equal(limit->max, max);
	assert_int_equal(limit->used, used);
	assert_int_equal(pm_limit_left(limit), left);
	assert_string_equal(limit->source, source);
	assert_int_equal(limit->counts, kind >= PM_LIMIT_MAPPINGS);
}

static void machine_and_process(void **state)
{
	(void)state;
	char *root = make_machine("0::/\n");
	struct pm_headroom headroom = read_saved(root);
	expect(&headroom, PM_LIMIT_SYSTEM, 18 * MIB, 13 * MIB, 5 * MIB, "/proc/meminfo");
	expect(&headroom, PM_LIMIT_ADDRESS_SPACE, 4096 * MIB, 2 * MIB, 4094 * MIB, "RLIMIT_AS");
	expect(&headroom, PM_LIMIT_STACK, 8 * MIB, 132 * 1024, 8 * MIB - 132 * 1024,
	       "RLIMIT_STACK");
	expect(&headroom, PM_LIMIT_MAPPINGS, 65530, 2, 65528, "/proc/sys/vm/max_map_count");

	expect(&headroom, PM_LIMIT_THREADS, 31000, 345, 30655, "/proc/sys/kernel/threads-max");
	assert_null(pm_headroom_find(&headroom, PM_LIMIT_DATA));
	assert_null(pm_headroom_find(&headroom, PM_LIMIT_CGROUP));
	assert_null(pm_headroom_find(&headroom, PM_LIMIT_PIDS));
	assert_int_equal(pm_headroom_memory(&headroom)->kind, PM_LIMIT_SYSTEM);
	assert_false(headroom.events.known);
	tree_remove(root);
}

/** A group that is being removed: the usage is gone, the limits can still be read. */
static void usage_that_cannot_be_read(void **state)
{
	(void)state;
	char *root = make_machine("0::/shop/web\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.max", "1048576\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.high", "1000000\n");
	tree_write(root, "sys/fs/cgroup/shop/web/pids.max", "100\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.max", "2097152\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.current", "2000000\n");

	struct pm_headroom headroom = read_saved(root);
	expect(&headroom, PM_LIMIT_CGROUP, 2097152, 2000000, 97152, "/shop/memory.max");
	assert_null(pm_headroom_find(&headroom, PM_LIMIT_CGROUP_HIGH));
	assert_null(pm_headroom_find(&headroom, PM_LIMIT_PIDS));
	tree_remove(root);
}

/** The ancestor with the larger limit may leave less. */
static void v2_group_with_the_least_left(void **state)
{
	(void)state;
	char *root = make_machine("0::/shop/web\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.max", "1048576\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.high", "max\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.current", "204800\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.events",
	           "low 0\nhigh 7\nmax 6\noom 5\noom_kill 4\noom_group_kill 0\n");
	tree_write(root, "sys/fs/cgroup/shop/web/memory.pressure",
	           "some avg10=1.50 avg60=0.25 avg300=0.00 total=99\n"
	           "full avg10=0.50 avg60=12.05 avg300=0.00 total=50\n");

	tree_write(root, "sys/fs/cgroup/shop/memory.max", "2097152\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.high", "1900000\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.current", "2000000\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.stat",
	           "anon 1\nfile 5\ntotal_inactive_file 4\ninactive_file 100000\nactive_file 2\n");
	tree_write(root, "sys/fs/cgroup/shop/pids.max", "100\n");
	tree_write(root, "sys/fs/cgroup/shop/pids.current", "98\n");

	struct pm_headroom headroom = read_saved(root);
	assert_int_equal(headroom.cgroup_version, 2);
	/* Active and inactive page cache can be reclaimed, 100,002 bytes. */
	expect(&headroom, PM_LIMIT_CGROUP, 2097152, 2000000, 197154, "/shop/memory.max");
	expect(&headroom, PM_LIMIT_CGROUP_WORKING_SET, 2097152, 2000000, 197152,
	       "/shop/memory.max");
	expect(&headroom, PM_LIMIT_CGROUP_HIGH, 1900000, 2000000, 2, "/shop/memory.high");
	expect(&headroom, PM_LIMIT_PIDS, 100, 98, 2, "/shop/pids.max");
	assert_int_equal(pm_headroom_memory(&headroom)->kind, PM_LIMIT_CGROUP);
	assert_true(headroom.events.known);
	assert_int_equal(headroom.events.high, 7);

	assert_int_equal(headroom.events.max, 6);
	assert_int_equal(headroom.events.oom, 5);
	assert_int_equal(headroom.events.oom_kill, 4);
	assert_true(headroom.pressure.known && !headroom.pressure.machine);
	assert_true(headroom.pressure.some10 == 1.5 && headroom.pressure.some60 == 0.25);
	assert_true(headroom.pressure.full10 == 0.5 && headroom.pressure.full60 == 12.05);
	tree_remove(root);
}

static void v1_group(void **state)
{
	(void)state;
	char *root = make_machine("5:pids:/jobs\n4:memory:/shop\n0::/\n");
	tree_write(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/memory.limit_in_bytes", "1048576\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/memory.usage_in_bytes", "1000000\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/memory.failcnt", "17\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/memory.oom_control",
	           "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");

	tree_write(root, "sys/fs/cgroup/memory/shop/memory.stat",
	           "cache 0\ninactive_file 1\ntotal_cache 5\ntotal_inactive_file 400000\n");
	tree_write(root, "sys/fs/cgroup/pids/jobs/pids.max", "10\n");
	tree_write(root, "sys/fs/cgroup/pids/jobs/pids.current", "4\n");
	tree_write(root, "proc/pressure/memory",
	           "some avg10=3.00 avg60=2.00 avg300=1.00 total=1\nfull avg10=0.00 avg60=0.00 "
	           "avg300=0.00 total=0\n");

	struct pm_headroom headroom = read_saved(root);
	assert_int_equal(headroom.cgroup_version, 1);
	expect(&headroom, PM_LIMIT_CGROUP, 1048576, 1000000, 448576, "/shop/memory.limit_in_bytes");
	expect(&headroom, PM_LIMIT_PIDS, 10, 4, 6, "/jobs/pids.max");
	assert_null(pm_headroom_find(&headroom, PM_LIMIT_CGROUP_HIGH));
	assert_true(headroom.events.known);
	assert_int_equal(headroom.events.max, 17);
	assert_int_equal(headroom.events.oom_kill, 3);

	assert_true(headroom.pressure.some10 == 3 && headroom.pressure.machine);
	tree_remove(root);
}

/** Returns the number of limits of a kind, and checks that they are sorted by what is left. */
static size_t count_kind(const struct pm_headroom *headroom, enum pm_limit_kind kind)
{
	size_t count = 0;
	for (size_t i = 0; i < headroom->count; i++) {
		const struct pm_limit *limit = &headroom->limits[i];
		if (i > 0)
			assert_true(limit[-1].kind <= limit->kind);
		if (limit->kind != kind)
			continue;
		if (count > 0)
			assert_true(pm_limit_left(&limit[-1]) <= pm_limit_left(limit));
		count++;
	}

	return count;
}

/** Files in tmpfs are in the page cache, but the kernel can only reclaim them if there is swap. */
static void tmpfs_is_not_reclaimable(void **state)
{
	(void)state;
	char *root = make_machine("0::/shop\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.max", "1000000\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.current", "900000\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.stat",
	           "anon 100000\nfile 800000\nshmem 500000\ninactive_anon 500000\n"
	           "active_anon 100000\ninactive_file 100000\nactive_file 200000\n");

	struct pm_headroom headroom = read_saved(root);
	expect(&headroom, PM_LIMIT_CGROUP, 1000000, 900000, 400000, "/shop/memory.max");
	expect(&headroom, PM_LIMIT_CGROUP_WORKING_SET, 1000000, 900000, 200000, "/shop/memory.max");
	assert_int_equal(pm_headroom_find(&headroom, PM_LIMIT_CGROUP)->reclaimable, 300000);
	assert_int_equal(headroom.cgroup_view, PM_CGROUP_VISIBLE);
	tree_remove(root);
}

static void limits_of_each_level(void **state)
{
	(void)state;
	char *root = make_machine("0::/1/2/3/4/5/6/7/8\n");
	char path[200] = "sys/fs/cgroup";
	for (int i = 1; i <= 8; i++) {
		char name[256];
		snprintf(path + strlen(path), sizeof path - strlen(path), "/%d", i);
		snprintf(name, sizeof name, "%s/memory.max", path);
		tree_write(root, name, "%d\n", i == 5 ? 100 : 10000 * i);
		snprintf(name, sizeof name, "%s/memory.current", path);
		tree_write(root, name, "0\n");
		snprintf(name, sizeof name, "%s/pids.max", path);
		tree_write(root, name, i % 2 ? "max\n" : "%d\n", 100 - i);
		snprintf(name, sizeof name, "%s/pids.current", path);
		tree_write(root, name, "3\n");
	}

	struct pm_headroom headroom = read_saved(root);
	assert_int_equal(count_kind(&headroom, PM_LIMIT_CGROUP), PM_LIMIT_LEVELS);
	assert_int_equal(count_kind(&headroom, PM_LIMIT_CGROUP_WORKING_SET), PM_LIMIT_LEVELS);
	assert_int_equal(count_kind(&headroom, PM_LIMIT_CGROUP_HIGH), 0);
	assert_int_equal(count_kind(&headroom, PM_LIMIT_PIDS), 4);
	expect(&headroom, PM_LIMIT_CGROUP, 100, 0, 100, "/1/2/3/4/5/memory.max");
	expect(&headroom, PM_LIMIT_PIDS, 92, 3, 89, "/1/2/3/4/5/6/7/8/pids.max");
	tree_remove(root);
}

/** Adds a process of a saved machine with the user, capabilities and threads given. */
static void add_user(const char *root, pid_t pid, unsigned user, unsigned threads,
                     const char *capabilities)
{
	tree_add_process(root, pid, "shop",
	                 "Tgid:\t%d\nUid:\t%u\t0\t0\t0\nCapEff:\t%s\nThreads:\t%u\n", (int)pid,
	                 user, capabilities, threads);
}

static void threads_of_the_user(void **state)
{
	(void)state;
	static const char none[] = "0000000000000000", resource[] = "0000000001000000",
			  admin[] = "0000000000200000", other[] = "0000000000080000";
	char *root = make_machine("0::/\n");
	add_user(root, 12, 1000, 7, none);
	add_user(root, 13, 1000, 30, none);
	add_user(root, 14, 1001, 200, none);
	tree_write(
		root, "proc/12/limits",
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max processes             50                   60                   processes \n");
	tree_write(root, "proc/sys/kernel/pid_max", "32768\n");

	struct pm_headroom headroom = read_saved(root);
	expect(&headroom, PM_LIMIT_USER_THREADS, 50, 37, 13, "RLIMIT_NPROC");
	expect(&headroom, PM_LIMIT_PID_MAX, 32768, 345, 32423, "/proc/sys/kernel/pid_max");
	assert_false(pm_headroom_find(&headroom, PM_LIMIT_USER_THREADS)->exempt);
	assert_false(pm_headroom_find(&headroom, PM_LIMIT_USER_THREADS)->approximate);

	assert_false(pm_headroom_find(&headroom, PM_LIMIT_PID_MAX)->approximate);

	/* A target in another PID namespace can have another pid_max. */
	tree_link(root, "proc/12/ns/pid", "pid:[4026532200]");
	headroom = read_saved(root);
	assert_true(pm_headroom_find(&headroom, PM_LIMIT_PID_MAX)->approximate);
	assert_false(pm_headroom_find(&headroom, PM_LIMIT_THREADS)->approximate);

	/* In another PID namespace, not all processes of the user are visible. */
	tree_link(root, "proc/self/ns/pid", "pid:[4026532200]");
	headroom = read_saved(root);
	assert_true(pm_headroom_find(&headroom, PM_LIMIT_USER_THREADS)->approximate);

	const struct {
		unsigned user;
		const char *capabilities;
		bool exempt;
	} cases[] = { { 1000, none, false },
		      { 1000, other, false },
		      { 1000, resource, true },
		      { 1000, admin, true },
		      { 0, none, true } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		add_user(root, 12, cases[i].user, 7, cases[i].capabilities);
		headroom = read_saved(root);
		assert_int_equal(pm_headroom_find(&headroom, PM_LIMIT_USER_THREADS)->exempt,
		                 cases[i].exempt);
	}

	/* The capabilities of a process in another user namespace do not count. */
	add_user(root, 12, 1000, 7, resource);
	tree_link(root, "proc/12/ns/user", "user:[4026532201]");
	headroom = read_saved(root);
	assert_false(pm_headroom_find(&headroom, PM_LIMIT_USER_THREADS)->exempt);
	assert_true(pm_headroom_find(&headroom, PM_LIMIT_USER_THREADS)->approximate);
	tree_remove(root);
}

static void hidden_groups_are_noted(void **state)
{
	(void)state;
	char *root = make_machine("0::/../web\n");
	struct pm_headroom headroom = read_saved(root);
	assert_int_equal(headroom.cgroup_version, 0);
	assert_int_equal(headroom.cgroup_view, PM_CGROUP_HIDDEN);
	assert_null(pm_headroom_find(&headroom, PM_LIMIT_CGROUP));
	tree_remove(root);

	/* The root of the mount is not the root of the hierarchy. */
	root = make_machine("0::/web\n");
	tree_write(root, "sys/fs/cgroup/web/memory.max", "1000000\n");
	tree_write(root, "sys/fs/cgroup/web/memory.current", "1000\n");
	headroom = read_saved(root);
	assert_int_equal(headroom.cgroup_view, PM_CGROUP_VISIBLE);
	tree_write(root, "sys/fs/cgroup/cgroup.type", "domain\n");
	headroom = read_saved(root);
	assert_int_equal(headroom.cgroup_view, PM_CGROUP_ANCESTORS_HIDDEN);
	assert_non_null(pm_headroom_find(&headroom, PM_LIMIT_CGROUP));
	tree_remove(root);

	root = make_machine("4:memory:/web\n");
	tree_write(root, "sys/fs/cgroup/memory/cgroup.procs", "1\n");
	headroom = read_saved(root);
	assert_int_equal(headroom.cgroup_view, PM_CGROUP_ANCESTORS_HIDDEN);
	tree_write(root, "sys/fs/cgroup/memory/cgroup.sane_behavior", "0\n");
	headroom = read_saved(root);
	assert_int_equal(headroom.cgroup_view, PM_CGROUP_VISIBLE);
	tree_remove(root);
}

/** The machine may have less left than the group is allowed. */
static void machine_ends_first(void **state)
{
	(void)state;
	char *root = make_machine("0::/shop\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.max", "1073741824\n");
	tree_write(root, "sys/fs/cgroup/shop/memory.current", "1048576\n");

	struct pm_headroom headroom = read_saved(root);
	assert_int_equal(pm_headroom_memory(&headroom)->kind, PM_LIMIT_SYSTEM);
	tree_remove(root);
}

static void living_process(void **state)
{
	(void)state;
	struct pm_process *process;
	struct pm_headroom headroom;
	struct pm_error error = { 0 };
	struct rlimit stack;

	if (pm_process_open(NULL, getpid(), &process, &error) < 0 ||
	    pm_headroom_read(process, NULL, &headroom, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(getrlimit(RLIMIT_STACK, &stack), 0);

	const struct pm_limit *limit = pm_headroom_find(&headroom, PM_LIMIT_STACK);
	assert_int_equal(limit != NULL, stack.rlim_cur != RLIM_INFINITY);
	if (limit)
		assert_int_equal(limit->max, stack.rlim_cur);
	assert_true(pm_headroom_find(&headroom, PM_LIMIT_MAPPINGS)->used > 10);
	assert_int_equal(pm_headroom_find(&headroom, PM_LIMIT_SYSTEM)->max / 4096 >
	                         (uint64_t)sysconf(_SC_PHYS_PAGES) - 1,
	                 1);

	assert_non_null(pm_headroom_memory(&headroom));
	pm_process_close(process);
}

/** A caller that follows a process asks in each sample, and may have read all limits before. */
static void counts_are_added_and_then_exchanged(void **state)
{
	(void)state;
	char *root = make_machine("0::/\n"), *sys;
	struct pm_process *process = tree_open_process(root, 12, &sys);
	struct pm_headroom headroom = { 0 };
	struct pm_error error = { 0 };
	struct pm_regions regions;

	pm_regions_init(&regions);
	must(pm_headroom_read_memory(process, sys, &headroom, &error), &error);
	assert_null(pm_headroom_find(&headroom, PM_LIMIT_MAPPINGS));
	assert_null(pm_headroom_find(&headroom, PM_LIMIT_THREADS));

	size_t count = headroom.count;
	for (uint64_t i = 1; i <= PM_LIMIT_KINDS; i++) {
		const struct pm_region region = {
			.start = i << 20, .end = (i << 20) + 4096, .mapping = "", .why = ""
		};
		assert_int_equal(pm_regions_append(&regions, &region, NULL), 0);
		must(pm_headroom_add_counts(process, sys, &regions, &headroom, &error), &error);
		assert_int_equal(headroom.count, count + 2);
		expect(&headroom, PM_LIMIT_MAPPINGS, 65530, i, 65530 - i,
		       "/proc/sys/vm/max_map_count");
	}

	must(pm_headroom_read(process, sys, &headroom, &error), &error);
	count = headroom.count;
	must(pm_headroom_add_counts(process, sys, &regions, &headroom, &error), &error);
	assert_int_equal(headroom.count, count);
	pm_regions_deinit(&regions);
	pm_process_close(process);
	free(sys);
	tree_remove(root);
}

/** One process of the group eats more than the limit; the other one is asked about it. */
static void kill_is_seen(void **state)
{
	(void)state;
	struct target eater, witness;
	struct pm_process *process;
	struct group group;
	struct pm_headroom before = { 0 }, after = { 0 };
	int status = 0;

	target_start(&eater, "hog", NULL);
	target_start(&witness, "hog", NULL);
	assert_int_equal(pm_process_open(NULL, witness.pid, &process, NULL), 0);

	const char *obstacle = group_make(&group, 48 * MIB);
	if (!obstacle)
		obstacle = group_add(&group, eater.pid);
	if (!obstacle)
		obstacle = group_add(&group, witness.pid);

	if (!obstacle) {
		/* The killer must not choose the witness, nor anybody else. */
		target_be_killed_first(&eater);
		pm_headroom_read(process, NULL, &before, NULL);
		fputs("eat 400\n", eater.to);
		fflush(eater.to);
		target_await_end(&eater, &status);
		pm_headroom_read(process, NULL, &after, NULL);
	}

	pm_process_close(process);
	target_stop(&eater);
	target_stop(&witness);
	group_remove(&group);
	if (obstacle)
		skip_because("%s", obstacle);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(pm_headroom_find(&before, PM_LIMIT_CGROUP)->max, 48 * MIB);

	assert_true(before.events.known && after.events.known);
	assert_int_equal(before.events.oom_kill, 0);
	assert_true(after.events.oom_kill >= 1);
	assert_true(after.events.max > before.events.max);
}

/** The limits of runtimes are added in the order of their kinds, and replace older ones. */
static void limits_of_runtimes(void **state)
{
	(void)state;
	struct pm_headroom headroom = { 0 };
	struct pm_runtimes runtimes = {
		.limits = { { PM_RUNTIME_LIMIT_GO_MEMORY, 4096, 96, true, true, "GOMEMLIMIT" },
		            { PM_RUNTIME_LIMIT_JAVA_DIRECT, 1024, 24, true, true,
		              "MaxDirectMemorySize" },
		            { PM_RUNTIME_LIMIT_V8_OLD_SPACE, 2048, 99, false, false, NULL },
		            { PM_RUNTIME_LIMIT_JAVA_HEAP, 0, 0, false, true, "MaxHeapSize" },
		            { PM_RUNTIME_LIMIT_COUNT, 1, 0, false, true, "unknown" } },
		.limit_count = 5,
	};

	pm_headroom_add_runtimes(&headroom, &runtimes);
	assert_int_equal(headroom.count, 3);
	assert_int_equal(headroom.limits[0].kind, PM_LIMIT_JAVA_DIRECT);
	assert_int_equal(headroom.limits[1].kind, PM_LIMIT_V8_OLD_SPACE);
	assert_int_equal(headroom.limits[2].kind, PM_LIMIT_GO_MEMORY);
	expect(&headroom, PM_LIMIT_JAVA_DIRECT, 1024, 24, 1000, "MaxDirectMemorySize");
	expect(&headroom, PM_LIMIT_V8_OLD_SPACE, 2048, 0, 2048, "");
	assert_true(headroom.limits[0].approximate && !headroom.limits[0].used_unknown);
	assert_true(headroom.limits[1].used_unknown && !headroom.limits[1].approximate);

	runtimes.limits[0].used = 196;
	runtimes.limit_count = 1;
	pm_headroom_add_runtimes(&headroom, &runtimes);
	assert_int_equal(headroom.count, 1);
	expect(&headroom, PM_LIMIT_GO_MEMORY, 4096, 196, 3900, "GOMEMLIMIT");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machine_and_process),
		cmocka_unit_test(usage_that_cannot_be_read),
		cmocka_unit_test(v2_group_with_the_least_left),
		cmocka_unit_test(v1_group),
		cmocka_unit_test(tmpfs_is_not_reclaimable),
		cmocka_unit_test(limits_of_each_level),
		cmocka_unit_test(threads_of_the_user),
		cmocka_unit_test(hidden_groups_are_noted),
		cmocka_unit_test(machine_ends_first),
		cmocka_unit_test(living_process),
		cmocka_unit_test(counts_are_added_and_then_exchanged),
		cmocka_unit_test(kill_is_seen),
		cmocka_unit_test(limits_of_runtimes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
