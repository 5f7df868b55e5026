/* SPDX-License-Identifier: MIT */
#include "stack/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/minmax.h"
#include "stack/channel.h"
#include "stack/child.h"
#include "stack/files.h"

/* Milliseconds until an answer must arrive. The timer of the child ends before. */
enum { ANSWER_MS = (PM_STACK_SECONDS_MAX + 5) * 1000 };

/* Milliseconds of CPU time for all answers after the cancel flag was set. A child that does not run
 * has the same time. On a busy machine, a child that runs has up to BUSY_MS. */
enum { CANCELLED_MS = 500, BUSY_MS = 20000 };

/* Milliseconds between two tests of the cancel flag: a signal does not interrupt the wait if
 * another thread handles the signal. */
enum { TEST_MS = 100 };

/** Returns the time of a clock in milliseconds; 0 if there is no such clock. */
static int64_t clock_ms(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time) < 0)
		return 0;
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int64_t now_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

/** Returns the CPU time of the child in milliseconds. */
static int64_t child_cpu_ms(const struct pm_helper *helper)
{
	clockid_t clock;

	return clock_getcpuclockid(helper->pid, &clock) == 0 ? clock_ms(clock) : 0;
}

/** Tests whether the child runs, or waits for a disk. */
static bool is_running(const struct pm_helper *helper)
{
	char path[32], text[256];

	snprintf(path, sizeof path, "/proc/%d/stat", (int)helper->pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t length = read(fd, text, sizeof text - 1);
	close(fd);

	text[length > 0 ? length : 0] = '\0';
	/* The state follows the name. */
	const char *end = strrchr(text, ')');
	return end && end[1] == ' ' && (end[2] == 'R' || end[2] == 'D');
}

/** Waits for the end of the child, and describes it, if no other reason is known. */
static void await_end(struct pm_helper *helper)
{
	int status = 0;
	pid_t result;

	do
		result = waitpid(helper->pid, &status, 0);
	while (result < 0 && errno == EINTR);
	helper->pid = 0;
	if (helper->why[0] != '\0')
		return;

	if (result > 0 && WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		snprintf(helper->why, sizeof helper->why,
		         "the process that reads the target's programs crashed (signal %d, %s): "
		         "one of these files may be damaged",
		         WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (result > 0 && WIFSIGNALED(status))
		snprintf(helper->why, sizeof helper->why,
		         "the process that reads the target's programs was killed: by another "
		         "process, for lack of memory, or after %d seconds of work on one request",
		         PM_STACK_SECONDS_MAX);
	else
		snprintf(
			helper->why, sizeof helper->why,
			"the process that reads the target's programs gave up: it lacks memory, or "
			"the kernel refused its seccomp(2) filter");
}

/** Ends the child, if it runs. */
static void end(struct pm_helper *helper)
{
	if (helper->pid == 0)
		return;

	close(helper->socket);
	helper->socket = -1;
	kill(helper->pid, SIGKILL);
	await_end(helper);
}

void pm_helper_reject(struct pm_helper *helper)
{
	snprintf(helper->why, sizeof helper->why,
	         "the process that reads the target's programs sent an answer that is not valid: "
	         "one of these files may be hostile");
	end(helper);
}

/** Opens a file that the child asks for. @return a descriptor, or -1 */
static int open_wanted(const struct pm_helper *helper, const struct pm_modules *modules,
                       const struct pm_stack_message *message)
{
	const struct pm_module_file *file = pm_modules_get(modules, message->count);

	if (!file || file->module.vdso)
		return -1;
	if (message->kind == PM_STACK_WANT_FILE)
		return pm_stack_files_mapped(helper->process, &file->region);
	if (message->kind == PM_STACK_WANT_DEBUG)
		return pm_stack_files_debug(helper->root, &message->id);
	return pm_stack_files_link(helper->root, file->region.mapping, message->name,
	                           message->place);
}

/** Answers a question of the child. @return whether it was a question */
static bool answer(const struct pm_helper *helper, const struct pm_modules *modules,
                   const struct pm_stack_message *question)
{
	struct pm_stack_message reply = { .kind = PM_STACK_FILE };

	if (question->kind != PM_STACK_WANT_FILE && question->kind != PM_STACK_WANT_DEBUG &&
	    question->kind != PM_STACK_WANT_LINK)
		return false;

	int fd = open_wanted(helper, modules, question);
	bool sent = pm_stack_send(helper->socket, &reply, fd);
	if (fd >= 0)
		close(fd);
	return sent;
}

/** Notes when the cancel flag was set. @return whether the time for answers after that is over */
static bool is_cancelled(struct pm_helper *helper)
{
	if (!helper->cancel || *helper->cancel == 0) {
		helper->cancelled_ms = 0;
		return false;
	}
	if (helper->cancelled_ms == 0) {
		helper->cancelled_ms = now_ms();
		helper->cancelled_cpu_ms = child_cpu_ms(helper);
	}

	int64_t since = now_ms() - helper->cancelled_ms;
	int64_t used = child_cpu_ms(helper) - helper->cancelled_cpu_ms;
	if (used >= CANCELLED_MS || since >= BUSY_MS)
		return true;
	return since >= CANCELLED_MS && !is_running(helper);
}

/** Waits for a message of the child. @return false if there is none until a time */
static bool await_message(struct pm_helper *helper, int64_t until, struct pm_stack_message *message)
{
	struct pollfd wait = { .fd = helper->socket, .events = POLLIN };
	bool cancelled = false;
	int64_t left;
	int result;

	do {
		left = until - now_ms();
		result = poll(&wait, 1, pm_clamp_int((int)left, 0, TEST_MS));
		cancelled = is_cancelled(helper);
	} while ((result == 0 && left > 0 && !cancelled) || (result < 0 && errno == EINTR));

	if (result == 0 && cancelled)
		snprintf(helper->why, sizeof helper->why,
		         "the process that reads the target's programs was stopped: it did not "
		         "answer after procmem was interrupted");
	else if (result == 0)
		snprintf(helper->why, sizeof helper->why,
		         "the process that reads the target's programs did not answer for %d "
		         "seconds",
		         helper->answer_ms / 1000);
	return result > 0 && pm_stack_receive(helper->socket, message, NULL);
}

/** Waits for a message of a kind, and opens the files that the child asks for before. */
static bool await_answer(struct pm_helper *helper, const struct pm_modules *modules,
                         enum pm_stack_message_kind kind, struct pm_stack_message *message)
{
	int64_t until = now_ms() + helper->answer_ms;

	for (;;) {
		if (!await_message(helper, until, message)) {
			end(helper);
			return false;
		}
		if (message->kind == kind)
			return true;
		if (!answer(helper, modules, message)) {
			pm_helper_reject(helper);
			return false;
		}
	}
}

bool pm_helper_ask(struct pm_helper *helper, const struct pm_modules *modules,
                   struct pm_stack_message *message)
{
	uint32_t count = message->count;

	if (helper->pid == 0)
		return false;
	if (!pm_stack_send(helper->socket, message, -1)) {
		end(helper);
		return false;
	}
	if (!await_answer(helper, modules, PM_STACK_DONE, message))
		return false;

	if (message->count > count || message->size > sizeof helper->area->output) {
		pm_helper_reject(helper);
		return false;
	}
	return true;
}

int pm_helper_start(struct pm_helper *helper, struct pm_process *process,
                    const volatile sig_atomic_t *cancel, struct pm_error *error)
{
	struct pm_stack_message message;
	struct pm_modules none = { 0 };

	*helper = (struct pm_helper){ .process = process,
		                      .root = -1,
		                      .socket = -1,
		                      .answer_ms = ANSWER_MS,
		                      .cancel = cancel };
	void *area = mmap(NULL, sizeof *helper->area, PROT_READ | PROT_WRITE,
	                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		return pm_error_out_of_memory(error);

	/* It contains memory of the target. */
	helper->area = area;
	madvise(area, sizeof *helper->area, MADV_DONTDUMP);
	helper->root = pm_stack_files_root(process);

	if (pm_stack_child_start(helper->area, &helper->socket, &helper->pid, error) < 0) {
		helper->pid = 0;
		return -1;
	}
	if (!await_answer(helper, &none, PM_STACK_READY, &message))
		return pm_error_set(error, PM_ERROR_RESOURCES, 0, "cannot unwind stacks: %s",
		                    helper->why);
	return 0;
}

void pm_helper_stop(struct pm_helper *helper)
{
	end(helper);
	if (helper->area)
		munmap(helper->area, sizeof *helper->area);
	if (helper->root >= 0)
		close(helper->root);
	helper->area = NULL;
	helper->root = -1;
}
