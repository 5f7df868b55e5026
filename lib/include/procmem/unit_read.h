/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads the units of a plan. Every readable byte is read, and unreadable ranges are reported in
 * whole pages.
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
 * Sources of the bytes, and the visitor for what cannot be read. Several threads may use the same
 * source if `unreadable` allows it.
 */
struct pm_unit_source {
	struct pm_reader *target; /**< reader for PM_SEGMENT_RUN segments */
	struct pm_reader *files;  /**< for wanted file and shared segments (pm_file_reader_open());
	                             may be NULL if there are none */
	pm_unreadable_visitor *unreadable;   /**< called for unreadable ranges, by ascending
	                                        address; adjacent pages with the same reason are
	                                        one range; or NULL */
	void *context;                       /**< passed to `unreadable` */
	const volatile sig_atomic_t *cancel; /**< when non-zero, reads fail with
	                                        PM_ERROR_CANCELLED; or NULL */
};

/**
 * Reads the wanted segments of a unit into consecutive bytes of a buffer. Unreadable bytes are set
 * to zero.
 *
 * @param source  the sources
 * @param unit    the unit
 * @param buffer  room for unit->size bytes
 * @param error   PM_ERROR_GONE, PM_ERROR_CANCELLED; unreadable bytes are not an error
 * @return        0 or -1
 */
PM_PUBLIC int pm_unit_read(const struct pm_unit_source *source, const struct pm_unit *unit,
                           void *buffer, struct pm_error *error);

/** Bytes directly before the first segment of a unit and after the last one. All zero: none. */
struct pm_unit_around {
	size_t before;       /**< bytes before the unit */
	size_t after;        /**< bytes after the unit */
	uint8_t before_type; /**< enum pm_segment_type of the bytes before, as in the plan */
	uint8_t after_type;  /**< enum pm_segment_type of the bytes after, as in the plan */
};

/**
 * Reads a unit and the bytes around it. If the types of the segments allow it, the same system
 * calls read both. Unreadable ranges are reported for the bytes around the unit, too: a range can
 * start before the unit, or end after it.
 *
 * @param source  the sources
 * @param unit    the unit; must have at least one segment
 * @param around  the bytes around it; a plan must want all of them
 * @param buffer  room for the bytes before, unit->size bytes, and the bytes after
 * @param error   as for pm_unit_read()
 * @return        0 or -1
 */
PM_PUBLIC int pm_unit_read_around(const struct pm_unit_source *source, const struct pm_unit *unit,
                                  const struct pm_unit_around *around, void *buffer,
                                  struct pm_error *error);

/**
 * Reads a range with the same handling of unreadable bytes. It does not check the page states: use
 * it only for ranges that a plan wants.
 *
 * @param source   the sources; only `target` is read
 * @param address  first address
 * @param buffer   room for `size` bytes
 * @param size     bytes to read
 * @param error    PM_ERROR_GONE, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
PM_PUBLIC int pm_unit_read_bytes(const struct pm_unit_source *source, uint64_t address,
                                 void *buffer, size_t size, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
