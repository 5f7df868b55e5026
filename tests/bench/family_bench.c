/* SPDX-License-Identifier: MIT */
/*
 * family_bench [CHILDREN]: the CPU time of an update of a family, in ms, as the mean of many
 * updates in which nothing changes. One line for each kind of family:
 *
 * - children: a process with CHILDREN children, by default 50
 * - pids: the same processes as a list: what their sizes alone cost
 * - follow: a name that no process has, so that the processes are searched by name in each update
 * - list: pm_process_list_read(), which reads the status of all processes
 *
 * The second number is the number of processes.
 */
#include <procmem/procmem.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN_MAX = 2000, UPDATES = 300 };

static double cpu_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void fail(const struct pm_error *error)
{
	fprintf(stderr, "family_bench: %s\n", error->text);
	exit(2);
}

/** Returns a process with this number of children, which end with it. */
static pid_t start_tree(int children)
{
	int ready[2];
	char byte;
	if (pipe(ready) < 0)
		exit(2);

	pid_t parent = fork();
	if (parent == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int i = 0; i < children; i++)
			if (fork() == 0) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				pause();
			}
		if (write(ready[1], "", 1) < 0)
			exit(2);
		pause();
	}

	if (parent < 0 || read(ready[0], &byte, 1) != 1)
		exit(2);
	return parent;
}

static void measure(const char *name, const struct pm_family_options *options)
{
	struct pm_family *family;
	struct pm_error error = { 0 };
	if (pm_family_open(options, &family, &error) < 0)
		fail(&error);

	/* The first updates read the names of all processes. */
	for (int i = 0; i < 4; i++)
		if (pm_family_update(family, &error) < 0)
			fail(&error);

	double begin = cpu_ms();
	for (int i = 0; i < UPDATES; i++)
		if (pm_family_update(family, &error) < 0)
			fail(&error);
	printf("%s %.3f %zu\n", name, (cpu_ms() - begin) / UPDATES, pm_family_get(family)->alive);
	pm_family_close(family);
}

static void measure_list(void)
{
	enum { TURNS = 20 };
	struct pm_process_list list;
	struct pm_error error = { 0 };
	size_t count = 0;

	double begin = cpu_ms();
	for (int i = 0; i < TURNS; i++) {
		if (pm_process_list_read(&list, &error) < 0)
			fail(&error);
		count = list.count;
		pm_process_list_deinit(&list);
	}
	printf("list %.3f %zu\n", (cpu_ms() - begin) / TURNS, count);
}

int main(int argc, char **argv)
{
	pid_t pids[CHILDREN_MAX + 1];
	int children = argc > 1 ? atoi(argv[1]) : 50;
	if (children < 1 || children > CHILDREN_MAX)
		return 2;

	pid_t parent = start_tree(children);
	struct pm_family_options options = { .kind = PM_FAMILY_CHILDREN, .pid = parent };
	struct pm_family *family;
	struct pm_error error = { 0 };
	if (pm_family_open(&options, &family, &error) < 0)
		fail(&error);
	size_t count = pm_family_get(family)->count;
	for (size_t i = 0; i < count && i <= CHILDREN_MAX; i++)
		pids[i] = pm_family_get(family)->items[i].pid;
	pm_family_close(family);

	measure("children", &options);
	options = (struct pm_family_options){ .kind = PM_FAMILY_PIDS,
		                              .pids = pids,
		                              .pid_count = count };
	measure("pids", &options);
	options = (struct pm_family_options){ .kind = PM_FAMILY_FOLLOW, .name = "no-such-process" };
	measure("follow", &options);
	measure_list();
	kill(parent, SIGKILL);
	return 0;
}
