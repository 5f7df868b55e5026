/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Processes that a unit test looks into. Failures here fail the running cmocka test.
 *
 * A target of ours (tests/targets/) prints facts, one a line, then `ready`. Typical use:
 *
 *     struct target target;
 *     target_start(&target, "many_regions", "140", "16", NULL);
 *     target_range(&target, "all", &start, &end);
 *     ...
 *     target_stop(&target);
 *
 * Whatever becomes of the test, its targets die with it (PR_SET_PDEATHSIG).
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
 * @param program name, followed by its arguments and NULL
 */
void target_start(struct target *target, const char *program, ...) __attribute__((sentinel));

/**
 * Starts a program of PATH without waiting for it. Fails the test if the program is not installed.
 * @param program as for target_start()
 */
void program_start(struct target *target, const char *program, ...) __attribute__((sentinel));

/**
 * Reads output lines until one contains a text; fails when the output ends before.
 *
 * @return the line, without newline; the caller frees it
 */
char *target_await(struct target *target, const char *text);

/** Sends a command line to a target of ours and waits until it is `done`. */
void target_tell(struct target *target, const char *command);

/**
 * Rest of the first fact line that begins with these words: "pid" finds `pid 12`, "region memfd"
 * what follows.
 *
 * @return NULL where there is none
 */
const char *target_fact(const struct target *target, const char *words);

/** A fact that must exist and be a decimal number. */
uint64_t target_fact_number(const struct target *target, const char *words);

/** Range of the fact `region NAME start-end ...`, which must exist. */
void target_range(const struct target *target, const char *name, uint64_t *start, uint64_t *end);

/** Makes it the one that the kernel kills where memory runs out. */
void target_be_killed_first(const struct target *target);

/**
 * Waits for its end and releases everything, as target_stop() does.
 * @param status where to store how it ended, see waitpid(2)
 */
void target_await_end(struct target *target, int *status);

/** Kills and reaps it, and releases everything. Harmless on a stopped or zeroed one. */
void target_stop(struct target *target);

/**
 * Opens a process, which must be there.
 * @param pid any, not only that of a target
 * @return for pm_process_close()
 */
struct pm_process *open_process(pid_t pid);

/**
 * Fails the running test where a call failed.
 * @param result less than 0 if so
 * @param error what it said
 */
void must(int result, const struct pm_error *error);

/** Skips the running test, saying why. */
void skip_because(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/**
 * Whole content of a file (also of /proc), which must exist; NUL behind it.
 *
 * @param length where to store its length, or NULL
 * @return the caller frees it
 */
char *read_text(const char *path, size_t *length);

#endif
