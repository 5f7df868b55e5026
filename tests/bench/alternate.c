/* SPDX-License-Identifier: MIT */
/*
 * alternate RUNS COMMAND... -- COMMAND...: runs two commands in turns, so that both run in the same
 * state of the machine. Discards their output. Prints the median wall time in milliseconds and the
 * peak memory in KiB of each, and the median of the ratios second/first of all turns.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/** Measurements of a command. */
struct measure {
	char **command; /* NULL-terminated */
	double *wall;   /* milliseconds of each run */
	long peak;      /* KiB, largest of all runs */
};

static void fail(const char *what)
{
	fprintf(stderr, "alternate: %s: %s\n", what, strerror(errno));
	exit(2);
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void __attribute__((noreturn)) become(char **command)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	execvp(command[0], command);
	_exit(127);
}

/**
 * Runs the command once.
 * @return milliseconds
 */
static double run(struct measure *measure)
{
	double begin = now();
	pid_t child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0)
		become(measure->command);

	int status;
	struct rusage usage;
	if (wait4(child, &status, 0, &usage) < 0)
		fail("wait4");

	double end = now();
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "alternate: %s failed\n", measure->command[0]);
		exit(1);
	}

	if (usage.ru_maxrss > measure->peak)
		measure->peak = usage.ru_maxrss;

	return end - begin;
}

static int by_size(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;
	return (first > second) - (first < second);
}

static double median(double *numbers, size_t count)
{
	qsort(numbers, count, sizeof *numbers, by_size);
	return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

static double *make_numbers(size_t count)
{
	double *numbers = calloc(count, sizeof *numbers);
	if (!numbers)
		fail("calloc");
	return numbers;
}

int main(int argc, char **argv)
{
	int split = 2;
	while (split < argc && strcmp(argv[split], "--") != 0)
		split++;
	size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	if (runs == 0 || split == 2 || split + 1 >= argc) {
		fputs("usage: alternate RUNS COMMAND... -- COMMAND...\n", stderr);
		return 2;
	}
	argv[split] = NULL;
	struct measure first = { argv + 2, make_numbers(runs), 0 },
		       second = { argv + split + 1, make_numbers(runs), 0 };
	double *ratios = make_numbers(runs);

	/* The first turn only fills caches. */
	run(&first);
	run(&second);
	for (size_t i = 0; i < runs; i++) {
		first.wall[i] = run(&first);
		second.wall[i] = run(&second);
		ratios[i] = second.wall[i] / first.wall[i];
	}
	printf("%.2f %ld %.2f %ld %.3f\n", median(first.wall, runs), first.peak,
	       median(second.wall, runs), second.peak, median(ratios, runs));
	free(first.wall);
	free(second.wall);
	free(ratios);
	return 0;
}
