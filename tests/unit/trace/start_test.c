/* SPDX-License-Identifier: MIT */
/* Commands that a trace starts. */
#include <procmem/trace.h>

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cmocka.h>

#include "support/target.h"

/** Starts a command. Skips the test if the backend is refused. */
static struct pm_trace *start(enum pm_trace_backend backend, const char *script)
{
	const struct pm_trace_options options = { .backend = backend };
	char *const words[] = { (char *)"sh", (char *)"-c", (char *)(uintptr_t)script, NULL };
	struct pm_error error = { 0 };
	struct pm_trace *trace;

	int result = pm_trace_start(words, &options, &trace, &error);
	if (result < 0 && backend == PM_TRACE_PERF &&
	    (error.kind == PM_ERROR_ACCESS || error.kind == PM_ERROR_UNSUPPORTED))
		skip_because("%s", error.text);
	must(result, &error);
	return trace;
}

static void check_exit(enum pm_trace_backend backend)
{
	/* The shell calls exec once more. */
	struct pm_trace *trace = start(backend, "exec true");
	struct pm_trace_state state;
	struct pm_error error = { 0 };
	enum pm_trace_end end;

	pid_t pid = pm_process_pid(pm_trace_process(trace));
	must(pm_trace_run(trace, -1, &end, &error), &error);
	assert_int_equal(end, PM_TRACE_EXITED);
	pm_trace_state(trace, &state);
	assert_int_equal(state.backend, backend);
	assert_int_equal(state.lost, 0);
	assert_int_equal(state.execs, 1);
	/* The dynamic linker maps libc, twice. */
	assert_true(state.events > 10);

	pm_trace_close(trace);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
}

static void perf_follows_a_command_to_its_exit(void **state)
{
	(void)state;
	check_exit(PM_TRACE_PERF);
}

static void ptrace_follows_a_command_to_its_exit(void **state)
{
	(void)state;
	check_exit(PM_TRACE_PTRACE);
}

/** Tests whether a stack has a name. */
static bool has_function(const struct pm_stacks *stacks, uint32_t number)
{
	struct pm_stack stack;

	pm_stacks_get(stacks, number, &stack);
	for (size_t i = 0; i < stack.count; i++)
		if (stack.frames[i].function)
			return true;
	return false;
}

/** Checks whether a process is `sleep` and waits. */
static bool sleeps(pid_t pid)
{
	struct pm_process *process = open_process(pid);
	struct pm_process_info info;
	struct pm_error error = { 0 };

	must(pm_process_read_info(process, &info, &error), &error);
	pm_process_close(process);
	return info.state == 'S' && strcmp(info.comm, "sleep") == 0;
}

static void check_memory(enum pm_trace_backend backend)
{
	/* If this test fails, the command must not keep the output of the test open. */
	struct pm_trace *trace = start(backend, "exec sleep 300 >/dev/null 2>&1");
	pid_t pid = pm_process_pid(pm_trace_process(trace));
	struct pm_trace_result result = { 0 };
	struct pm_trace_state state = { 0 };
	struct pm_error error = { 0 };
	enum pm_trace_end end;
	bool named = false;

	/* The dynamic linker, which runs first, has no symbols. */
	while (state.execs == 0 || !sleeps(pid)) {
		must(pm_trace_run(trace, 0.01, &end, &error), &error);
		assert_int_equal(end, PM_TRACE_TIME);
		pm_trace_state(trace, &state);
	}
	must(pm_trace_run(trace, 0.01, &end, &error), &error);
	must(pm_trace_measure(trace, &result, &error), &error);
	assert_true(result.count > 0);
	for (size_t i = 0; i < result.count; i++)
		named |= has_function(pm_trace_stacks(trace), result.sites[i].stack);
	assert_true(named);
	pm_trace_state(trace, &state);
	assert_int_equal(state.difference, 0);
	pm_trace_result_deinit(&result);

	/* It runs on, and nothing traces it. */
	pm_trace_close(trace);
	struct pm_process *process = open_process(pid);
	struct pm_process_info info;
	must(pm_process_read_info(process, &info, &error), &error);
	pm_process_close(process);
	assert_int_equal(info.tracer, 0);
	assert_int_equal(info.state, 'S');
	assert_string_equal(info.comm, "sleep");
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void perf_leaves_a_command_running(void **state)
{
	(void)state;
	check_memory(PM_TRACE_PERF);
}

static void ptrace_leaves_a_command_running(void **state)
{
	(void)state;
	check_memory(PM_TRACE_PTRACE);
}

/** Starts the target `mover`, and waits until it has called exec once more, and has mapped memory.
 */
static struct pm_trace *start_mover(void)
{
	char script[4200];
	struct pm_trace_state state = { 0 };
	struct pm_error error = { 0 };
	enum pm_trace_end end;

	snprintf(script, sizeof script, "exec %s/mover", getenv("PROCMEM_TARGETS"));
	struct pm_trace *trace = start(PM_TRACE_PERF, script);

	do {
		must(pm_trace_run(trace, 0.1, &end, &error), &error);
		if (end == PM_TRACE_EXITED) {
			pm_trace_close(trace);
			skip_because("there is only one CPU");
		}
		pm_trace_state(trace, &state);
	} while (state.execs < 2);

	return trace;
}

/** Returns the site that mapped a number of bytes, once there is one. */
static struct pm_trace_site await_site(struct pm_trace *trace, uint64_t mapped)
{
	struct pm_trace_site found = { 0 };

	while (found.mapped == 0) {
		struct pm_trace_result result;
		struct pm_error error = { 0 };

		must(pm_trace_measure(trace, &result, &error), &error);
		for (size_t i = 0; i < result.count; i++)
			if (result.sites[i].mapped == mapped)
				found = result.sites[i];
		pm_trace_result_deinit(&result);
	}

	return found;
}

/* The exec is in the buffer of another CPU than the first calls of the new program. */
static void calls_after_exec_belong_to_the_new_program(void **state)
{
	(void)state;
	enum { ROUNDS = 5, SIZE = 32 << 20 };

	for (int round = 0; round < ROUNDS; round++) {
		struct pm_trace *trace = start_mover();
		struct pm_trace_site site = await_site(trace, SIZE);
		struct pm_stack stack;
		bool named = false;

		pm_stacks_get(pm_trace_stacks(trace), site.stack, &stack);
		for (size_t i = 0; i < stack.count; i++)
			named |= stack.frames[i].function &&
			         strcmp(stack.frames[i].function, "map_on_first_cpu") == 0;
		assert_true(named);
		assert_false(stack.cut);

		pid_t pid = pm_process_pid(pm_trace_process(trace));
		pm_trace_close(trace);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
}

static void commands_that_cannot_run_are_refused(void **state)
{
	(void)state;
	static const enum pm_trace_backend backends[] = { PM_TRACE_AUTO, PM_TRACE_PTRACE };
	char *const missing[] = { (char *)"no-such-program", NULL };
	char *const text[] = { (char *)"/etc/passwd", NULL };
	struct pm_trace *trace = NULL;

	for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
		const struct pm_trace_options options = { .backend = backends[i] };
		struct pm_error error = { 0 };

		assert_int_equal(pm_trace_start(missing, &options, &trace, &error), -1);
		assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
		assert_non_null(strstr(error.text, "no-such-program"));
		assert_int_equal(pm_trace_start(text, &options, &trace, &error), -1);
		assert_int_equal(error.kind, PM_ERROR_ACCESS);
	}
	/* Nothing is left. */
	assert_null(trace);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/** Refuses perf_event_open in this process, as the filters of containers do. */
static void refuse_perf(void)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof program / sizeof *program, program };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) < 0)
		_exit(3);
}

/** Starts a command without perf. Returns the exit status of the test. */
static int start_without_perf(void)
{
	struct pm_trace_options options = { .faults = true };
	char *const words[] = { (char *)"true", NULL };
	struct pm_error error = { 0 };
	struct pm_trace_state state;
	struct pm_trace *trace;

	refuse_perf();
	if (pm_trace_start(words, &options, &trace, &error) == 0 || error.kind != PM_ERROR_ACCESS)
		return 1;
	options.faults = false;
	if (pm_trace_start(words, &options, &trace, &error) < 0)
		return 2;
	pm_trace_state(trace, &state);
	pm_trace_close(trace);
	return state.backend == PM_TRACE_PTRACE ? 0 : 4;
}

static void ptrace_is_used_if_perf_is_refused(void **state)
{
	(void)state;
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0)
		_exit(start_without_perf());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void command_does_not_ignore_sigpipe(void **state)
{
	(void)state;
	const unsigned long long hangup = 1ULL << (SIGHUP - 1), pipe = 1ULL << (SIGPIPE - 1);
	char path[64];

	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	struct pm_trace *trace = start(PM_TRACE_AUTO, "exec sleep 1000");
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, SIG_DFL);

	pid_t pid = pm_process_pid(pm_trace_process(trace));
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	char *text = read_text(path, NULL);
	const char *line = strstr(text, "SigIgn:");
	assert_non_null(line);
	unsigned long long ignored = strtoull(line + strlen("SigIgn:"), NULL, 16);
	assert_int_equal(ignored & (pipe | hangup), hangup);

	free(text);
	pm_trace_close(trace);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_follows_a_command_to_its_exit),
		cmocka_unit_test(ptrace_follows_a_command_to_its_exit),
		cmocka_unit_test(perf_leaves_a_command_running),
		cmocka_unit_test(ptrace_leaves_a_command_running),
		cmocka_unit_test(calls_after_exec_belong_to_the_new_program),
		cmocka_unit_test(commands_that_cannot_run_are_refused),
		cmocka_unit_test(ptrace_is_used_if_perf_is_refused),
		cmocka_unit_test(command_does_not_ignore_sigpipe),
	};
	return cmocka_run_group_tests_name("trace/start", tests, NULL, NULL);
}
