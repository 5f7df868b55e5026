/* SPDX-License-Identifier: MIT */
/**
 * @file Sleeping children with a given name or command line. A failure fails the running cmocka
 * test.
 */
#ifndef TESTS_SUPPORT_CHILD_H
#define TESTS_SUPPORT_CHILD_H

#include <sys/types.h>

/**
 * Starts a child that dies with the test.
 *
 * @param comm       its command name, if it runs no program
 * @param arguments  path of a program, followed by its command line and NULL; or NULL for a copy of
 *                   the test that sleeps
 * @return           its PID, after it has this name; end it with child_stop()
 */
pid_t child_start(const char *comm, char *const *arguments);

/** Kills and reaps a child. */
void child_stop(pid_t child);

#endif
