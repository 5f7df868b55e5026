/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads the wanted segments (pm_segment.wanted) of the units of a plan. Every readable byte of
 * these segments is read. Unreadable ranges are reported in whole pages.
 */
#ifndef PROCMEM_UNIT_READ_H
#define PROCMEM_UNIT_READ_H

#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/unreadable.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The readers from which units are read, and the visitor that is called for unreadable ranges.
 * Several threads may use the same source at the same time if they may also call the visitor at the
 * same time.
 */
struct pm_unit_source {
	struct pm_reader *target; /**< reader for PM_SEGMENT_RUN segments */
	/**
	 * Reader for PM_SEGMENT_FILE and PM_SEGMENT_SHARED segments, such as the reader of
	 * pm_file_reader_open(). May be NULL if pm_plan_options.files is false: such a plan
	 * has no wanted segments of these types.
	 */
	struct pm_reader *files;
	/**
	 * Called for each unreadable range, by ascending address. Adjacent pages with the same
	 * reason form one range. May be NULL.
	 */
	pm_unreadable_visitor *unreadable;
	void *context; /**< passed to `unreadable` */
	/**
	 * Cancellation flag: when non-zero, reads fail with PM_ERROR_CANCELLED. NULL if there is
	 * none.
	 */
	const volatile sig_atomic_t *cancel;
};

/**
 * Reads the wanted segments of a unit into consecutive bytes of a buffer. The bytes of unreadable
 * pages are set to zero.
 *
 * @param source  the readers and the visitor
 * @param unit    the unit
 * @param buffer  room for unit->size bytes
 * @param error   PM_ERROR_GONE, PM_ERROR_CANCELLED; unreadable bytes are not an error
 * @return        0 or -1
 */
PM_PUBLIC int pm_unit_read(const struct pm_unit_source *source, const struct pm_unit *unit,
                           void *buffer, struct pm_error *error);

/**
 * The bytes that pm_unit_read_around() reads in addition to a unit (struct pm_unit): some directly
 * before the first segment of the unit, and some directly after its last segment. If all fields are
 * zero, only the unit is read.
 */
struct pm_unit_around {
	size_t before;       /**< number of bytes before the unit */
	size_t after;        /**< number of bytes after the unit */
	uint8_t before_type; /**< enum pm_segment_type of the bytes before the unit */
	uint8_t after_type;  /**< enum pm_segment_type of the bytes after the unit */
};

/**
 * Reads a unit and the bytes directly before and after it. This can need fewer system calls than
 * separate reads. Unreadable ranges are also reported for the bytes around the unit: a range can
 * start before the unit, or end after it.
 *
 * @param source  the readers and the visitor
 * @param unit    the unit; must have at least one segment
 * @param around  the bytes around the unit. They must be in wanted segments (pm_segment.wanted):
 *                reading other bytes can make the target grow
 * @param buffer  room for the bytes before, unit->size bytes, and the bytes after
 * @param error   as for pm_unit_read()
 * @return        0 or -1
 */
PM_PUBLIC int pm_unit_read_around(const struct pm_unit_source *source, const struct pm_unit *unit,
                                  const struct pm_unit_around *around, void *buffer,
                                  struct pm_error *error);

/**
 * Reads a range. Unreadable bytes are set to zero and reported. The bytes must be in wanted
 * segments of a plan (pm_segment.wanted): reading other bytes can make the target grow.
 *
 * @param source   the readers and the visitor; `files` is not used
 * @param address  first address
 * @param buffer   room for `size` bytes
 * @param size     number of bytes to read
 * @param error    PM_ERROR_GONE, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
PM_PUBLIC int pm_unit_read_bytes(const struct pm_unit_source *source, uint64_t address,
                                 void *buffer, size_t size, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
