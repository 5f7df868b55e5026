/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Searches a target with several threads. Each thread claims units of a plan, and reads and
 * searches these units. The hits are delivered by ascending address.
 *
 * A hit is found as a whole, even across units and across adjacent regions of the same mapping
 * (pm_region_continues()). No hit is found twice, and none is lost. A hit of more than
 * PM_SCAN_PIECE_MAX bytes is delivered in pieces, one after the other.
 *
 * The memory that a scan uses is bounded, however large the target and however long the hits are.
 * Measurements with up to four threads (VmHWM of proc_pid_status(5)): each thread added 1.2 MiB if
 * there were few hits, and 4.8 MiB if hits were several mebibytes long. The whole process used at
 * most 13 MiB with two threads, and 24 MiB with four.
 *
 * For most purposes, use <procmem/search.h>, which is simpler.
 */
#ifndef PROCMEM_SCAN_H
#define PROCMEM_SCAN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/read_plan.h>
#include <procmem/region.h>
#include <procmem/strings_scan.h>
#include <procmem/unit_read.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What to search for, created by pm_strings_scanner_create() or pm_pattern_scanner_create();
 * opaque. Several threads and scans may use the same scanner at the same time.
 */
struct pm_scanner;

/**
 * Releases a scanner.
 * @param scanner  the scanner; may be NULL
 */
PM_PUBLIC void pm_scanner_destroy(struct pm_scanner *scanner);

/** Maximum of pm_scan.around in bytes. */
#define PM_SCAN_CONTEXT_MAX ((size_t)4096)

/** Maximum number of threads of a scan. */
#define PM_SCAN_WORKERS_MAX 16u

/**
 * Maximum number of bytes of a hit that are delivered at once. A longer hit is delivered in pieces.
 * pm_scan_delivery.truncated is true for each piece except the last one, and
 * pm_scan_delivery.continued is true for each piece except the first one. A character is never
 * divided between two pieces.
 */
#define PM_SCAN_PIECE_MAX ((size_t)128 << 10)

/** A hit, as passed to pm_scan_found. Valid only during that call. */
struct pm_hit {
	uint64_t address; /**< address of the first byte in the target */
	size_t size;      /**< size in bytes */
	/**
	 * The bytes of the hit. The bytes around the hit can be read, too: those from
	 * bytes[-before] to bytes[size + after - 1].
	 */
	const uint8_t *bytes;
	/**
	 * Number of readable bytes directly before the hit, at most pm_scan.around. If a long hit
	 * is passed in pieces (PM_SCAN_PIECE_MAX), `before` is 0 in all pieces except the first.
	 */
	size_t before;
	/**
	 * Number of readable bytes directly after the hit, at most pm_scan.around. If a long hit is
	 * passed in pieces (PM_SCAN_PIECE_MAX), `after` is 0 in all pieces except the last.
	 */
	size_t after;
	size_t region;             /**< index of the region in which the hit starts */
	uint32_t source;           /**< index of the pattern; 0 in a search for text */
	enum pm_encoding encoding; /**< encoding of the hit */
	/**
	 * The hit is a piece of a longer hit, and another piece follows. Also set on the last piece
	 * if the match may be incomplete: a match of a pattern can be cut if it is longer than
	 * 1 MiB.
	 */
	bool truncated;
	/**
	 * The hit continues the previous piece of a longer hit, and both pieces were found in the
	 * same unit. To recognise pieces from different units, too, use
	 * pm_scan_delivery.continued.
	 */
	bool continued;
	/**
	 * The bytes of the hit were different when they were read again. Never set if pm_scan.again
	 * is false.
	 */
	bool changed;
};

/**
 * Collects the bytes to be delivered for a hit; opaque. Only the thread that found the hit may use
 * the batch, and only during the call of pm_scan_found.
 */
struct pm_scan_batch;

/**
 * Appends bytes to the bytes that will be delivered with the current hit.
 *
 * @param batch  the batch that pm_scan_found was called with
 * @param bytes  the bytes; copied
 * @param size   number of bytes
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_scan_append(struct pm_scan_batch *batch, const void *bytes, size_t size,
                             struct pm_error *error);

/**
 * Called for each hit, in the thread that found the hit. Several threads call the function at the
 * same time, and the hits are not in the order of addresses. Some of these hits are not passed to
 * pm_scan_deliver, because they overlap a hit at a lower address. The function can call
 * pm_scan_append() to add bytes to a hit, typically a line of output. pm_scan_deliver receives
 * these bytes with the hit.
 *
 * @param context  the context of the scan
 * @param worker   number of the thread, from 0. It is less than the number of threads of the scan,
 *                 which is at most PM_SCAN_WORKERS_MAX
 * @param hit      the hit
 * @param batch    the batch to pass to pm_scan_append()
 * @param error    describes the failure; filled by the function if it returns -1
 * @return         0 or -1
 */
typedef int pm_scan_found(void *context, unsigned worker, const struct pm_hit *hit,
                          struct pm_scan_batch *batch, struct pm_error *error);

/** A hit, as passed to pm_scan_deliver. Valid only during that call. */
struct pm_scan_delivery {
	uint64_t address;          /**< address of the first byte */
	size_t size;               /**< size in bytes */
	size_t region;             /**< index of the region in which the hit starts */
	uint32_t source;           /**< see pm_hit.source */
	enum pm_encoding encoding; /**< see pm_hit.encoding */
	bool truncated;            /**< see pm_hit.truncated */
	/** The hit is a piece that continues a piece that was delivered before */
	bool continued;
	bool changed;      /**< see pm_hit.changed */
	const void *bytes; /**< the bytes that pm_scan_append() added for this hit */
	size_t length;     /**< number of bytes in `bytes` */
};

/**
 * Called for each hit by ascending address, in the thread that called pm_scan_run().
 *
 * @param context   the context of the scan
 * @param delivery  the hit
 * @param error     describes the failure; filled by the function if it returns -1
 * @return          0 to continue; 1 to end the scan, which then succeeds; -1 on failure
 */
typedef int pm_scan_deliver(void *context, const struct pm_scan_delivery *delivery,
                            struct pm_error *error);

/** Totals of a scan. pm_scan_tick receives the totals so far. */
struct pm_scan_totals {
	/**
	 * Number of bytes that were read, including pages of zeros, but without holes
	 * (PM_SEGMENT_HOLE), which are not read.
	 */
	uint64_t searched;
	uint64_t unreadable; /**< number of bytes that could not be read */
	uint64_t hits; /**< number of delivered hits, where all pieces of a hit count as one hit */
	/** Number of hits whose bytes were different when they were read again (pm_scan.again) */
	uint64_t changed;
	/**
	 * Number of addresses at which an attempt to match took too long and was ended. No match
	 * that starts there is found.
	 */
	uint64_t gave_up;
	/**
	 * Number of addresses at which no match was attempted, because attempts at earlier
	 * addresses took too long. No match that starts there is found.
	 */
	uint64_t passed;
};

/**
 * Called each time that all hits of a unit were delivered, and about ten times a second while the
 * scan waits for hits. The caller can use these calls to flush its output.
 *
 * @param context  the context of the scan
 * @param totals   the totals so far
 * @return         0 to continue; any other value ends the scan with PM_ERROR_CANCELLED
 */
typedef int pm_scan_tick(void *context, const struct pm_scan_totals *totals);

/** Parameters of a scan. */
struct pm_scan {
	const struct pm_scanner *scanner; /**< what to search for */
	const struct pm_regions *regions; /**< the regions of the plan */
	/**
	 * The units to read. The scan reads the plan to its end, so another scan needs another
	 * plan.
	 */
	struct pm_plan *plan;
	/**
	 * The readers from which the units are read. `source.unreadable` is called in the thread
	 * that called pm_scan_run(), by ascending address.
	 */
	struct pm_unit_source source;
	/**
	 * Number of threads, at most PM_SCAN_WORKERS_MAX. 0: one thread for each usable CPU, but at
	 * most 4 threads.
	 */
	unsigned workers;
	/**
	 * Maximum number of bytes that `found` may read directly before a hit, and also directly
	 * after it; at most PM_SCAN_CONTEXT_MAX
	 */
	size_t around;
	/**
	 * Read the bytes of each hit again before `found` is called, and set pm_hit.changed if they
	 * are different. Has no effect if `source.files` is set.
	 */
	bool again;
	pm_scan_found *found; /**< called for each hit, in the thread that found it; may be NULL */
	pm_scan_deliver *deliver; /**< called for each hit by ascending address */
	pm_scan_tick *tick;       /**< called regularly with the totals; may be NULL */
	void *context;            /**< passed to `found`, `deliver` and `tick` */
};

/**
 * Runs a scan.
 *
 * @param scan    the parameters
 * @param totals  filled, also after a failure
 * @param error   PM_ERROR_GONE, PM_ERROR_CANCELLED (by `source.cancel` or `tick`),
 *                PM_ERROR_RESOURCES, PM_ERROR_USAGE, or the error of a callback
 * @return        0 or -1
 */
PM_PUBLIC int pm_scan_run(const struct pm_scan *scan, struct pm_scan_totals *totals,
                          struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
