/* SPDX-License-Identifier: MIT */
/**
 * @file Everything that is needed to read a process, opened at once. Failures here fail the running
 * cmocka test.
 */
#ifndef TESTS_SUPPORT_LOOK_H
#define TESTS_SUPPORT_LOOK_H

#include <sys/types.h>

#include <procmem/maps.h>
#include <procmem/pagemap.h>
#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/unit_read.h>

/** A process that is looked into; look_open() fills it all. */
struct look {
	struct pm_process *process;  /**< the process */
	struct pm_regions regions;   /**< its regions */
	struct pm_pagemap *pagemap;  /**< its page states */
	struct pm_page_source pages; /**< the same as a source for plans */
	struct pm_reader memory;     /**< reads its memory */
	struct pm_reader files;      /**< reads the files behind it */
};

/**
 * Opens a process, with regions from smaps.
 * @param look filled; close it with look_close() @param pid the process
 */
void look_open(struct look *look, pid_t pid);

/**
 * The same by other ways; skips the test where there is no such way to page states.
 *
 * @param maps    where regions come from
 * @param method  of page states
 */
void look_open_by(struct look *look, pid_t pid, enum pm_maps_source maps,
                  enum pm_pagemap_method method);

/** Closes it all. */
void look_close(struct look *look);

/** Index of the region that holds an address, which must be mapped. */
size_t look_region(const struct look *look, uint64_t address);

/**
 * A number of kB of /proc/PID/status, which must be there.
 * @param key with its colon, "VmRSS:"
 * @return kB
 */
uint64_t status_number(pid_t pid, const char *key);

#endif
