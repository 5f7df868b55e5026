/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Target processes of unit tests. A failure fails the running cmocka test.
 *
 * A target of tests/targets/ prints facts, one per line, then `ready`. Typical use:
 *
 *     struct target target;
 *     target_start(&target, "many_regions", "140", "16", NULL);
 *     target_range(&target, "all", &start, &end);
 *     ...
 *     target_stop(&target);
 *
 * Targets die with the test, however it ends (PR_SET_PDEATHSIG).
 */
#ifndef TESTS_SUPPORT_TARGET_H
#define TESTS_SUPPORT_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <procmem/process.h>

/** A running process. Zeroed means none. */
struct target {
	pid_t pid;    /**< its PID, 0 after target_stop() */
	FILE *to;     /**< its stdin */
	FILE *from;   /**< its stdout and stderr */
	char **facts; /**< lines that it printed before `ready` */
	size_t count; /**< number of items */
};

/**
 * Starts a program of tests/targets/ and waits for its `ready`.
 * @param target   filled; release with target_stop()
 * @param program  name, followed by its arguments and NULL
 */
void target_start(struct target *target, const char *program, ...) __attribute__((sentinel));

/**
 * Starts a program of PATH without waiting for it. Fails the test if the program is not installed.
 * @param target   filled; release with target_stop()
 * @param program  as for target_start()
 */
void program_start(struct target *target, const char *program, ...) __attribute__((sentinel));

/**
 * Reads output lines until one contains a text. Fails the test at the end of the output.
 *
 * @return the line, without newline; the caller frees it
 */
char *target_await(struct target *target, const char *text);

/** Sends a command line to a target of tests/targets/ and waits until it is `done`. */
void target_tell(struct target *target, const char *command);

/**
 * Returns the rest of the first fact that starts with these words: for "pid" and the fact `pid 12`
 * this is `12`.
 *
 * @return the text, or NULL if there is no such fact
 */
const char *target_fact(const struct target *target, const char *words);

/** Returns a fact that must exist and be a decimal number. */
uint64_t target_fact_number(const struct target *target, const char *words);

/** Finds the range of the fact `region NAME start-end ...`, which must exist. */
void target_range(const struct target *target, const char *name, uint64_t *start, uint64_t *end);

/** Makes the target the first process that the OOM killer kills. */
void target_be_killed_first(const struct target *target);

/**
 * Waits for the end of the target, and releases everything as target_stop() does.
 * @param target  the target
 * @param status  receives the wait status, see waitpid(2)
 */
void target_await_end(struct target *target, int *status);

/** Kills and reaps the target, and releases everything. No effect if it is stopped or zeroed. */
void target_stop(struct target *target);

/**
 * Opens a process, which must exist.
 * @param pid  of any process, not only of a target
 * @return     the process; close with pm_process_close()
 */
struct pm_process *open_process(pid_t pid);

/**
 * Fails the running test if a call failed.
 * @param result  of the call; negative means failure
 * @param error   of the call
 */
void must(int result, const struct pm_error *error);

/** Skips the running test with a reason. */
void skip_because(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/**
 * Reads a file (also of /proc), which must exist.
 *
 * @param path    of the file
 * @param length  receives the length of the content, or NULL
 * @return        the content, followed by a NUL; the caller frees it
 */
char *read_text(const char *path, size_t *length);

#endif
