/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Parsing of the `Key: value kB` and `VmFlags:` lines of smaps (proc_pid_smaps(5)). Private.
 */
#ifndef PM_REGION_SMAPS_FIELDS_H
#define PM_REGION_SMAPS_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>

/** Maximum number of keys of a region; the kernel writes about 25. */
enum { PM_SMAPS_KEYS = 64 };

/**
 * A parser for the fields of consecutive regions. The kernel writes the same keys in the same order
 * for every region. The parser stores the keys of the first region. In later regions it compares
 * each key with the key that is expected next, and searches the table of keys only if both differ.
 * Therefore parsing takes little time compared with the time that the kernel needs.
 */
struct pm_smaps_fields {
	struct {
		/** Name of the key; NULL for a key that the library does not use */
		const char *name;
		unsigned char length; /**< length of the key in bytes */
		int8_t size;          /**< enum pm_size, or one of the codes of smaps_fields.c */
	} learnt[PM_SMAPS_KEYS];
	size_t learnt_count; /**< number of keys of the first region */
	size_t next;         /**< index of the key that is expected next */
	bool learning;       /**< whether the current region is the first one */
	uint32_t flags;      /**< result of parsing `flags_text`: enum pm_vm_flag bits */
	/** Text of VmFlags that was parsed last. Adjacent regions often have the same text. */
	char flags_text[64];
};

/**
 * Initialises a parser, for a new file.
 * @param fields  the parser
 */
void pm_smaps_fields_init(struct pm_smaps_fields *fields);

/**
 * Prepares a parser for the next region.
 * @param fields  the parser
 */
void pm_smaps_fields_begin(struct pm_smaps_fields *fields);

/**
 * Tests whether the current region has all keys of the first region.
 * @param fields  the parser
 * @return        true if no key is missing
 */
bool pm_smaps_fields_complete(const struct pm_smaps_fields *fields);

/**
 * Parses a line of fields. Keys and flags that the library does not use are skipped.
 *
 * @param fields  the parser
 * @param line    the line, NUL-terminated
 * @param length  length of the line in bytes
 * @param region  receives the value
 * @return        false if the line does not have the form `Key: value`, or if the value of a size
 *                does not have the form `123 kB`
 */
bool pm_smaps_fields_parse(struct pm_smaps_fields *fields, const char *line, size_t length,
                           struct pm_region *region);

#endif
