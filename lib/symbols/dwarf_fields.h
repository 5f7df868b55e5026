/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Offsets of fields in structures, from the debug information (DWARF 4 and 5) of a program. Only
 * what this needs is decoded, and every read is checked: the file is untrusted. Private.
 */
#ifndef PM_SYMBOLS_DWARF_FIELDS_H
#define PM_SYMBOLS_DWARF_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A field that is searched for. */
struct pm_dwarf_field {
	const char *type;   /**< name of the structure, such as "runtime.mspan" */
	const char *member; /**< name of the field; NULL: the size of the structure */
	uint64_t value;     /**< receives the offset, or the size, in bytes */
	bool found;         /**< receives whether there is such a field */
};

/**
 * Finds fields in the debug information of a file. Names must be in the entries themselves
 * (DW_FORM_string), as those of Go are.
 *
 * @param fd      descriptor of the file; remains owned by the caller
 * @param unit    name of the compilation units that are searched, such as "runtime"
 * @param fields  the names; receives the values
 * @param count   number of elements of `fields`
 * @return        the number of fields that were found
 */
size_t pm_dwarf_fields_find(int fd, const char *unit, struct pm_dwarf_field *fields, size_t count);

/**
 * The same, for the contents of .debug_info and .debug_abbrev.
 *
 * @param info         .debug_info
 * @param info_size    its size in bytes
 * @param abbrev       .debug_abbrev
 * @param abbrev_size  its size in bytes
 */
size_t pm_dwarf_fields_parse(const void *info, size_t info_size, const void *abbrev,
                             size_t abbrev_size, const char *unit, struct pm_dwarf_field *fields,
                             size_t count);

#endif
