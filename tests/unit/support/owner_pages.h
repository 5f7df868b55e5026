/* SPDX-License-Identifier: MIT */
/**
 * @file The owners of the resident pages of a process, page by page. The page states are those of
 *   the kernel. A failure fails the running cmocka test.
 */
#ifndef TESTS_SUPPORT_OWNER_PAGES_H
#define TESTS_SUPPORT_OWNER_PAGES_H

#include <stdint.h>

#include <procmem/runtimes.h>

#include "support/look.h"

/** A process with its runtimes, and the bytes of its resident pages by owner. */
struct owner_pages {
	struct look look;                  /**< the process */
	struct pm_runtimes *runtimes;      /**< its runtimes */
	uint64_t resident[PM_OWNER_COUNT]; /**< resident bytes by owner */
	uint64_t proven[PM_OWNER_COUNT];   /**< those of them whose owner is proven */
	uint64_t total;                    /**< all resident bytes */
};

/**
 * Reads a process.
 * @param pages  filled; release with owner_pages_close()
 * @param pid    the process
 */
void owner_pages_open(struct owner_pages *pages, pid_t pid);

/** Releases what owner_pages_open() opened. */
void owner_pages_close(struct owner_pages *pages);

/** Returns the share of the resident bytes that have an owner, in percent. */
double owner_pages_share(const struct owner_pages *pages);

/** Returns the owner of an address; PM_OWNER_UNKNOWN if nothing is mapped there. */
enum pm_owner owner_pages_at(const struct owner_pages *pages, uint64_t address);

/**
 * Counts the pages of writable memory without a file that are full of a byte.
 * @param pages   the process
 * @param fill    the byte
 * @param counts  receives the number of pages of each owner
 */
void owner_pages_count_filled(struct owner_pages *pages, unsigned char fill,
                              uint64_t counts[PM_OWNER_COUNT]);

/** Returns the runtime of a family, or NULL. */
const struct pm_runtime_info *owner_pages_runtime(const struct owner_pages *pages,
                                                  const char *family);

/** Returns a counter of a runtime, which must exist. */
uint64_t owner_pages_counter(const struct owner_pages *pages, const char *name);

#endif
