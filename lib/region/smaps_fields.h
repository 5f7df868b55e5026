/* SPDX-License-Identifier: MIT */
/** @file The `Key:  value kB` and `VmFlags:` lines of smaps (proc_pid_smaps(5)). Private. */
#ifndef PM_REGION_SMAPS_FIELDS_H
#define PM_REGION_SMAPS_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>

/** Maximum number of keys of a region; a kernel writes about 25. */
enum { PM_SMAPS_KEYS = 64 };

/**
 * Parser for the fields of one region after the other. The kernel writes the same keys in the same
 * order for every region. The order of the first region is learnt, and each key is compared with
 * the expected one before it is searched for. So parsing takes little time compared with the
 * kernel.
 */
struct pm_smaps_fields {
	struct {
		const char *name;     /**< the key, NULL for one that the library does not use */
		unsigned char length; /**< length of the key in the text */
		int8_t size;          /**< enum pm_size, or a private code */
	} learnt[PM_SMAPS_KEYS];
	size_t learnt_count; /**< number of keys of the first region */
	size_t next;         /**< index of the key that is expected next */
	bool learning;       /**< this is the first region */
	uint32_t flags;      /**< VmFlags of the last region */
	char flags_text[64]; /**< their text: adjacent regions often have the same */
};

/**
 * Starts a file.
 * @param fields  initialised
 */
void pm_smaps_fields_init(struct pm_smaps_fields *fields);

/**
 * Starts the next region.
 * @param fields  the parser
 */
void pm_smaps_fields_begin(struct pm_smaps_fields *fields);

/**
 * Whether this region has all keys of the first region.
 * @param fields  the parser
 * @return        true or false
 */
bool pm_smaps_fields_complete(const struct pm_smaps_fields *fields);

/**
 * Parses one line.
 *
 * @param fields  the parser
 * @param line    the line, NUL-terminated
 * @param length  its length in bytes
 * @param region  receives the value; unknown keys and flags are skipped
 * @return        false if this is not a `Key: value` line, or the value of a size is not a number
 */
bool pm_smaps_fields_parse(struct pm_smaps_fields *fields, const char *line, size_t length,
                           struct pm_region *region);

#endif
