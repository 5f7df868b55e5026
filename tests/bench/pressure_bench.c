/* SPDX-License-Identifier: MIT */
/*
 * pressure_bench [PID]: the time of each step of `procmem pressure`, by the library alone. Prints
 * `NAME VALUE`, times in ms:
 *
 * - first: to find the cgroups and take the first reading
 * - reading: to take a reading of all levels, median of ROUNDS
 * - slowest: the slowest of these readings
 * - log: to read the log of the kernel, median; records are not counted. Absent if it cannot be
 * read
 * - signs: to compare two readings and apply the thresholds
 * - levels: number of levels
 */
#include <procmem/procmem.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 101 };

static void __attribute__((noreturn)) fail(const char *what, const struct pm_error *error)
{
	fprintf(stderr, "pressure_bench: %s: %s\n", what, error->text);
	exit(2);
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	const double *one = a, *other = b;
	return (*one > *other) - (*one < *other);
}

static void measure_log(struct pm_oom_log *log)
{
	struct pm_error error;
	double times[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double start = now();
		pm_oom_log_deinit(log);
		if (pm_oom_log_read(NULL, log, &error) < 0)
			return;
		times[i] = now() - start;
	}

	qsort(times, ROUNDS, sizeof *times, by_value);
	printf("log %.3f\n", times[ROUNDS / 2]);
}

/** Takes all readings. The first and the last one remain. */
static void measure_readings(struct pm_pressure_source *source, struct pm_pressure_reading *last)
{
	struct pm_error error = { 0 };
	double times[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double start = now();
		pm_pressure_deinit(last);
		if (pm_pressure_read(source, last, &error) < 0)
			fail("cannot read", &error);
		times[i] = now() - start;
	}

	qsort(times, ROUNDS, sizeof *times, by_value);
	printf("reading %.3f\nslowest %.3f\nlevels %zu\n", times[ROUNDS / 2], times[ROUNDS - 1],
	       last->count);
}

int main(int argc, char **argv)
{
	struct pm_process *process = NULL;
	struct pm_pressure_source *source;
	struct pm_pressure_reading first = { 0 }, last = { 0 };
	struct pm_pressure_change change;
	struct pm_oom_log log = { 0 };
	struct pm_signs signs;
	struct pm_error error = { 0 };

	if (argc > 1 && pm_process_open(NULL, (pid_t)atoi(argv[1]), &process, &error) < 0)
		fail("cannot open", &error);

	double start = now();
	if (pm_pressure_open(process, NULL, NULL, &source, &error) < 0 ||
	    pm_pressure_read(source, &first, &error) < 0)
		fail("cannot read", &error);
	printf("first %.3f\n", now() - start);

	measure_readings(source, &last);
	measure_log(&log);
	start = now();
	if (pm_pressure_compare(&first, &last, &change, &error) < 0 ||
	    pm_signs_find(&last, &change, &log, true, &signs, &error) < 0)
		fail("cannot compare", &error);
	printf("signs %.3f\n", now() - start);

	pm_signs_deinit(&signs);
	pm_pressure_change_deinit(&change);
	pm_oom_log_deinit(&log);
	pm_pressure_deinit(&first);
	pm_pressure_deinit(&last);
	pm_pressure_close(source);
	pm_process_close(process);
	return 0;
}
