/* SPDX-License-Identifier: MIT */
/**
 * @file Bytes that all processes write in a time. They show who may fill a file that it opens only
 * for a moment, so that no pass through the descriptors finds it.
 */
#ifndef CMD_WHO_WRITTEN_H
#define CMD_WHO_WRITTEN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/process.h>

/** Maximum number of processes that are compared, and that are found. */
enum { WHO_WRITTEN_MAX = 65536, WHO_WRITTEN_FOUND = 3 };

/** A process, and the number of bytes that it has written. */
struct who_written {
	pid_t pid;
	uint64_t start_ticks;    /**< start time in clock ticks since boot */
	char comm[PM_COMM_SIZE]; /**< command name, any bytes but NUL */
	uint64_t bytes;          /**< to any files (wchar of proc_pid_io(5)) */
};

/** All processes that can be read, by ascending PID. */
struct who_written_list {
	struct who_written *items; /**< owned */
	size_t count;              /**< number of elements of `items` */
};

/**
 * Reads what all processes have written. Those whose counters may not be read, and the calling
 * process, are left out.
 *
 * @param list  filled, empty if processes cannot be listed; release it with who_written_deinit()
 */
void who_written_read(struct who_written_list *list);

/**
 * Finds the processes that wrote about as much as a file grew.
 *
 * @param before  what they had written before
 * @param after   what they had written afterwards
 * @param grown   growth of the file in bytes
 * @param found   receives the first of them, with the bytes that each wrote in this time
 * @return        number of elements of `found` that are set; 0 also if the growth is too small to
 *                be distinguished from other writes
 */
size_t who_written_match(const struct who_written_list *before,
                         const struct who_written_list *after, uint64_t grown,
                         struct who_written found[static WHO_WRITTEN_FOUND]);

/**
 * Releases the list.
 * @param list  the list, or zeroed
 */
void who_written_deinit(struct who_written_list *list);

#endif
