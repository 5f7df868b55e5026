/* SPDX-License-Identifier: MIT */
#include "watch/screen/task.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { EACH_US = 100000, PATIENCE_MS = 5000 };

enum message_kind { REPORT, ANSWER, FAILURE };

/**
 * Header of each message. Both ends run the same program, so the layout is the same. The struct has
 * no padding, which would contain uninitialized memory.
 */
struct message {
	uint64_t kind;        /* enum message_kind */
	uint64_t done, total; /* REPORT: the progress */
	size_t length;        /* number of bytes that follow: the answer, or a struct pm_error */
};

struct screen_task_line {
	int to;
	uint64_t reported; /* time of the last report in microseconds, 0: none */
};

/**
 * Writes bytes to the parent. Failures are ignored, because they occur only if the parent has
 * ended: then the kernel sends a signal that ends this process.
 */
static void put(int to, const void *bytes, size_t length)
{
	while (length > 0) {
		ssize_t written = write(to, bytes, length);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		bytes = (const char *)bytes + written;
		length -= (size_t)written;
	}
}

static void send_message(int to, struct message message, const void *bytes)
{
	put(to, &message, sizeof message);
	put(to, bytes, message.length);
}

/**
 * Sends an error. A copy is sent, because the error can contain uninitialized bytes between its
 * members and after its text.
 */
static void send_failure(int to, const struct pm_error *error)
{
	struct pm_error copy;
	memset(&copy, 0, sizeof copy);
	copy.kind = error->kind;
	copy.os_errno = error->os_errno;
	copy.pid = error->pid;
	copy.address = error->address;
	memcpy(copy.text, error->text, strlen(error->text));
	send_message(to, (struct message){ .kind = FAILURE, .length = sizeof copy }, &copy);
}

void screen_task_report(struct screen_task_line *line, uint64_t done, uint64_t total)
{
	uint64_t now = clock_us();
	if (line->reported && now - line->reported < EACH_US)
		return;
	line->reported = now;
	send_message(line->to, (struct message){ .kind = REPORT, .done = done, .total = total },
	             NULL);
}

/**
 * Detaches the child from the terminal: when the child ends, it must not change the mode of the
 * terminal. The kernel sends a signal to the child when the parent ends.
 */
static void detach(pid_t parent)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (nothing < 0 || getppid() != parent)
		_exit(1);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(nothing, fd);

	signal(SIGPIPE, SIG_IGN);
}

static _Noreturn void run(int to, screen_task_work *work, void *context,
                          const volatile sig_atomic_t *cancel)
{
	struct screen_task_line line = { .to = to };
	struct text answer = { 0 };
	struct pm_error error = { 0 };
	if (work(context, &line, cancel, &answer, &error) == 0)
		send_message(to, (struct message){ .kind = ANSWER, .length = answer.length },
		             answer.bytes);
	else
		send_failure(to, &error);

	/* _exit(2), because functions registered with atexit(3) belong to the parent. */
	_exit(0);
}

/** Makes a running child the process of a task, and its pipe one of the awaited descriptors. */
static void follow(struct screen_task *task, struct poll_loop *wait, pid_t pid, int from)
{
	fcntl(from, F_SETFL, O_NONBLOCK);
	if (!task->wait)
		task->place = poll_loop_add(wait, -1, POLLIN);
	text_clear(&task->received);
	text_clear(&task->answer);
	*task = (struct screen_task){
		.pid = pid,
		.from = from,
		.wait = wait,
		.place = task->place,
		.received = task->received,
		.answer = task->answer,
	};

	wait->descriptors[task->place].fd = from;
}

int screen_task_start(struct screen_task *task, struct poll_loop *wait, screen_task_work *work,
                      void *context, struct pm_error *error)
{
	int ends[2];
	pid_t parent = getpid();

	if (pipe2(ends, O_CLOEXEC) < 0)
		return pm_error_set(error, PM_ERROR_RESOURCES, errno, "cannot make a pipe: %s",
		                    strerror(errno));

	/* This process may have other threads, which wait for commands to end. After fork(2), the
	 * child can nevertheless use all functions: these threads hold no locks of this program,
	 * and glibc makes its own locks usable. */
	pid_t pid = fork();
	if (pid < 0) {
		int cause = errno;
		close(ends[0]);
		close(ends[1]);
		return pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot start a process: %s",
		                    strerror(cause));
	}

	if (pid == 0) {
		close(ends[0]);
		detach(parent);
		run(ends[1], work, context, wait->interrupted);
	}

	close(ends[1]);
	follow(task, wait, pid, ends[0]);
	return 0;
}

/** Processes the messages that were received completely. */
static void process_messages(struct screen_task *task)
{
	struct text *received = &task->received;
	struct message message;
	size_t at = 0;
	for (; received->length - at >= sizeof message; at += sizeof message + message.length) {
		memcpy(&message, received->bytes + at, sizeof message);
		if (received->length - at - sizeof message < message.length)
			break;

		const char *bytes = received->bytes + at + sizeof message;
		if (message.kind == REPORT) {
			task->done = message.done;
			task->total = message.total;
		} else if (message.kind == ANSWER) {
			text_bytes(&task->answer, bytes, message.length);
			task->answered = true;
		} else {
			memcpy(&task->error, bytes, sizeof task->error);
		}
	}

	if (at > 0)
		memmove(received->bytes, received->bytes + at, received->length - at);
	received->length -= at;
}

static void stop_listening(struct screen_task *task)
{
	close(task->from);
	task->wait->descriptors[task->place].fd = -1;
	task->pid = 0;
}

/** Collects the exit status of the child. */
static void finish(struct screen_task *task)
{
	int status = 0;
	while (waitpid(task->pid, &status, 0) < 0 && errno == EINTR)
		;

	if (!task->answered && task->error.kind == PM_ERROR_NONE)
		pm_error_set(&task->error, PM_ERROR_IO, 0,
		             "procmem's child process ended without a result%s",
		             WIFSIGNALED(status) ? ": it was killed" : "");
	stop_listening(task);
}

bool screen_task_receive(struct screen_task *task)
{
	bool any = false;
	while (task->pid != 0) {
		enum { CHUNK = 65536 };
		ssize_t length = read(task->from, text_room(&task->received, CHUNK), CHUNK);
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0 && errno == EAGAIN)
			return any;

		any = true;
		if (length > 0) {
			task->received.length += (size_t)length;
			process_messages(task);
		} else {
			finish(task);
		}
	}

	return any;
}

void screen_task_cancel(struct screen_task *task)
{
	if (task->pid == 0)
		return;
	task->cancelled = true;
	kill(task->pid, SIGTERM);
}

void screen_task_end(struct screen_task *task)
{
	uint64_t start = clock_us();

	screen_task_cancel(task);
	while (task->pid != 0) {
		int left = PATIENCE_MS - (int)((clock_us() - start) / 1000);
		struct pollfd pollfd = { .fd = task->from, .events = POLLIN };
		if (left <= 0)
			break;
		poll(&pollfd, 1, left);
		screen_task_receive(task);
	}

	if (task->pid == 0)
		return;

	/* The child did not end in time because it is blocked in the kernel. It will clean up when
	 * it is unblocked and receives the signal. */
	pm_error_set(&task->error, PM_ERROR_CANCELLED, 0,
	             "the background task did not end in time; it is still running");
	stop_listening(task);
}

void screen_task_deinit(struct screen_task *task)
{
	text_deinit(&task->received);
	text_deinit(&task->answer);
	*task = (struct screen_task){ 0 };
}
