/* SPDX-License-Identifier: MIT */
/** @file The heap of Go: arenas, and the spans in them that are stacks of goroutines. Private. */
#ifndef PM_RUNTIMES_GO_HEAP_H
#define PM_RUNTIMES_GO_HEAP_H

#include "runtimes/context.h"
#include "runtimes/go_layout.h"

enum {
	/** Size of an arena, heapArenaBytes on 64-bit Linux */
	PM_GO_ARENA_BYTES = 64 << 20,
	/** Maximum number of arenas that are read: 4 TiB of heap */
	PM_GO_ARENAS_MAX = 65536,
	/** Entries of the table of arenas, arenaL2Bits on 64-bit Linux */
	PM_GO_ARENA_TABLE = 1 << 22,
};

/** Where the Go runtime maps its heap if nothing else is there: arena hints, runtime/malloc.go. */
#define PM_GO_HINTS_START UINT64_C(0xc000000000)
#define PM_GO_HINTS_END   UINT64_C(0xd000000000)

/** What was found. */
struct pm_go_heap {
	bool proven;          /**< the structures of the runtime passed all checks */
	bool complete;        /**< all spans were read */
	uint64_t stack_bytes; /**< bytes of spans that are stacks */
	uint64_t heap_bytes;  /**< bytes of spans that contain objects */
};

/**
 * Converts an index of an arena (arenaIdx) into the address of the arena.
 * @return 0 if no arena can have this index
 */
uint64_t pm_go_arena_address(uint64_t index);

/**
 * Reads the arenas and spans, and adds their ranges: stacks of goroutines, and the rest of each
 * arena. Adds nothing if the structures do not pass the checks.
 *
 * @param context  the context
 * @param layout   the layout
 * @param heap     receives what was found
 */
void pm_go_heap_read(struct pm_runtimes_context *context, const struct pm_go_layout *layout,
                     struct pm_go_heap *heap);

/** Adds anonymous memory where the runtime maps its heap, without proof. */
void pm_go_heap_guess(struct pm_runtimes_context *context);

#endif
