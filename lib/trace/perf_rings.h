/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The ring buffers of perf_event_open(2), one for each CPU. Private.
 *
 * An event of this process that never counts carries each ring, so that the ring does not end with
 * a thread of the target. All rings together have at most PM_PERF_RINGS_MAX bytes.
 */
#ifndef PM_TRACE_PERF_RINGS_H
#define PM_TRACE_PERF_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/** Maximum size of all rings together, and of one ring, in bytes. */
enum { PM_PERF_RINGS_MAX = 64 << 20, PM_PERF_RING_MAX = 16 << 20 };

/** A ring. */
struct pm_perf_ring {
	int cpu;           /**< number of the CPU */
	int fd;            /**< the event that carries the ring; poll(2) it for records */
	void *mapping;     /**< the mapping: a page that describes the ring, and the records */
	char *joined;      /**< space for a record that wraps around; owned */
	uint64_t consumed; /**< position after the consumed records */
	uint64_t end;      /**< position after the records that are consumed now */
	uint64_t time;     /**< time of the next record; UINT64_MAX if there is none */
};

/** The rings of all CPUs that are online. */
struct pm_perf_rings {
	struct pm_perf_ring *items; /**< by ascending number of the CPU; owned */
	size_t count;               /**< number of rings */
	size_t size;                /**< bytes of the records of a ring, a power of 2 */
};

/** Receives a record of `size` bytes, aligned to 8 bytes. Returns 0, or -1 to stop. */
typedef int pm_perf_rings_consume(void *context, const void *record, size_t size,
                                  struct pm_error *error);

/**
 * Returns the size of a ring: the largest one with which all rings together have at most
 * PM_PERF_RINGS_MAX bytes.
 *
 * @param count   number of rings, at least 1
 * @param record  maximum size of a record in bytes
 * @return        bytes of the records of a ring, a power of 2; 0 if rings of that size would be
 *                smaller than a record
 */
size_t pm_perf_rings_plan(size_t count, size_t record);

/**
 * Maps the rings.
 *
 * @param rings   receives the rings; release with pm_perf_rings_close(), also after an error
 * @param record  maximum size of a record in bytes; a ring is not smaller
 * @param error   PM_ERROR_ACCESS, PM_ERROR_RESOURCES, PM_ERROR_UNSUPPORTED
 * @return        0 or -1
 */
int pm_perf_rings_open(struct pm_perf_rings *rings, size_t record, struct pm_error *error);

/** Releases the rings. */
void pm_perf_rings_close(struct pm_perf_rings *rings);

/**
 * Consumes the records that the rings contain now, in the order of their times: a thread can move
 * to another CPU, whose ring then has its next record. Records that the kernel adds during the call
 * remain in the rings. The space of the records is reused after pm_perf_rings_release() only.
 *
 * @param rings    the rings
 * @param consume  receives each record, which is valid until pm_perf_rings_release(); it may call
 *                 that function, which keeps the record that is being consumed
 * @param context  first argument of `consume`
 * @param full     receives whether a ring was nearly full, so that records may have been dropped
 * @param error    that of `consume`, or PM_ERROR_IO (a ring is damaged)
 * @return         0 or -1
 */
int pm_perf_rings_drain(struct pm_perf_rings *rings, pm_perf_rings_consume *consume, void *context,
                        bool *full, struct pm_error *error);

/** Gives the space of the consumed records back to the kernel. */
void pm_perf_rings_release(struct pm_perf_rings *rings);

#endif
