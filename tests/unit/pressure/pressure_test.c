/* SPDX-License-Identifier: MIT */
/* Utilisation, saturation, errors and thresholds: saved trees of both versions of cgroups. */
#include <procmem/pressure.h>
#include <procmem/pressure_signs.h>

#include <inttypes.h>
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

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)

/** A saved machine with the process 12, and two readings of it. */
struct machine {
	char *root, *sys, *proc;
	struct pm_process *process; /* NULL to read without a target */
	struct pm_pressure_source *source;
	struct pm_pressure_reading before, after;
	struct pm_pressure_change change;
	struct pm_signs signs;
};

/** Writes the files of the machine that never change. */
static void make_machine(struct machine *machine, const char *cgroup)
{
	*machine = (struct machine){ .root = tree_create() };
	const char *root = machine->root;

	tree_add_process(root, 12, "shop",
	                 "VmSize:\t 9000 kB\nVmRSS:\t 4000 kB\nRssAnon:\t 3000 kB\n"
	                 "RssFile:\t 900 kB\nRssShmem:\t 100 kB\nVmPTE:\t 40 kB\nVmSwap:\t 8 kB\n");
	tree_write(root, "proc/12/cgroup", "%s", cgroup);
	tree_write(root, "proc/12/limits",
	           "Limit                     Soft Limit           Hard Limit           Units\n"
	           "Max address space         10485760             unlimited            bytes\n");
	tree_write(root, "proc/12/oom_score_adj", "-500\n");
	tree_write(root, "proc/12/oom_score", "17\n");
	tree_write(root, "proc/meminfo",
	           "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    400 kB\n"
	           "SwapTotal:       200 kB\nSwapFree:        150 kB\nCommitLimit:     900 kB\n"
	           "Committed_AS:    300 kB\nHugePages_Total:       4\nHugePages_Free:        1\n");
	tree_write(root, "proc/sys/vm/overcommit_memory", "0\n");
}

/** Reads once more. The first call opens the process and the source. */
static void take(struct machine *machine, bool with_process)
{
	struct pm_error error = { 0 };

	if (!machine->source) {
		if (with_process)
			machine->process = tree_open_process(machine->root, 12, &machine->sys);
		else
			assert_true(asprintf(&machine->sys, "%s/sys", machine->root) > 0);
		assert_true(asprintf(&machine->proc, "%s/proc", machine->root) > 0);
		must(pm_pressure_open(machine->process, machine->proc, machine->sys,
		                      &machine->source, &error),
		     &error);
	}

	pm_pressure_deinit(&machine->before);
	machine->before = machine->after;
	machine->after = (struct pm_pressure_reading){ 0 };
	must(pm_pressure_read(machine->source, &machine->after, &error), &error);
}

/** Compares the readings as if they were 2 s apart, and finds the signs. */
static void judge(struct machine *machine, const struct pm_oom_log *log)
{
	struct pm_error error = { 0 };

	if (machine->before.count > 0)
		machine->after.time_ns = machine->before.time_ns + UINT64_C(2000000000);
	must(pm_pressure_compare(machine->before.count > 0 ? &machine->before : NULL,
	                         &machine->after, &machine->change, &error),
	     &error);
	must(pm_signs_find(&machine->after, &machine->change, log, true, &machine->signs, &error),
	     &error);
}

static void forget(struct machine *machine)
{
	pm_signs_deinit(&machine->signs);
	pm_pressure_change_deinit(&machine->change);
}

static void close_machine(struct machine *machine)
{
	forget(machine);
	pm_pressure_deinit(&machine->before);
	pm_pressure_deinit(&machine->after);
	pm_pressure_close(machine->source);
	pm_process_close(machine->process);
	tree_remove(machine->root);
	free(machine->sys);
	free(machine->proc);
}

static size_t find_level(const struct machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->after.count; i++)
		if (strcmp(machine->after.levels[i].name, name) == 0)
			return i;
	fail_msg("there is no level %s", name);
	return 0;
}

static void assert_value(const struct machine *machine, const char *name,
                         enum pm_pressure_field field, uint64_t value)
{
	const struct pm_pressure_level *level = &machine->after.levels[find_level(machine, name)];
	assert_true(level->known[field]);
	assert_int_equal(level->values[field], value);
}

static void assert_unknown(const struct machine *machine, const char *name,
                           enum pm_pressure_field field)
{
	size_t level = find_level(machine, name);
	assert_false(machine->after.levels[level].known[field]);
	assert_int_equal(machine->after.levels[level].values[field], 0);
	if (machine->change.rises)
		assert_false(machine->change.rises[level].known[field]);
}

static void assert_rise(const struct machine *machine, const char *name,
                        enum pm_pressure_field field, uint64_t rise)
{
	size_t level = find_level(machine, name);
	assert_true(machine->change.rises[level].known[field]);
	assert_int_equal(machine->change.rises[level].rises[field], rise);
}

/** Returns the sign of a rule on a level, or NULL. */
static const struct pm_sign *find_sign(const struct machine *machine, const char *name,
                                       enum pm_pressure_rule rule)
{
	size_t level = find_level(machine, name);
	for (size_t i = 0; i < machine->signs.count; i++)
		if (machine->signs.items[i].level == level && machine->signs.items[i].rule == rule)
			return &machine->signs.items[i];
	return NULL;
}

/** Writes the changing files of a group of v2. */
static void write_v2(const char *root, const char *group, unsigned max_hits, unsigned kills,
                     unsigned stall_us)
{
	char path[128];

	snprintf(path, sizeof path, "sys/fs/cgroup%s/memory.events", group);
	tree_write(root, path, "low 1\nhigh %u\nmax %u\noom %u\noom_kill %u\noom_group_kill 0\n",
	           max_hits / 2, max_hits, kills, kills);
	snprintf(path, sizeof path, "sys/fs/cgroup%s/memory.pressure", group);
	tree_write(root, path,
	           "some avg10=12.34 avg60=0.50 avg300=0.00 total=%u\n"
	           "full avg10=1.05 avg60=0.00 avg300=0.00 total=%u\n",
	           stall_us, stall_us / 2);
	snprintf(path, sizeof path, "sys/fs/cgroup%s/memory.stat", group);
	tree_write(root, path,
	           "anon 1048576\nfile 2097152\nkernel 4096\nshmem 8192\nsock 1\n"
	           "inactive_file 1000000\nactive_file 500000\nslab 77\npagetables 4096\n"
	           "pgscan_direct %u\npgsteal_direct %u\npgmajfault 5\n"
	           "workingset_refault_anon 1\nworkingset_refault_file %u\n"
	           "workingset_restore_anon 0\nworkingset_restore_file 0\n",
	           max_hits * 3, max_hits, max_hits * 10);
}

static void make_v2(struct machine *machine)
{
	make_machine(machine, "0::/kube/pod\n");
	const char *root = machine->root;

	tree_write(root, "sys/fs/cgroup/kube/pod/memory.current", "3200000\n");
	tree_write(root, "sys/fs/cgroup/kube/pod/memory.max", "4194304\n");
	tree_write(root, "sys/fs/cgroup/kube/pod/memory.high", "max\n");
	tree_write(root, "sys/fs/cgroup/kube/pod/memory.peak", "4000000\n");
	tree_write(root, "sys/fs/cgroup/kube/pod/memory.swap.current", "0\n");
	tree_write(root, "sys/fs/cgroup/kube/pod/memory.swap.max", "0\n");
	tree_write(root, "sys/fs/cgroup/kube/pod/memory.events.local", "oom 0\noom_kill 7\n");
	tree_write(root, "sys/fs/cgroup/kube/memory.current", "9000000\n");
	tree_write(root, "sys/fs/cgroup/kube/memory.max", "max\n");
	tree_write(root, "sys/fs/cgroup/kube/pod/memory.numa_stat",
	           "anon N0=1000 N1=20\nfile N0=300 N1=0\nfile_mapped N0=9999 N1=9999\n");
	tree_write(root, "sys/devices/system/node/node0/meminfo",
	           "Node 0 MemTotal:  800 kB\nNode 0 MemFree:  300 kB\nNode 0 MemUsed:  500 kB\n");
	tree_write(root, "sys/devices/system/node/node0/numastat", "numa_hit 1\nnuma_miss 4\n");
	tree_write(root, "sys/devices/system/node/node11/meminfo", "Node 11 MemTotal:  8 kB\n");
	write_v2(root, "/kube/pod", 10, 2, 1000);
	write_v2(root, "/kube", 10, 2, 1000);
}

static void v2_values(void **state)
{
	(void)state;
	struct machine machine;
	make_v2(&machine);
	take(&machine, true);
	judge(&machine, NULL);

	/* The order is that of the report. */
	assert_int_equal(machine.after.count, 6);
	assert_string_equal(machine.after.levels[0].name, "shop");
	assert_string_equal(machine.after.levels[1].name, "/kube/pod");
	assert_string_equal(machine.after.levels[2].name, "/kube");
	assert_string_equal(machine.after.levels[3].name, "host");
	assert_string_equal(machine.after.levels[4].name, "node0");
	assert_string_equal(machine.after.levels[5].name, "node11");

	assert_value(&machine, "shop", PM_PRESSURE_RSS, 4000 * KIB);
	assert_value(&machine, "shop", PM_PRESSURE_SWAP, 8 * KIB);
	assert_value(&machine, "shop", PM_PRESSURE_ADDRESSES_MAX, 10 * MIB);
	assert_value(&machine, "shop", PM_PRESSURE_OOM_SCORE, 17);
	assert_value(&machine, "shop", PM_PRESSURE_OOM_SCORE_ADJ, (uint64_t)-500);
	assert_value(&machine, "/kube/pod", PM_PRESSURE_USED, 3200000);
	assert_value(&machine, "/kube/pod", PM_PRESSURE_MAX, 4194304);
	assert_value(&machine, "/kube/pod", PM_PRESSURE_RECLAIMABLE, 1500000);
	assert_value(&machine, "/kube/pod", PM_PRESSURE_SWAP_MAX, 0);
	assert_value(&machine, "/kube/pod", PM_PRESSURE_SOME_AVG10, 1234);
	assert_value(&machine, "/kube/pod", PM_PRESSURE_FULL_AVG10, 105);
	assert_value(&machine, "/kube/pod", PM_PRESSURE_OOM_KILL, 2);
	assert_value(&machine, "/kube/pod", PM_PRESSURE_LOCAL_KILL, 7);

	assert_value(&machine, "host", PM_PRESSURE_USED, 600 * KIB);
	assert_value(&machine, "host", PM_PRESSURE_SWAP, 50 * KIB);
	assert_value(&machine, "host", PM_PRESSURE_COMMITTED, 300 * KIB);
	assert_value(&machine, "host", PM_PRESSURE_HUGE_FREE, 1);
	assert_value(&machine, "node0", PM_PRESSURE_USED, 500 * KIB);
	assert_value(&machine, "node0", PM_PRESSURE_GROUP_USED, 1300);
	assert_value(&machine, "node11", PM_PRESSURE_MAX, 8 * KIB);
	close_machine(&machine);
}

/** What the kernel does not report is not known, never 0. */
static void missing_is_not_known(void **state)
{
	(void)state;
	struct machine machine;
	make_v2(&machine);
	take(&machine, true);
	judge(&machine, NULL);

	assert_unknown(&machine, "/kube/pod", PM_PRESSURE_HIGH);
	assert_unknown(&machine, "/kube/pod", PM_PRESSURE_SWAP_FAILS);
	assert_unknown(&machine, "/kube/pod", PM_PRESSURE_ZSWAP);
	assert_unknown(&machine, "/kube", PM_PRESSURE_MAX);
	assert_unknown(&machine, "/kube", PM_PRESSURE_LOCAL_KILL);
	assert_unknown(&machine, "host", PM_PRESSURE_SOME_AVG10);
	assert_unknown(&machine, "host", PM_PRESSURE_OOM_KILL);
	/* The limit is not enforced in mode 0. */
	assert_unknown(&machine, "host", PM_PRESSURE_COMMIT_MAX);
	assert_unknown(&machine, "host", PM_PRESSURE_CORRUPTED);
	assert_unknown(&machine, "node11", PM_PRESSURE_USED);
	assert_unknown(&machine, "node11", PM_PRESSURE_GROUP_USED);

	/* Without an earlier reading, no rise is known, and only the averages give signs. */
	assert_unknown(&machine, "shop", PM_PRESSURE_MAPPINGS);
	assert_false(machine.change.rises[1].known[PM_PRESSURE_MAX_HITS]);
	assert_int_equal(machine.signs.count, 0);
	close_machine(&machine);
}

static void v2_rates_and_signs(void **state)
{
	(void)state;
	struct machine machine;
	make_v2(&machine);
	take(&machine, true);
	write_v2(machine.root, "/kube/pod", 30, 2, 401000);
	take(&machine, true);
	judge(&machine, NULL);

	assert_true(machine.change.seconds == 2);
	assert_rise(&machine, "/kube/pod", PM_PRESSURE_MAX_HITS, 20);
	assert_rise(&machine, "/kube/pod", PM_PRESSURE_STALL_SOME, 400000);
	assert_rise(&machine, "/kube/pod", PM_PRESSURE_SCAN_DIRECT, 60);
	assert_rise(&machine, "/kube/pod", PM_PRESSURE_OOM_KILL, 0);
	assert_rise(&machine, "/kube", PM_PRESSURE_MAX_HITS, 0);

	/* 400 ms of 2 s; 20 times in 2 s. Restored pages are known, so refaults alone are no sign.
	 */
	const struct pm_sign *sign = find_sign(&machine, "/kube/pod", PM_SIGN_STALL);
	assert_non_null(sign);
	assert_true(sign->value > 19.9 && sign->value < 20.1);
	sign = find_sign(&machine, "/kube/pod", PM_SIGN_MAX_HITS);
	assert_non_null(sign);
	assert_true(sign->value > 9.9 && sign->value < 10.1);
	assert_non_null(find_sign(&machine, "/kube/pod", PM_SIGN_DIRECT));
	assert_null(find_sign(&machine, "/kube/pod", PM_SIGN_THRASHING));
	assert_null(find_sign(&machine, "/kube/pod", PM_SIGN_OOM_KILL));
	assert_null(find_sign(&machine, "/kube", PM_SIGN_MAX_HITS));
	assert_null(find_sign(&machine, "shop", PM_SIGN_ADDRESSES));
	forget(&machine);

	/* The kill is graver than the reclaim. A counter that falls is not known. */
	write_v2(machine.root, "/kube/pod", 5, 4, 402000);
	take(&machine, true);
	judge(&machine, NULL);
	assert_int_equal(machine.signs.items[0].rule, PM_SIGN_OOM_KILL);
	assert_true(machine.signs.items[0].value == 2);
	assert_false(machine.change.rises[1].known[PM_PRESSURE_MAX_HITS]);
	assert_null(find_sign(&machine, "/kube/pod", PM_SIGN_MAX_HITS));
	close_machine(&machine);
}

static void calm(void **state)
{
	(void)state;
	struct machine machine;
	make_v2(&machine);
	take(&machine, true);
	take(&machine, true);
	judge(&machine, NULL);
	assert_int_equal(machine.signs.count, 0);
	close_machine(&machine);
}

static void v1_values(void **state)
{
	(void)state;
	struct machine machine;
	make_machine(&machine, "4:memory:/a/b\n0::/a/b\n");
	const char *root = machine.root;

	tree_write(root, "sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "67108864\n");
	tree_write(root, "sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "67000000\n");
	tree_write(root, "sys/fs/cgroup/memory/a/b/memory.failcnt", "100\n");
	tree_write(root, "sys/fs/cgroup/memory/a/b/memory.oom_control",
	           "oom_kill_disable 0\nunder_oom 1\noom_kill 3\n");
	tree_write(
		root, "sys/fs/cgroup/memory/a/b/memory.stat",
		"cache 1\nrss 2\ntotal_cache 5000\ntotal_rss 66000000\ntotal_inactive_file 4000\n"
		"total_active_file 500\ntotal_workingset_refault_file 1000\n");
	tree_write(root, "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
	tree_write(root, "sys/fs/cgroup/memory/a/memory.usage_in_bytes", "67000000\n");
	tree_write(root, "sys/fs/cgroup/unified/a/b/memory.pressure",
	           "some avg10=0.00 avg60=61.00 avg300=0.00 total=1\n"
	           "full avg10=75.00 avg60=0.00 avg300=0.00 total=1\n");
	take(&machine, true);
	tree_write(root, "sys/fs/cgroup/memory/a/memory.stat", "total_workingset_refault_file 1\n");
	take(&machine, true);
	tree_write(root, "sys/fs/cgroup/memory/a/memory.stat",
	           "total_workingset_refault_file 90001\n");
	tree_write(root, "sys/fs/cgroup/memory/a/b/memory.failcnt", "300\n");
	tree_write(root, "sys/fs/cgroup/memory/a/b/memory.stat",
	           "total_rss 66000000\ntotal_inactive_file 4000\n"
	           "total_workingset_refault_file 1600\n");
	take(&machine, true);
	judge(&machine, NULL);

	assert_value(&machine, "/a/b", PM_PRESSURE_ANON, 66000000);
	assert_value(&machine, "/a/b", PM_PRESSURE_OOM_KILL, 3);
	assert_value(&machine, "/a/b", PM_PRESSURE_FULL_AVG10, 7500);
	assert_rise(&machine, "/a/b", PM_PRESSURE_MAX_HITS, 200);
	assert_unknown(&machine, "/a", PM_PRESSURE_MAX);
	assert_unknown(&machine, "/a", PM_PRESSURE_SOME_AVG10);
	assert_unknown(&machine, "/a/b", PM_PRESSURE_SCAN_DIRECT);

	assert_non_null(find_sign(&machine, "/a/b", PM_SIGN_UNDER_OOM));
	assert_non_null(find_sign(&machine, "/a/b", PM_SIGN_OOMD));
	assert_non_null(find_sign(&machine, "/a/b", PM_SIGN_SOME));
	assert_non_null(find_sign(&machine, "/a/b", PM_SIGN_MAX_HITS));
	assert_non_null(find_sign(&machine, "/a/b", PM_SIGN_THRASHING));
	assert_non_null(find_sign(&machine, "/a/b", PM_SIGN_USED));
	assert_null(find_sign(&machine, "/a", PM_SIGN_USED));
	/* Without a limit, pages were not evicted because the group is too small. */
	assert_rise(&machine, "/a", PM_PRESSURE_REFAULT_FILE, 90000);
	assert_null(find_sign(&machine, "/a", PM_SIGN_THRASHING));
	close_machine(&machine);
}

/** The cgroup of v2 of another path has other processes. */
static void pressure_of_another_group(void **state)
{
	(void)state;
	struct machine machine;
	make_machine(&machine, "4:memory:/a\n0::/b\n");
	tree_write(machine.root, "sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1\n");
	tree_write(machine.root, "sys/fs/cgroup/unified/a/memory.pressure",
	           "some avg10=9.00 total=1\n");
	tree_write(machine.root, "sys/fs/cgroup/unified/b/memory.pressure",
	           "some avg10=9.00 total=1\n");
	take(&machine, true);
	assert_unknown(&machine, "/a", PM_PRESSURE_SOME_AVG10);
	close_machine(&machine);
}

static void host_signs(void **state)
{
	(void)state;
	struct machine machine;
	make_machine(&machine, "0::/\n");
	const char *root = machine.root;
	static const char vmstat[] = "allocstall_normal %u\nallocstall_movable 5\npswpin %u\n"
				     "pgscan_direct 0\noom_kill 1\nworkingset_restore_file %u\n";

	tree_write(root, "proc/meminfo",
	           "MemTotal: 1000 kB\nMemAvailable: 40 kB\nSwapTotal: 100 kB\nSwapFree: 5 kB\n"
	           "CommitLimit: 1000 kB\nCommitted_AS: 990 kB\nHardwareCorrupted: 4 kB\n");
	tree_write(root, "proc/sys/vm/overcommit_memory", "2\n");
	tree_write(root, "proc/vmstat", vmstat, 1, 7, 0);
	tree_write(root, "sys/devices/system/edac/mc/mc0/ce_count", "1\n");
	tree_write(root, "sys/devices/system/edac/mc/mc1/ce_count", "2\n");
	tree_write(root, "sys/devices/system/edac/mc/mc1/ue_count", "1\n");
	take(&machine, true);
	tree_write(root, "proc/vmstat", vmstat, 3, 9, 1000);
	tree_write(root, "sys/devices/system/edac/mc/mc1/ue_count", "3\n");
	take(&machine, true);
	judge(&machine, NULL);

	assert_int_equal(machine.after.count, 2);
	assert_value(&machine, "host", PM_PRESSURE_CORRECTED, 3);
	assert_rise(&machine, "host", PM_PRESSURE_STALLS, 2);
	static const enum pm_pressure_rule expected[] = {
		PM_SIGN_UNCORRECTED, PM_SIGN_CORRUPTED, PM_SIGN_DIRECT, PM_SIGN_SWAPPING,
		PM_SIGN_THRASHING,   PM_SIGN_SWAP_USED, PM_SIGN_USED,   PM_SIGN_COMMITTED,
	};
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		assert_non_null(find_sign(&machine, "host", expected[i]));
	assert_int_equal(machine.signs.count, sizeof expected / sizeof *expected);
	close_machine(&machine);
}

/** Without a process: the groups directly below the root, largest first. */
static void top_groups(void **state)
{
	(void)state;
	struct machine machine;
	make_machine(&machine, "0::/\n");
	const char *root = machine.root;

	tree_write(root, "sys/fs/cgroup/cgroup.controllers", "memory\n");
	tree_write(root, "sys/fs/cgroup/small/memory.current", "10\n");
	tree_write(root, "sys/fs/cgroup/large/memory.current", "1000\n");
	tree_write(root, "sys/fs/cgroup/large/inner/memory.current", "900\n");
	for (int i = 0; i < PM_PRESSURE_TOP_MAX; i++) {
		char path[64];
		snprintf(path, sizeof path, "sys/fs/cgroup/g%d/memory.current", i);
		tree_write(root, path, "20\n");
	}
	take(&machine, false);
	assert_true(machine.after.top);
	assert_string_equal(machine.after.levels[0].name, "host");
	assert_string_equal(machine.after.levels[1].name, "/large");
	assert_int_equal(machine.after.count, 1 + PM_PRESSURE_TOP_MAX);
	assert_int_equal(machine.after.left_out, 2);

	/* A kill below a group is one of the group; one in a group that is gone, of no level. */
	struct pm_oom_kill kills[] = {
		{ .age_known = true,
		  .seconds_ago = 5,
		  .pid = 1,
		  .constraint = PM_OOM_MEMCG,
		  .group = "/large/inner",
		  .limit_group = "/large/inner" },
		{ .age_known = true,
		  .seconds_ago = 5,
		  .pid = 2,
		  .constraint = PM_OOM_MEMCG,
		  .group = "/removed",
		  .limit_group = "/removed" },
		{ .age_known = true,
		  .seconds_ago = PM_OOM_RECENT_SECONDS + 1,
		  .pid = 3,
		  .constraint = PM_OOM_GLOBAL },
	};
	struct pm_oom_log log = { .kills = kills, .count = 3 };
	judge(&machine, &log);
	assert_int_equal(machine.signs.count, 1);
	assert_true(find_sign(&machine, "/large", PM_SIGN_OOM_RECENT)->value == 1);
	close_machine(&machine);
}

/** Returns a recent kill by the limit of a group. */
static struct pm_oom_kill kill_in(const char *group, const char *limit_group)
{
	struct pm_oom_kill kill = { .age_known = true, .pid = 12, .constraint = PM_OOM_MEMCG };

	snprintf(kill.group, sizeof kill.group, "%s", group);
	snprintf(kill.limit_group, sizeof kill.limit_group, "%s", limit_group);
	return kill;
}

/** A kill because of the limit of another group does not concern the groups above it. */
static void kills_of_the_levels(void **state)
{
	(void)state;
	struct machine machine;
	make_v2(&machine);
	take(&machine, true);

	struct pm_oom_kill kills[] = {
		kill_in("/kube/other", "/kube/other"),
		kill_in("/kube/other", "/kube"),
		kill_in("/kube/pod", "/kube/pod"),
		kill_in("", ""),
	};
	struct pm_oom_log log = { .kills = kills, .count = 4 };
	judge(&machine, &log);

	assert_true(find_sign(&machine, "/kube", PM_SIGN_OOM_RECENT)->value == 1);
	assert_true(find_sign(&machine, "/kube/pod", PM_SIGN_OOM_RECENT)->value == 1);
	assert_null(find_sign(&machine, "host", PM_SIGN_OOM_RECENT));
	close_machine(&machine);
}

/** The kernel counts the kills by limits of cgroups in vmstat, too: they do not concern the host.
 */
static void kills_of_the_host(void **state)
{
	(void)state;
	static const char vmstat[] = "allocstall_normal %u\noom_kill %u\n";
	struct pm_oom_kill kills[] = {
		{ .age_known = true, .pid = 1, .constraint = PM_OOM_MEMCG, .group = "/other" },
		{ .age_known = true, .pid = 2, .constraint = PM_OOM_GLOBAL, .group = "/other" },
		{ .age_known = true,
		  .seconds_ago = 60,
		  .pid = 3,
		  .constraint = PM_OOM_GLOBAL,
		  .group = "/other" },
	};
	struct pm_oom_log log = { .kills = kills, .count = 1 };
	struct machine machine;

	make_v2(&machine);
	tree_write(machine.root, "proc/vmstat", vmstat, 1, 5);
	take(&machine, true);
	tree_write(machine.root, "proc/vmstat", vmstat, 1, 7);
	take(&machine, true);
	judge(&machine, &log);
	assert_rise(&machine, "host", PM_PRESSURE_OOM_KILL, 2);
	assert_null(find_sign(&machine, "host", PM_SIGN_OOM_KILL));
	assert_null(find_sign(&machine, "host", PM_SIGN_OOM_RECENT));

	forget(&machine);
	log.count = 3;
	judge(&machine, &log);
	assert_true(find_sign(&machine, "host", PM_SIGN_OOM_KILL)->value == 1);
	assert_null(find_sign(&machine, "host", PM_SIGN_OOM_RECENT));

	/* Without the log: no task had to reclaim memory of the machine, so it was not exhausted.
	 */
	forget(&machine);
	judge(&machine, NULL);
	assert_null(find_sign(&machine, "host", PM_SIGN_OOM_KILL));
	forget(&machine);
	tree_write(machine.root, "proc/vmstat", vmstat, 3, 8);
	take(&machine, true);
	judge(&machine, NULL);
	assert_true(find_sign(&machine, "host", PM_SIGN_OOM_KILL)->value == 1);
	close_machine(&machine);
}

/** The groups of a process that has ended are still read. */
static void process_that_ends(void **state)
{
	(void)state;
	struct machine machine;
	make_v2(&machine);
	take(&machine, true);
	tree_write(machine.root, "proc/12/stat",
	           "12 (shop) Z 1 1 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0\n");
	write_v2(machine.root, "/kube/pod", 11, 3, 1000);
	take(&machine, true);
	struct pm_oom_kill kill = kill_in("/kube/pod", "/kube/pod");
	struct pm_oom_log log = { .kills = &kill, .count = 1 };
	judge(&machine, &log);

	assert_true(machine.after.gone);
	assert_string_equal(machine.after.levels[0].name, "/kube/pod");
	/* One kill is one sign, although the log has it, too. */
	assert_non_null(find_sign(&machine, "/kube/pod", PM_SIGN_OOM_KILL));
	assert_null(find_sign(&machine, "/kube/pod", PM_SIGN_OOM_RECENT));
	close_machine(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v2_values),          cmocka_unit_test(missing_is_not_known),
		cmocka_unit_test(v2_rates_and_signs), cmocka_unit_test(calm),
		cmocka_unit_test(v1_values),          cmocka_unit_test(pressure_of_another_group),
		cmocka_unit_test(kills_of_the_host),  cmocka_unit_test(host_signs),
		cmocka_unit_test(top_groups),         cmocka_unit_test(kills_of_the_levels),
		cmocka_unit_test(process_that_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
