/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which code maps and touches the memory of a process that is still there.
 *
 * A trace records the system calls that change the address space: mmap, munmap, mremap, brk,
 * mprotect (where it makes a reserve accessible), shmat, shmdt, and madvise (where it gives pages
 * back), each with its stack. It keeps a list of address intervals, each with the stack that mapped
 * it. Resident bytes are those of the page tables (pagemap) when the result is made.
 *
 * With page faults, the trace also records which code touches memory for the first time. This
 * splits the growth of memory that was mapped before the trace began, such as pools and malloc's
 * heaps.
 *
 * Backends:
 * - perf: perf_event_open(2) on the tracepoints of these system calls. The target is never stopped.
 *   Each other system call of the target becomes slower by about 70 ns. A user without privileges
 *   can trace processes of the same user if kernel.perf_event_paranoid is at most 2.
 * - ptrace: ptrace(2) stops a thread at each system call, which costs up to 0.1 ms each. The start
 *   of the trace interrupts epoll_wait(2) and similar calls of a running process with EINTR once.
 *   The end of the trace interrupts only such a call that begins at that moment. A child process of
 *   the calling process is the tracer.
 */
#ifndef PROCMEM_TRACE_H
#define PROCMEM_TRACE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/process.h>
#include <procmem/range.h>
#include <procmem/stacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How events are recorded. */
enum pm_trace_backend {
	PM_TRACE_AUTO,   /**< perf; ptrace for a command if perf is refused */
	PM_TRACE_PERF,   /**< perf_event_open(2) */
	PM_TRACE_PTRACE, /**< ptrace(2) */
};

/** What is recorded. All fields may be zero. */
struct pm_trace_options {
	enum pm_trace_backend backend; /**< how events are recorded */
	bool faults;                   /**< record page faults, too (perf only) */
	/** Make a site for each thread of a stack. Otherwise a site has all threads of its stack */
	bool per_thread;
	/** Bytes of each stack that are copied: a multiple of 8, at most PM_UNWIND_STACK_MAX; 0:
	 * 8192 */
	size_t stack_size;
	/** Set by a signal handler to end the trace early: stacks and names that are not known
	 * after half a second of CPU time are left out. NULL if there is none */
	const volatile sig_atomic_t *cancel;
};

/** A trace; opaque. Only one thread at a time may use it. */
struct pm_trace;

/** Why pm_trace_run() has returned. */
enum pm_trace_end {
	PM_TRACE_TIME,      /**< the time is over */
	PM_TRACE_CANCELLED, /**< the cancel flag was set */
	PM_TRACE_EXITED,    /**< the target has exited */
};

/** The state of a trace. */
struct pm_trace_state {
	enum pm_trace_backend backend; /**< the backend in use: not PM_TRACE_AUTO */
	const char *plan;    /**< how events are selected, such as "one event per thread and CPU" */
	bool plan_usual;     /**< `plan` is the one with the least cost, or the only one */
	size_t descriptors;  /**< open descriptors of events */
	size_t threads;      /**< threads that were attached at the start */
	uint64_t setup_ns;   /**< time to attach, in nanoseconds */
	uint64_t running_ns; /**< time since then */
	uint64_t events;     /**< events recorded */
	uint64_t lost;       /**< events that the kernel dropped because a buffer was full */
	uint64_t tracer_ns;  /**< CPU time of this process and the unwinder */
	/** Expected time by which events have slowed the target, in nanoseconds: their number and
	 * constants of measurements (docs/INTERNALS.md). 0 if unknown */
	uint64_t target_ns;
	/** Time by which each system call that is not recorded is expected to become slower, in
	 * nanoseconds */
	uint64_t call_ns;
	bool exited;    /**< the target has exited: results are those of the last measurement */
	uint64_t execs; /**< how often the target has called exec: each time the list is cleared */
	/**
	 * Bytes that only the list or only /proc/PID/maps contained when both were compared, in
	 * total. 0 unless events were lost, or the target mapped memory by a call that is not
	 * traced. The list was corrected then: what it lacked has the stack PM_STACK_NONE
	 */
	uint64_t difference;
	/** Why stacks and names are missing from some time on; "" if they are not */
	char stacks_why[256];
	/** Events whose outermost callers are not known because the copy of the stack was too small
	 */
	uint64_t short_copies;
	/** Some frames are in no file, and have no name because no /tmp/perf-PID.map names them */
	bool jit_unnamed;
};

/** Memory that one stack is responsible for. */
struct pm_trace_site {
	uint32_t stack; /**< number of the stack in pm_trace_stacks(); PM_STACK_NONE if unknown */
	bool before;    /**< mapped before the trace; `stack` touched it (PM_STACK_NONE: all that
	                   no recorded fault has touched) */
	pid_t tid;      /**< the thread; 0 if several threads */
	uint64_t resident; /**< bytes that are resident or in swap now */
	uint64_t mapped;   /**< bytes that are still mapped; 0 if `before` */
	uint64_t calls;    /**< calls that mapped memory; if `before`: page faults */
	uint64_t regions;  /**< intervals of addresses that are still mapped */
	uint64_t faults;   /**< page faults recorded in this memory */
	uint64_t start;    /**< the largest interval: its first address; 0 if there is none */
	uint64_t end;      /**< the largest interval: its end */
};

/** The result of a trace at one moment. */
struct pm_trace_result {
	struct pm_trace_site *sites; /**< most resident bytes first */
	size_t count;                /**< number of sites */
	/** Memory that was mapped before the trace: bytes that were resident then, without what was
	 * unmapped since */
	uint64_t before_start;
	uint64_t before_now; /**< the same memory: bytes that are resident now */
	double seconds;      /**< time since the trace began */
};

/**
 * Starts to trace a running process. The backend perf does not stop the process. ptrace stops each
 * thread for a moment.
 *
 * @param process  the process; must outlive the trace
 * @param options  what is recorded; copied
 * @param trace    receives the trace; release with pm_trace_close()
 * @param error    PM_ERROR_ACCESS (the kernel refuses perf_event_open; the text says what helps),
 *                 PM_ERROR_UNSUPPORTED (not x86-64, or no tracepoints), PM_ERROR_GONE,
 *                 PM_ERROR_RESOURCES, PM_ERROR_USAGE
 * @return         0 or -1
 */
PM_PUBLIC int pm_trace_attach(struct pm_process *process, const struct pm_trace_options *options,
                              struct pm_trace **trace, struct pm_error *error);

/**
 * Starts a command, and traces it from its first instruction on. It is a child of the calling
 * process: pm_trace_run() and pm_trace_close() reap it if it has exited. If it still runs when the
 * trace is closed, the calling process can wait for it. Signals that the calling process ignores
 * are ignored by the command, too, except SIGPIPE.
 *
 * @param arguments  the command and its arguments, terminated by NULL; searched in PATH
 * @param options    what is recorded; copied. With PM_TRACE_AUTO, the backend is ptrace if perf is
 *                   refused and no page faults are recorded
 * @param trace      receives the trace; release with pm_trace_close()
 * @param error      as for pm_trace_attach(); PM_ERROR_NOT_FOUND if the command does not exist,
 *                   PM_ERROR_ACCESS if it cannot be executed, PM_ERROR_UNSUPPORTED if it is a
 *                   32-bit program
 * @return           0 or -1
 */
PM_PUBLIC int pm_trace_start(char *const *arguments, const struct pm_trace_options *options,
                             struct pm_trace **trace, struct pm_error *error);

/**
 * Ends a trace. The target runs on.
 * @param trace  the trace; may be NULL
 */
PM_PUBLIC void pm_trace_close(struct pm_trace *trace);

/**
 * Returns the target of a trace: that of pm_trace_attach(), or the command.
 * @param trace  the trace
 * @return       the process, valid until pm_trace_close()
 */
PM_PUBLIC struct pm_process *pm_trace_process(const struct pm_trace *trace);

/**
 * Records events for some time.
 *
 * @param trace    the trace
 * @param seconds  how long; negative: until the target exits or the cancel flag is set
 * @param end      receives why the call has returned
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_IO, PM_ERROR_UNSUPPORTED (the target has called exec
 *                 with a 32-bit program)
 * @return         0 or -1
 */
PM_PUBLIC int pm_trace_run(struct pm_trace *trace, double seconds, enum pm_trace_end *end,
                           struct pm_error *error);

/**
 * Measures what each stack is responsible for. If the target has exited, the result is that of the
 * last measurement before, and `seconds` is its time: pm_trace_run() measures about once a second
 * if at most 4 GiB are resident. A cancel flag that is already set is ignored, so that a cancelled
 * trace can be reported.
 *
 * @param trace   the trace
 * @param result  filled; release with pm_trace_result_deinit()
 * @param error   PM_ERROR_RESOURCES, PM_ERROR_CANCELLED, PM_ERROR_ACCESS, PM_ERROR_IO, or
 *                PM_ERROR_GONE: the target has exited before its memory could be measured
 * @return        0 or -1
 */
PM_PUBLIC int pm_trace_measure(struct pm_trace *trace, struct pm_trace_result *result,
                               struct pm_error *error);

/**
 * Measures parts of the address space: what each stack is responsible for in these ranges, as the
 * trace was at the last pm_trace_measure(). Pages are counted now.
 *
 * @param trace   the trace, after pm_trace_measure()
 * @param ranges  the ranges, by ascending address, without overlap
 * @param count   number of ranges
 * @param result  filled; release with pm_trace_result_deinit(). `calls`, and `faults` of memory
 *                that was mapped in the trace, are those of the whole stack
 * @param error   PM_ERROR_RESOURCES, PM_ERROR_CANCELLED, PM_ERROR_ACCESS, PM_ERROR_IO,
 *                PM_ERROR_GONE
 * @return        0 or -1
 */
PM_PUBLIC int pm_trace_measure_ranges(struct pm_trace *trace, const struct pm_range *ranges,
                                      size_t count, struct pm_trace_result *result,
                                      struct pm_error *error);

/**
 * Releases the members of a result.
 * @param result  the result
 */
PM_PUBLIC void pm_trace_result_deinit(struct pm_trace_result *result);

/**
 * Returns the stacks of a trace, with the names that pm_trace_measure() has found.
 * @param trace  the trace
 * @return       the stacks, valid until pm_trace_close()
 */
PM_PUBLIC const struct pm_stacks *pm_trace_stacks(const struct pm_trace *trace);

/**
 * Returns the state of a trace.
 * @param trace  the trace
 * @param state  filled
 */
PM_PUBLIC void pm_trace_state(const struct pm_trace *trace, struct pm_trace_state *state);

#ifdef __cplusplus
}
#endif

#endif
