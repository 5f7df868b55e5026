/* SPDX-License-Identifier: MIT */
/*
 * A process of its own traces the target: it is never busy with other work while a thread of the
 * target is stopped, and its waiting does not take the statuses of children from the calling
 * process. Its only children are the threads that it traces.
 *
 * All threads are attached by PTRACE_SEIZE, and stop at the start and the end of each system call.
 * Children by fork and vfork are not attached. The kernel attaches new threads.
 *
 * The tracer does not detach: it exits. The kernel then detaches all threads without a stop, so
 * that calls that sleep are not interrupted. A thread that is at a stop is woken as by a signal: if
 * it is about to begin epoll_wait(2), the call returns EINTR. The same happens if the tracer is
 * killed.
 *
 * A filter of seccomp(2) could limit the stops to the system calls that matter, but it cannot be
 * removed. Without a tracer, the kernel fails such calls with ENOSYS. The target, and all its
 * children, could not map memory after the end of the trace.
 */
#include "trace/ptrace_tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/audit.h>

#include <procmem/minmax.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/search.h"
#include "proc/process_handle.h"
#include "trace/calls.h"
#include "trace/perf_tracepoints.h"

/* Threads that create threads all the time could be listed forever. New threads of an attached
 * thread are attached by the kernel. */
enum { PASSES_MAX = 8 };

/* Threads that have stopped and are handled in one pass, before one of them can stop again. */
enum { BATCH_MAX = 256 };

/* Time until all threads have stopped once, in nanoseconds. A thread that sleeps in the kernel for
 * longer stops before its next system call. */
static const uint64_t FIRST_STOP_MAX = UINT64_C(1000000000);

/* Values of struct thread.number that are no numbers of system calls. */
enum { NUMBER_UNKNOWN = -1, NUMBER_OTHER = -2 };

/** A thread of the target. */
struct thread {
	uint64_t tid;   /**< its ID */
	int64_t number; /**< system call that has begun; NUMBER_UNKNOWN: its start was not seen */
	bool starting;  /**< whether it has not stopped yet */
};

/** A thread that has stopped or exited, and its status of waitpid(2). */
struct waited {
	pid_t tid;
	int status;
};

/** The state of the process. */
struct tracer {
	const struct pm_ptrace_job *job;
	int socket, signals;
	struct thread *threads; /**< by ascending ID */
	size_t count, capacity;
	size_t starting; /**< threads that have not stopped yet */
	bool asked;      /**< whether the reader was asked to read since the ring was half full */
};

/* --- Threads ---------------------------------------------------------------------------------- */

static struct thread *find_thread(const struct tracer *tracer, pid_t tid)
{
	size_t above = pm_first_above(tracer->threads, tracer->count, sizeof *tracer->threads,
	                              offsetof(struct thread, tid), (uint64_t)tid);

	if (above == 0 || tracer->threads[above - 1].tid != (uint64_t)tid)
		return NULL;
	return &tracer->threads[above - 1];
}

/** Adds a thread that is not in the list. Exits without memory: the target runs on. */
static struct thread *add_thread(struct tracer *tracer, pid_t tid)
{
	size_t at = pm_first_above(tracer->threads, tracer->count, sizeof *tracer->threads,
	                           offsetof(struct thread, tid), (uint64_t)tid);

	if (pm_array_reserve(&tracer->threads, &tracer->capacity, tracer->count, 1,
	                     sizeof *tracer->threads, NULL) < 0)
		_exit(1);

	struct thread *added = &tracer->threads[at];
	memmove(added + 1, added, (tracer->count - at) * sizeof *added);
	tracer->count++;
	tracer->starting++;
	*added = (struct thread){ (uint64_t)tid, NUMBER_UNKNOWN, true };
	return added;
}

static void mark_started(struct tracer *tracer, struct thread *thread)
{
	if (thread->starting)
		tracer->starting--;
	thread->starting = false;
}

static void remove_thread(struct tracer *tracer, struct thread *thread)
{
	size_t after = tracer->count - (size_t)(thread - tracer->threads) - 1;

	mark_started(tracer, thread);
	memmove(thread, thread + 1, after * sizeof *thread);
	tracer->count--;
}

/** Tests whether a task is a thread of the target. A task by clone(2) can be another process. */
static bool is_member(const struct tracer *tracer, pid_t tid)
{
	char name[32];

	snprintf(name, sizeof name, "task/%d", (int)tid);
	return faccessat(tracer->job->process->procfs.fd, name, F_OK, 0) == 0;
}

/* --- Records ---------------------------------------------------------------------------------- */

/** Asks the reader to read, once. */
static void ask_reader(struct tracer *tracer)
{
	const struct pm_ptrace_ring *ring = tracer->job->ring;
	uint64_t used = ring->head - __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);
	struct pm_ptrace_answer answer = { 0 };

	if (used < PM_PTRACE_RING_SIZE / 2) {
		tracer->asked = false;
		return;
	}
	if (!tracer->asked)
		send(tracer->socket, &answer, sizeof answer, MSG_DONTWAIT | MSG_NOSIGNAL);
	tracer->asked = true;
}

/** Writes an event without a stack. */
static void record(struct tracer *tracer, struct pm_trace_event event)
{
	struct pm_ptrace_record *place = pm_ptrace_ring_reserve(tracer->job->ring, 0);

	if (!place)
		return;

	event.time = pm_clock_ns(CLOCK_MONOTONIC);
	place->event = event;
	place->stack_size = 0;
	pm_ptrace_ring_commit(tracer->job->ring, place);
	ask_reader(tracer);
}

/**
 * Copies memory of the target, up to the first page that cannot be read.
 * @return  bytes that were copied
 */
static size_t copy_memory(pid_t tid, uint64_t from, void *to, size_t size)
{
	enum { PAGE = 4096, PARTS_MAX = PM_UNWIND_STACK_MAX / PAGE + 2 };
	struct iovec local = { to, size }, parts[PARTS_MAX];
	size_t count = 0;

	/* Pages that can be read are copied completely if each of them is a part. */
	while (size > 0 && count < PARTS_MAX) {
		size_t part = pm_min_size(size, PAGE - (size_t)(from % PAGE));

		parts[count++] = (struct iovec){ (void *)(uintptr_t)from, part };
		from += part;
		size -= part;
	}

	ssize_t copied = process_vm_readv(tid, &local, 1, parts, count, 0);
	return copied > 0 ? (size_t)copied : 0;
}

/** Stores registers in the order of samples. */
static void store_registers(uint64_t *to, const struct user_regs_struct *from)
{
	const uint64_t values[PM_UNWIND_REGISTERS] = {
		[PM_UNWIND_AX] = from->rax,  [PM_UNWIND_BX] = from->rbx,
		[PM_UNWIND_CX] = from->rcx,  [PM_UNWIND_DX] = from->rdx,
		[PM_UNWIND_SI] = from->rsi,  [PM_UNWIND_DI] = from->rdi,
		[PM_UNWIND_BP] = from->rbp,  [PM_UNWIND_SP] = from->rsp,
		[PM_UNWIND_IP] = from->rip,  [PM_UNWIND_R8] = from->r8,
		[PM_UNWIND_R9] = from->r9,   [PM_UNWIND_R10] = from->r10,
		[PM_UNWIND_R11] = from->r11, [PM_UNWIND_R12] = from->r12,
		[PM_UNWIND_R13] = from->r13, [PM_UNWIND_R14] = from->r14,
		[PM_UNWIND_R15] = from->r15,
	};

	memcpy(to, values, sizeof values);
}

/** Writes an event with the registers and a copy of the stack. */
static void record_stack(struct tracer *tracer, struct pm_trace_event event,
                         const struct user_regs_struct *registers)
{
	uint32_t size = (uint32_t)tracer->job->stack_size;
	struct pm_ptrace_record *place = pm_ptrace_ring_reserve(tracer->job->ring, size);

	if (!place)
		return;

	event.time = pm_clock_ns(CLOCK_MONOTONIC);
	place->event = event;
	store_registers(place->registers, registers);
	place->stack_size = (uint32_t)copy_memory(event.tid, registers->rsp, place + 1, size);
	pm_ptrace_ring_commit(tracer->job->ring, place);
	ask_reader(tracer);
}

/* --- Stops ------------------------------------------------------------------------------------ */

/** Finds a system call that is traced. Returns NULL for another one. */
static const struct pm_tracepoint_call *find_call(int64_t number, bool enter)
{
	for (size_t i = 0; i < PM_TRACEPOINT_CALLS; i++)
		if (pm_tracepoint_calls[i].number == number &&
		    pm_tracepoint_calls[i].enter == enter)
			return &pm_tracepoint_calls[i];

	return NULL;
}

/** Handles the start of a system call. */
static void begin_call(struct tracer *tracer, struct thread *thread,
                       const struct __ptrace_syscall_info *info)
{
	bool native = info->arch == AUDIT_ARCH_X86_64;

	thread->number = native ? (int64_t)info->entry.nr : NUMBER_OTHER;

	/* What fills memory matters only beside page faults, which ptrace does not record. */
	const struct pm_tracepoint_call *call = find_call(thread->number, true);
	if (!call || call->kind == PM_TRACE_POPULATE)
		return;

	struct pm_trace_event event = { .kind = call->kind, .tid = (pid_t)thread->tid };
	memcpy(event.arguments, info->entry.args, sizeof event.arguments);
	record(tracer, event);
}

/** Handles the end of a system call. */
static void end_call(struct tracer *tracer, struct thread *thread)
{
	const struct pm_tracepoint_call *call = find_call(thread->number, false);
	bool unknown = thread->number == NUMBER_UNKNOWN;
	struct user_regs_struct registers;

	thread->number = NUMBER_UNKNOWN;
	if (!call && !unknown)
		return;
	if (ptrace(PTRACE_GETREGS, (pid_t)thread->tid, NULL, &registers) < 0)
		return;
	if (unknown)
		call = find_call((int64_t)registers.orig_rax, false);
	if (!call)
		return;

	struct pm_trace_event event = { .kind = call->kind,
		                        .tid = (pid_t)thread->tid,
		                        .arguments = { registers.rdi, registers.rsi, registers.rdx,
		                                       registers.r10, registers.r8, registers.r9 },
		                        .result = registers.rax };
	if (!pm_trace_call_is_used(&event))
		return;
	if (call->stack)
		record_stack(tracer, event, &registers);
	else
		record(tracer, event);
}

static void handle_call(struct tracer *tracer, struct thread *thread)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, (pid_t)thread->tid, (void *)sizeof info, &info) <= 0)
		return;

	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		begin_call(tracer, thread, &info);
	else if (info.op == PTRACE_SYSCALL_INFO_EXIT)
		end_call(tracer, thread);
}

/** After exec, the thread that has called it is the only one, and has the ID of the process. */
static void handle_exec(struct tracer *tracer, struct thread *thread)
{
	struct thread only = *thread;

	only.number = NUMBER_OTHER;
	tracer->threads[0] = only;
	tracer->count = 1;
	tracer->starting = 0;
	record(tracer, (struct pm_trace_event){ .kind = PM_TRACE_EXEC, .tid = (pid_t)only.tid });
}

/** Lets a thread run to its next system call. Fails if the thread is being killed. */
static void resume(pid_t tid, int signal)
{
	ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(intptr_t)signal);
}

/** Tests whether a signal stops all threads of a process. */
static bool is_stop_signal(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/** Handles a stop of a thread, and lets the thread run on. */
static void handle_stop(struct tracer *tracer, struct thread *thread, int status)
{
	enum { CALL = SIGTRAP | 0x80 };
	pid_t tid = (pid_t)thread->tid;
	int event = status >> 16, signal = WSTOPSIG(status);

	mark_started(tracer, thread);
	if (signal == CALL)
		handle_call(tracer, thread);
	if (event == PTRACE_EVENT_EXEC)
		handle_exec(tracer, thread);

	if (event == PTRACE_EVENT_STOP && is_stop_signal(signal))
		/* The whole process is stopped, and stays stopped until SIGCONT. */
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
	else if (event != 0 || signal == CALL)
		resume(tid, 0);
	else
		resume(tid, signal);
}

/** Handles a status of a thread. */
static void handle(struct tracer *tracer, const struct waited *waited)
{
	struct thread *thread = find_thread(tracer, waited->tid);

	if (!WIFSTOPPED(waited->status)) {
		if (thread)
			remove_thread(tracer, thread);
		record(tracer,
		       (struct pm_trace_event){ .kind = PM_TRACE_EXIT, .tid = waited->tid });
		return;
	}

	__atomic_fetch_add(&tracer->job->ring->stops, 1, __ATOMIC_RELAXED);
	if (!thread && !is_member(tracer, waited->tid)) {
		ptrace(PTRACE_DETACH, waited->tid, NULL, NULL);
		return;
	}
	if (!thread)
		thread = add_thread(tracer, waited->tid);
	handle_stop(tracer, thread, waited->status);
}

/** Collects threads that have stopped or exited. Does not wait for others. */
static size_t collect(struct waited *batch, size_t max)
{
	size_t count = 0;
	siginfo_t info;

	while (count < max) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) < 0 ||
		    info.si_pid == 0)
			break;
		batch[count].tid = waitpid(info.si_pid, &batch[count].status, __WALL | WNOHANG);
		if (batch[count].tid <= 0)
			break;
		count++;
	}

	return count;
}

/**
 * Handles all threads that have stopped, or waits until one stops.
 * @param timeout_ms  maximum time to wait in milliseconds; -1: no limit
 * @return            false if the calling process has ended the trace
 */
static bool work(struct tracer *tracer, int timeout_ms)
{
	struct pollfd fds[] = { { .fd = tracer->socket, .events = POLLIN },
		                { .fd = tracer->signals, .events = POLLIN } };
	struct waited batch[BATCH_MAX];
	struct signalfd_siginfo signal;

	/* Signals are taken before the threads are collected: a later stop ends the next wait. */
	if (poll(fds, 2, 0) > 0 && fds[1].revents != 0 &&
	    read(tracer->signals, &signal, sizeof signal) < 0)
		return false;
	if (fds[0].revents != 0)
		return false;

	size_t count = collect(batch, BATCH_MAX);
	for (size_t i = 0; i < count; i++)
		handle(tracer, &batch[i]);

	if (count == 0)
		poll(fds, 2, timeout_ms);
	return true;
}

/* --- Attaching -------------------------------------------------------------------------------- */

/**
 * Attaches to the threads that are not attached yet.
 * @param cause  receives errno of a refused call
 * @return       number of threads that were attached
 */
static size_t attach_new(struct tracer *tracer, int *cause)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
	size_t count, attached = 0;
	pid_t *tids;

	if (pm_procfs_list_numbers(&tracer->job->process->procfs, "task", &tids, &count) < 0) {
		*cause = errno;
		return 0;
	}

	for (size_t i = 0; i < count; i++) {
		if (find_thread(tracer, tids[i]))
			continue;
		if (ptrace(PTRACE_SEIZE, tids[i], NULL, (void *)options) < 0) {
			*cause = errno;
			continue;
		}
		add_thread(tracer, tids[i]);
		ptrace(PTRACE_INTERRUPT, tids[i], NULL, NULL);
		attached++;
	}

	free(tids);
	return attached;
}

/** Attaches to all threads, and waits until each has stopped once and runs again. */
static void attach(struct tracer *tracer, struct pm_ptrace_answer *answer)
{
	uint64_t end = pm_clock_ns(CLOCK_MONOTONIC) + FIRST_STOP_MAX;
	size_t attached = 0, found = 1;
	int cause = 0;

	for (size_t pass = 0; found > 0 && pass < PASSES_MAX; pass++) {
		found = attach_new(tracer, &cause);
		attached += found;
	}
	/* The kernel has attached threads that are refused now: they are new. */
	answer->cause = attached == 0 ? cause : 0;
	answer->threads = (uint32_t)attached;

	while (tracer->starting > 0 && pm_clock_ns(CLOCK_MONOTONIC) < end)
		if (!work(tracer, 10))
			_exit(0);
}

/** Closes all descriptors but two. */
static void close_others(int one, int other)
{
	unsigned low = (unsigned)pm_min_int(one, other), high = (unsigned)pm_max_int(one, other);

	if (low > 0)
		close_range(0, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0U, 0);
}

/** Runs the process. */
static void run(const struct pm_ptrace_job *job, int socket)
{
	struct tracer tracer = { .job = job, .socket = socket };
	struct pm_ptrace_answer answer = { 0 };
	sigset_t signals;
	char byte;

	/* Signals of the terminal are meant for the calling process and the target. */
	sigfillset(&signals);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	close_others(socket, job->process->procfs.fd);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	tracer.signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);

	if (tracer.signals < 0 || recv(socket, &byte, 1, 0) != 1)
		return;
	attach(&tracer, &answer);
	if (send(socket, &answer, sizeof answer, MSG_NOSIGNAL) < 0 || answer.cause != 0)
		return;

	while (work(&tracer, -1))
		continue;
}

int pm_ptrace_tracer_start(const struct pm_ptrace_job *job, int *socket, pid_t *pid,
                           struct pm_error *error)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return pm_error_set(error, PM_ERROR_RESOURCES, errno,
		                    "cannot create a socket for ptrace: %s", strerror(errno));

	pid_t child = fork();
	if (child == 0) {
		run(job, ends[1]);
		_exit(0);
	}

	int cause = errno;
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return pm_error_set(error, PM_ERROR_RESOURCES, cause,
		                    "cannot start a process for ptrace: %s", strerror(cause));
	}

	*socket = ends[0];
	*pid = child;
	return 0;
}
