/* SPDX-License-Identifier: MIT */
/*
 * A trace of a real process by a fake backend: the target `recorded` does system calls, and writes
 * each of them to a log, from which the backend reads. What the target maps and touches is known.
 */
#include "trace/trace.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../targets/recorded.h"
#include "base/clock.h"
#include "support/look.h"
#include "support/target.h"

enum { PAGE = 4096 };

static struct target target;
static struct recorded_log *recorded;

static int start(void **state)
{
	(void)state;
	char path[64];
	int fd = memfd_create("recorded", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, sizeof *recorded), 0);
	recorded = mmap(NULL, sizeof *recorded, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(recorded != MAP_FAILED);

	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
	target_start(&target, "recorded", path, NULL);
	close(fd);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	target_stop(&target);
	munmap(recorded, sizeof *recorded);
	return 0;
}

/** The fake backend: hands over what the target has written. */
struct fake {
	struct pm_trace_sink sink;
	size_t done;   /* calls handed over */
	pid_t threads; /* threads that call BY_MMAP in turn; 0: one thread */
	pid_t maps;    /* calls of BY_MMAP handed over */
	bool closed;
};

static struct fake fake;

static void fake_close(void *backend)
{
	((struct fake *)backend)->closed = true;
}

static int hand_over(struct fake *from, const struct recorded_call *call, struct pm_error *error)
{
	static const enum pm_trace_kind kinds[] = {
		[RECORDED_MMAP] = PM_TRACE_MMAP,
		[RECORDED_MUNMAP_BEGIN] = PM_TRACE_MUNMAP_BEGIN,
		[RECORDED_MREMAP_BEGIN] = PM_TRACE_MREMAP_BEGIN,
		[RECORDED_MREMAP] = PM_TRACE_MREMAP,
		[RECORDED_BRK] = PM_TRACE_BRK,
		[RECORDED_MPROTECT] = PM_TRACE_MPROTECT,
		[RECORDED_SHMAT] = PM_TRACE_SHMAT,
		[RECORDED_SHMDT_BEGIN] = PM_TRACE_SHMDT_BEGIN,
		[RECORDED_MADVISE] = PM_TRACE_MADVISE,
		[RECORDED_FAULT] = PM_TRACE_FAULT,
		[RECORDED_EXEC] = PM_TRACE_EXEC,
		[RECORDED_LOST] = PM_TRACE_LOST,
	};
	struct pm_trace_event event = { .time = call->time,
		                        .kind = kinds[call->kind],
		                        .tid = target.pid,
		                        .stack = call->stack,
		                        .result = call->result };

	if (from->threads > 0 && event.stack == BY_MMAP)
		event.tid += from->maps++ % from->threads;

	memcpy(event.arguments, call->arguments, sizeof event.arguments);
	return from->sink.event(from->sink.context, &event, error);
}

static int fake_poll(void *backend, uint64_t until, bool last, struct pm_error *error)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct fake *from = backend;
	siginfo_t info = { 0 };

	(void)last;
	while (from->done == atomic_load(&recorded->count) && pm_clock_ns(CLOCK_MONOTONIC) < until)
		nanosleep(&pause, NULL);
	for (; from->done < atomic_load(&recorded->count); from->done++)
		if (hand_over(from, &recorded->calls[from->done], error) < 0)
			return -1;

	waitid(P_PID, (id_t)target.pid, &info, WEXITED | WNOHANG | WNOWAIT);
	return info.si_pid == target.pid;
}

static void fake_state(const void *backend, struct pm_trace_state *state)
{
	(void)backend;
	state->plan = "fake";
}

static int fake_open(void *context, const struct pm_trace_target *needs,
                     const struct pm_trace_backend_calls **calls, void **backend,
                     struct pm_error *error)
{
	static const struct pm_trace_backend_calls table = {
		.backend = PM_TRACE_PERF,
		.close = fake_close,
		.poll = fake_poll,
		.state = fake_state,
	};

	(void)error;
	assert_int_equal(needs->options->stack_size, 8192);
	fake = (struct fake){ .sink = needs->sink };
	*(void **)context = &fake;
	*backend = &fake;
	*calls = &table;
	return 0;
}

static struct pm_trace *open_trace(const struct pm_trace_options *options)
{
	void *context = NULL;
	const struct pm_trace_setup setup = {
		.process = open_process(target.pid),
		.owned = true,
		.options = options,
		.open = fake_open,
		.context = &context,
	};
	struct pm_trace *trace;
	struct pm_error error;

	must(pm_trace_open(&setup, &trace, &error), &error);
	assert_ptr_equal(context, &fake);
	return trace;
}

static struct pm_trace_result measure(struct pm_trace *trace)
{
	struct pm_trace_result result;
	struct pm_error error;

	must(pm_trace_measure(trace, &result, &error), &error);
	return result;
}

static const struct pm_trace_site *find(const struct pm_trace_result *result, uint32_t stack,
                                        bool before)
{
	for (size_t i = 0; i < result->count; i++)
		if (result->sites[i].stack == stack && result->sites[i].before == before)
			return &result->sites[i];
	return NULL;
}

static void expect_site(const struct pm_trace_result *result, uint32_t stack, uint64_t resident,
                        uint64_t mapped, uint64_t calls)
{
	const struct pm_trace_site *site = find(result, stack, false);

	print_message("stack %u\n", stack);
	assert_non_null(site);
	assert_int_equal(site->resident, resident * PAGE);
	assert_int_equal(site->mapped, mapped * PAGE);
	assert_int_equal(site->calls, calls);
	assert_int_equal(site->tid, target.pid);
	assert_true(site->start < site->end);
}

static void sites_have_the_resident_bytes_of_their_memory(void **state)
{
	(void)state;
	const struct pm_trace_options options = { 0 };
	struct pm_trace *trace = open_trace(&options);
	struct pm_trace_state how;

	target_tell(&target, "map");
	struct pm_trace_result result = measure(trace);
	expect_site(&result, BY_MMAP, 20 + 1, 54 + 1, 3);
	expect_site(&result, BY_GROWTH, 300, 300, 300);
	expect_site(&result, BY_RESERVE, 0, 974, 1);
	expect_site(&result, BY_COMMIT, 20, 50, 1);
	expect_site(&result, BY_BRK, 40, 40, 1);
	expect_site(&result, BY_SHMAT, 5, 16, 2);
	assert_int_equal(find(&result, BY_GROWTH, false)->regions, 1);
	assert_null(find(&result, PM_STACK_NONE, false));

	pm_trace_state(trace, &how);
	assert_int_equal(how.difference, 0);
	assert_int_equal(how.lost, 0);
	assert_int_equal(how.events, atomic_load(&recorded->count));
	assert_string_equal(how.plan, "fake");
	for (size_t i = 1; i < result.count; i++)
		assert_true(result.sites[i - 1].resident >= result.sites[i].resident);

	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
	assert_true(fake.closed);
}

/** Measures what three threads have mapped with the same stack; returns the number of its sites. */
static size_t count_sites(bool per_thread)
{
	const struct pm_trace_options options = { .per_thread = per_thread };
	struct pm_trace *trace = open_trace(&options);
	uint64_t resident = 0;
	size_t count = 0;

	fake.threads = 3;
	target_tell(&target, "map");
	struct pm_trace_result result = measure(trace);
	for (size_t i = 0; i < result.count; i++) {
		const struct pm_trace_site *site = &result.sites[i];

		if (site->stack != BY_MMAP)
			continue;
		assert_int_equal(site->tid != 0, per_thread);
		resident += site->resident;
		count++;
	}

	assert_int_equal(resident, 21 * PAGE);
	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
	return count;
}

static void threads_with_the_same_stack_are_one_site(void **state)
{
	(void)state;
	assert_int_equal(count_sites(false), 1);
}

static void threads_can_have_sites_of_their_own(void **state)
{
	(void)state;
	assert_in_range(count_sites(true), 2, 3);
}

/** Measures the parts of the memory of a site: their sum is the whole, and nothing else is in it.
 */
static void parts_of_the_memory_can_be_measured(void **state)
{
	(void)state;
	const struct pm_trace_options options = { 0 };
	struct pm_trace *trace = open_trace(&options);
	struct pm_trace_result part;
	struct pm_error error;

	target_tell(&target, "map");
	struct pm_trace_result result = measure(trace);
	const struct pm_trace_site *site = find(&result, BY_GROWTH, false);
	const struct pm_range whole = { site->start, site->end };
	assert_int_equal(site->end - site->start, 300 * PAGE);

	must(pm_trace_measure_ranges(trace, &whole, 1, &part, &error), &error);
	assert_int_equal(part.count, 1);
	expect_site(&part, BY_GROWTH, 300, 300, 300);
	assert_true(part.seconds == result.seconds);
	pm_trace_result_deinit(&part);

	/* The ends of ranges need not be those of intervals, nor be mapped. */
	const struct pm_range parts[] = { { site->start + PAGE, site->start + 11 * PAGE },
		                          { site->end - 5 * PAGE, site->end } };
	must(pm_trace_measure_ranges(trace, parts, 2, &part, &error), &error);
	assert_int_equal(part.count, 1);
	expect_site(&part, BY_GROWTH, 15, 15, 300);
	assert_int_equal(part.sites[0].regions, 2);
	pm_trace_result_deinit(&part);

	const struct pm_range nothing = { 0, PAGE };
	must(pm_trace_measure_ranges(trace, &nothing, 1, &part, &error), &error);
	assert_int_equal(part.count, 0);

	pm_trace_result_deinit(&part);
	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
}

static void faults_split_what_was_mapped_before(void **state)
{
	(void)state;
	const struct pm_trace_options options = { .faults = true };
	struct pm_trace *trace = open_trace(&options);

	target_tell(&target, "map");
	struct pm_trace_result before = measure(trace);
	assert_null(find(&before, BY_TOUCH, true));
	assert_true(before.before_start > 0);

	target_tell(&target, "touch");
	struct pm_trace_result result = measure(trace);
	const struct pm_trace_site *first = find(&result, BY_TOUCH, true);
	const struct pm_trace_site *second = find(&result, BY_OTHER_TOUCH, true);
	assert_non_null(first);
	assert_non_null(second);
	assert_int_equal(first->resident, 35 * PAGE);
	assert_int_equal(first->faults, 40);
	assert_int_equal(second->resident, 30 * PAGE);
	assert_int_equal(second->mapped, 0);
	assert_int_equal(result.before_start, before.before_start);
	/* The target may touch a page of its own stack or data in addition. */
	assert_in_range(result.before_now - before.before_now, 65 * PAGE, 75 * PAGE);

	pm_trace_result_deinit(&before);
	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
}

/** Returns what smaps shows as resident for a region of the target. */
static uint64_t rss_of(const char *name)
{
	uint64_t start, end;
	struct look look;

	target_range(&target, name, &start, &end);
	look_open(&look, target.pid);
	uint64_t rss = look.regions.items[look_region(&look, start)].bytes[PM_SIZE_RSS];
	look_close(&look);

	return rss;
}

/** One page fault can make many pages present: all belong to the stack of this page fault. */
static void pages_without_a_fault_of_their_own_have_a_stack(void **state)
{
	(void)state;
	const struct pm_trace_options options = { .faults = true };
	struct pm_trace *trace = open_trace(&options);

	target_tell(&target, "blocks");
	struct pm_trace_result result = measure(trace);
	const struct pm_trace_site *huge = find(&result, BY_TOUCH, true);
	const struct pm_trace_site *file = find(&result, BY_OTHER_TOUCH, true);
	uint64_t huge_rss = rss_of("huge"), file_rss = rss_of("file");

	print_message("huge %zu, file %zu bytes\n", (size_t)huge_rss, (size_t)file_rss);
	assert_true(huge_rss >= PAGE && file_rss >= PAGE);
	assert_int_equal(huge->resident, huge_rss);
	assert_int_equal(huge->faults, 1);
	assert_int_equal(file->resident, file_rss);

	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
}

static void memory_from_before_can_be_released(void **state)
{
	(void)state;
	const struct pm_trace_options options = { 0 };
	struct pm_trace *trace = open_trace(&options);
	struct pm_trace_state how;

	struct pm_trace_result first = measure(trace);
	target_tell(&target, "release");
	struct pm_trace_result second = measure(trace);
	pm_trace_state(trace, &how);
	assert_int_equal(how.difference, 0);
	assert_int_equal(first.before_start - second.before_start, (5 + 3) * PAGE);

	pm_trace_result_deinit(&first);
	pm_trace_result_deinit(&second);
	pm_trace_close(trace);
}

/** The regions and the list are never of the same moment if the target maps all the time. */
static void a_busy_target_has_no_difference(void **state)
{
	(void)state;
	const struct pm_trace_options options = { 0 };
	struct pm_trace *trace = open_trace(&options);
	struct pm_trace_state how;

	fputs("busy\n", target.to);
	fflush(target.to);
	struct pm_trace_result result = measure(trace);
	pm_trace_state(trace, &how);
	assert_int_equal(how.difference, 0);
	pm_trace_result_deinit(&result);

	free(target_await(&target, "done busy"));
	result = measure(trace);
	pm_trace_state(trace, &how);
	assert_int_equal(how.difference, 0);
	expect_site(&result, BY_MMAP, 0, 20000, 20000);

	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
}

static void losses_are_shown_and_corrected(void **state)
{
	(void)state;
	const struct pm_trace_options options = { 0 };
	struct pm_trace *trace = open_trace(&options);
	struct pm_trace_state how;

	target_tell(&target, "map");
	target_tell(&target, "lose");
	struct pm_trace_result result = measure(trace);
	pm_trace_state(trace, &how);
	assert_int_equal(how.lost, 2);
	assert_int_equal(how.difference, (30 + 50) * PAGE);
	expect_site(&result, BY_MMAP, 21, 55, 4);
	assert_int_equal(find(&result, PM_STACK_NONE, false)->resident, 50 * PAGE);
	pm_trace_result_deinit(&result);

	result = measure(trace);
	pm_trace_state(trace, &how);
	assert_int_equal(how.difference, (30 + 50) * PAGE);
	assert_int_equal(find(&result, PM_STACK_NONE, false)->mapped, 50 * PAGE);

	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
}

/** Lets the target become sleep(1), and waits until the new program sleeps: all is mapped then. */
static void become_sleep(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	bool sleeps = false;
	char path[64];

	fputs("exec\n", target.to);
	fflush(target.to);
	snprintf(path, sizeof path, "/proc/%d/syscall", (int)target.pid);
	while (!sleeps) {
		char *text = read_text(path, NULL);

		sleeps = atoi(text) == SYS_clock_nanosleep;
		free(text);
		nanosleep(&pause, NULL);
	}
}

static void expect_new_program(struct pm_trace *trace)
{
	struct pm_trace_result result = measure(trace);
	struct pm_trace_state how;

	pm_trace_state(trace, &how);
	assert_int_equal(how.execs, 1);
	assert_int_equal(how.difference, 0);
	assert_null(find(&result, BY_MMAP, false));
	assert_true(find(&result, PM_STACK_NONE, true)->resident > 0);
	assert_int_equal(result.before_start, 0);
	pm_trace_result_deinit(&result);
}

static void exec_starts_with_the_memory_of_the_new_program(void **state)
{
	(void)state;
	struct pm_trace *trace = open_trace(&(const struct pm_trace_options){ 0 });
	enum pm_trace_end end;
	struct pm_error error;

	target_tell(&target, "map");
	become_sleep();
	must(pm_trace_run(trace, 0.05, &end, &error), &error);
	assert_int_equal(end, PM_TRACE_TIME);
	expect_new_program(trace);
	assert_true(pm_process_check(pm_trace_process(trace), NULL) == 0);
	pm_trace_close(trace);
}

static void exec_is_noticed_without_its_event(void **state)
{
	(void)state;
	struct pm_trace *trace = open_trace(&(const struct pm_trace_options){ 0 });

	target_tell(&target, "map");
	become_sleep();
	recorded->count--;
	expect_new_program(trace);
	/* The event is late. */
	recorded->count++;
	expect_new_program(trace);
	pm_trace_close(trace);
}

static void the_last_measurement_remains_after_the_exit(void **state)
{
	(void)state;
	const struct pm_trace_options options = { 0 };
	struct pm_trace *trace = open_trace(&options);
	enum pm_trace_end end;
	struct pm_error error;

	target_tell(&target, "map");
	must(pm_trace_run(trace, 0.01, &end, &error), &error);
	struct pm_trace_result first = measure(trace);

	kill(target.pid, SIGKILL);
	must(pm_trace_run(trace, -1, &end, &error), &error);
	assert_int_equal(end, PM_TRACE_EXITED);
	struct pm_trace_result last = measure(trace);
	expect_site(&last, BY_GROWTH, 300, 300, 300);
	assert_int_equal(last.count, first.count);

	pm_trace_result_deinit(&first);
	pm_trace_result_deinit(&last);
	pm_trace_close(trace);
}

static void an_exit_before_a_measurement_leaves_mapped_bytes(void **state)
{
	(void)state;
	struct pm_trace *trace = open_trace(&(const struct pm_trace_options){ 0 });
	siginfo_t info;

	target_tell(&target, "map");
	kill(target.pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)target.pid, &info, WEXITED | WNOWAIT), 0);
	struct pm_trace_result result = measure(trace);
	assert_true(result.unmeasured);
	expect_site(&result, BY_GROWTH, 0, 300, 300);
	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
}

static void a_cancelled_trace_can_be_measured(void **state)
{
	(void)state;
	static volatile sig_atomic_t cancel = 1;
	const struct pm_trace_options options = { .cancel = &cancel };
	struct pm_trace *trace = open_trace(&options);
	enum pm_trace_end end;
	struct pm_error error;

	target_tell(&target, "map");
	must(pm_trace_run(trace, -1, &end, &error), &error);
	assert_int_equal(end, PM_TRACE_CANCELLED);
	struct pm_trace_result result = measure(trace);
	expect_site(&result, BY_BRK, 40, 40, 1);

	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
}

static void a_wrong_stack_size_is_refused(void **state)
{
	(void)state;
	const struct pm_trace_options options = { .stack_size = 100 };
	struct pm_process *process = open_process(target.pid);
	struct pm_trace *trace;
	struct pm_error error;

	assert_int_equal(pm_trace_attach(process, &options, &trace, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	pm_process_close(process);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sites_have_the_resident_bytes_of_their_memory),
		TEST(threads_with_the_same_stack_are_one_site),
		TEST(threads_can_have_sites_of_their_own),
		TEST(parts_of_the_memory_can_be_measured),
		TEST(faults_split_what_was_mapped_before),
		TEST(pages_without_a_fault_of_their_own_have_a_stack),
		TEST(memory_from_before_can_be_released),
		TEST(a_busy_target_has_no_difference),
		TEST(losses_are_shown_and_corrected),
		TEST(exec_starts_with_the_memory_of_the_new_program),
		TEST(exec_is_noticed_without_its_event),
		TEST(the_last_measurement_remains_after_the_exit),
		TEST(an_exit_before_a_measurement_leaves_mapped_bytes),
		TEST(a_cancelled_trace_can_be_measured),
		TEST(a_wrong_stack_size_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
