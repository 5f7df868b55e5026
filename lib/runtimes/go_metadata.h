/* SPDX-License-Identifier: MIT */
/** @file Memory of the Go runtime outside of the heap. Private. */
#ifndef PM_RUNTIMES_GO_METADATA_H
#define PM_RUNTIMES_GO_METADATA_H

#include "runtimes/context.h"
#include "runtimes/go_layout.h"

/**
 * Adds the memory to which the structures of the runtime point: metadata of arenas, of spans and of
 * the garbage collector.
 *
 * @param context  the context
 * @param layout   the layout, whose heap passed its checks
 */
void pm_go_metadata_read(struct pm_runtimes_context *context, const struct pm_go_layout *layout);

/** Adds memory to which Go 1.25 and later gave names: "[anon: Go: heap]" and others. */
void pm_go_metadata_named(struct pm_runtimes_context *context);

/**
 * Adds the other anonymous memory of a program without C code, without proof. Memory that is large
 * for metadata is left out: the program itself may have mapped it.
 */
void pm_go_metadata_guess(struct pm_runtimes_context *context);

#endif
