/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reading the units of a plan ahead, by several threads, for one taker that wants them in order.
 * Private.
 *
 * One thread reads at about half the speed of memcpy: the kernel pins and copies for it alone. With
 * more threads, writing and reading overlap as well, and a stop of the target gets shorter.
 */
#ifndef PM_DUMP_UNIT_RING_H
#define PM_DUMP_UNIT_RING_H

#include <procmem/dump.h>

/** How far a slot is. */
enum pm_slot_state {
	PM_SLOT_FREE,   /**< nobody needs what is in it */
	PM_SLOT_READ,   /**< a thread reads into it */
	PM_SLOT_READY,  /**< to be taken */
	PM_SLOT_FAILED, /**< reading ends here: see `error` */
};

/** A unit with its bytes. */
struct pm_ring_slot {
	enum pm_slot_state state;             /**< changed under the lock of the ring */
	struct pm_unit unit;                  /**< what was read */
	struct pm_error error;                /**< why not */
	struct pm_unreadable_list unreadable; /**< what could not be read, by ascending address */
	bool out_of_memory;                   /**< the list is incomplete */
	char bytes[PM_UNIT_SIZE];             /**< the wanted segments, one behind the other */
};

/** A ring; opaque. */
struct pm_unit_ring;

/**
 * Starts reading.
 *
 * @param source  what; must outlive the ring
 * @param ring    where to store it; release with pm_unit_ring_close()
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_unit_ring_open(const struct pm_dump_source *source, struct pm_unit_ring **ring,
                      struct pm_error *error);

/**
 * Ends reading, also in the middle.
 * @param ring a ring or NULL
 */
void pm_unit_ring_close(struct pm_unit_ring *ring);

/**
 * Takes the next unit; the one taken before is given back.
 *
 * @param ring   the ring
 * @param slot   where to store the unit, valid until the next call
 * @param error  as pm_plan_next() and pm_unit_read()
 * @return       1: a unit; 0: the end; -1: an error
 */
int pm_unit_ring_next(struct pm_unit_ring *ring, const struct pm_ring_slot **slot,
                      struct pm_error *error);

#endif
