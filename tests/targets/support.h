/* SPDX-License-Identifier: MIT */
/**
 * @file Shared functions of the targets: dying with the parent, printing facts, reading commands
 *   from stdin.
 */
#ifndef TARGETS_SUPPORT_H
#define TARGETS_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

/** First call of main(): makes the target die with its parent, and write line by line. */
void target_begin(void);

/**
 * Ends the target with a message if a call failed (`result` negative).
 * @return the result
 */
long target_check(long result, const char *what);

/**
 * mmap(2) of anonymous private memory that must succeed.
 * @param flags more MAP_ flags
 * @return the address
 */
char *target_map(size_t size, int prot, int flags);

/**
 * Maps anonymous private memory that is not adjacent to another mapping, so that the kernel keeps
 * it as a region of its own. Ends the target on failure.
 *
 * @param aligned  whether the address is a multiple of 4 GiB; otherwise not even of 64 MiB
 */
char *target_island(size_t size, int prot, int flags, int aligned);

/** Returns the address that target_island() would use next, for other calls that map memory. */
void *target_island_address(size_t size, int aligned);

/**
 * Calls mmap(2) at the address of an island, with all options of the caller.
 * @return MAP_FAILED with errno if the kernel refuses
 */
void *target_map_at_island(size_t size, int prot, int flags, int fd, uint64_t offset, int aligned);

/** Writes "NAME page I" at the start of each page. */
void target_fill(char *memory, size_t size, const char *name);

/** Maps and fills anonymous memory as an island, and prints the region. */
char *target_pages(const char *name, size_t size);

/**
 * Creates a directory that is removed with its content however the target ends.
 * @return valid forever
 */
const char *target_scratch(void);

/** Prints `region NAME start-end`, followed by a space and the note unless that is "". */
void target_region(const char *name, const void *start, size_t size, const char *note);

/** Prints that everything is created. */
void target_ready(void);

/**
 * Executes one line from stdin.
 * @return 0: done; 1: no such command
 */
typedef int target_command(const char *line);

/**
 * Executes commands until `quit`, and answers each with `done LINE` or `unknown LINE`. After the
 * end of stdin it waits for a signal.
 */
void target_obey(target_command *command);

/** Parses a number of the command line. Ends the target with a message if it is invalid. */
uint64_t target_number(const char *text);

#endif
