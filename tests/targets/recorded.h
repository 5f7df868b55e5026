/* SPDX-License-Identifier: MIT */
/** @file The log of the target `recorded`: the system calls that it has done, in shared memory. */
#ifndef TARGETS_RECORDED_H
#define TARGETS_RECORDED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORDED_MAX = 30000 };

/** The stacks of the target, by the function that calls. */
enum {
	BY_MMAP = 1,
	BY_GROWTH,
	BY_RESERVE,
	BY_COMMIT,
	BY_BRK,
	BY_SHMAT,
	BY_TOUCH,
	BY_OTHER_TOUCH,
};

/** Kinds of calls. A trace has the same kinds. */
enum recorded_kind {
	RECORDED_MMAP,
	RECORDED_MUNMAP_BEGIN,
	RECORDED_MREMAP_BEGIN,
	RECORDED_MREMAP,
	RECORDED_BRK,
	RECORDED_MPROTECT,
	RECORDED_SHMAT,
	RECORDED_SHMDT_BEGIN,
	RECORDED_MADVISE,
	RECORDED_FAULT,
	RECORDED_EXEC,
	RECORDED_LOST,
};

/** A call. */
struct recorded_call {
	uint64_t time;           /**< nanoseconds of CLOCK_MONOTONIC */
	enum recorded_kind kind; /**< which */
	uint32_t stack;          /**< who called; 0 if no function of the list */
	uint64_t arguments[6];   /**< of the system call; the address of a page fault */
	uint64_t result;         /**< of the system call */
};

/** The log. */
struct recorded_log {
	struct recorded_call calls[RECORDED_MAX]; /**< the calls, by time */
	_Atomic size_t count;                     /**< number of calls */
};

#endif
