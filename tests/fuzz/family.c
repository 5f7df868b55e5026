/* SPDX-License-Identifier: MIT */
/*
 * The files of a malicious or broken /proc that a family reads: no crash, no endless loop, bounded
 * lists, and parents without cycles. The parts of the input, separated by NUL, are
 * task/10/children, statm, stat of two processes, cgroup.procs, and the name that is searched.
 */
#include <procmem/family.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"

enum { PARTS = 6, NAME = 5 };

static char root[64];

static const char *const files[] = { "proc/10/task/10/children",
	                             "proc/10/statm",
	                             "proc/10/stat",
	                             "proc/11/stat",
	                             "sys/fs/cgroup/shop/cgroup.procs",
	                             "proc/10/comm",
	                             "proc/11/comm",
	                             "proc/10/cmdline",
	                             "proc/11/cmdline",
	                             "proc/10/status",
	                             "proc/11/status",
	                             "proc/10/cgroup" };

static void write_file(const char *name, const char *text, size_t length)
{
	char path[192];
	snprintf(path, sizeof path, "%s/%s", root, name);
	FILE *file = fopen(path, "we");
	fuzz_check(file != NULL);
	fwrite(text, 1, length, file);
	fclose(file);
}

static void remove_tree(void)
{
	static const char *const folders[] = {
		"/proc/10/task/10",    "/proc/10/task",  "/proc/10", "/proc/11", "/proc",
		"/sys/fs/cgroup/shop", "/sys/fs/cgroup", "/sys/fs",  "/sys",     ""
	};
	char path[192];
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", root, files[i]);
		unlink(path);
	}
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s%s", root, folders[i]);
		rmdir(path);
	}
}

/** Creates the folders of the tree. */
static void create_tree(void)
{
	static const char *const folders[] = {
		"",         "/proc", "/proc/10", "/proc/10/task",  "/proc/10/task/10",
		"/proc/11", "/sys",  "/sys/fs",  "/sys/fs/cgroup", "/sys/fs/cgroup/shop"
	};
	char path[128];

	if (root[0])
		return;
	snprintf(root, sizeof root, "/tmp/procmem-fuzz-family-%d", (int)getpid());
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s%s", root, folders[i]);
		fuzz_check(mkdir(path, 0700) == 0 || errno == EEXIST);
	}
	fuzz_check(atexit(remove_tree) == 0);
}

/** Checks that the chain of parents of each member ends. */
static void check_parents(const struct pm_family_view *view)
{
	for (size_t i = 0; i < view->count; i++) {
		uint64_t id = view->items[i].parent_id;
		size_t steps = 0;
		for (size_t k = 0; id != 0 && k < view->count; k++)
			if (view->items[k].id == id) {
				fuzz_check(++steps <= view->count);
				id = view->items[k].parent_id;
				k = SIZE_MAX;
			}
	}
}

static void run(enum pm_family_kind kind, const char *name)
{
	char proc[96], sys[96];
	struct pm_family *family;
	struct pm_error error = { 0 };

	snprintf(proc, sizeof proc, "%s/proc", root);
	snprintf(sys, sizeof sys, "%s/sys", root);
	const struct pm_family_options options = {
		.kind = kind, .proc_root = proc, .sys_root = sys, .pid = 10, .name = name
	};
	if (pm_family_open(&options, &family, &error) < 0) {
		fuzz_check_error(&error);
		return;
	}

	check_parents(pm_family_get(family));
	if (pm_family_update(family, &error) < 0)
		fuzz_check_error(&error);
	const struct pm_family_view *view = pm_family_get(family);
	check_parents(view);
	fuzz_check(view->count <= PM_FAMILY_MAX && view->count <= 4);
	fuzz_check(view->alive + view->ended + view->unreadable == view->count);
	pm_family_close(family);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	const char *part[PARTS];
	size_t length[PARTS], at = 0;

	for (int i = 0; i < PARTS; i++) {
		part[i] = text + at;
		length[i] = strlen(part[i]);
		at += length[i] + (at + length[i] < size);
	}

	create_tree();
	for (int i = 0; i < NAME; i++)
		write_file(files[i], part[i], length[i]);
	for (size_t i = NAME; i < sizeof files / sizeof *files; i++)
		write_file(files[i], part[NAME], length[NAME]);
	write_file("proc/10/cgroup", "0::/shop\n", 9);

	run(PM_FAMILY_CHILDREN, NULL);
	run(PM_FAMILY_CGROUP, NULL);
	run(PM_FAMILY_NAME, part[NAME]);
	run(PM_FAMILY_FOLLOW, part[NAME]);
	free(text);
	return 0;
}
