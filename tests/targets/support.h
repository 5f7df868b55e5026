/* SPDX-License-Identifier: MIT */
/**
 * @file What all targets share: dying with the parent, telling what they made, obeying commands on
 * stdin.
 */
#ifndef TARGETS_SUPPORT_H
#define TARGETS_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

/** First call of main(): dies with the parent from now on, and writes line by line. */
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
 * Anonymous private memory that touches no other mapping, so that the kernel keeps it a region of
 * its own. Ends the target where that fails.
 *
 * @param aligned  whether the address is a multiple of 4 GiB; else it is just no multiple of 64 MiB
 */
char *target_island(size_t size, int prot, int flags, int aligned);

/** Where target_island() would put the next region, for what maps by other calls. */
void *target_island_address(size_t size, int aligned);

/**
 * mmap(2) at an island's address, with all said by the caller.
 * @return MAP_FAILED with errno where the kernel refuses
 */
void *target_map_at_island(size_t size, int prot, int flags, int fd, uint64_t offset, int aligned);

/** Writes "NAME page I" at the begin of each page. */
void target_fill(char *memory, size_t size, const char *name);

/** Maps, fills and tells a region of anonymous memory, an island. */
char *target_pages(const char *name, size_t size);

/**
 * A fresh directory that is removed with all in it when the target ends, however it ends.
 * @return lives for ever
 */
const char *target_scratch(void);

/** Prints `region NAME start-end`, followed by a blank and the note unless that is "". */
void target_region(const char *name, const void *start, size_t size, const char *note);

/** Tells that all is made. */
void target_ready(void);

/**
 * Acts on one line from stdin.
 * @return 0: done; 1: no such command
 */
typedef int target_command(const char *line);

/**
 * Obeys commands until `quit`; answers each with `done LINE` or `unknown LINE`. After the end of
 * stdin it just waits for a signal.
 */
void target_obey(target_command *command);

/** Number from the command line, or the end of the target with a message. */
uint64_t target_number(const char *text);

#endif
