/* SPDX-License-Identifier: MIT */
/**
 * @file Writes a dump to a file descriptor, with holes if possible, otherwise as a stream. Private.
 */
#ifndef PM_DUMP_OUTPUT_H
#define PM_DUMP_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/** Output to a file descriptor. Initialise with pm_output_init(). */
struct pm_output {
	int fd; /**< the file descriptor; owned by the caller */
	/**
	 * Whether zeros become holes: the output is a regular file without bytes after the current
	 * offset
	 */
	bool sparse;
	/** Offset in the file at which the output starts; 0 if `sparse` is false */
	uint64_t base;
	uint64_t at; /**< number of bytes of output so far, including zeros */
	/** Cancellation flag of the caller: when non-zero, writing fails. NULL if there is none. */
	const volatile sig_atomic_t *cancel;
	char *buffer;  /**< bytes of a stream that were not written yet; owned; NULL if `sparse` */
	size_t filled; /**< number of bytes in the buffer */
};

/**
 * Starts output at the current offset of a file descriptor.
 *
 * @param output  initialised; release with pm_output_deinit()
 * @param fd      the descriptor
 * @param cancel  cancellation flag: when non-zero, writing fails with PM_ERROR_CANCELLED; NULL if
 *                there is none
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_output_init(struct pm_output *output, int fd, const volatile sig_atomic_t *cancel,
                   struct pm_error *error);

/**
 * Releases an output. Bytes may be missing from the file if pm_output_finish() was not called
 * before.
 * @param output  the output
 */
void pm_output_deinit(struct pm_output *output);

/**
 * Writes bytes.
 *
 * @param output  the output
 * @param bytes   the bytes
 * @param size    number of bytes
 * @param error   PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
int pm_output_bytes(struct pm_output *output, const void *bytes, size_t size,
                    struct pm_error *error);

/**
 * Writes zeros. If the output is sparse, the zeros become a hole in the file.
 *
 * @param output  the output
 * @param size    number of bytes
 * @param error   PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
int pm_output_zeros(struct pm_output *output, uint64_t size, struct pm_error *error);

/**
 * Writes bytes at an offset of a sparse output. pm_output.at does not change.
 *
 * @param output  the output
 * @param at      offset from the start of the output
 * @param bytes   the bytes
 * @param size    number of bytes
 * @param error   PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
int pm_output_bytes_at(struct pm_output *output, uint64_t at, const void *bytes, size_t size,
                       struct pm_error *error);

/**
 * Completes an output. For a stream, writes the bytes in the buffer. For a sparse output, sets the
 * length of the file, and moves the file offset after the last byte.
 *
 * @param output  the output
 * @param error   PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
int pm_output_finish(struct pm_output *output, struct pm_error *error);

#endif
