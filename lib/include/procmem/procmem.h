/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The whole public interface of libprocmem.
 *
 * These rules hold everywhere:
 * - A function that can fail returns 0 on success and -1 on failure. An iterator returns 1 for an
 *   item, 0 at the end, and -1 on failure. The comment of `error` lists the kinds of errors that a
 *   function can return.
 * - On failure, a function fills the `struct pm_error` of the caller. Output parameters directly
 *   precede the error. They are unchanged on failure, unless the comment of the function says
 *   otherwise.
 * - The comment of a function that returns a text states how long the text is valid.
 * - Sizes are bytes. Ranges are half-open.
 * - The library does not print or exit, installs no signal handlers, and has no mutable globals.
 *
 * Threads: several threads may call a function at the same time if the function takes no handle, or
 * if each thread uses a different handle. The comment of each handle type states whether several
 * threads may use the same handle. Structures that the caller owns (`struct pm_error`, results)
 * must not be used by several threads at the same time, except if all threads only read them. A
 * cancel flag may be set at any time: the library reads it with atomic loads. A signal handler or
 * thread that sets a cancel flag must use an atomic store (`__atomic_store_n(&cancel, 1,
 * __ATOMIC_RELAXED)`).
 */
#ifndef PROCMEM_PROCMEM_H
#define PROCMEM_PROCMEM_H

#include <procmem/arena_threads.h>
#include <procmem/census.h>
#include <procmem/census_sample.h>
#include <procmem/cgroup_levels.h>
#include <procmem/cgroup_parts.h>
#include <procmem/chunk_filter.h>
#include <procmem/chunk_parts.h>
#include <procmem/chunk_text.h>
#include <procmem/chunk_type.h>
#include <procmem/cohorts.h>
#include <procmem/container.h>
#include <procmem/copy.h>
#include <procmem/core.h>
#include <procmem/core_dump.h>
#include <procmem/demangle.h>
#include <procmem/detail.h>
#include <procmem/dump.h>
#include <procmem/error.h>
#include <procmem/family.h>
#include <procmem/file.h>
#include <procmem/file_reader.h>
#include <procmem/file_users.h>
#include <procmem/format_match.h>
#include <procmem/graph.h>
#include <procmem/growth.h>
#include <procmem/headroom.h>
#include <procmem/heap.h>
#include <procmem/histogram.h>
#include <procmem/kills.h>
#include <procmem/kinds.h>
#include <procmem/leaks.h>
#include <procmem/limits.h>
#include <procmem/maps.h>
#include <procmem/members.h>
#include <procmem/memory_use.h>
#include <procmem/minmax.h>
#include <procmem/next_hits.h>
#include <procmem/number.h>
#include <procmem/number_scan.h>
#include <procmem/number_test.h>
#include <procmem/oom_log.h>
#include <procmem/owner.h>
#include <procmem/owner_sums.h>
#include <procmem/page_set.h>
#include <procmem/page_strings.h>
#include <procmem/pagemap.h>
#include <procmem/pattern_scan.h>
#include <procmem/pressure.h>
#include <procmem/pressure_signs.h>
#include <procmem/process.h>
#include <procmem/process_cgroup.h>
#include <procmem/process_find.h>
#include <procmem/process_id.h>
#include <procmem/process_list.h>
#include <procmem/process_rollup.h>
#include <procmem/python_heap.h>
#include <procmem/range.h>
#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/recorder.h>
#include <procmem/recording.h>
#include <procmem/recording_walk.h>
#include <procmem/refs.h>
#include <procmem/refs_tree.h>
#include <procmem/region.h>
#include <procmem/reserve.h>
#include <procmem/retained.h>
#include <procmem/retained_tree.h>
#include <procmem/runtimes.h>
#include <procmem/runtimes_cache.h>
#include <procmem/sample.h>
#include <procmem/saved_hits.h>
#include <procmem/scan.h>
#include <procmem/script.h>
#include <procmem/search.h>
#include <procmem/select.h>
#include <procmem/series.h>
#include <procmem/shared_objects.h>
#include <procmem/site_list.h>
#include <procmem/stacks.h>
#include <procmem/stale.h>
#include <procmem/stop.h>
#include <procmem/strings_scan.h>
#include <procmem/survivors.h>
#include <procmem/symbols.h>
#include <procmem/tally.h>
#include <procmem/target_reader.h>
#include <procmem/text_template.h>
#include <procmem/threads.h>
#include <procmem/tmpfs.h>
#include <procmem/tmpfs_rows.h>
#include <procmem/trace.h>
#include <procmem/tracker.h>
#include <procmem/trend.h>
#include <procmem/typo.h>
#include <procmem/unit_read.h>
#include <procmem/unreadable.h>
#include <procmem/unwinder.h>
#include <procmem/version.h>
#include <procmem/wakeup.h>

#endif
