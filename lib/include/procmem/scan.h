/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Searching a target: several threads take unit after unit of a plan, read it and look through it,
 * and the hits come back in the order of their addresses.
 *
 * A hit is found whole wherever it lies: across units, and across adjacent regions of the same
 * thing (pm_region_continues()). None is found twice, none is lost. A hit of more than
 * PM_SCAN_PIECE_MAX bytes comes in pieces, one behind the other.
 *
 * Memory does not depend on the target's size, nor on the length of hits. Measured with up to four
 * threads (VmHWM of proc_pid_status(5)), a thread takes 1.2 MiB where there are few hits, 2.6 MiB
 * where all is text, 4.8 MiB while it looks where hits of mebibytes end, and up to 7.2 MiB where
 * ten times the bytes of these are appended. In all that was 13 MiB with two threads at the most,
 * and 24 MiB with four.
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
 * A search, made by pm_strings_scanner_create() or pm_pattern_scanner_create(); opaque. Several
 * threads and scans may use one.
 */
struct pm_scanner;

/**
 * Releases a search.
 * @param scanner a search or NULL
 */
PM_PUBLIC void pm_scanner_destroy(struct pm_scanner *scanner);

/** Most bytes around a hit that can be asked for. */
#define PM_SCAN_CONTEXT_MAX ((size_t)4096)

/** Most threads of a scan. */
#define PM_SCAN_WORKERS_MAX 16u

/**
 * Most bytes of a hit that are told at a time: what is longer comes as several hits, `truncated`
 * and `continued`, cut between characters.
 */
#define PM_SCAN_PIECE_MAX ((size_t)128 << 10)

/** Something that was found, valid during the call that tells it. */
struct pm_hit {
	uint64_t address; /**< where it begins in the target */
	size_t size;      /**< its bytes */
	const uint8_t
		*bytes;  /**< they; as many as `before` and `after` say may be read around them */
	size_t before;   /**< bytes before it that belong to the same memory, up to pm_scan.around;
	                    none between pieces of a hit */
	size_t after;    /**< the same behind it */
	size_t region;   /**< index of the region in which it begins */
	uint32_t source; /**< index of the pattern, 0 in a search for text */
	enum pm_encoding encoding; /**< of the text that was searched for */
	bool truncated; /**< it goes on: the rest comes as a further hit; that of a pattern's match
	                   of mebibytes perhaps not at all */
	bool continued; /**< it is the rest of a hit before. Where units meet only
	                   pm_scan_delivery.continued tells that */
	bool changed;   /**< when looked at again the target had other bytes there; only with
	                   pm_scan.again */
};

/**
 * Collects what is to be delivered for a hit; opaque. It belongs to the thread that is told of the
 * hit, for the duration of that call.
 */
struct pm_scan_batch;

/**
 * Adds bytes to what is delivered for the hit at hand.
 *
 * @param batch as handed in
 * @param bytes what
 * @param size how many
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
PM_PUBLIC int pm_scan_append(struct pm_scan_batch *batch, const void *bytes, size_t size,
                             struct pm_error *error);

/**
 * Told of each hit in the thread that found it, several at a time and in no order; some of the hits
 * are dropped later, as parts of longer ones. It writes down what is to be delivered, mostly a line
 * of output.
 *
 * @param context  of the scan
 * @param worker   number of the thread, less than pm_scan.workers (where that is 0, than
 * PM_SCAN_WORKERS_MAX)
 * @param hit      what was found
 * @param batch    for pm_scan_append()
 * @param error    to be filled on failure
 * @return         0 or -1
 */
typedef int pm_scan_found(void *context, unsigned worker, const struct pm_hit *hit,
                          struct pm_scan_batch *batch, struct pm_error *error);

/** A hit in its order, valid during the call. */
struct pm_scan_delivery {
	uint64_t address;          /**< where it begins */
	size_t size;               /**< its bytes */
	size_t region;             /**< index of the region in which it begins */
	uint32_t source;           /**< as in the hit */
	enum pm_encoding encoding; /**< as in the hit */
	bool truncated;            /**< as in the hit */
	bool continued;            /**< it goes on directly where the one before was truncated */
	bool changed;              /**< as in the hit */
	const void *bytes;         /**< what pm_scan_append() added */
	size_t length;             /**< how many */
};

/**
 * Told of each hit by ascending address, in the thread that called pm_scan_run().
 *
 * @param context   of the scan
 * @param delivery  the hit
 * @param error     to be filled on failure
 * @return          0: go on; 1: that is enough, the scan ends without error; -1: failure
 */
typedef int pm_scan_deliver(void *context, const struct pm_scan_delivery *delivery,
                            struct pm_error *error);

/** What a scan has done so far. */
struct pm_scan_totals {
	uint64_t searched;   /**< bytes that were read and looked through; pages of zeros that could
	                        be passed over included */
	uint64_t unreadable; /**< bytes that could not be read */
	uint64_t hits;       /**< delivered, in pieces or not */
	uint64_t changed;    /**< of these, changed since */
	uint64_t gave_up;    /**< begins of matches at which a pattern reached its limits */
	uint64_t passed;     /**< bytes at which no match was tried after that */
};

/**
 * Called about ten times a second, and whenever all hits that are there were delivered.
 *
 * @param context of the scan
 * @param totals so far
 * @return 0: go on; anything else ends the scan with PM_ERROR_CANCELLED
 */
typedef int pm_scan_tick(void *context, const struct pm_scan_totals *totals);

/** A scan. */
struct pm_scan {
	const struct pm_scanner *scanner; /**< what to search for */
	const struct pm_regions *regions; /**< the regions that the plan was made for */
	struct pm_plan *plan;             /**< what to read; used up */
	struct pm_unit_source source; /**< where from; `unreadable` is called by ascending address,
	                                 as `deliver` is */
	unsigned workers; /**< threads; 0 means as many as there are processors for us, 4 at the
	                     most */
	size_t around;    /**< bytes around a hit to be shown to `found`, PM_SCAN_CONTEXT_MAX at the
	                     most */
	bool again; /**< look at each hit again before it is told: the target may have changed it
	               meanwhile */
	pm_scan_found *found;     /**< told of each hit at once; NULL: nothing to append */
	pm_scan_deliver *deliver; /**< told of each hit in order */
	pm_scan_tick *tick;       /**< NULL: not called */
	void *context;            /**< handed to them */
};

/**
 * Scans.
 *
 * @param scan    what and how
 * @param totals  filled, also where it fails
 * @param error   PM_ERROR_GONE, PM_ERROR_CANCELLED (source.cancel, or tick), PM_ERROR_RESOURCES,
 * PM_ERROR_USAGE, what the callbacks say
 * @return        0 or -1
 */
PM_PUBLIC int pm_scan_run(const struct pm_scan *scan, struct pm_scan_totals *totals,
                          struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
