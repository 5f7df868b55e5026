/* SPDX-License-Identifier: MIT */
/** @file How fast the memory of processes changes: two lists, some time apart. */
#ifndef CMD_PS_GROWTH_H
#define CMD_PS_GROWTH_H

#include "ps/listing.h"

/** The processes at the start of --for. A zeroed structure means that there is no --for. */
struct ps_growth {
	struct ps_listing before; /**< the processes at the start */
	double seconds;           /**< time between the lists; 0 without --for */
	bool interrupted;         /**< a signal has ended the wait */
	struct ps_row **ended;    /**< rows of `before` that have ended, by descending RSS; owned */
	size_t ended_count;       /**< number of these rows */
	size_t new_count;         /**< number of listed processes that started after `before` */
};

/**
 * Reads the processes at the start, and waits. A signal ends the wait early.
 *
 * @param growth   zeroed; release it with ps_growth_deinit(), also on failure
 * @param filter   which processes are listed
 * @param needs    what to read for each of them: bits of enum ps_needs
 * @param seconds  time to wait
 * @param error    PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int ps_growth_start(struct ps_growth *growth, const struct ps_filter *filter, unsigned needs,
                    double seconds, struct pm_error *error);

/**
 * Compares the processes with those at the start: sets the rates, and finds which processes are new
 * and which have ended.
 *
 * @param growth   the processes at the start; receives the result
 * @param listing  the processes now; their rows receive the rates
 */
void ps_growth_end(struct ps_growth *growth, struct ps_listing *listing);

/**
 * Reports on stderr the number of processes that have started and ended, and names the latter.
 * @param growth  the result
 */
void ps_growth_report(const struct ps_growth *growth);

/**
 * Makes the member "processes_ended" of JSON.
 * @param growth  the result
 * @return        an array, which can be empty
 */
json_t *ps_growth_json_ended(const struct ps_growth *growth);

/**
 * Releases the processes.
 * @param growth  the processes, or zeroed; zeroed afterwards
 */
void ps_growth_deinit(struct ps_growth *growth);

#endif
