/* SPDX-License-Identifier: MIT */
/**
 * @file Everything that is needed to read a process, opened at once. A failure fails the running
 *   cmocka test.
 */
#ifndef TESTS_SUPPORT_LOOK_H
#define TESTS_SUPPORT_LOOK_H

#include <sys/types.h>

#include <procmem/maps.h>
#include <procmem/pagemap.h>
#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/unit_read.h>

/** A process that is read; look_open() fills all members. */
struct look {
	struct pm_process *process;  /**< the process */
	struct pm_regions regions;   /**< its regions */
	struct pm_pagemap *pagemap;  /**< its page states */
	struct pm_page_source pages; /**< its page states, as a source for plans */
	struct pm_reader memory;     /**< reads its memory */
	struct pm_reader files;      /**< reads its mapped files */
};

/**
 * Opens a process, with regions from smaps.
 * @param look  filled; release with look_close()
 * @param pid   the process
 */
void look_open(struct look *look, pid_t pid);

/**
 * Opens a process with other sources; skips the test if the source of page states does not exist.
 *
 * @param look    filled; release with look_close()
 * @param pid     the process
 * @param maps    source of the regions
 * @param method  source of the page states
 */
void look_open_by(struct look *look, pid_t pid, enum pm_maps_source maps,
                  enum pm_pagemap_method method);

/** Closes the process and everything opened for it. */
void look_close(struct look *look);

/** Returns the index of the region that contains an address. The address must be mapped. */
size_t look_region(const struct look *look, uint64_t address);

/**
 * Returns a number of /proc/PID/status, which must exist.
 * @param key  with its colon, "VmRSS:"
 * @return     the number in kB
 */
uint64_t status_number(pid_t pid, const char *key);

#endif
