/* SPDX-License-Identifier: MIT */
/**
 * @file Children that sleep under a name or command line of the test's choice. Failures here fail
 * the running cmocka test.
 */
#ifndef TESTS_SUPPORT_CHILD_H
#define TESTS_SUPPORT_CHILD_H

#include <sys/types.h>

/**
 * Starts a child that dies with the test.
 *
 * @param comm       its command name, where it runs no program
 * @param arguments  path of a program to run, followed by its command line and NULL; NULL for a
 * copy of the test that sleeps
 * @return           its PID, once it is what it is to be; end it with child_stop()
 */
pid_t child_start(const char *comm, char *const *arguments);

/** Kills and reaps a child. */
void child_stop(pid_t child);

#endif
