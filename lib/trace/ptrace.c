/* SPDX-License-Identifier: MIT */
/*
 * The backend ptrace: reads the records of the tracer (ptrace_tracer.c), unwinds their stacks, and
 * passes the events to the trace. The tracer handles one stop after the other, so that its records
 * are in the order of their times.
 */
#include "trace/ptrace.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <procmem/minmax.h>

#include "base/array.h"
#include "base/clock.h"
#include "proc/access.h"
#include "proc/process_handle.h"
#include "trace/calls.h"
#include "trace/ptrace_ring.h"
#include "trace/ptrace_tracer.h"

/* Events that are passed together, and frames of a chain of frame pointers. */
enum { BATCH_MAX = 64, CHAIN_MAX = 64 };

/* Time after which the records are read though the ring is not half full, in nanoseconds. */
static const uint64_t INTERVAL = UINT64_C(100000000);

/* What a stop costs the target if the tracer is on another CPU, in nanoseconds. A system call has
 * two. docs/INTERNALS.md has the measurements. */
enum { STOP_NS = 46000 };

/* Maximum time to attach, in milliseconds. While a thread of the target calls exec, no thread can
 * be attached. */
enum { ATTACH_MS_MAX = 5000 };

/** The state of the backend. */
struct ptrace {
	const struct pm_trace_target *target;
	struct pm_ptrace_ring *ring;
	struct pollfd fds[2]; /**< the socket to the tracer, and the process */
	pid_t tracer;         /**< PID of the tracer; 0 if there is none */
	size_t threads;
	uint64_t refreshed; /**< when maps was read for the unwinder */
	uint64_t setup_ns, recorded, lost;

	struct pm_trace_event events[BATCH_MAX]; /**< not passed yet */
	size_t count;
	struct pm_unwind_sample samples[BATCH_MAX]; /**< not unwound yet; in the ring */
	size_t places[BATCH_MAX];                   /**< index of the event of each sample */
	uint64_t chains[BATCH_MAX][CHAIN_MAX];      /**< of each sample */
	size_t sample_count;
};

/* --- Passing the events ----------------------------------------------------------------------- */

/** Unwinds the samples of the batch, and passes its events. */
static int pass(struct ptrace *ptrace, struct pm_error *error)
{
	const struct pm_trace_sink *sink = &ptrace->target->sink;
	uint32_t numbers[BATCH_MAX];
	size_t count = ptrace->count, samples = ptrace->sample_count;

	ptrace->count = 0;
	ptrace->sample_count = 0;
	if (samples > 0 && ptrace->target->unwinder) {
		if (pm_unwinder_add(ptrace->target->unwinder, ptrace->samples, samples, numbers,
		                    error) < 0)
			return -1;
		for (size_t i = 0; i < samples; i++)
			ptrace->events[ptrace->places[i]].stack = numbers[i];
	}

	for (size_t i = 0; i < count; i++)
		if (sink->event(sink->context, &ptrace->events[i], error) < 0)
			return -1;
	return 0;
}

/**
 * Follows the frame pointers in the copy of a stack.
 * @return  number of addresses, the innermost first
 */
static size_t follow_chain(const struct pm_ptrace_record *record, uint64_t *chain)
{
	const unsigned char *stack = (const void *)(record + 1);
	uint64_t bottom = record->registers[PM_UNWIND_SP];
	uint64_t frame = record->registers[PM_UNWIND_BP];
	size_t count = 0;

	chain[count++] = record->registers[PM_UNWIND_IP];
	while (count < CHAIN_MAX && frame >= bottom && frame % 8 == 0) {
		uint64_t words[2], offset = frame - bottom;

		if (offset > record->stack_size || record->stack_size - offset < sizeof words)
			break;
		memcpy(words, stack + offset, sizeof words);
		chain[count++] = words[1];
		if (words[0] <= frame)
			break;
		frame = words[0];
	}
	return count;
}

/** Adds the stack of a record to the batch, for the last event. */
static void add_sample(struct ptrace *ptrace, const struct pm_ptrace_record *record)
{
	size_t index = ptrace->sample_count++;

	ptrace->places[index] = ptrace->count - 1;
	ptrace->samples[index] = (struct pm_unwind_sample){
		.registers = record->registers,
		.stack = record + 1,
		.stack_size = record->stack_size,
		.chain = ptrace->chains[index],
		.chain_count = follow_chain(record, ptrace->chains[index]),
	};
}

/** Reads maps again before the next sample. All samples so far must have been unwound. */
static void refresh(struct ptrace *ptrace, bool exec)
{
	ptrace->refreshed = pm_clock_ns(CLOCK_MONOTONIC);
	if (ptrace->target->unwinder)
		pm_unwinder_refresh(ptrace->target->unwinder, exec);
}

/** Consumes a record. */
static int consume(struct ptrace *ptrace, const struct pm_ptrace_record *record,
                   struct pm_error *error)
{
	const struct pm_trace_event *event = &record->event;
	bool exec = event->kind == PM_TRACE_EXEC;

	if (ptrace->count == BATCH_MAX && pass(ptrace, error) < 0)
		return -1;
	/* The samples before belong to the old program. */
	if (exec && pass(ptrace, error) < 0)
		return -1;
	if (exec)
		refresh(ptrace, true);

	ptrace->recorded += event->kind != PM_TRACE_EXIT && !exec;
	ptrace->events[ptrace->count++] = *event;
	if (record->stack_size > 0)
		add_sample(ptrace, record);

	/* What was mapped before maps was read is known. */
	if (!pm_trace_call_maps_code(event) || event->time < ptrace->refreshed)
		return 0;
	if (pass(ptrace, error) < 0)
		return -1;
	refresh(ptrace, false);
	return 0;
}

/** Reports the records that were dropped. */
static int report_lost(struct ptrace *ptrace, struct pm_error *error)
{
	const struct pm_trace_sink *sink = &ptrace->target->sink;
	uint64_t lost = __atomic_load_n(&ptrace->ring->lost, __ATOMIC_RELAXED);
	struct pm_trace_event event = { .time = pm_clock_ns(CLOCK_MONOTONIC),
		                        .kind = PM_TRACE_LOST,
		                        .arguments = { lost - ptrace->lost } };

	if (lost == ptrace->lost)
		return 0;

	ptrace->lost = lost;
	return sink->event(sink->context, &event, error);
}

/**
 * Reads the records that the ring contains now: the tracer can write more faster than they are
 * read. The memory of a record is released after its sample was unwound.
 */
static int drain(struct ptrace *ptrace, struct pm_error *error)
{
	uint64_t position = ptrace->ring->tail;
	uint64_t end = __atomic_load_n(&ptrace->ring->head, __ATOMIC_RELAXED);
	const struct pm_ptrace_record *record;

	while (position < end && (record = pm_ptrace_ring_next(ptrace->ring, &position))) {
		if (consume(ptrace, record, error) < 0)
			return -1;
		if (ptrace->count == 0)
			pm_ptrace_ring_release(ptrace->ring, position);
	}

	if (pass(ptrace, error) < 0)
		return -1;
	pm_ptrace_ring_release(ptrace->ring, position);
	return report_lost(ptrace, error);
}

/**
 * Waits until a time, until the ring is half full, or until the process has exited.
 * @return  whether the tracer runs
 */
static bool wait_until(struct ptrace *ptrace, uint64_t until)
{
	uint64_t now = pm_clock_ns(CLOCK_MONOTONIC);
	uint64_t left = until > now ? pm_min(until - now, INTERVAL) : 0;
	struct timespec timeout = { .tv_nsec = (long)left };
	struct pm_ptrace_answer message;

	ptrace->fds[0].revents = ptrace->fds[1].revents = 0;
	/* A signal ends the wait, so that the caller tests its cancel flag. */
	if (ppoll(ptrace->fds, 2, &timeout, NULL) < 0)
		ptrace->fds[0].revents = ptrace->fds[1].revents = 0;
	if (ptrace->fds[0].revents == 0)
		return true;

	ssize_t length = recv(ptrace->fds[0].fd, &message, sizeof message, MSG_DONTWAIT);
	return length > 0 || (length < 0 && errno == EAGAIN);
}

static int poll_events(void *backend, uint64_t until, bool last, struct pm_error *error)
{
	struct ptrace *ptrace = backend;
	bool traced = wait_until(ptrace, last ? 0 : until);
	bool exited = ptrace->fds[1].revents != 0;

	if (drain(ptrace, error) < 0)
		return -1;
	if (!traced && !exited)
		return pm_error_set(error, PM_ERROR_IO, 0,
		                    "the process that uses ptrace was killed: the target runs on, "
		                    "but is not traced any more");
	return exited;
}

static void fill_state(const void *backend, struct pm_trace_state *state)
{
	const struct ptrace *ptrace = backend;

	state->backend = PM_TRACE_PTRACE;
	state->plan = "each thread stops at each system call";
	state->plan_usual = true;
	state->threads = ptrace->threads;
	state->setup_ns = ptrace->setup_ns;
	state->events = ptrace->recorded;
	state->lost = ptrace->lost;
	state->target_ns = __atomic_load_n(&ptrace->ring->stops, __ATOMIC_RELAXED) * STOP_NS;
	state->call_ns = 2 * (uint64_t)STOP_NS;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static void close_ptrace(void *backend)
{
	struct ptrace *ptrace = backend;
	pid_t result = 0;

	if (ptrace->fds[0].fd >= 0)
		close(ptrace->fds[0].fd);
	if (ptrace->tracer != 0) {
		kill(ptrace->tracer, SIGKILL);
		do
			result = waitpid(ptrace->tracer, NULL, 0);
		while (result < 0 && errno == EINTR);
	}
	if (ptrace->ring)
		munmap(ptrace->ring, sizeof *ptrace->ring);
	free(ptrace);
}

static int map_ring(struct ptrace *ptrace, struct pm_error *error)
{
	void *ring = mmap(NULL, sizeof *ptrace->ring, PROT_READ | PROT_WRITE,
	                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (ring == MAP_FAILED)
		return pm_error_out_of_memory(error);

	/* It contains memory of the target. */
	madvise(ring, sizeof *ptrace->ring, MADV_DONTDUMP);
	ptrace->ring = ring;
	return 0;
}

/** Lets the tracer attach, and waits for its answer. */
static int attach(struct ptrace *ptrace, struct pm_error *error)
{
	const struct pm_procfs *procfs = &ptrace->target->process->procfs;
	uint64_t end = pm_clock_ns(CLOCK_MONOTONIC) + UINT64_C(1000000) * ATTACH_MS_MAX;
	struct pollfd wait = ptrace->fds[0];
	struct pm_ptrace_answer answer;
	int ready;

	if (send(ptrace->fds[0].fd, "", 1, MSG_NOSIGNAL) < 0)
		return pm_error_set(error, PM_ERROR_RESOURCES, errno,
		                    "the process that uses ptrace has ended");
	do {
		uint64_t now = pm_clock_ns(CLOCK_MONOTONIC);
		ready = poll(&wait, 1, now < end ? (int)((end - now) / 1000000) + 1 : 0);
	} while (ready < 0 && errno == EINTR);

	if (ready <= 0 ||
	    recv(ptrace->fds[0].fd, &answer, sizeof answer, MSG_DONTWAIT) != (ssize_t)sizeof answer)
		return pm_error_set(error, PM_ERROR_RESOURCES, 0,
		                    "cannot trace process %d: its threads could not be attached "
		                    "within %d seconds; try again",
		                    (int)procfs->pid, ATTACH_MS_MAX / 1000);
	if (answer.cause != 0)
		return pm_access_explain(procfs->root, procfs->pid, "trace", answer.cause, error);

	ptrace->threads = answer.threads;
	return 0;
}

/** Opens everything, after the state was allocated. */
static int open_all(struct ptrace *ptrace, const struct pm_trace_command *command,
                    struct pm_error *error)
{
	const struct pm_trace_target *target = ptrace->target;
	struct pm_ptrace_job job = { .process = target->process,
		                     .stack_size = target->options->stack_size };

	if (target->options->faults)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "ptrace cannot record page faults: only perf can");
	if (pm_trace_calls_check(target->process, error) < 0 || map_ring(ptrace, error) < 0)
		return -1;

	job.ring = ptrace->ring;
	if (pm_ptrace_tracer_start(&job, &ptrace->fds[0].fd, &ptrace->tracer, error) < 0)
		return -1;
	if (command && pm_trace_command_permit(command, ptrace->tracer, error) < 0)
		return -1;
	return attach(ptrace, error);
}

int pm_trace_ptrace_open(const struct pm_trace_target *target,
                         const struct pm_trace_command *command,
                         const struct pm_trace_backend_calls **calls, void **backend,
                         struct pm_error *error)
{
	static const struct pm_trace_backend_calls functions = { .backend = PM_TRACE_PTRACE,
		                                                 .close = close_ptrace,
		                                                 .poll = poll_events,
		                                                 .state = fill_state };
	uint64_t start = pm_clock_ns(CLOCK_MONOTONIC);
	struct ptrace *ptrace = calloc(1, sizeof *ptrace);

	if (!ptrace)
		return pm_error_out_of_memory(error);

	ptrace->target = target;
	ptrace->fds[0] = (struct pollfd){ .fd = -1, .events = POLLIN };
	ptrace->fds[1] = (struct pollfd){ .fd = pm_process_poll_fd(target->process),
		                          .events = POLLIN };
	if (open_all(ptrace, command, error) < 0) {
		close_ptrace(ptrace);
		return -1;
	}

	ptrace->setup_ns = pm_clock_ns(CLOCK_MONOTONIC) - start;
	*calls = &functions;
	*backend = ptrace;
	return 0;
}
