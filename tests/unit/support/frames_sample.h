/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A process that runs the target `frames`, and a sample of its first thread. A failure fails the
 * running cmocka test.
 */
#ifndef TESTS_SUPPORT_FRAMES_SAMPLE_H
#define TESTS_SUPPORT_FRAMES_SAMPLE_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/unwinder.h>

#include "support/target.h"

/** Bytes of the copy of the stack. */
enum { FRAMES_SAMPLE_COPY = 8192 };

/** A target, and a sample of its first thread. */
struct frames_sample {
	struct target target;
	struct pm_process *process;
	struct pm_stacks *stacks;
	struct pm_unwinder *unwinder;
	uint64_t registers[PM_UNWIND_REGISTERS];
	char stack[FRAMES_SAMPLE_COPY];
	struct pm_unwind_sample sample;
	volatile sig_atomic_t cancel;
};

/** Takes a sample of the first thread during a stop. */
void frames_sample_take(struct frames_sample *fixture);

/** Opens a process that has a function of 20 calls, and takes a sample. */
void frames_sample_open(struct frames_sample *fixture, pid_t pid);

/**
 * Starts a shell script that prints "begun", reads a line, and calls exec in frames_sample_exec(),
 * and takes a sample of the shell. The parameter $0 is the path of the target.
 */
void frames_sample_start(struct frames_sample *fixture, const char *script);

/** Lets the script call exec, and waits until the target is ready. */
void frames_sample_exec(struct frames_sample *fixture);

/** Unwinds the sample. Returns the number of its stack. */
uint32_t frames_sample_unwind(struct frames_sample *fixture);

/** Closes everything, and ends the target. */
void frames_sample_close(struct frames_sample *fixture);

#endif
