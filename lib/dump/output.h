/* SPDX-License-Identifier: MIT */
/** @file Writes a dump to a descriptor: with holes if possible, otherwise as a stream. Private. */
#ifndef PM_DUMP_OUTPUT_H
#define PM_DUMP_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/** Output to a descriptor. Initialise with pm_output_init(). */
struct pm_output {
	int fd;                              /**< owned by the caller */
	bool sparse;                         /**< a regular file that ends at the position: zeros
	                                        become holes */
	uint64_t base;                       /**< position in the file at the start; sparse only */
	uint64_t at;                         /**< bytes of output so far, with zeros */
	const volatile sig_atomic_t *cancel; /**< or NULL */
	char *buffer;                        /**< small parts of a stream, not written yet; owned */
	size_t filled;                       /**< bytes in the buffer */
};

/**
 * Starts output at the current position of a descriptor.
 *
 * @param output  initialised; release with pm_output_deinit()
 * @param fd      the descriptor
 * @param cancel  when non-zero, writing fails with PM_ERROR_CANCELLED; or NULL
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_output_init(struct pm_output *output, int fd, const volatile sig_atomic_t *cancel,
                   struct pm_error *error);

/**
 * Releases an output. Without pm_output_finish() bytes may be missing.
 * @param output  the output
 */
void pm_output_deinit(struct pm_output *output);

/**
 * Writes bytes.
 *
 * @param output  the output
 * @param bytes   the bytes
 * @param size    their number
 * @param error   PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
int pm_output_bytes(struct pm_output *output, const void *bytes, size_t size,
                    struct pm_error *error);

/**
 * Writes zeros, as a hole if the output is sparse.
 *
 * @param output  the output
 * @param size    number of bytes
 * @param error   PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
int pm_output_zeros(struct pm_output *output, uint64_t size, struct pm_error *error);

/**
 * Writes bytes at an offset of a sparse output. `at` is unchanged.
 *
 * @param output  the output
 * @param at      offset from the start of the output
 * @param bytes   the bytes
 * @param size    their number
 * @param error   PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
int pm_output_bytes_at(struct pm_output *output, uint64_t at, const void *bytes, size_t size,
                       struct pm_error *error);

/**
 * Completes an output: the file gets its full length, and its position is after the last byte.
 *
 * @param output  the output
 * @param error   PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
int pm_output_finish(struct pm_output *output, struct pm_error *error);

#endif
