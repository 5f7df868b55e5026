/* SPDX-License-Identifier: MIT */
#include "trace/ptrace_ring.h"

#include <stddef.h>

static const uint32_t PADDING = UINT32_MAX;

/** Returns the size of a record with a copy of the stack, rounded up to a multiple of 8. */
static uint64_t record_size(uint32_t stack_size)
{
	return (sizeof(struct pm_ptrace_record) + stack_size + 7) & ~(uint64_t)7;
}

static struct pm_ptrace_record *record_at(const struct pm_ptrace_ring *ring, uint64_t position)
{
	const unsigned char *bytes = ring->bytes + position % PM_PTRACE_RING_SIZE;
	return (struct pm_ptrace_record *)(uintptr_t)bytes;
}

struct pm_ptrace_record *pm_ptrace_ring_reserve(struct pm_ptrace_ring *ring, uint32_t stack_max)
{
	uint64_t head = ring->head;
	uint64_t used = head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	uint64_t rest = PM_PTRACE_RING_SIZE - head % PM_PTRACE_RING_SIZE;
	uint64_t padding = rest < record_size(stack_max) ? rest : 0;

	if (PM_PTRACE_RING_SIZE - used < padding + record_size(stack_max)) {
		__atomic_fetch_add(&ring->lost, 1, __ATOMIC_RELAXED);
		return NULL;
	}

	/* A record is contiguous. What remains before the end is skipped. */
	if (padding > 0) {
		struct pm_ptrace_record *skipped = record_at(ring, head);
		skipped->size = (uint32_t)padding;
		skipped->stack_size = PADDING;
		__atomic_store_n(&ring->head, head + padding, __ATOMIC_RELEASE);
	}
	return record_at(ring, head + padding);
}

void pm_ptrace_ring_commit(struct pm_ptrace_ring *ring, struct pm_ptrace_record *record)
{
	record->size = (uint32_t)record_size(record->stack_size);
	__atomic_store_n(&ring->head, ring->head + record->size, __ATOMIC_RELEASE);
}

const struct pm_ptrace_record *pm_ptrace_ring_next(const struct pm_ptrace_ring *ring,
                                                   uint64_t *position)
{
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);

	while (*position < head) {
		const struct pm_ptrace_record *record = record_at(ring, *position);

		*position += record->size;
		if (record->stack_size != PADDING)
			return record;
	}
	return NULL;
}

void pm_ptrace_ring_release(struct pm_ptrace_ring *ring, uint64_t position)
{
	__atomic_store_n(&ring->tail, position, __ATOMIC_RELEASE);
}
