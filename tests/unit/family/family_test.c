/* SPDX-License-Identifier: MIT */
/* Families of real processes: trees of a shell, cgroups, names, and a restart. */
#include <procmem/family.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/group.h"
#include "support/target.h"
#include "support/tree.h"

/** Starts a shell that runs what it reads. */
static void start_shell(struct target *shell)
{
	program_start(shell, "sh", NULL);
}

/** Lets a shell run a command, which prints a PID. */
static pid_t run(struct target *shell, const char *command)
{
	fprintf(shell->to, "%s\n", command);
	assert_int_equal(fflush(shell->to), 0);
	char *line = target_await(shell, "pid ");
	pid_t pid = (pid_t)strtol(line + 4, NULL, 10);
	free(line);
	assert_true(pid > 1);
	return pid;
}

/** Lets a shell kill a process and wait for its end. */
static void end(struct target *shell, pid_t pid)
{
	fprintf(shell->to, "kill -9 %d; wait %d 2>/dev/null; echo ended %d\n", (int)pid, (int)pid,
	        (int)pid);
	assert_int_equal(fflush(shell->to), 0);
	free(target_await(shell, "ended "));
}

static struct pm_family *open_family(struct pm_family_options options)
{
	struct pm_family *family = NULL;
	struct pm_error error = { 0 };
	must(pm_family_open(&options, &family, &error), &error);
	return family;
}

static const struct pm_family_view *updated(struct pm_family *family)
{
	struct pm_error error = { 0 };
	must(pm_family_update(family, &error), &error);
	return pm_family_get(family);
}

/** Returns the member with a PID; NULL if there is none. */
static const struct pm_family_member *find(const struct pm_family_view *view, pid_t pid)
{
	for (size_t i = 0; i < view->count; i++)
		if (view->items[i].pid == pid)
			return &view->items[i];
	return NULL;
}

static const struct pm_family_member *get(const struct pm_family_view *view, pid_t pid)
{
	const struct pm_family_member *member = find(view, pid);
	assert_non_null(member);
	return member;
}

/** Children, grandchildren, an orphan, an end and a new child. */
static void a_tree(void **state)
{
	(void)state;
	struct target shell;
	start_shell(&shell);
	pid_t child = run(&shell, "sleep 300 & echo pid $!");
	pid_t orphan = run(&shell, "(sleep 300 & echo pid $!; exec sleep 300) &");

	struct pm_family *family = open_family(
		(struct pm_family_options){ .kind = PM_FAMILY_CHILDREN, .pid = shell.pid });
	const struct pm_family_view *view = pm_family_get(family);
	assert_int_equal(view->count, 4);
	assert_int_equal(view->alive, 4);
	assert_int_equal(view->found, 4);
	assert_int_equal(get(view, shell.pid)->parent_id, 0);
	assert_int_equal(get(view, shell.pid)->parent, getpid());
	assert_int_equal(get(view, child)->parent_id, get(view, shell.pid)->id);
	assert_int_equal(get(view, child)->uid, geteuid());

	const struct pm_family_member *middle = NULL;
	for (size_t i = 0; i < view->count; i++)
		if (view->items[i].id == get(view, orphan)->parent_id)
			middle = &view->items[i];
	assert_non_null(middle);
	assert_int_equal(middle->parent_id, get(view, shell.pid)->id);

	/* The process between ends: its child remains, and is a child of the shell's member. */
	end(&shell, middle->pid);
	view = updated(family);
	assert_int_equal(view->count, 4);
	assert_int_equal(view->ended, 1);
	assert_int_equal(view->found, 0);
	view = updated(family);
	assert_int_equal(view->count, 3);
	assert_int_not_equal(get(view, orphan)->parent, shell.pid);
	assert_int_equal(get(view, orphan)->parent_id, get(view, shell.pid)->id);

	/* A child ends, another one starts. */
	end(&shell, child);
	pid_t late = run(&shell, "sleep 300 & echo pid $!");
	view = updated(family);
	assert_int_equal(view->found, 1);
	assert_int_equal(view->ended, 1);
	assert_int_equal(get(view, child)->state, PM_FAMILY_ENDED);
	assert_true(get(view, late)->is_new);
	view = updated(family);
	assert_null(find(view, child));
	assert_false(get(view, late)->is_new);

	/* The shell ends, too. The others are still members. */
	target_stop(&shell);
	view = updated(family);
	assert_int_equal(view->ended, 1);
	assert_int_equal(view->alive, 2);
	view = updated(family);
	assert_int_equal(get(view, orphan)->parent_id, 0);
	kill(orphan, SIGKILL);
	kill(late, SIGKILL);
	pm_family_close(family);
}

/** The sizes are those that the kernel reports for a process that waits. */
static void sizes(void **state)
{
	(void)state;
	struct target hog;
	target_start(&hog, "hog", NULL);
	target_tell(&hog, "eat 20");
	struct pm_family *family = open_family((struct pm_family_options){
		.kind = PM_FAMILY_PIDS, .pids = &hog.pid, .pid_count = 1 });

	struct pm_process *process;
	struct pm_process_info info = { 0 };
	struct pm_error error = { 0 };
	const struct pm_family_member *member = &updated(family)->items[0];
	must(pm_family_open_member(family, member, &process, &error), &error);
	must(pm_process_read_info(process, &info, &error), &error);
	assert_int_equal(member->rss, info.vm_rss);
	assert_int_equal(member->swap, info.vm_swap);
	assert_int_equal(member->start_ticks, info.start_ticks);
	assert_int_equal(member->threads, 1);
	assert_string_equal(member->comm, "hog");
	assert_true(member->rss >= 20 << 20);
	uint64_t before = member->rss;

	target_tell(&hog, "eat 10");
	assert_true(updated(family)->items[0].rss >= before + (10 << 20));
	pm_process_close(process);
	pm_family_close(family);
	target_stop(&hog);
}

/** This process is not a member, and neither are its copies: a tree that starts here is refused. */
static void own_processes(void **state)
{
	(void)state;
	struct pm_family *family;
	struct pm_error error = { 0 };

	assert_int_equal(pm_family_open(&(struct pm_family_options){ .kind = PM_FAMILY_CHILDREN,
	                                                             .pid = getpid() },
	                                &family, &error),
	                 -1);
	assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
	error = (struct pm_error){ 0 };
	assert_int_equal(
		pm_family_open(&(struct pm_family_options){ .kind = PM_FAMILY_NAME,
	                                                    .name = program_invocation_short_name },
	                       &family, &error),
		-1);
	assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);

	/* The tree of the parent has other children of it, but not this process. */
	struct target shell;
	start_shell(&shell);
	family = open_family(
		(struct pm_family_options){ .kind = PM_FAMILY_CHILDREN, .pid = getppid() });
	const struct pm_family_view *view = pm_family_get(family);
	assert_non_null(find(view, getppid()));
	assert_null(find(view, getpid()));
	pm_family_close(family);
	target_stop(&shell);
}

/** A group, and a group below it. Processes come, move away, and end. */
static void a_cgroup(void **state)
{
	(void)state;
	struct target one, two, three;
	struct group group, below = { 0 };
	target_start(&one, "hog", NULL);
	target_start(&two, "hog", NULL);
	target_start(&three, "hog", NULL);

	const char *obstacle = group_make(&group, UINT64_C(256) << 20);
	if (!obstacle)
		obstacle = group_add(&group, one.pid);
	if (!obstacle && group.version == 1) {
		below = group;
		strcat(below.folder, "/below");
		if (mkdir(below.folder, 0755) == 0)
			obstacle = group_add(&below, two.pid);
	} else if (!obstacle) {
		obstacle = group_add(&group, two.pid);
	}

	struct pm_family *family = NULL;
	if (!obstacle) {
		family = open_family(
			(struct pm_family_options){ .kind = PM_FAMILY_CGROUP, .pid = one.pid });
		const struct pm_family_view *view = pm_family_get(family);
		assert_string_equal(pm_family_cgroup(family), group.path);
		assert_int_equal(view->count, 2);
		get(view, one.pid);
		get(view, two.pid);

		obstacle = group_add(&group, three.pid);
		view = updated(family);
		assert_true(get(view, three.pid)->is_new);

		/* It moves to the parent of the group. */
		struct group parent = group;
		*strrchr(parent.folder, '/') = '\0';
		if (!obstacle)
			obstacle = group_add(&parent, three.pid);
		view = updated(family);
		assert_true(obstacle || get(view, three.pid)->state == PM_FAMILY_LEFT);
		assert_true(obstacle || !find(updated(family), three.pid));
	}

	pid_t second = two.pid;
	target_stop(&two);
	if (family) {
		assert_int_equal(get(updated(family), second)->state, PM_FAMILY_ENDED);
		assert_int_equal(updated(family)->alive, obstacle ? 2 : 1);
	}
	target_stop(&one);
	target_stop(&three);
	group_remove(&below);
	group_remove(&group);
	if (family)
		assert_true(updated(family)->empty);
	pm_family_close(family);
	if (obstacle)
		skip_because("%s", obstacle);
}

/**
 * Makes another name for a target program, which program_start() finds in PATH_OF_TARGET.
 * @return the path with this name; the caller frees it
 */
static char *link_target(const char *root, const char *name)
{
	struct target hog;
	char link[64], program[4096] = "", *path;
	target_start(&hog, "hog", NULL);
	snprintf(link, sizeof link, "/proc/%d/exe", (int)hog.pid);
	assert_true(readlink(link, program, sizeof program - 1) > 0);
	target_stop(&hog);

	tree_link(root, name, program);
	assert_true(asprintf(&path, "%s/%s", root, name) > 0);
	assert_int_equal(setenv("PATH_OF_TARGET", path, 1), 0);
	return path;
}

/** Two processes of a name. */
static void a_name(void **state)
{
	(void)state;
	struct target one, two;
	char name[32], *root = tree_create();
	snprintf(name, sizeof name, "fam%x", (unsigned)getpid());
	char *path = link_target(root, name);
	program_start(&one, "sh", "-c", "exec \"$PATH_OF_TARGET\"", NULL);
	free(target_await(&one, "ready"));

	struct pm_family *family = open_family(
		(struct pm_family_options){ .kind = PM_FAMILY_NAME, .name = name });
	const struct pm_family_view *view = pm_family_get(family);
	assert_int_equal(view->count, 1);
	assert_int_equal(view->items[0].pid, one.pid);

	program_start(&two, "sh", "-c", "exec \"$PATH_OF_TARGET\"", NULL);
	free(target_await(&two, "ready"));
	view = updated(family);
	assert_int_equal(view->count, 2);
	assert_true(get(view, two.pid)->is_new);
	pid_t second = two.pid;
	target_stop(&two);
	assert_int_equal(get(updated(family), second)->state, PM_FAMILY_ENDED);
	target_stop(&one);
	assert_true(updated(family)->empty);
	pm_family_close(family);
	free(path);
	tree_remove(root);
}

/** A member that calls exec is the same member. */
static void an_exec(void **state)
{
	(void)state;
	struct target shell;
	start_shell(&shell);
	/* The shell has called exec when it answers. */
	assert_int_equal(run(&shell, "echo pid $$"), shell.pid);
	struct pm_family *family = open_family(
		(struct pm_family_options){ .kind = PM_FAMILY_CHILDREN, .pid = shell.pid });
	const struct pm_family_view *view = updated(family);
	assert_int_equal(view->items[0].execs, 0);

	for (uint32_t i = 1; i <= 2; i++) {
		pid_t pid = run(&shell, "exec sh -c 'echo pid $$; exec sh'");
		assert_int_equal(pid, shell.pid);
		/* The shell that printed its PID has called exec when this one answers. */
		assert_int_equal(run(&shell, "echo pid $$"), shell.pid);
		view = updated(family);
		assert_int_equal(view->items[0].id, 1);
		assert_int_equal(view->items[0].execs, i);
		assert_int_equal(updated(family)->items[0].execs, i);
	}

	pm_family_close(family);
	target_stop(&shell);
}

/** A process is followed over two restarts, and awaited before it starts for the first time. */
static void a_restart(void **state)
{
	(void)state;
	struct target target;
	char name[32], *root = tree_create();
	snprintf(name, sizeof name, "fol%x", (unsigned)getpid());
	char *path = link_target(root, name);

	struct pm_family *family = open_family(
		(struct pm_family_options){ .kind = PM_FAMILY_FOLLOW, .name = name });
	assert_true(pm_family_get(family)->empty);
	for (int i = 0; i < 3; i++) {
		program_start(&target, "sh", "-c", "exec \"$PATH_OF_TARGET\"", NULL);
		free(target_await(&target, "ready"));
		const struct pm_family_view *view = updated(family);
		assert_int_equal(view->alive, 1);
		assert_int_equal(view->items[view->count - 1].pid, target.pid);
		assert_true(view->items[view->count - 1].is_new);
		assert_int_equal(view->items[view->count - 1].id, i + 1);
		assert_false(updated(family)->items[0].is_new);

		target_stop(&target);
		/* Every other time, the end and the restart are seen at once. */
		if (i == 0) {
			assert_true(updated(family)->empty);
			assert_int_equal(pm_family_get(family)->ended, 1);
		}
	}
	pm_family_close(family);
	free(path);
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree),        cmocka_unit_test(sizes),
		cmocka_unit_test(own_processes), cmocka_unit_test(a_cgroup),
		cmocka_unit_test(a_name),        cmocka_unit_test(a_restart),
		cmocka_unit_test(an_exec),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
