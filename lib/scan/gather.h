/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The bytes of a unit and around it, as stretches in which hits may lie: what follows on each other
 * belongs together, also across units and regions. Private.
 */
#ifndef PM_SCAN_GATHER_H
#define PM_SCAN_GATHER_H

#include "scan/queue.h"

/** Bytes that are read behind a unit from the start; more only where a hit asks for it. */
enum { PM_OVERLAP = 4096 };

/** Most bytes that are read behind a unit for one hit. */
enum { PM_GROW_MAX = 1024 * 1024 };

/** Consecutive bytes of a unit. */
struct pm_gather_part {
	uint64_t address;     /**< of the first */
	uint8_t *bytes;       /**< they, in the worker's buffer */
	size_t size;          /**< how many */
	size_t before;        /**< bytes in the buffer before them, continuous with them */
	size_t after;         /**< the same behind them */
	uint64_t chain_after; /**< bytes behind them that may be read, `after` included */
	bool zeros_after;     /**< behind those is memory that was never touched */
	bool more_after;      /**< behind those are further ones that are not read for this */
	bool begins;          /**< nothing of the same thing comes before `before` */
	bool ends;            /**< nothing of the same thing comes behind */
};

/** The bytes of a unit; all zero but `bytes`. */
struct pm_gathered {
	uint8_t *buffer;              /**< PM_GATHER_ROOM bytes; the caller's */
	struct pm_gather_part *items; /**< the stretches, by ascending address; owned */
	size_t count;                 /**< how many */
	size_t capacity;              /**< private */
};

/** Bytes of the buffer that takes a unit and what is around it. */
#define PM_GATHER_ROOM (PM_LOOKBEHIND_ROOM + PM_UNIT_SIZE + PM_OVERLAP)

/** The part of it before the unit. */
#define PM_LOOKBEHIND_ROOM ((size_t)4096)

/**
 * Reads a unit.
 *
 * @param gathered  filled anew
 * @param regions   the regions
 * @param source    where to read; its visitor is not called
 * @param job       which unit; its gaps are filled
 * @param before    bytes wanted before it, at most PM_LOOKBEHIND_ROOM
 * @param error     PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_gather(struct pm_gathered *gathered, const struct pm_regions *regions,
              const struct pm_unit_source *source, struct pm_job *job, size_t before,
              struct pm_error *error);

/**
 * Reads more bytes, as far as that goes.
 *
 * @param source   where to read; its visitor is not called
 * @param job      the unit that they lie in or behind
 * @param address  first address
 * @param buffer   room for size bytes
 * @param size     how many
 * @param good     where to store how many there are before the first gap
 * @param error    PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_gather_more(const struct pm_unit_source *source, const struct pm_job *job, uint64_t address,
                   void *buffer, size_t size, size_t *good, struct pm_error *error);

#endif
