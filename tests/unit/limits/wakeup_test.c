/* SPDX-License-Identifier: MIT */
/* Wake-ups: saved trees of both versions of cgroups, and a group of our own whose events must come
 * before the kernel kills. */
#include <procmem/wakeup.h>

#include <errno.h>
#include <linux/magic.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/group.h"
#include "support/target.h"
#include "support/tree.h"

#define MIB (UINT64_C(1) << 20)

/* An event that does not come within that time never will. */
enum { PATIENCE_MS = 30000 };

/**
 * A saved machine with one process, PID 12.
 * @param cgroup text of its cgroup file
 * @return the root
 */
static char *make_machine(const char *cgroup)
{
	char *root = tree_create();
	tree_add_process(root, 12, "shop", "Threads:\t1\n");
	tree_write(root, "proc/12/cgroup", "%s", cgroup);
	return root;
}

static struct pm_wakeup *open_saved(const char *root, const uint64_t *usage, size_t count)
{
	char *sys;
	struct pm_process *process = tree_open_process(root, 12, &sys);
	struct pm_wakeup *wakeup = NULL;
	struct pm_error error = { 0 };

	must(pm_wakeup_open(process, sys, usage, count, &wakeup, &error), &error);
	pm_process_close(process);
	free(sys);
	return wakeup;
}

/** Index of the source of a cause; SIZE_MAX for none. */
static size_t find(const struct pm_wakeup *wakeup, enum pm_wakeup_cause cause)
{
	size_t count;
	const struct pm_wakeup_source *sources = pm_wakeup_sources(wakeup, &count);
	for (size_t i = 0; i < count; i++)
		if (sources[i].cause == cause)
			return i;
	return SIZE_MAX;
}

/**
 * Waits for a source.
 *
 * @param wakeup        the sources
 * @param index         index of the source
 * @param milliseconds  maximum time, 0: do not wait
 * @return              whether it had an event
 */
static bool await(struct pm_wakeup *wakeup, size_t index, int milliseconds)
{
	size_t count;
	const struct pm_wakeup_source *source = &pm_wakeup_sources(wakeup, &count)[index];
	struct pollfd descriptor = { .fd = source->fd, .events = source->events };
	while (poll(&descriptor, 1, milliseconds) < 0)
		assert_int_equal(errno, EINTR);
	return pm_wakeup_consume(wakeup, index, descriptor.revents);
}

static void v2_events_of_own_group_and_limited_ancestors(void **state)
{
	(void)state;
	static const char *const files[] = { "sys/fs/cgroup/a/b/c/d/memory.events",
		                             "sys/fs/cgroup/a/b/memory.events",
		                             "sys/fs/cgroup/a/memory.events" };
	char *root = make_machine("0::/a/b/c/d\n");

	tree_write(root, "sys/fs/cgroup/a/b/memory.max", "1048576\n");
	tree_write(root, "sys/fs/cgroup/a/memory.max", "max\n");
	tree_write(root, "sys/fs/cgroup/a/memory.high", "900000\n");
	tree_write(root, "sys/fs/cgroup/a/b/c/memory.max", "max\n");
	tree_write(root, "sys/fs/cgroup/a/b/c/memory.events", "high 0\n");

	for (size_t i = 0; i < 3; i++)
		tree_write(root, files[i], "low 0\nhigh 0\nmax 0\noom 0\noom_kill 2\n");

	struct pm_wakeup *wakeup = open_saved(root, NULL, 0);
	size_t events = find(wakeup, PM_WAKEUP_EVENTS), count;
	assert_int_not_equal(events, SIZE_MAX);
	assert_int_equal(find(wakeup, PM_WAKEUP_USAGE), SIZE_MAX);
	assert_non_null(strstr(pm_wakeup_sources(wakeup, &count)[events].file,
	                       "/sys/fs/cgroup/a/b/c/d/memory.events"));
	assert_false(await(wakeup, events, 0));

	for (size_t i = 0; i < 3; i++) {
		tree_write(root, files[i], "low 0\nhigh 1\nmax 0\noom 0\noom_kill 3\n");
		assert_true(await(wakeup, events, PATIENCE_MS));
		assert_false(await(wakeup, events, 0));
	}

	/* Events in a group without a limit are reported by ancestors that have one. */
	tree_write(root, "sys/fs/cgroup/a/b/c/memory.events", "high 1\n");
	assert_false(await(wakeup, events, 0));

	struct pm_limit_events counts;
	assert_int_equal(pm_wakeup_read_events(wakeup, &counts, NULL), 0);
	assert_true(counts.known);
	assert_int_equal(counts.oom_kill, 3);
	pm_wakeup_close(wakeup);
	tree_remove(root);
}

/**
 * Makes a group of cgroup v2, whatever controllers that has here.
 * @param folder gets it
 * @return why there can be none, or NULL
 */
static const char *make_v2_group(char *folder, size_t size)
{
	static const char *const tops[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	for (size_t i = 0; i < 2; i++) {
		struct statfs status;
		if (statfs(tops[i], &status) < 0 || status.f_type != CGROUP2_SUPER_MAGIC)
			continue;
		snprintf(folder, size, "%s/procmem-wakeup-%d", tops[i], (int)getpid());
		return mkdir(folder, 0755) < 0 ? "no right to create a cgroup" : NULL;
	}

	return "cgroup v2 is not mounted";
}

/**
 * The memory controller of v2 is not available everywhere, but the kernel reports changes of all
 * event files of a group in the same way: cgroup.events, which changes when a group becomes empty,
 * replaces memory.events.
 */
static void v2_events_of_the_running_kernel(void **state)
{
	(void)state;
	char folder[256], file[300];
	const char *obstacle = make_v2_group(folder, sizeof folder);
	if (obstacle)
		skip_because("%s", obstacle);

	char *root = make_machine("0::/shop\n");
	snprintf(file, sizeof file, "%s/cgroup.events", folder);
	tree_link(root, "sys/fs/cgroup/shop/memory.events", file);
	tree_write(root, "sys/fs/cgroup/shop/memory.max", "1048576\n");

	struct pm_wakeup *wakeup = open_saved(root, NULL, 0);
	size_t events = find(wakeup, PM_WAKEUP_EVENTS);
	assert_int_not_equal(events, SIZE_MAX);
	assert_false(await(wakeup, events, 0));

	struct target hog;
	target_start(&hog, "hog", NULL);

	struct group group = { .version = 2 };
	snprintf(group.folder, sizeof group.folder, "%s", folder);
	obstacle = group_add(&group, hog.pid);

	if (!obstacle) {
		assert_true(await(wakeup, events, PATIENCE_MS));
		assert_false(await(wakeup, events, 0));
	}

	target_stop(&hog);
	if (!obstacle)
		assert_true(await(wakeup, events, PATIENCE_MS));
	group_remove(&group);

	/* A group that is gone counts nothing. */
	struct pm_limit_events counts;
	if (pm_wakeup_read_events(wakeup, &counts, NULL) == 0)
		assert_false(counts.known);
	pm_wakeup_close(wakeup);
	tree_remove(root);
	if (obstacle)
		skip_because("%s", obstacle);
}

/** Text of a file below the root; freed by the caller. */
static char *text_of(const char *root, const char *path)
{
	char whole[1024];
	snprintf(whole, sizeof whole, "%s/%s", root, path);
	return read_text(whole, NULL);
}

/**
 * The kernel's part is played by a file that keeps what is written to it: `EVENTFD FD ARGUMENT`.
 */
static void v1_registrations(void **state)
{
	(void)state;
	static const uint64_t usage[] = { 5000000, UINT64_C(123456789012) };
	char *root = make_machine("4:memory:/shop/web\n0::/\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/web/memory.limit_in_bytes",
	           "9223372036854771712\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/web/memory.usage_in_bytes", "1\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/web/memory.oom_control",
	           "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");

	tree_write(root, "sys/fs/cgroup/memory/shop/web/cgroup.event_control", "%s", "");
	tree_write(root, "sys/fs/cgroup/memory/shop/memory.limit_in_bytes", "1048576\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/memory.usage_in_bytes", "1\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/memory.oom_control", "oom_kill 3\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/cgroup.event_control", "%s", "");

	struct pm_wakeup *wakeup = open_saved(root, usage, 2);
	size_t count, at = find(wakeup, PM_WAKEUP_USAGE), oom = find(wakeup, PM_WAKEUP_OOM);
	const struct pm_wakeup_source *sources = pm_wakeup_sources(wakeup, &count);
	assert_int_equal(count, 2);
	assert_true(sources[at].fd >= 0 && sources[oom].fd >= 0);

	char *own = text_of(root, "sys/fs/cgroup/memory/shop/web/cgroup.event_control");
	char *above = text_of(root, "sys/fs/cgroup/memory/shop/cgroup.event_control");
	int event, file, used = 0, more = 0;
	assert_int_equal(sscanf(own, "%d %d 5000000\n%n", &event, &file, &used), 2);
	assert_int_equal(event, sources[at].fd);
	assert_int_equal(sscanf(own + used, "%d %d 123456789012\n%n", &event, &file, &more), 2);
	assert_int_equal(event, sources[at].fd);
	used += more;

	assert_int_equal(sscanf(own + used, "%d %d\n", &event, &file), 2);
	assert_int_equal(event, sources[oom].fd);

	/* One descriptor listens to both groups. */
	assert_int_equal(sscanf(above, "%d", &event), 1);
	assert_int_equal(event, sources[at].fd);

	uint64_t one = 1;
	assert_int_equal(write(sources[oom].fd, &one, sizeof one), sizeof one);
	assert_true(await(wakeup, oom, PATIENCE_MS));
	assert_false(await(wakeup, oom, 0));
	assert_false(await(wakeup, at, 0));
	free(own);
	free(above);
	pm_wakeup_close(wakeup);

	tree_remove(root);
}

/** A saved pressure file is not written to. */
static void saved_trees_are_not_changed(void **state)
{
	(void)state;
	static const char pressure[] = "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\nfull "
				       "avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
	char *root = make_machine("0::/\n");

	tree_write(root, "proc/pressure/memory", "%s", pressure);
	struct pm_wakeup *wakeup = open_saved(root, NULL, 0);
	size_t count;
	pm_wakeup_sources(wakeup, &count);
	assert_int_equal(count, 0);

	char *text = text_of(root, "proc/pressure/memory");
	assert_string_equal(text, pressure);

	struct pm_limit_events events;
	assert_int_equal(pm_wakeup_read_events(wakeup, &events, NULL), 0);
	assert_false(events.known);
	free(text);
	pm_wakeup_close(wakeup);
	tree_remove(root);
}

/** Refused sources are listed with the reason, and are not polled. */
static void refusals_are_reported(void **state)
{
	(void)state;
	static const uint64_t usage[] = { 1 };
	char *root = make_machine("4:memory:/shop\n");
	tree_write(root, "sys/fs/cgroup/memory/shop/memory.usage_in_bytes", "1\n");

	/* A folder cannot be opened for writing. */
	tree_write(root, "sys/fs/cgroup/memory/shop/cgroup.event_control/x", "%s", "");

	struct pm_wakeup *wakeup = open_saved(root, usage, 1);
	size_t count;
	const struct pm_wakeup_source *sources = pm_wakeup_sources(wakeup, &count);
	assert_int_equal(count, 1);
	assert_int_equal(sources[0].fd, -1);
	assert_int_equal(sources[0].os_errno, EISDIR);
	assert_false(pm_wakeup_consume(wakeup, 0, POLLIN));
	pm_wakeup_close(wakeup);

	tree_remove(root);
}

/** A hog in a group with 64 MiB. */
struct trial {
	struct target hog;
	struct group group;
	struct pm_process *process;
	struct pm_wakeup *wakeup;
	const char *obstacle;
};

static int begin_trial(void **state)
{
	static const uint64_t usage[] = { 32 * MIB };
	struct trial *trial = calloc(1, sizeof *trial);
	*state = trial;
	target_start(&trial->hog, "hog", NULL);
	trial->obstacle = group_make(&trial->group, 64 * MIB);
	if (!trial->obstacle)
		trial->obstacle = group_add(&trial->group, trial->hog.pid);
	if (trial->obstacle)
		return 0;

	target_be_killed_first(&trial->hog);
	return pm_process_open(NULL, trial->hog.pid, &trial->process, NULL) < 0 ||
	       pm_wakeup_open(trial->process, NULL, usage, 1, &trial->wakeup, NULL) < 0;
}

static int end_trial(void **state)
{
	struct trial *trial = *state;
	pm_wakeup_close(trial->wakeup);
	pm_process_close(trial->process);
	target_stop(&trial->hog);
	group_remove(&trial->group);
	free(trial);
	return 0;
}

/** The process is alive when its size is reported, and dead after the last event. */
static void events_come_before_the_kernel_kills(void **state)
{
	struct trial *trial = *state;
	if (trial->obstacle)
		skip_because("%s", trial->obstacle);

	struct pm_limit_events events;
	int status;
	bool first = trial->group.version == 1;
	size_t usage = find(trial->wakeup, PM_WAKEUP_USAGE),
	       last = find(trial->wakeup, first ? PM_WAKEUP_OOM : PM_WAKEUP_EVENTS);

	assert_int_equal(pm_wakeup_read_events(trial->wakeup, &events, NULL), 0);
	assert_int_equal(events.oom_kill, 0);
	assert_false(await(trial->wakeup, last, 0));
	if (first)
		assert_false(await(trial->wakeup, usage, 0));
	target_tell(&trial->hog, "eat 40");
	if (first)
		assert_true(await(trial->wakeup, usage, PATIENCE_MS));

	assert_int_equal(pm_process_check(trial->process, NULL), 0);
	assert_false(await(trial->wakeup, last, 0));
	fputs("eat 400\n", trial->hog.to);
	fflush(trial->hog.to);
	assert_true(await(trial->wakeup, last, PATIENCE_MS));
	target_await_end(&trial->hog, &status);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

	/* It is gone, its group is not. */
	assert_int_equal(pm_wakeup_read_events(trial->wakeup, &events, NULL), 0);
	assert_true(events.known && events.oom_kill == 1);
	assert_true(events.max > 0);
}

/**
 * Pressure is the machine's or the group's; whether it comes up is not in our hands, whether it can
 * be listened to is.
 */
static void pressure_can_be_listened_to(void **state)
{
	(void)state;
	struct pm_process *process;
	struct pm_wakeup *wakeup = NULL;
	struct pm_error error = { 0 };

	if (access("/proc/pressure/memory", F_OK) < 0)
		skip_because("this kernel has no pressure information");
	if (pm_process_open(NULL, getpid(), &process, &error) < 0 ||
	    pm_wakeup_open(process, NULL, NULL, 0, &wakeup, &error) < 0)
		fail_msg("%s", error.text);

	size_t count, at = find(wakeup, PM_WAKEUP_PRESSURE);
	assert_int_not_equal(at, SIZE_MAX);

	const struct pm_wakeup_source *source = &pm_wakeup_sources(wakeup, &count)[at];
	assert_true(source->fd >= 0 || source->os_errno != 0);
	if (geteuid() == 0 && source->fd >= 0) {
		struct pollfd descriptor = { .fd = source->fd, .events = source->events };
		assert_true(poll(&descriptor, 1, 0) >= 0);
		assert_int_equal(descriptor.revents & POLLERR, 0);
	}

	pm_wakeup_close(wakeup);
	pm_process_close(process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v2_events_of_own_group_and_limited_ancestors),
		cmocka_unit_test(v2_events_of_the_running_kernel),
		cmocka_unit_test(v1_registrations),
		cmocka_unit_test(saved_trees_are_not_changed),
		cmocka_unit_test(refusals_are_reported),
		cmocka_unit_test_setup_teardown(events_come_before_the_kernel_kills, begin_trial,
		                                end_trial),
		cmocka_unit_test(pressure_can_be_listened_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
