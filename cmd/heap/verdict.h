/* SPDX-License-Identifier: MIT */
/** @file What the totals of a heap mean: whether it is fragmented, and which chunks cause it. */
#ifndef CMD_HEAP_VERDICT_H
#define CMD_HEAP_VERDICT_H

#include <procmem/heap.h>
#include <procmem/region.h>

/** The verdicts on a heap. */
enum heap_verdict_type {
	HEAP_VERDICT_NONE,       /**< most of the heap is in use, or the heap is small */
	HEAP_VERDICT_FRAGMENTED, /**< most of the heap is free, between chunks in use */
	HEAP_VERDICT_UNUSED,     /**< most of the heap is free, at the ends of arenas */
};

/** Maximum number of chunks in heap_pins.samples. */
enum { HEAP_PINS_SAMPLES = 16 };

/** The chunks of one size that lie between free chunks. */
struct heap_pins {
	uint64_t count; /**< number of chunks; 0 if there are none */
	uint64_t size;  /**< their size as malloc counts it, in bytes */
	uint64_t total; /**< number of chunks between free chunks, of all sizes */
	/** Numbers of some of them that are in use, for pm_heap_chunk(), the first one first */
	uint32_t samples[HEAP_PINS_SAMPLES];
	size_t sample_count; /**< number of elements of `samples` */
};

/** A verdict. Sizes are in bytes. */
struct heap_verdict {
	enum heap_verdict_type type; /**< the verdict */
	uint64_t free;               /**< free chunks, fastbins and top, of all arenas */
	uint64_t anonymous;          /**< anonymous memory of the process; 0 if not known */
	uint64_t resident;           /**< resident bytes of arenas; UINT64_MAX if not known */
	struct heap_pins pins;       /**< only for HEAP_VERDICT_FRAGMENTED */
};

/**
 * Judges a heap.
 *
 * @param heap      the heap, whose chunks are known
 * @param resident  resident bytes of its arenas; UINT64_MAX if not known
 * @return          the verdict
 */
struct heap_verdict heap_verdict_make(const struct pm_heap *heap, uint64_t resident);

/**
 * Sums the resident sizes of the regions that contain arenas.
 *
 * @param heap     the heap
 * @param regions  the regions of the target
 * @return         bytes; UINT64_MAX if the resident sizes are not known
 */
uint64_t heap_verdict_resident(const struct pm_heap *heap, const struct pm_regions *regions);

/**
 * Sums the sizes of anonymous memory.
 *
 * @param regions  the regions, with sizes
 * @return         bytes; 0 if the sizes are not known
 */
uint64_t heap_verdict_anonymous(const struct pm_regions *regions);

#endif
