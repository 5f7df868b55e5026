/* SPDX-License-Identifier: MIT */
/** @file The `Key:  value kB` and `VmFlags:` lines of smaps (proc_pid_smaps(5)). Private. */
#ifndef PM_REGION_SMAPS_FIELDS_H
#define PM_REGION_SMAPS_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>

/** Most keys of a region that are remembered; a kernel writes about 25. */
enum { PM_SMAPS_KEYS = 64 };

/**
 * Reads the fields of one region after the other. The kernel writes the same keys in the same order
 * for every region: the order of the first is learnt, and what is expected next is compared before
 * anything is searched. That makes smaps parsing cheap beside the kernel's own work.
 */
struct pm_smaps_fields {
	struct {
		const char *name;     /**< the key, NULL where it is not known to us */
		unsigned char length; /**< of the key as the kernel wrote it */
		int8_t size;          /**< enum pm_size, or a private code */
	} learnt[PM_SMAPS_KEYS];
	size_t learnt_count; /**< how many are learnt */
	size_t next;         /**< index of the key that is expected next */
	bool learning;       /**< still in the first region */
	uint32_t flags;      /**< VmFlags of the region before */
	char flags_text[64]; /**< and their text: most regions have those of their neighbour */
};

/** Starts a file. */
void pm_smaps_fields_init(struct pm_smaps_fields *fields);

/** Starts the next region. */
void pm_smaps_fields_begin(struct pm_smaps_fields *fields);

/** Whether all the keys that the first region has were seen in this one. */
bool pm_smaps_fields_complete(const struct pm_smaps_fields *fields);

/**
 * Takes one line.
 *
 * @param fields  the state
 * @param line    the line, NUL-terminated
 * @param length  its length
 * @param region  gets the value; unknown keys and flags are skipped
 * @return        false where it is no `Key: value` line, or a size that is known is no number
 */
bool pm_smaps_fields_parse(struct pm_smaps_fields *fields, const char *line, size_t length,
                           struct pm_region *region);

#endif
