/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The whole public interface of libprocmem.
 *
 * Rules that hold everywhere: functions return 0 or -1 (iterators 1, 0 at the end, -1) and fill the
 * caller's `struct pm_error`; out-parameters come last before the error and are untouched on
 * failure; texts that a call hands out live as long as its comment says; sizes are bytes, ranges
 * half-open. The library never prints, never exits, installs no signal handlers and keeps no
 * mutable globals.
 *
 * Threads: functions without a handle may be called by several threads at a time, and so may all
 * others for different handles. What several threads may do with one handle stands where the handle
 * is declared; structures that the caller owns (`struct pm_error`, results) are like any variable:
 * one thread at a time, or all of them only read. Flags by which a caller cancels are the
 * exception: the threads of the library look at them while they work, with atomic loads. Who sets
 * one meanwhile, in a signal handler or another thread, stores atomically as well
 * (`__atomic_store_n(&cancel, 1, __ATOMIC_RELAXED)`).
 */
#ifndef PROCMEM_PROCMEM_H
#define PROCMEM_PROCMEM_H

#include <procmem/core.h>
#include <procmem/core_dump.h>
#include <procmem/dump.h>
#include <procmem/error.h>
#include <procmem/file_reader.h>
#include <procmem/growth.h>
#include <procmem/headroom.h>
#include <procmem/kills.h>
#include <procmem/kinds.h>
#include <procmem/limits.h>
#include <procmem/maps.h>
#include <procmem/members.h>
#include <procmem/minmax.h>
#include <procmem/number.h>
#include <procmem/pagemap.h>
#include <procmem/pattern_scan.h>
#include <procmem/process.h>
#include <procmem/process_list.h>
#include <procmem/range.h>
#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/recording.h>
#include <procmem/region.h>
#include <procmem/sample.h>
#include <procmem/scan.h>
#include <procmem/select.h>
#include <procmem/stop.h>
#include <procmem/strings_scan.h>
#include <procmem/symbols.h>
#include <procmem/target_reader.h>
#include <procmem/tracker.h>
#include <procmem/trend.h>
#include <procmem/typo.h>
#include <procmem/unit_read.h>
#include <procmem/unreadable.h>
#include <procmem/wakeup.h>

#endif
