/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads the bytes of a unit and the bytes around it, and divides the unit into parts. A part
 * contains consecutive bytes, possibly of several regions. Bytes that are not wanted or cannot be
 * read separate the parts of a unit, so no hit extends from one part into another. Private.
 */
#ifndef PM_SCAN_GATHER_H
#define PM_SCAN_GATHER_H

#include <string.h>

#include "scan/queue.h"

/**
 * Number of bytes after a unit that are always read with it. More bytes are read only if a hit
 * extends beyond them.
 */
enum { PM_OVERLAP = 4096 };

/** Maximum number of bytes that are read after a unit for one hit. */
enum { PM_GROW_MAX = 1024 * 1024 };

/** A part: consecutive bytes of a unit. */
struct pm_gather_part {
	uint64_t address; /**< address of the first byte */
	uint8_t *bytes;   /**< the bytes, in the buffer of the worker */
	size_t size;      /**< size in bytes */
	size_t before; /**< number of bytes of the target directly before the part that were read;
	                  they are directly before `bytes` in the buffer */
	size_t after;  /**< number of bytes of the target directly after the part that were read;
	                  they are directly after the part in the buffer */
	uint64_t chain_after; /**< number of bytes directly after the part that can be read,
	                         including the bytes counted by `after` */
	bool zeros_after;     /**< memory that was never touched follows the `chain_after` bytes */
	bool more_after; /**< the `chain_after` bytes are followed by more bytes, which are not read
	                    for this unit */
	bool begins; /**< the part starts at the start of a mapping or of a selected range; always
	                false if `before` is not 0 */
	bool ends;   /**< the last byte of the part, or of the `chain_after` bytes if there are any,
	                is the last byte of its mapping or of a selected range */
};

/** The bytes of a unit. The caller sets `buffer`, and all other fields to zero. */
struct pm_gathered {
	uint8_t *buffer;              /**< PM_GATHER_ROOM bytes; owned by the caller */
	struct pm_gather_part *items; /**< the parts, by ascending address; owned */
	size_t count;                 /**< number of parts */
	size_t capacity;              /**< private */
};

/** Size of the buffer for a unit and the bytes around it. */
#define PM_GATHER_ROOM (PM_LOOKBEHIND_ROOM + PM_UNIT_SIZE + PM_OVERLAP)

/** Number of bytes at the start of this buffer that are reserved for the bytes before the unit. */
#define PM_LOOKBEHIND_ROOM ((size_t)4096)

/** Tests whether all bytes are zero. */
static inline bool pm_bytes_are_zero(const uint8_t *bytes, size_t size)
{
	return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/**
 * Reads a unit.
 *
 * @param gathered  receives the parts, which replace earlier ones
 * @param source    the readers; the visitor of `source` is not called
 * @param job       the unit; receives the unreadable ranges of the unit in `unreadable`
 * @param before    number of bytes needed before the unit, at most PM_LOOKBEHIND_ROOM
 * @param error     PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_gather(struct pm_gathered *gathered, const struct pm_unit_source *source, struct pm_job *job,
              size_t before, struct pm_error *error);

/**
 * Reads bytes after a unit, up to the first byte that cannot be read.
 *
 * @param source   the readers; the visitor of `source` is not called
 * @param job      the unit
 * @param address  address of the first byte, in this unit or after it
 * @param buffer   buffer of `size` bytes
 * @param size     number of bytes
 * @param good     receives the number of bytes before the first unreadable one
 * @param error    PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_gather_more(const struct pm_unit_source *source, const struct pm_job *job, uint64_t address,
                   void *buffer, size_t size, size_t *good, struct pm_error *error);

#endif
