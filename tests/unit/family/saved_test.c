/* SPDX-License-Identifier: MIT */
/*
 * Families in saved trees: trees without `children` files, reused PIDs, cgroups v2, names,
 * processes that cannot be read, and the bounds.
 */
#include <procmem/family.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/target.h"
#include "support/tree.h"

/** A process of a saved tree. */
struct saved {
	int pid;
	int parent;
	int start;
	const char *name;
	int group; /* process group */
};

static void write_process(const char *root, struct saved saved)
{
	char path[64];
	snprintf(path, sizeof path, "proc/%d/stat", saved.pid);
	tree_write(root, path, "%d (%s) S %d %d 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0\n",
	           saved.pid, saved.name, saved.parent, saved.group, saved.start);
	snprintf(path, sizeof path, "proc/%d/status", saved.pid);
	tree_write(root, path,
	           "Name:\t%s\nTgid:\t%d\nUid:\t3\t4\t5\t6\nVmRSS:\t%d kB\nVmSwap:\t7 kB\n",
	           saved.name, saved.pid, saved.pid * 100);
	snprintf(path, sizeof path, "proc/%d/comm", saved.pid);
	tree_write(root, path, "%s\n", saved.name);
	snprintf(path, sizeof path, "proc/%d/cmdline", saved.pid);
	tree_write(root, path, "%s", saved.name);
	snprintf(path, sizeof path, "proc/%d/cgroup", saved.pid);
	tree_write(root, path, "0::/shop\n");
}

static void remove_process(const char *root, int pid)
{
	static const char *const names[] = { "stat", "status", "comm", "cmdline", "cgroup" };
	char path[4096];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/proc/%d/%s", root, pid, names[i]);
		assert_int_equal(unlink(path), 0);
	}
	snprintf(path, sizeof path, "%s/proc/%d", root, pid);
	assert_int_equal(rmdir(path), 0);
}

static int try_open(const char *root, struct pm_family_options options, struct pm_family **family,
                    struct pm_error *error)
{
	char proc[4096], sys[4096];
	snprintf(proc, sizeof proc, "%s/proc", root);
	snprintf(sys, sizeof sys, "%s/sys", root);
	options.proc_root = proc;
	options.sys_root = sys;
	return pm_family_open(&options, family, error);
}

static struct pm_family *open_family(const char *root, struct pm_family_options options)
{
	struct pm_family *family = NULL;
	struct pm_error error = { 0 };
	must(try_open(root, options, &family, &error), &error);
	return family;
}

static const struct pm_family_view *updated(struct pm_family *family)
{
	struct pm_error error = { 0 };
	must(pm_family_update(family, &error), &error);
	return pm_family_get(family);
}

/** Asserts that exactly these PIDs are listed, in this order; the list ends with 0. */
static void assert_pids(const struct pm_family_view *view, ...)
{
	va_list pids;
	va_start(pids, view);
	size_t count = 0;
	for (int pid; (pid = va_arg(pids, int)) != 0; count++) {
		assert_true(count < view->count);
		assert_int_equal(view->items[count].pid, pid);
	}
	va_end(pids);
	assert_int_equal(view->count, count);
}

/** Without `children` files, the parents in stat of all processes are used. */
static void a_tree_by_parents(void **state)
{
	(void)state;
	char *root = tree_create();
	write_process(root, (struct saved){ 10, 1, 100, "root", 10 });
	write_process(root, (struct saved){ 11, 40, 130, "grandchild", 10 });
	write_process(root, (struct saved){ 40, 10, 120, "child", 10 });
	write_process(root, (struct saved){ 41, 1, 120, "stranger", 10 });

	struct pm_family *family = open_family(
		root, (struct pm_family_options){ .kind = PM_FAMILY_CHILDREN, .pid = 10 });
	const struct pm_family_view *view = pm_family_get(family);
	assert_pids(view, 10, 40, 11, 0);
	assert_int_equal(view->items[0].parent_id, 0);
	assert_int_equal(view->items[1].parent_id, view->items[0].id);
	assert_int_equal(view->items[2].parent_id, view->items[1].id);
	assert_string_equal(view->items[2].comm, "grandchild");
	assert_int_equal(view->items[2].parent, 40);
	assert_int_equal(view->items[2].uid, 4);
	assert_int_equal(view->items[2].rss, 1100 * 1024);
	assert_int_equal(view->items[2].swap, 7 * 1024);
	assert_int_equal(view->found, 3);
	assert_int_equal(view->alive, 3);

	/* The child ends, and the grandchild gets another parent: it remains a member. */
	remove_process(root, 40);
	write_process(root, (struct saved){ 11, 1, 130, "grandchild", 10 });
	view = updated(family);
	assert_pids(view, 10, 40, 11, 0);
	assert_int_equal(view->items[1].state, PM_FAMILY_ENDED);
	assert_int_equal(view->items[2].state, PM_FAMILY_ALIVE);
	assert_int_equal(view->ended, 1);
	assert_int_equal(view->found, 0);

	view = updated(family);
	assert_pids(view, 10, 11, 0);
	assert_int_equal(view->items[1].parent, 1);
	assert_int_equal(view->items[1].parent_id, view->items[0].id);
	assert_int_equal(view->ended, 0);
	pm_family_close(family);
	tree_remove(root);
}

/** A process with the PID of a member is another process if its start time differs. */
static void a_reused_pid(void **state)
{
	(void)state;
	char *root = tree_create();
	write_process(root, (struct saved){ 10, 1, 100, "root", 10 });
	write_process(root, (struct saved){ 11, 10, 120, "first", 10 });
	struct pm_family *family = open_family(
		root, (struct pm_family_options){ .kind = PM_FAMILY_CHILDREN, .pid = 10 });
	uint64_t id = pm_family_get(family)->items[1].id;

	/* The PID belongs to another child now: one member has ended, and one is new. */
	write_process(root, (struct saved){ 11, 10, 200, "second", 10 });
	const struct pm_family_view *view = updated(family);
	assert_pids(view, 10, 11, 11, 0);
	assert_int_equal(view->items[1].state, PM_FAMILY_ENDED);
	assert_int_equal(view->items[1].id, id);
	assert_string_equal(view->items[1].comm, "first");
	assert_int_equal(view->items[2].state, PM_FAMILY_ALIVE);
	assert_string_equal(view->items[2].comm, "second");
	assert_true(view->items[2].is_new);
	assert_true(view->items[2].id > id);

	/* It belongs to a stranger. */
	write_process(root, (struct saved){ 11, 1, 300, "third", 10 });
	view = updated(family);
	assert_pids(view, 10, 11, 0);
	assert_int_equal(view->items[1].state, PM_FAMILY_ENDED);
	assert_string_equal(view->items[1].comm, "second");
	assert_pids(updated(family), 10, 0);

	/* A handle is refused, too. */
	write_process(root, (struct saved){ 10, 1, 400, "other", 10 });
	struct pm_process *process;
	struct pm_error error = { 0 };
	assert_int_equal(pm_family_open_member(family, &pm_family_get(family)->items[0], &process,
	                                       &error),
	                 -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	view = updated(family);
	assert_true(view->empty);
	assert_int_equal(view->items[0].state, PM_FAMILY_ENDED);
	pm_family_close(family);
	tree_remove(root);
}

/** Cgroups v2: the groups below count, processes of other PID namespaces are counted. */
static void a_cgroup(void **state)
{
	(void)state;
	char *root = tree_create();
	for (int pid = 10; pid < 16; pid++)
		write_process(root, (struct saved){ pid, 1, 100, "shop", 10 });
	tree_write(root, "sys/fs/cgroup/shop/cgroup.procs", "10\n0\n99\n11\n0\n");
	tree_write(root, "sys/fs/cgroup/shop/web/one/cgroup.procs", "12\n");
	tree_write(root, "sys/fs/cgroup/other/cgroup.procs", "13\n");

	struct pm_family *family = open_family(
		root, (struct pm_family_options){ .kind = PM_FAMILY_CGROUP, .pid = 10 });
	const struct pm_family_view *view = pm_family_get(family);
	assert_string_equal(pm_family_cgroup(family), "/shop");
	assert_pids(view, 10, 11, 12, 0);
	assert_int_equal(view->foreign, 2);
	assert_false(view->incomplete);

	/* One moves to another group, one starts. */
	tree_write(root, "sys/fs/cgroup/shop/cgroup.procs", "10\n14\n");
	view = updated(family);
	assert_pids(view, 10, 11, 12, 14, 0);
	assert_int_equal(view->items[1].state, PM_FAMILY_LEFT);
	assert_true(view->items[3].is_new);
	assert_int_equal(view->foreign, 0);
	assert_pids(updated(family), 10, 12, 14, 0);

	/* A group that cannot be read: no process is taken to have left. */
	tree_write(root, "sys/fs/cgroup/shop/bad/cgroup.procs/file", "\n");
	tree_write(root, "sys/fs/cgroup/shop/cgroup.procs", "10\n");
	view = updated(family);
	assert_pids(view, 10, 12, 14, 0);
	assert_int_equal(view->alive, 3);
	assert_true(view->incomplete);
	pm_family_close(family);
	tree_remove(root);
}

/** A process whose stat cannot be read is listed with the reason. */
static void an_unreadable_process(void **state)
{
	(void)state;
	char *root = tree_create();
	write_process(root, (struct saved){ 10, 1, 100, "shop", 10 });
	tree_write(root, "proc/11/stat/file", "\n");
	tree_write(root, "sys/fs/cgroup/shop/cgroup.procs", "10\n11\n");

	struct pm_family *family = open_family(
		root, (struct pm_family_options){ .kind = PM_FAMILY_CGROUP, .pid = 10 });
	const struct pm_family_view *view = pm_family_get(family);
	assert_pids(view, 10, 11, 0);
	assert_int_equal(view->alive, 1);
	assert_int_equal(view->unreadable, 1);
	assert_int_equal(view->items[1].state, PM_FAMILY_UNREADABLE);
	assert_non_null(view->items[1].reason);
	assert_non_null(strstr(view->items[1].reason, "process 11"));
	assert_null(view->items[0].reason);

	/* It becomes readable: the same member. */
	char from[4096], to[4096];
	snprintf(from, sizeof from, "%s/proc/11/stat", root);
	snprintf(to, sizeof to, "%s/moved", root);
	assert_int_equal(rename(from, to), 0);
	write_process(root, (struct saved){ 11, 1, 100, "late", 10 });
	view = updated(family);
	assert_pids(view, 10, 11, 0);
	assert_int_equal(view->unreadable, 0);
	assert_string_equal(view->items[1].comm, "late");
	assert_null(view->items[1].reason);
	pm_family_close(family);
	tree_remove(root);
}

/** A name: exact names before starts of names; exec changes the name. */
static void a_name(void **state)
{
	(void)state;
	char *root = tree_create();
	write_process(root, (struct saved){ 10, 1, 100, "web-server", 10 });
	write_process(root, (struct saved){ 11, 10, 110, "web-server", 10 });
	write_process(root, (struct saved){ 12, 1, 110, "webcam", 10 });

	struct pm_family *family = open_family(
		root, (struct pm_family_options){ .kind = PM_FAMILY_NAME, .name = "web" });
	const struct pm_family_view *view = pm_family_get(family);
	assert_pids(view, 10, 11, 0);
	assert_int_equal(view->items[1].parent_id, view->items[0].id);

	/* A process with exactly this name starts. The members remain; a second start does not
	 * join. */
	write_process(root, (struct saved){ 13, 1, 200, "web", 10 });
	write_process(root, (struct saved){ 14, 1, 200, "web-client", 10 });
	assert_pids(updated(family), 10, 11, 13, 0);

	/* exec of a new process is seen at once. */
	write_process(root, (struct saved){ 13, 1, 200, "true", 10 });
	view = updated(family);
	assert_pids(view, 10, 11, 13, 14, 0);
	assert_int_equal(view->items[2].state, PM_FAMILY_LEFT);
	assert_pids(updated(family), 10, 11, 14, 0);

	/* That of an old one is seen within 16 updates. */
	write_process(root, (struct saved){ 10, 1, 100, "cat", 10 });
	bool left = false;
	for (int i = 0; i < 17 && !left; i++)
		left = updated(family)->ended == 1;
	assert_true(left);
	assert_int_equal(pm_family_get(family)->items[0].state, PM_FAMILY_LEFT);
	pm_family_close(family);

	struct pm_error error = { 0 };
	assert_int_equal(
		try_open(root, (struct pm_family_options){ .kind = PM_FAMILY_NAME, .name = "we" },
	                 &family, &error),
		-1);
	assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
	assert_string_equal(error.text, "no process is called 'we'");
	tree_remove(root);
}

/** Writes a process that is ending (PF_EXITING): it has no arguments any more. */
static void write_ending(const char *root, int pid, int rss_kib)
{
	char path[64];
	snprintf(path, sizeof path, "proc/%d/stat", pid);
	tree_write(root, path, "%d (x) R 1 10 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 100 0 0\n", pid);
	snprintf(path, sizeof path, "proc/%d/status", pid);
	tree_write(root, path, "Name:\tx\nTgid:\t%d\nUid:\t3\t4\t5\t6\nVmRSS:\t%d kB\n", pid,
	           rss_kib);
	snprintf(path, sizeof path, "proc/%d/comm", pid);
	tree_write(root, path, "x\n");
	snprintf(path, sizeof path, "proc/%d/cmdline", pid);
	tree_write(root, path, "%s", "");
}

/**
 * A process that is ending has lost its name. It is a member until it has released its memory, and
 * has then ended.
 */
static void a_name_of_an_ending_process(void **state)
{
	(void)state;
	char *root = tree_create();
	write_process(root, (struct saved){ 10, 1, 100, "web", 10 });
	write_process(root, (struct saved){ 11, 1, 100, "web", 10 });

	struct pm_family *family = open_family(
		root, (struct pm_family_options){ .kind = PM_FAMILY_NAME, .name = "web" });
	assert_pids(pm_family_get(family), 10, 11, 0);

	write_ending(root, 10, 500);
	const struct pm_family_view *view = updated(family);
	assert_pids(view, 10, 11, 0);
	assert_int_equal(view->items[0].state, PM_FAMILY_ALIVE);
	assert_int_equal(view->items[0].rss, 500 * 1024);

	write_ending(root, 10, 0);
	view = updated(family);
	assert_pids(view, 10, 11, 0);
	assert_int_equal(view->items[0].state, PM_FAMILY_ENDED);
	assert_int_equal(view->items[0].rss, 500 * 1024);
	assert_pids(updated(family), 11, 0);
	pm_family_close(family);
	tree_remove(root);
}

/** The master is followed, not its workers; after its end, the next master. */
static void a_followed_name(void **state)
{
	(void)state;
	char *root = tree_create();
	const struct pm_family_options follow = { .kind = PM_FAMILY_FOLLOW, .name = "web" };
	write_process(root, (struct saved){ 9, 1, 1, "init", 1 });

	/* None yet. */
	struct pm_family *family = open_family(root, follow);
	assert_true(pm_family_get(family)->empty);
	assert_int_equal(updated(family)->count, 0);

	write_process(root, (struct saved){ 20, 1, 100, "web", 20 });
	write_process(root, (struct saved){ 19, 20, 110, "web", 20 });
	write_process(root, (struct saved){ 22, 20, 110, "web", 20 });
	assert_pids(updated(family), 20, 0);
	assert_false(pm_family_get(family)->empty);
	pm_family_close(family);

	/* Its workers are left, then the next master and its worker are there. */
	family = open_family(root, follow);
	assert_pids(pm_family_get(family), 20, 0);
	remove_process(root, 20);
	write_process(root, (struct saved){ 19, 1, 110, "web", 20 });
	write_process(root, (struct saved){ 22, 1, 110, "web", 20 });
	const struct pm_family_view *view = updated(family);
	assert_pids(view, 20, 0);
	assert_int_equal(view->items[0].state, PM_FAMILY_ENDED);
	assert_true(view->empty);
	assert_int_equal(updated(family)->count, 0);

	write_process(root, (struct saved){ 31, 1, 200, "web", 31 });
	write_process(root, (struct saved){ 30, 31, 210, "web", 31 });
	view = updated(family);
	assert_pids(view, 31, 0);
	assert_true(view->items[0].is_new);
	assert_false(view->empty);

	/* The next one is already there when it ends, also with the same PID. */
	write_process(root, (struct saved){ 31, 1, 300, "web", 31 });
	remove_process(root, 30);
	remove_process(root, 19);
	remove_process(root, 22);
	view = updated(family);
	assert_pids(view, 31, 31, 0);
	assert_int_equal(view->items[0].state, PM_FAMILY_ENDED);
	assert_int_equal(view->items[1].start_ticks, 300);
	assert_false(view->empty);
	pm_family_close(family);

	/* Two of them at the start. */
	struct pm_error error = { 0 };
	write_process(root, (struct saved){ 40, 1, 300, "web", 40 });
	assert_int_equal(try_open(root, follow, &family, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_AMBIGUOUS);
	tree_remove(root);
}

static void lists_and_bad_options(void **state)
{
	(void)state;
	char *root = tree_create();
	write_process(root, (struct saved){ 10, 1, 100, "one", 10 });
	write_process(root, (struct saved){ 11, 10, 100, "two", 10 });
	struct pm_error error = { 0 };

	struct pm_family *family = open_family(
		root, (struct pm_family_options){ .kind = PM_FAMILY_PIDS,
	                                          .pids = (const pid_t[]){ 11, 10, 11 },
	                                          .pid_count = 3 });
	assert_pids(pm_family_get(family), 11, 10, 0);
	assert_int_equal(pm_family_get(family)->items[1].id, 2);
	assert_null(pm_family_cgroup(family));
	pm_family_close(family);

	const struct {
		struct pm_family_options options;
		enum pm_error_kind kind;
	} bad[] = {
		{ { .kind = PM_FAMILY_PIDS, .pids = (const pid_t[]){ 12 }, .pid_count = 1 },
		  PM_ERROR_NOT_FOUND },
		{ { .kind = PM_FAMILY_CHILDREN, .pid = 12 }, PM_ERROR_NOT_FOUND },
		{ { .kind = PM_FAMILY_CGROUP, .pid = 12 }, PM_ERROR_NOT_FOUND },
		{ { .kind = PM_FAMILY_CGROUP, .pid = 10 }, PM_ERROR_UNSUPPORTED },
		{ { .kind = PM_FAMILY_NAME }, PM_ERROR_USAGE },
		{ { .kind = PM_FAMILY_FOLLOW, .name = "" }, PM_ERROR_USAGE },
		{ { .kind = PM_FAMILY_FOLLOW, .name = "10" }, PM_ERROR_USAGE },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		error = (struct pm_error){ 0 };
		assert_int_equal(try_open(root, bad[i].options, &family, &error), -1);
		assert_int_equal(error.kind, bad[i].kind);
	}
	pm_family_close(NULL);
	tree_remove(root);
}

/** More processes than a family lists are counted. The few descriptors suffice. */
static void bounds(void **state)
{
	(void)state;
	enum {
		EXTRA = 5,
		ALL = PM_FAMILY_MAX + EXTRA,
		FIRST = 10,
		LAST = FIRST + PM_FAMILY_MAX - 1
	};
	char *root = tree_create(), *procs = malloc(ALL * 8), *at = procs;
	assert_non_null(procs);
	/* All but the last one that is listed have the files of the first one. */
	write_process(root, (struct saved){ FIRST, 1, 100, "many", 1 });
	write_process(root, (struct saved){ LAST, 1, 100, "many", 1 });
	for (int pid = FIRST; pid < FIRST + ALL; pid++) {
		char path[32];
		snprintf(path, sizeof path, "proc/%d", pid);
		if (pid != FIRST && pid != LAST)
			tree_link(root, path, "10");
		at += sprintf(at, "%d\n", pid);
	}
	tree_write(root, "sys/fs/cgroup/shop/cgroup.procs", "%s", procs);
	free(procs);

	struct rlimit limit, few;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = 40;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	struct pm_family *family = open_family(
		root, (struct pm_family_options){ .kind = PM_FAMILY_CGROUP, .pid = FIRST });
	const struct pm_family_view *view = updated(family);
	assert_int_equal(view->count, PM_FAMILY_MAX);
	assert_int_equal(view->alive, PM_FAMILY_MAX);
	assert_int_equal(view->beyond, EXTRA);

	/* Without a descriptor of its own, a member is recognised by its start time. */
	write_process(root, (struct saved){ LAST, 1, 500, "other", 10 });
	view = updated(family);
	assert_int_equal(view->ended, 1);
	assert_int_equal(view->items[PM_FAMILY_MAX - 1].state, PM_FAMILY_ENDED);
	pm_family_close(family);

	/* In a tree, each of them counts once, too. */
	write_process(root, (struct saved){ 1, 0, 1, "init", 1 });
	family = open_family(root,
	                     (struct pm_family_options){ .kind = PM_FAMILY_CHILDREN, .pid = 1 });
	view = pm_family_get(family);
	assert_int_equal(view->count, PM_FAMILY_MAX);
	assert_int_equal(view->beyond, EXTRA + 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	pm_family_close(family);
	tree_remove(root);
}

/** Without descriptors an update fails; the next one finds what happened since. */
static void no_descriptors(void **state)
{
	(void)state;
	char *root = tree_create();
	for (int pid = 10; pid < 14; pid++)
		write_process(root,
		              (struct saved){ pid, pid == 10 ? 1 : 10, 100 + pid, "tree", 10 });
	struct pm_family *family = open_family(
		root, (struct pm_family_options){ .kind = PM_FAMILY_CHILDREN, .pid = 10 });
	assert_pids(pm_family_get(family), 10, 11, 12, 13, 0);
	remove_process(root, 11);
	assert_int_equal(updated(family)->ended, 1);

	struct rlimit limit, none;
	struct pm_error error = { 0 };
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	int result = pm_family_update(family, &error);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(result, -1);
	assert_int_equal(error.kind, PM_ERROR_RESOURCES);
	assert_int_equal(pm_family_get(family)->count, 3);

	remove_process(root, 13);
	write_process(root, (struct saved){ 14, 12, 200, "tree", 10 });
	const struct pm_family_view *view = updated(family);
	assert_pids(view, 10, 12, 13, 14, 0);
	assert_int_equal(view->items[2].state, PM_FAMILY_ENDED);
	assert_int_equal(view->items[3].parent_id, view->items[1].id);
	pm_family_close(family);
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_by_parents),
		cmocka_unit_test(a_reused_pid),
		cmocka_unit_test(a_cgroup),
		cmocka_unit_test(an_unreadable_process),
		cmocka_unit_test(a_name),
		cmocka_unit_test(a_name_of_an_ending_process),
		cmocka_unit_test(a_followed_name),
		cmocka_unit_test(no_descriptors),
		cmocka_unit_test(lists_and_bad_options),
		cmocka_unit_test(bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
