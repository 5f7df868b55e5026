/* SPDX-License-Identifier: MIT */
/*
 * A trace of a real process by a fake backend: a child of the test does the system calls, and
 * writes an event for each of them. What the child maps and touches is known.
 */
#include "trace/trace.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "support/target.h"

enum { PAGE = 4096, EVENTS_MAX = 5000 };

/** The stacks of the child, by the function that calls. */
enum {
	BY_MMAP = 1,
	BY_GROWTH,
	BY_RESERVE,
	BY_COMMIT,
	BY_BRK,
	BY_SHMAT,
	BY_LOST,
	BY_TOUCH,
	BY_OTHER_TOUCH,
};

/** Memory that the test and its child share. */
struct shared {
	struct pm_trace_event events[EVENTS_MAX];
	_Atomic size_t count; /* events that the child has written */
	_Atomic int step;     /* number of steps that the child has finished */
	_Atomic int wanted;   /* number of steps that it shall do */
	char *pool;           /* memory from before the trace */
	size_t lost;          /* bytes mapped without an event */
};

static struct shared *shared;
static pid_t child;

/* In the child. */

static void add_event(enum pm_trace_kind kind, uint32_t stack, const uint64_t *arguments,
                      size_t count, uint64_t result)
{
	size_t index = atomic_load(&shared->count);
	struct pm_trace_event *event = &shared->events[index];

	if (index == EVENTS_MAX)
		_exit(3);

	*event = (struct pm_trace_event){ .time = pm_clock_ns(CLOCK_MONOTONIC),
		                          .kind = kind,
		                          .tid = getpid(),
		                          .stack = stack,
		                          .result = result };
	memcpy(event->arguments, arguments, count * sizeof *arguments);
	atomic_store(&shared->count, index + 1);
}

/** Writes into the first pages of a range. */
static void touch(char *memory, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		((volatile char *)memory)[i * PAGE] = 1;
}

static char *map(uint32_t stack, size_t pages, int protection)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	char *memory = mmap(NULL, pages * PAGE, protection, flags, -1, 0);

	if (memory == MAP_FAILED)
		_exit(4);

	/* Huge pages would make more pages resident than are touched. */
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	const uint64_t arguments[] = { 0, pages * PAGE, (uint64_t)protection, (uint64_t)flags };
	if (stack != BY_LOST)
		add_event(PM_TRACE_MMAP, stack, arguments, 4, (uint64_t)memory);
	return memory;
}

static void unmap(char *memory, size_t pages)
{
	const uint64_t arguments[] = { (uint64_t)memory, pages * PAGE };

	add_event(PM_TRACE_MUNMAP_BEGIN, 0, arguments, 2, 0);
	munmap(memory, pages * PAGE);
}

static void grow(size_t steps)
{
	char *memory = map(BY_MMAP, 1, PROT_READ | PROT_WRITE);

	for (size_t size = 1; size <= steps; size++) {
		const uint64_t arguments[] = { (uint64_t)memory, size * PAGE, (size + 1) * PAGE,
			                       MREMAP_MAYMOVE };

		add_event(PM_TRACE_MREMAP_BEGIN, 0, arguments, 4, 0);
		memory = mremap(memory, size * PAGE, (size + 1) * PAGE, MREMAP_MAYMOVE);
		add_event(PM_TRACE_MREMAP, BY_GROWTH, arguments, 4, (uint64_t)memory);
	}
	touch(memory, steps + 1);
}

static void commit(void)
{
	char *memory = map(BY_RESERVE, 1024, PROT_NONE);
	const uint64_t arguments[] = { (uint64_t)memory, (uint64_t)50 * PAGE,
		                       PROT_READ | PROT_WRITE };

	mprotect(memory, (size_t)50 * PAGE, PROT_READ | PROT_WRITE);
	add_event(PM_TRACE_MPROTECT, BY_COMMIT, arguments, 3, 0);
	touch(memory, 20);
}

static void extend_heap(void)
{
	uint64_t old = (uint64_t)syscall(SYS_brk, 0);
	uint64_t new = (uint64_t)syscall(SYS_brk, old + (uint64_t)40 * PAGE);
	const uint64_t arguments[] = { old + (uint64_t)40 * PAGE };

	add_event(PM_TRACE_BRK, BY_BRK, arguments, 1, new);
	touch((char *)((old + PAGE - 1) & ~(uint64_t)(PAGE - 1)), 40);
}

static void attach_segments(void)
{
	int id = shmget(IPC_PRIVATE, (size_t)16 * PAGE, 0600);
	const uint64_t arguments[] = { (uint64_t)id };
	char *first = shmat(id, NULL, 0), *second = shmat(id, NULL, 0);

	shmctl(id, IPC_RMID, NULL);
	add_event(PM_TRACE_SHMAT, BY_SHMAT, arguments, 1, (uint64_t)first);
	add_event(PM_TRACE_SHMAT, BY_SHMAT, arguments, 1, (uint64_t)second);
	touch(first, 5);

	const uint64_t detached[] = { (uint64_t)second };
	add_event(PM_TRACE_SHMDT_BEGIN, 0, detached, 1, 0);
	shmdt(second);
}

static void map_memory(void)
{
	char *memory = map(BY_MMAP, 64, PROT_READ | PROT_WRITE);

	touch(memory, 30);
	unmap(memory, 10);
	unmap(map(BY_MMAP, 100, PROT_READ), 100);

	grow(300);
	commit();
	extend_heap();
	attach_segments();
}

static void touch_pool(void)
{
	for (size_t i = 0; i < 80; i++) {
		const uint64_t arguments[] = { (uint64_t)(shared->pool + i * PAGE + 5) };
		uint32_t stack = i < 50 ? BY_TOUCH : BY_OTHER_TOUCH;

		touch(shared->pool + i * PAGE, 1);
		/* The first ten pages are present already. */
		if (i >= 10)
			add_event(PM_TRACE_FAULT, stack, arguments, 1, 0);
	}

	const uint64_t arguments[] = { (uint64_t)(shared->pool + (size_t)20 * PAGE),
		                       (uint64_t)5 * PAGE, MADV_DONTNEED };
	madvise(shared->pool + (size_t)20 * PAGE, (size_t)5 * PAGE, MADV_DONTNEED);
	add_event(PM_TRACE_MADVISE, BY_TOUCH, arguments, 3, 0);
}

/** Maps 50 pages, and unmaps 30 of the pages of BY_MMAP, without events. */
static void lose_events(void)
{
	const uint64_t arguments[] = { 2 };
	char *known = map(BY_MMAP, 30, PROT_READ | PROT_WRITE);
	char *memory = map(BY_LOST, 50, PROT_READ | PROT_WRITE | PROT_EXEC);

	touch(memory, 50);
	munmap(known, (size_t)30 * PAGE);
	add_event(PM_TRACE_LOST, 0, arguments, 1, 0);
}

static void replace_program(void)
{
	const uint64_t none[1] = { 0 };

	add_event(PM_TRACE_EXEC, 0, none, 1, 0);
	execlp("sleep", "sleep", "1000", (char *)NULL);
	_exit(5);
}

static void (*const steps[])(void) = { map_memory, touch_pool, lose_events, replace_program };
enum { MAP = 1, TOUCH, LOSE, EXEC };

/** The child: does a step whenever the test wants one more. */
static void run_child(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	shared->pool = map(BY_LOST, 200, PROT_READ | PROT_WRITE);
	touch(shared->pool, 10);
	for (int step = 0;; step++) {
		atomic_store(&shared->step, step);
		while (atomic_load(&shared->wanted) <= step)
			nanosleep(&pause, NULL);
		steps[step]();
	}
}

/* In the test. */

static void await_step(int step)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	atomic_store(&shared->wanted, step);
	while (atomic_load(&shared->step) < step)
		nanosleep(&pause, NULL);
}

static int start(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	              0);
	assert_true(shared != MAP_FAILED);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		run_child();
	await_step(0);
	/* The pool is mapped as soon as the child waits. */
	while (!((volatile struct shared *)shared)->pool)
		usleep(1000);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	munmap(shared, sizeof *shared);
	return 0;
}

/** The fake backend: hands over what the child has written. */
struct fake {
	struct pm_trace_sink sink;
	size_t done; /* events handed over */
	bool closed;
};

static struct fake fake;

static void fake_close(void *backend)
{
	((struct fake *)backend)->closed = true;
}

static int fake_poll(void *backend, uint64_t until, bool last, struct pm_error *error)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct fake *from = backend;
	siginfo_t info = { 0 };

	(void)last;
	while (from->done == atomic_load(&shared->count) && pm_clock_ns(CLOCK_MONOTONIC) < until)
		nanosleep(&pause, NULL);
	for (; from->done < atomic_load(&shared->count); from->done++)
		if (from->sink.event(from->sink.context, &shared->events[from->done], error) < 0)
			return -1;

	waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT);
	return info.si_pid == child;
}

static void fake_state(const void *backend, struct pm_trace_state *state)
{
	(void)backend;
	state->plan = "fake";
}

static int fake_open(void *context, const struct pm_trace_target *target,
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
	assert_int_equal(target->options->stack_size, 8192);
	fake = (struct fake){ .sink = target->sink };
	*(void **)context = &fake;
	*backend = &fake;
	*calls = &table;
	return 0;
}

static struct pm_trace *open_trace(const struct pm_trace_options *options)
{
	void *context = NULL;
	const struct pm_trace_setup setup = {
		.process = open_process(child),
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
	assert_int_equal(site->tid, child);
	assert_true(site->start < site->end);
}

static void sites_have_the_resident_bytes_of_their_memory(void **state)
{
	(void)state;
	const struct pm_trace_options options = { 0 };
	struct pm_trace *trace = open_trace(&options);
	struct pm_trace_state how;

	await_step(MAP);
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
	assert_int_equal(how.events, atomic_load(&shared->count));
	assert_string_equal(how.plan, "fake");
	for (size_t i = 1; i < result.count; i++)
		assert_true(result.sites[i - 1].resident >= result.sites[i].resident);

	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
	assert_true(fake.closed);
}

static void faults_split_what_was_mapped_before(void **state)
{
	(void)state;
	const struct pm_trace_options options = { .faults = true };
	struct pm_trace *trace = open_trace(&options);

	await_step(MAP);
	struct pm_trace_result before = measure(trace);
	assert_null(find(&before, BY_TOUCH, true));
	assert_true(before.before_start > 0);

	await_step(TOUCH);
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
	/* The child may touch a page of its own stack or data in addition. */
	assert_in_range(result.before_now - before.before_now, 65 * PAGE, 75 * PAGE);

	pm_trace_result_deinit(&before);
	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
}

static void losses_are_shown_and_corrected(void **state)
{
	(void)state;
	const struct pm_trace_options options = { 0 };
	struct pm_trace *trace = open_trace(&options);
	struct pm_trace_state how;

	await_step(LOSE);
	struct pm_trace_result result = measure(trace);
	pm_trace_state(trace, &how);
	assert_int_equal(how.lost, 2);
	assert_int_equal(how.difference, (30 + 50) * PAGE);
	expect_site(&result, BY_MMAP, 21, 55, 4);
	assert_int_equal(find(&result, PM_STACK_NONE, false)->resident, 50 * PAGE);
	pm_trace_result_deinit(&result);

	result = measure(trace);
	pm_trace_state(trace, &how);
	assert_int_equal(how.difference, 0);
	assert_int_equal(find(&result, PM_STACK_NONE, false)->mapped, 50 * PAGE);

	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
}

static void await_program(const char *name)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	char path[64], *comm;

	snprintf(path, sizeof path, "/proc/%d/comm", (int)child);
	for (bool same = false; !same; free(comm)) {
		comm = read_text(path, NULL);
		same = strncmp(comm, name, strlen(name)) == 0;
		nanosleep(&pause, NULL);
	}
}

/** The trace continues with the new program, also if the event is applied before exec has ended. */
static void exec_starts_with_the_memory_of_the_new_program(void **state)
{
	(void)state;
	const struct pm_trace_options options = { 0 };
	struct pm_trace *trace = open_trace(&options);
	struct pm_trace_state how;
	enum pm_trace_end end;
	struct pm_error error;

	await_step(LOSE);
	atomic_store(&shared->wanted, EXEC);
	await_program("sleep");
	must(pm_trace_run(trace, 0.05, &end, &error), &error);
	assert_int_equal(end, PM_TRACE_TIME);

	struct pm_trace_result result = measure(trace);
	pm_trace_state(trace, &how);
	assert_in_range(how.execs, 1, 2);
	assert_int_equal(how.difference, 0);
	assert_null(find(&result, BY_MMAP, false));
	assert_true(find(&result, PM_STACK_NONE, true)->resident > 0);
	assert_int_equal(result.before_start, 0);

	pm_trace_result_deinit(&result);
	pm_trace_close(trace);
}

static void the_last_measurement_remains_after_the_exit(void **state)
{
	(void)state;
	const struct pm_trace_options options = { 0 };
	struct pm_trace *trace = open_trace(&options);
	enum pm_trace_end end;
	struct pm_error error;

	await_step(MAP);
	must(pm_trace_run(trace, 0.01, &end, &error), &error);
	struct pm_trace_result first = measure(trace);

	kill(child, SIGKILL);
	must(pm_trace_run(trace, -1, &end, &error), &error);
	assert_int_equal(end, PM_TRACE_EXITED);
	struct pm_trace_result last = measure(trace);
	expect_site(&last, BY_GROWTH, 300, 300, 300);
	assert_int_equal(last.count, first.count);

	pm_trace_result_deinit(&first);
	pm_trace_result_deinit(&last);
	pm_trace_close(trace);
}

static void an_exit_before_a_measurement_is_an_error(void **state)
{
	(void)state;
	const struct pm_trace_options options = { 0 };
	struct pm_trace *trace = open_trace(&options);
	struct pm_trace_result result;
	struct pm_error error;

	kill(child, SIGKILL);
	assert_int_equal(pm_trace_measure(trace, &result, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
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

	await_step(MAP);
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
	struct pm_process *process = open_process(child);
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
		TEST(faults_split_what_was_mapped_before),
		TEST(losses_are_shown_and_corrected),
		TEST(exec_starts_with_the_memory_of_the_new_program),
		TEST(the_last_measurement_remains_after_the_exit),
		TEST(an_exit_before_a_measurement_is_an_error),
		TEST(a_cancelled_trace_can_be_measured),
		TEST(a_wrong_stack_size_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
