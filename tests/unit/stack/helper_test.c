/* SPDX-License-Identifier: MIT */
/* Answers of a child process that a hostile file has taken over. */
#include "stack/helper.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "stack/channel.h"
#include "stack/child_sandbox.h"

enum { ANSWER_MS = 60000 };

/** Starts a child that answers a request with a message. @param size bytes of the answer sent */
static void start(struct pm_helper *helper, const struct pm_stack_message *answer, size_t size)
{
	int ends[2];
	static struct pm_stack_area area;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	*helper = (struct pm_helper){
		.area = &area, .root = -1, .socket = ends[0], .answer_ms = ANSWER_MS
	};
	helper->pid = fork();
	assert_true(helper->pid >= 0);
	if (helper->pid == 0) {
		struct pm_stack_message request;
		close(ends[0]);
		if (!pm_stack_receive(ends[1], &request, NULL) ||
		    send(ends[1], answer, size, 0) != (ssize_t)size)
			_exit(2);
		while (pm_stack_receive(ends[1], &request, NULL))
			;
		_exit(1);
	}
	close(ends[1]);
}

/** Expects that an answer is refused, and that the child has ended. */
static void expect_refused(struct pm_stack_message answer, size_t size)
{
	struct pm_helper helper;
	struct pm_modules none = { 0 };
	struct pm_stack_message message = { .kind = PM_STACK_NAME, .count = 1 };

	start(&helper, &answer, size);
	assert_false(pm_helper_ask(&helper, &none, &message));
	assert_int_equal(helper.pid, 0);
	assert_true(helper.why[0] != '\0');
	assert_false(pm_helper_ask(&helper, &none, &message));
}

static void test_answers_that_are_not_valid(void **state)
{
	const size_t size = sizeof(struct pm_stack_message);
	(void)state;

	expect_refused((struct pm_stack_message){ .kind = PM_STACK_DONE, .count = 2 }, size);
	expect_refused((struct pm_stack_message){ .kind = PM_STACK_DONE,
	                                          .size = PM_STACK_OUTPUT_SIZE + 1 },
	               size);
	expect_refused((struct pm_stack_message){ .kind = PM_STACK_UNWIND }, size);
	expect_refused((struct pm_stack_message){ .kind = 4711 }, size);
	expect_refused((struct pm_stack_message){ .kind = PM_STACK_DONE }, 5);
}

static void test_an_answer_that_is_valid(void **state)
{
	struct pm_helper helper;
	struct pm_modules none = { 0 };
	struct pm_stack_message answer = { .kind = PM_STACK_DONE, .count = 1, .size = 8 };
	struct pm_stack_message message = { .kind = PM_STACK_NAME, .count = 1 };
	(void)state;

	start(&helper, &answer, sizeof answer);
	assert_true(pm_helper_ask(&helper, &none, &message));
	assert_int_equal(message.size, 8);
	pm_helper_reject(&helper);
	assert_int_equal(helper.pid, 0);
	assert_non_null(strstr(helper.why, "not valid"));
}

static void test_files_that_the_target_has_not_mapped_are_not_opened(void **state)
{
	struct pm_helper helper;
	struct pm_modules none = { 0 };
	struct pm_stack_message question = { .kind = PM_STACK_WANT_LINK, .name = "passwd" };
	struct pm_stack_message message = { .kind = PM_STACK_NAME, .count = 1 };
	int ends[2], fd;
	(void)state;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	helper = (struct pm_helper){ .root = -1, .socket = ends[0], .answer_ms = ANSWER_MS };
	helper.pid = fork();
	assert_true(helper.pid >= 0);
	if (helper.pid == 0) {
		bool done = pm_stack_receive(ends[1], &message, NULL) &&
		            pm_stack_send(ends[1], &question, -1) &&
		            pm_stack_receive(ends[1], &message, &fd);
		struct pm_stack_message answer = { .kind = PM_STACK_DONE,
			                           .count = done && fd == -1 };
		pm_stack_send(ends[1], &answer, -1);
		_exit(0);
	}
	close(ends[1]);

	static struct pm_stack_area area;
	helper.area = &area;
	assert_true(pm_helper_ask(&helper, &none, &message));
	assert_int_equal(message.count, 1);
	pm_helper_reject(&helper);
}

/**
 * Runs a child that does nothing with a request.
 * @param helper   options: `answer_ms` and `cancel`; has no child at the end
 * @param stopped  whether the child cannot even run
 */
static void ask_in_vain(struct pm_helper *helper, bool stopped)
{
	struct pm_modules none = { 0 };
	struct pm_stack_message message = { .kind = PM_STACK_UNWIND, .count = 1 };
	int ends[2];

	static struct pm_stack_area area;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	helper->area = &area;
	helper->root = -1;
	helper->socket = ends[0];
	helper->pid = fork();
	assert_true(helper->pid >= 0);
	for (; helper->pid == 0;)
		pause();
	close(ends[1]);
	if (stopped)
		assert_int_equal(kill(helper->pid, SIGSTOP), 0);

	pid_t child = helper->pid;
	assert_false(pm_helper_ask(helper, &none, &message));
	/* It was killed and reaped. */
	assert_int_equal(helper->pid, 0);
	assert_int_equal(kill(child, 0), -1);
}

static void test_a_child_that_hangs_is_killed(void **state)
{
	(void)state;
	for (int stopped = 0; stopped < 2; stopped++) {
		struct pm_helper helper = { .answer_ms = 1 };

		ask_in_vain(&helper, stopped);
		assert_non_null(strstr(helper.why, "did not answer for 0 seconds"));
	}
}

static volatile sig_atomic_t cancel;

static void set_cancel(int number)
{
	cancel = number;
}

static void test_a_signal_ends_the_wait_for_an_answer(void **state)
{
	const struct sigaction action = { .sa_handler = set_cancel };
	struct pm_helper helper = { .answer_ms = INT_MAX, .cancel = &cancel };
	(void)state;

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	ualarm(10000, 0);
	ask_in_vain(&helper, false);
	assert_int_equal(cancel, SIGALRM);
	assert_non_null(strstr(helper.why, "after procmem was interrupted"));
}

/** The kernel ends a child whose parent does not: the timer is set before each request. */
static void test_the_timer_kills_a_busy_child(void **state)
{
	(void)state;
	int status;
	timer_t timer;

	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (!pm_stack_child_timer(&timer) ||
		    !pm_stack_child_sandbox(open("/dev/null", O_RDWR | O_CLOEXEC)))
			_exit(2);
		pm_stack_child_timer_set(timer, 1);
		for (;;)
			;
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers_that_are_not_valid),
		cmocka_unit_test(test_an_answer_that_is_valid),
		cmocka_unit_test(test_files_that_the_target_has_not_mapped_are_not_opened),
		cmocka_unit_test(test_a_child_that_hangs_is_killed),
		cmocka_unit_test(test_a_signal_ends_the_wait_for_an_answer),
		cmocka_unit_test(test_the_timer_kills_a_busy_child),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
