/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Children that make known system calls, and the events of the backend perf of them. A failure
 * fails the running cmocka test.
 */
#ifndef TESTS_SUPPORT_PERF_SESSION_H
#define TESTS_SUPPORT_PERF_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/backend.h"

enum { ADDRESSES_MAX = 4096 };

/** What a child writes down. */
struct log {
	pid_t tid;                         /**< thread of the last call */
	size_t count;                      /**< addresses in use */
	uint64_t addresses[ADDRESSES_MAX]; /**< results of calls */
	volatile int stop;                 /**< set by the test */
};

/** A child that runs a function for each byte that it receives. */
struct worker {
	pid_t pid;       /**< its PID */
	int to, from;    /**< pipes to the child and from the child */
	struct log *log; /**< shared with the child */
};

/** An open backend, and the events that it passed. */
struct session {
	struct pm_trace_options options;            /**< what is recorded */
	struct pm_trace_target target;              /**< the child; without an unwinder */
	const struct pm_trace_backend_calls *calls; /**< functions of the backend */
	void *backend;                              /**< its state */
	struct pm_trace_event *events;              /**< what it passed so far */
	size_t count, capacity;                     /**< events in use and allocated */
};

/** Starts a child. Its calls of libc that map memory happen before the first job. */
void perf_session_work(struct worker *worker, void (*job)(struct log *log));

/** Starts the job of a child. */
void perf_session_tell(const struct worker *worker);

/** Waits until the child has done its job. */
void perf_session_await(const struct worker *worker);

/** Kills and reaps the child. */
void perf_session_stop(struct worker *worker);

/** Opens the backend. Returns 0, or -1 with `error`. */
int perf_session_try(struct session *session, pid_t pid, bool faults, struct pm_error *error);

/** Opens the backend ptrace, which must succeed. */
void perf_session_open_ptrace(struct session *session, pid_t pid);

/** Opens the backend, which must succeed. Skips the test if the kernel refuses events. */
void perf_session_open(struct session *session, pid_t pid, bool faults);

/**
 * Opens the backend as perf_session_open() does, with copies of 256 bytes of each stack instead of
 * 8 KiB, so that the rings hold many more events. For tests that make many events, and in
 * which none may be lost.
 */
void perf_session_open_small(struct session *session, pid_t pid);

/** Reads all events until now. */
void perf_session_collect(struct session *session);

/** Closes the backend. */
void perf_session_close(struct session *session);

/** Finds the next event of a kind, from an index on. Returns the number of events if none. */
size_t perf_session_find(const struct session *session, enum pm_trace_kind kind, size_t from);

/** Returns an event that must exist, and moves past it. */
const struct pm_trace_event *perf_session_next(const struct session *session,
                                               enum pm_trace_kind kind, size_t *from);

/** Maps pages by a raw system call, so that libc does not add any. Returns the address. */
uint64_t perf_session_map(size_t size);

/** A job that makes each system call once. */
void perf_session_calls(struct log *log);

/** Checks the events of perf_session_calls(). */
void perf_session_check_calls(const struct session *session, const struct log *log);

#endif
