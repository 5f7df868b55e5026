/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A ring of records in memory that two processes share: one process writes, the other process
 * reads. Private.
 */
#ifndef PM_TRACE_PTRACE_RING_H
#define PM_TRACE_PTRACE_RING_H

#include <stdint.h>

#include <procmem/unwinder.h>

#include "trace/events.h"

/** Bytes of records: about 4,000 copies of stacks of the default size. A multiple of 8. */
#define PM_PTRACE_RING_SIZE ((uint64_t)32 << 20)

/** A record. The copy of the stack follows it. */
struct pm_ptrace_record {
	uint32_t size; /**< bytes of the record and of the copy, rounded up to a multiple of 8 */
	uint32_t stack_size;                     /**< bytes of the copy; UINT32_MAX: padding */
	struct pm_trace_event event;             /**< the event; `stack` is not used */
	uint64_t registers[PM_UNWIND_REGISTERS]; /**< if stack_size is not 0 */
};

/** The ring; empty if zeroed. */
struct pm_ptrace_ring {
	uint64_t head;  /**< bytes that were written */
	uint64_t tail;  /**< bytes that were released by the reader */
	uint64_t lost;  /**< records that were dropped because the ring was full */
	uint64_t stops; /**< how often a thread was stopped */
	unsigned char bytes[PM_PTRACE_RING_SIZE]; /**< the records */
};

/**
 * Finds room for a record.
 * @param ring       the ring
 * @param stack_max  maximum size of the copy of the stack
 * @return           the record, or NULL if the ring is full: the record counts as lost
 */
struct pm_ptrace_record *pm_ptrace_ring_reserve(struct pm_ptrace_ring *ring, uint32_t stack_max);

/**
 * Makes a record visible to the reader.
 * @param ring    the ring
 * @param record  as returned by pm_ptrace_ring_reserve(); its stack_size is set
 */
void pm_ptrace_ring_commit(struct pm_ptrace_ring *ring, struct pm_ptrace_record *record);

/**
 * Reads the next record.
 * @param ring      the ring
 * @param position  the position of the reader, at first `tail`; moved past the record
 * @return          the record, valid until it is released; NULL if there is no more
 */
const struct pm_ptrace_record *pm_ptrace_ring_next(const struct pm_ptrace_ring *ring,
                                                   uint64_t *position);

/**
 * Releases the records before a position.
 * @param ring      the ring
 * @param position  the position
 */
void pm_ptrace_ring_release(struct pm_ptrace_ring *ring, uint64_t position);

#endif
