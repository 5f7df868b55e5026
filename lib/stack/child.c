/* SPDX-License-Identifier: MIT */
#include "stack/child.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/minmax.h"
#include "stack/channel.h"
#include "stack/child_files.h"
#include "stack/child_names.h"
#include "stack/child_sandbox.h"
#include "stack/child_unwind.h"

/* CPU time after which the names that were found are sent, and the parent asks again. */
static const uint64_t name_ns_max = UINT64_C(1000000000);

/** The child. */
struct child {
	struct pm_stack_area *area;
	struct pm_child_files files;
	bool attached; /* libdw can unwind */
};

/** Returns the CPU time of this process in nanoseconds. */
static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void report_modules(struct child *child, struct pm_stack_message *message)
{
	const struct pm_stack_module *modules = (const void *)child->area->input;

	if (!pm_child_files_report(&child->files, modules, message->count))
		_exit(1);
	if (!child->attached)
		child->attached = pm_child_unwind_attach(&child->files);
}

static void unwind(struct child *child, struct pm_stack_message *message)
{
	const struct pm_stack_sample *samples = (const void *)child->area->input;
	struct pm_stack_unwound *unwound = (void *)child->area->output;

	for (uint32_t i = 0; i < message->count; i++) {
		if (child->attached)
			pm_child_unwind(&child->files, &samples[i],
			                child->area->input + samples[i].offset, &unwound[i]);
		else
			memset(&unwound[i], 0, sizeof unwound[i]);
	}
}

static void find_names(struct child *child, struct pm_stack_message *message)
{
	const uint64_t *addresses = (const void *)child->area->input;
	uint64_t start = cpu_ns();
	uint32_t done = 0;
	size_t used = 0;

	while (done < message->count && (done == 0 || cpu_ns() - start < name_ns_max)) {
		size_t size = pm_child_names_find(&child->files, addresses[done],
		                                  child->area->output + used,
		                                  sizeof child->area->output - used);
		if (size == 0)
			break;
		used += size;
		done++;
	}

	message->count = done;
	message->size = (uint32_t)used;
}

/** Carries out a request. @param message the request; receives the answer */
static void serve(struct child *child, struct pm_stack_message *message)
{
	uint64_t start = cpu_ns();

	switch (message->kind) {
	case PM_STACK_MODULES:
		report_modules(child, message);
		break;
	case PM_STACK_UNWIND:
		unwind(child, message);
		break;
	case PM_STACK_NAME:
		find_names(child, message);
		break;
	default:
		_exit(1);
	}

	message->kind = PM_STACK_DONE;
	message->ns = cpu_ns() - start;
}

/** Serves requests until the parent has gone. */
static void run(struct pm_stack_area *area, int socket)
{
	struct child child = { .area = area };
	struct pm_stack_message message = { .kind = PM_STACK_READY };
	timer_t timer;

	if (!pm_stack_child_timer(&timer) || !pm_stack_child_sandbox(socket) ||
	    !pm_child_files_init(&child.files, PM_STACK_CHILD_SOCKET) ||
	    !pm_stack_send(PM_STACK_CHILD_SOCKET, &message, -1))
		return;

	while (pm_stack_receive(PM_STACK_CHILD_SOCKET, &message, NULL)) {
		pm_stack_child_timer_set(timer, PM_STACK_SECONDS_MAX);
		serve(&child, &message);
		pm_stack_child_timer_set(timer, 0);
		if (!pm_stack_send(PM_STACK_CHILD_SOCKET, &message, -1))
			return;
	}
}

int pm_stack_child_start(struct pm_stack_area *area, int *socket, pid_t *pid,
                         struct pm_error *error)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return pm_error_set(error, PM_ERROR_RESOURCES, errno,
		                    "cannot create a socket for the unwinder: %s", strerror(errno));

	pid_t child = fork();
	if (child == 0) {
		run(area, ends[1]);
		_exit(1);
	}

	int cause = errno;
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return pm_error_set(error, PM_ERROR_RESOURCES, cause,
		                    "cannot start the process that unwinds stacks: %s",
		                    strerror(cause));
	}

	*socket = ends[0];
	*pid = child;
	return 0;
}
