/* SPDX-License-Identifier: MIT */
/*
 * The truth test: a trace of the target `sites`, by perf and libdw, is compared with the log of the
 * target. Both count the pages that a function of the target has mapped, or touched first.
 *
 * The target works in small steps, and the trace reads the events after each step. So no event is
 * lost, however slow the machine is.
 */
#include <procmem/trace.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/target.h"

/* Rounds of the target. Its mapping that grows by mremap has a piece for each round. */
enum { ROUNDS = 320, PIECES = 256 };

enum { SITES = 7 };

static const char *const names[SITES] = {
	"site_mmap",   "site_large_malloc", "site_small_malloc", "site_brk",
	"site_mremap", "site_thread_mmap",  "site_pool",
};

/** Resident bytes of each site. */
struct sums {
	uint64_t sites[SITES];
	uint64_t all; /* of all sites; in a trace, also of other stacks */
};

static struct target target;
static struct pm_process *process;
static struct pm_trace *trace;

static int start(void **state)
{
	(void)state;
	target_start(&target, "sites", NULL);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	pm_trace_close(trace);
	pm_process_close(process);
	trace = NULL;
	process = NULL;
	target_stop(&target);
	return 0;
}

static void attach(bool faults)
{
	/* The stacks are not deep. A small copy has room even in the small buffers of a user. */
	const struct pm_trace_options options = { .backend = PM_TRACE_PERF,
		                                  .faults = faults,
		                                  .stack_size = 2048 };
	struct pm_error error = { 0 };

	process = open_process(target.pid);
	int result = pm_trace_attach(process, &options, &trace, &error);
	if (result < 0 && (error.kind == PM_ERROR_ACCESS || error.kind == PM_ERROR_UNSUPPORTED))
		skip_because("%s", error.text);
	must(result, &error);
}

/** Reads the events that are in the buffers. */
static void read_events(void)
{
	struct pm_error error = { 0 };
	enum pm_trace_end end;

	must(pm_trace_run(trace, 0.001, &end, &error), &error);
	assert_int_equal(end, PM_TRACE_TIME);
}

/** Lets the target work, and reads the events of each round. */
static void work(const char *command, size_t rounds)
{
	char line[32];

	snprintf(line, sizeof line, "%s 1", command);
	for (size_t i = 0; i < rounds; i++) {
		target_tell(&target, line);
		if (trace)
			read_events();
	}
}

/** Sends a command whose answer is not only `done`. */
static void send_line(const char *command)
{
	assert_true(fprintf(target.to, "%s\n", command) > 0);
	assert_int_equal(fflush(target.to), 0);
}

static void read_log(struct sums *sums)
{
	*sums = (struct sums){ 0 };
	send_line("log");
	char *line = target_await(&target, "log ");

	for (size_t i = 0; i < SITES; i++) {
		const char *found = strstr(line, names[i]);

		assert_non_null(found);
		sums->sites[i] = strtoull(found + strlen(names[i]), NULL, 10);
		sums->all += sums->sites[i];
	}
	free(line);
	free(target_await(&target, "done log"));
}

/** Finds the site of the target that a stack belongs to. Returns SITES if there is none. */
static size_t find_site(const struct pm_stack *stack)
{
	for (size_t i = 0; i < stack->count; i++) {
		const char *function = stack->frames[i].function;

		for (size_t site = 0; function && site < SITES; site++)
			if (strcmp(function, names[site]) == 0)
				return site;
	}
	return SITES;
}

/** Measures. All memory counts that has a stack, and all that was mapped by an unknown stack. */
static void measure(struct sums *sums, uint64_t *pieces)
{
	struct pm_trace_result result;
	struct pm_error error = { 0 };

	*sums = (struct sums){ 0 };
	*pieces = 0;
	must(pm_trace_measure(trace, &result, &error), &error);
	for (size_t i = 0; i < result.count; i++) {
		const struct pm_trace_site *site = &result.sites[i];
		struct pm_stack stack;

		pm_stacks_get(pm_trace_stacks(trace), site->stack, &stack);
		size_t found = find_site(&stack);

		if (found < SITES)
			sums->sites[found] += site->resident;
		if (found < SITES && strcmp(names[found], "site_mremap") == 0)
			*pieces += site->regions;
		if (!site->before || stack.count > 0)
			sums->all += site->resident;
	}
	pm_trace_result_deinit(&result);
}

/** Returns the difference of two sums in percent of the truth. */
static double error_of(uint64_t measured, uint64_t truth)
{
	if (truth == 0)
		return measured == 0 ? 0 : 100;
	return 100.0 * ((double)measured - (double)truth) / (double)truth;
}

/** Compares the measured sums with the log: each site within 2 %, all within 0.5 %. */
static void compare(const struct sums *measured, const struct sums *truth)
{
	bool wrong = false;

	for (size_t i = 0; i < SITES; i++) {
		double error = error_of(measured->sites[i], truth->sites[i]);

		print_message("%-18s %9" PRIu64 " in the log, %9" PRIu64 " measured: %+.2f %%\n",
		              names[i], truth->sites[i], measured->sites[i], error);
		wrong = wrong || error > 2 || error < -2;
	}

	double error = error_of(measured->all, truth->all);
	print_message("%-18s %9" PRIu64 " in the log, %9" PRIu64 " measured: %+.2f %%\n", "all",
	              truth->all, measured->all, error);
	assert_false(wrong);
	assert_true(error <= 0.5 && error >= -0.5);
}

/** Expects that no event was lost, and that the list of memory never differed from the regions. */
static void expect_complete(uint64_t execs)
{
	struct pm_trace_state state;

	pm_trace_state(trace, &state);
	assert_int_equal(state.lost, 0);
	assert_int_equal(state.difference, 0);
	assert_int_equal(state.execs, execs);
}

static void test_sites_from_the_start(void **state)
{
	struct sums truth, measured;
	uint64_t pieces;

	(void)state;
	attach(false);
	work("work", ROUNDS);
	read_log(&truth);
	measure(&measured, &pieces);

	expect_complete(0);
	assert_true(truth.all > (uint64_t)40 << 20);
	assert_true(pieces > PIECES);
	compare(&measured, &truth);
}

static void test_sites_of_a_late_trace(void **state)
{
	struct sums truth, measured;
	uint64_t pieces;

	(void)state;
	target_tell(&target, "work 150");
	target_tell(&target, "pool 150");
	target_tell(&target, "mark");
	attach(true);
	work("work", ROUNDS);
	work("pool", ROUNDS);
	read_log(&truth);
	measure(&measured, &pieces);

	expect_complete(0);
	for (size_t i = 0; i < SITES; i++)
		assert_true(truth.sites[i] > 1 << 20);
	compare(&measured, &truth);
}

/** After exec, only the memory of the new program counts, and names are those of its functions. */
static void test_sites_after_exec(void **state)
{
	struct sums truth, measured;
	uint64_t pieces;

	(void)state;
	attach(false);
	work("work", ROUNDS / 4);
	send_line("exec");
	free(target_await(&target, "ready"));
	read_events();
	work("work", ROUNDS);
	read_log(&truth);
	measure(&measured, &pieces);

	expect_complete(1);
	assert_true(pieces > PIECES);
	/* The libraries of the new program are mapped by its own code. */
	measured.all = 0;
	for (size_t i = 0; i < SITES; i++)
		measured.all += measured.sites[i];
	compare(&measured, &truth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sites_from_the_start, start, stop),
		cmocka_unit_test_setup_teardown(test_sites_of_a_late_trace, start, stop),
		cmocka_unit_test_setup_teardown(test_sites_after_exec, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
