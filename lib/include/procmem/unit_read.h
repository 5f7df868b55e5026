/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reading a unit of a plan whatever happens: every byte that can be had, and the rest named page by
 * page.
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
 * Where pm_unit_read() takes bytes from, and whom it tells. Threads may share one if its visitor
 * allows it.
 */
struct pm_unit_source {
	struct pm_reader *target; /**< for runs */
	struct pm_reader *files;  /**< for wanted file and shared segments (pm_file_reader_open());
	                             required where any are */
	pm_unreadable_visitor *unreadable;   /**< called for what cannot be read; may be NULL */
	void *context;                       /**< handed to it */
	const volatile sig_atomic_t *cancel; /**< when it becomes non-zero, reading ends with
	                                        PM_ERROR_CANCELLED; or NULL */
};

/**
 * Reads the wanted segments of a unit, one behind the other, into a buffer. Unreadable bytes are
 * zeros there.
 *
 * @param source  where from
 * @param unit    what to read
 * @param buffer  room for unit->size bytes
 * @param error   PM_ERROR_GONE, PM_ERROR_CANCELLED; unreadable bytes are no error
 * @return        0 or -1
 */
PM_PUBLIC int pm_unit_read(const struct pm_unit_source *source, const struct pm_unit *unit,
                           void *buffer, struct pm_error *error);

/** Bytes directly before the first segment of a unit and behind its last one. All zero is none. */
struct pm_unit_around {
	size_t before;       /**< bytes before */
	size_t after;        /**< bytes behind */
	uint8_t before_type; /**< enum pm_segment_type, as a plan says of those before: where to
	                        read them */
	uint8_t after_type;  /**< the same of those behind */
};

/**
 * Reads a unit together with bytes around it, by the same calls into the kernel where these are of
 * one type. The visitor is told of what cannot be read around it, too: a range may begin before the
 * unit, or end behind it.
 *
 * @param source  where from
 * @param unit    what to read; it has segments
 * @param around  what else: no bytes but such as a plan wants
 * @param buffer  room for the bytes before, unit->size, and those behind
 * @param error   as pm_unit_read()
 * @return        0 or -1
 */
PM_PUBLIC int pm_unit_read_around(const struct pm_unit_source *source, const struct pm_unit *unit,
                                  const struct pm_unit_around *around, void *buffer,
                                  struct pm_error *error);

/**
 * Reads any bytes with the same recovery. It does not know which pages are there: use it for ranges
 * that a plan wants.
 *
 * @param source   where from; only `target` is read
 * @param address  first address
 * @param buffer   room for size bytes
 * @param size     how many
 * @param error    PM_ERROR_GONE, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
PM_PUBLIC int pm_unit_read_bytes(const struct pm_unit_source *source, uint64_t address,
                                 void *buffer, size_t size, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
