/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Files with the hits of a search for numbers: their addresses, their values at the time of the
 * search, and the process in which they were found. <procmem/next_hits.h> reads the values again.
 *
 * A file is written and read once from its start to its end, so that only one block of it is in
 * memory. Its integers are little-endian:
 *
 * - a header of 360 bytes: `procmem hits 1\n` and NUL (16 bytes), the PID and the number of tests
 *   (4 bytes each), the start time of the process, the start of its stack, the time of the search
 *   (8 bytes each), the boot ID (40 bytes), the name of the process (64 bytes), 1 or 0 for aligned
 *   numbers (8 bytes), 8 tests of 24 bytes (type, size, 6 zeros, lowest and highest value, 8 bytes
 *   each), and a checksum (8 bytes)
 * - blocks of at most 64 KiB. The head of a block is the number of its bytes and of its hits (4
 *   bytes each) and a checksum (8 bytes). A hit is the distance from the address of the hit before
 *   it, or from 0 in each block, in groups of 7 bits, the lowest first, with bit 7 set in all bytes
 *   but the last; the index of the test in one byte, if there are several tests; and the bytes of
 *   the number
 * - a head without bytes and hits, and the total number of hits (8 bytes)
 *
 * The hits are in the order of their addresses, and at the same address in the order of their
 * tests. Checksums are FNV-1a of 64 bits. They detect damage, not forgery: a file is read as
 * untrusted input.
 */
#ifndef PROCMEM_SAVED_HITS_H
#define PROCMEM_SAVED_HITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/number_scan.h>
#include <procmem/process_id.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a file of hits says about the search. */
struct pm_saved_hits_info {
	pid_t pid;                     /**< the process */
	uint64_t start_ticks;          /**< its start time in clock ticks since boot */
	char boot_id[PM_BOOT_ID_SIZE]; /**< the boot; "" if unknown */
	/**
	 * An address in the stack of its first thread, which changes if the process calls exec; 0
	 * if unknown
	 */
	uint64_t start_stack;
	char comm[PM_COMM_SIZE]; /**< its name, any bytes */
	uint64_t time;           /**< time of the search in seconds since 1970 */
	bool aligned;            /**< only aligned numbers were searched */
	size_t test_count;       /**< number of tests, from 1 to PM_NUMBER_TESTS_MAX */
	struct pm_number_test tests[PM_NUMBER_TESTS_MAX]; /**< what was searched */
};

/** A hit in a file. */
struct pm_saved_hit {
	uint64_t address;                  /**< address of the first byte */
	uint8_t test;                      /**< index of the test */
	uint8_t bytes[PM_NUMBER_SIZE_MAX]; /**< the number; zeros follow it */
};

/**
 * Fills the fields of an info that identify a process. The other fields are unchanged.
 *
 * @param process  the process
 * @param info     receives the identity
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_saved_hits_identify(struct pm_process *process, struct pm_saved_hits_info *info,
                                     struct pm_error *error);

/**
 * Checks that hits were found in a process, and that this process has not called exec since then.
 *
 * @param info     the info of the file
 * @param process  the process
 * @param error    PM_ERROR_GONE: another process, or another program; PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_saved_hits_check(const struct pm_saved_hits_info *info, struct pm_process *process,
                                  struct pm_error *error);

/** Writes a file; opaque. Only one thread at a time may use it. */
struct pm_saved_hits_writer;

/**
 * Starts a file: writes its header.
 *
 * @param fd      descriptor to write to, from its current position; borrowed
 * @param info    the info; its tests are valid
 * @param writer  receives the writer; release it with pm_saved_hits_end()
 * @param error   PM_ERROR_IO, PM_ERROR_RESOURCES, PM_ERROR_USAGE (the tests)
 * @return        0 or -1
 */
PM_PUBLIC int pm_saved_hits_create(int fd, const struct pm_saved_hits_info *info,
                                   struct pm_saved_hits_writer **writer, struct pm_error *error);

/**
 * Adds a hit.
 *
 * @param writer  the writer
 * @param hit     the hit; not before the last one
 * @param error   PM_ERROR_IO, PM_ERROR_USAGE (the order, the test)
 * @return        0 or -1
 */
PM_PUBLIC int pm_saved_hits_add(struct pm_saved_hits_writer *writer, const struct pm_saved_hit *hit,
                                struct pm_error *error);

/**
 * Completes a file, and releases the writer.
 *
 * @param writer    the writer; NULL is ignored. Released in any case
 * @param complete  false: the file is abandoned, and nothing more is written to it
 * @param error     PM_ERROR_IO
 * @return          0 or -1
 */
PM_PUBLIC int pm_saved_hits_end(struct pm_saved_hits_writer *writer, bool complete,
                                struct pm_error *error);

/** Reads a file; opaque. Only one thread at a time may use it. */
struct pm_saved_hits;

/**
 * Starts to read a file.
 *
 * @param fd     descriptor to read from, from its current position; borrowed
 * @param hits   receives the reader; release it with pm_saved_hits_close()
 * @param error  PM_ERROR_FORMAT (not a file of hits, or damaged), PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_saved_hits_open(int fd, struct pm_saved_hits **hits, struct pm_error *error);

/**
 * Returns what the file says about the search.
 * @param hits  the reader
 * @return      the info, valid as long as the reader
 */
PM_PUBLIC const struct pm_saved_hits_info *pm_saved_hits_info(const struct pm_saved_hits *hits);

/**
 * Reads the next hit.
 *
 * @param hits   the reader
 * @param hit    receives the hit
 * @param error  PM_ERROR_FORMAT (damaged, or truncated), PM_ERROR_IO
 * @return       1 if a hit was read; 0 at the end of the file; -1 on an error
 */
PM_PUBLIC int pm_saved_hits_next(struct pm_saved_hits *hits, struct pm_saved_hit *hit,
                                 struct pm_error *error);

/**
 * Releases a reader.
 * @param hits  a reader or NULL
 */
PM_PUBLIC void pm_saved_hits_close(struct pm_saved_hits *hits);

#ifdef __cplusplus
}
#endif

#endif
