/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Readers: one interface to read the bytes of a living process, of the files that it has mapped, of
 * a core file, or of fake memory in a test.
 */
#ifndef PROCMEM_READER_H
#define PROCMEM_READER_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/range.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The functions of a reader. Callers may implement their own. */
struct pm_reader_ops {
	/**
	 * Reads ranges into consecutive bytes of a buffer, up to the first unreadable byte.
	 *
	 * @param context  context of the reader
	 * @param ranges   the ranges to read
	 * @param count    number of ranges
	 * @param buffer   room for the sum of the sizes of the ranges
	 * @param done     receives the number of bytes read. If it is less than the sum of the
	 *                 sizes (a short read), the next byte is unreadable
	 * @param error    PM_ERROR_GONE on failure: no memory of the target can be read any more.
	 *                 After a short read, receives the reason why the next byte is unreadable
	 * @return         0, also after a short read; -1 if the target is gone
	 */
	int (*read)(void *context, const struct pm_range *ranges, size_t count, void *buffer,
	            size_t *done, struct pm_error *error);
	/**
	 * Releases the context.
	 * @param context  context of the reader
	 */
	void (*close)(void *context);
};

/**
 * A reader. The implementation of a reader determines whether several threads may use the reader at
 * the same time. All readers of this library allow this.
 */
struct pm_reader {
	const struct pm_reader_ops
		/** Functions of the reader; NULL if the reader is closed */
		*ops;
	void *context; /**< passed to each function in `ops` */
};

/**
 * Closes a reader.
 * @param reader  the reader; if its `ops` is NULL, nothing happens
 */
PM_PUBLIC void pm_reader_close(struct pm_reader *reader);

/**
 * Reads one range.
 *
 * @param reader   the reader
 * @param address  first address
 * @param buffer   room for `size` bytes
 * @param size     number of bytes to read
 * @param done     receives the number of bytes read. If NULL, a short read is an error
 *                 (PM_ERROR_UNREADABLE)
 * @param error    as for pm_reader_ops.read
 * @return         0 or -1
 */
PM_PUBLIC int pm_reader_read(struct pm_reader *reader, uint64_t address, void *buffer, size_t size,
                             size_t *done, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
