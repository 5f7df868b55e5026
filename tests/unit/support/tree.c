/* SPDX-License-Identifier: MIT */
#include "support/tree.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/target.h"

enum { MOST_DESCRIPTORS = 16 };

char *tree_create(void)
{
	const char *folder = getenv("TMPDIR");
	char *root;
	assert_true(asprintf(&root, "%s/procmem-tree-XXXXXX", folder ? folder : "/tmp") > 0);
	assert_non_null(mkdtemp(root));
	return root;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

void tree_remove(char *root)
{
	if (root)
		nftw(root, remove_entry, MOST_DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
	free(root);
}

/**
 * Returns the path of an entry, and creates its parent folders.
 * @return the path; the caller frees it
 */
static char *prepare(const char *root, const char *path)
{
	char *full;
	assert_true(asprintf(&full, "%s/%s", root, path) > 0);
	for (char *slash = strchr(full + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(full, 0777) == 0 || errno == EEXIST);
		*slash = '/';
	}

	return full;
}

void tree_write(const char *root, const char *path, const char *format, ...)
{
	char *full = prepare(root, path);
	FILE *file = fopen(full, "we");
	assert_non_null(file);

	va_list arguments;
	va_start(arguments, format);
	assert_true(vfprintf(file, format, arguments) >= 0);
	va_end(arguments);
	assert_int_equal(fclose(file), 0);
	free(full);
}

void tree_add_process(const char *root, pid_t pid, const char *name, const char *status, ...)
{
	char path[64], *more;
	va_list arguments;
	va_start(arguments, status);
	assert_true(vasprintf(&more, status, arguments) >= 0);
	va_end(arguments);
	snprintf(path, sizeof path, "proc/%d/stat", (int)pid);
	tree_write(root, path, "%d (%s) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 0 0\n",
	           (int)pid, name);

	snprintf(path, sizeof path, "proc/%d/status", (int)pid);
	tree_write(root, path, "Name:\t%s\nTgid:\t%d\n%s", name, (int)pid, more);
	free(more);
}

struct pm_process *tree_open_process(const char *root, pid_t pid, char **sys)
{
	char *proc;
	struct pm_process *process;
	struct pm_error error = { 0 };

	assert_true(asprintf(&proc, "%s/proc", root) > 0);
	assert_true(asprintf(sys, "%s/sys", root) > 0);
	must(pm_process_open(proc, pid, &process, &error), &error);
	free(proc);
	return process;
}

void tree_link(const char *root, const char *path, const char *target)
{
	char *full = prepare(root, path);
	assert_int_equal(symlink(target, full), 0);
	free(full);
}
