/* SPDX-License-Identifier: MIT */
/**
 * @file Writing a dump to a descriptor: with holes where the file can have some, else in one
 * stream. Private.
 */
#ifndef PM_DUMP_OUTPUT_H
#define PM_DUMP_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/** A descriptor being written. Initialise with pm_output_init(). */
struct pm_output {
	int fd;      /**< the caller's */
	bool sparse; /**< a regular file without bytes behind the position: zeros may be left out */
	uint64_t base;                       /**< position in the file at the begin; sparse only */
	uint64_t at;                         /**< bytes put out so far, zeros included */
	const volatile sig_atomic_t *cancel; /**< or NULL */
	char *buffer;                        /**< collects small pieces of a stream; owned */
	size_t filled;                       /**< bytes in it */
};

/**
 * Starts writing at the position of a descriptor.
 * @param output filled; release with pm_output_deinit()
 * @return 0; -1: out of memory
 */
int pm_output_init(struct pm_output *output, int fd, const volatile sig_atomic_t *cancel,
                   struct pm_error *error);

/** Releases it; what was not finished may be missing. */
void pm_output_deinit(struct pm_output *output);

/**
 * Puts out bytes.
 * @param error PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return 0 or -1
 */
int pm_output_bytes(struct pm_output *output, const void *bytes, size_t size,
                    struct pm_error *error);

/**
 * Puts out zeros: a hole if that can be.
 * @param error PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return 0 or -1
 */
int pm_output_zeros(struct pm_output *output, uint64_t size, struct pm_error *error);

/**
 * Puts bytes at a place of a sparse output, counted from its begin, and leaves `at` alone. @param
 * error as above
 * @return 0 or -1
 */
int pm_output_bytes_at(struct pm_output *output, uint64_t at, const void *bytes, size_t size,
                       struct pm_error *error);

/**
 * Ends it: the file has its full length, and its position is behind the last byte.
 * @param error as above
 * @return 0 or -1
 */
int pm_output_finish(struct pm_output *output, struct pm_error *error);

#endif
