/* SPDX-License-Identifier: MIT */
/**
 * @file The resident pages of a process by owner: what the kernel says is resident, against what
 *   runtimes.h and owner.h say about it. A failure fails the running cmocka test.
 */
#ifndef TESTS_SUPPORT_OWNER_PAGES_H
#define TESTS_SUPPORT_OWNER_PAGES_H

#include <procmem/runtimes.h>

#include "support/look.h"

/** A process whose regions have kinds and owners. */
struct owner_pages {
	struct look look;
	struct pm_runtimes *runtimes;
	uint64_t resident[PM_OWNER_COUNT]; /**< resident bytes, by owner */
	uint64_t total;                    /**< resident bytes */
};

/**
 * Reads a process.
 * @param pages  filled; release with owner_pages_close()
 */
void owner_pages_open(struct owner_pages *pages, pid_t pid);

/** Releases what owner_pages_open() filled. */
void owner_pages_close(struct owner_pages *pages);

/** Returns the share of the resident pages that have an owner, in percent. */
double owner_pages_share(const struct owner_pages *pages);

/** Returns the owner of an address; PM_OWNER_UNKNOWN if nothing is mapped there. */
enum pm_owner owner_pages_at(const struct owner_pages *pages, uint64_t address);

#endif
