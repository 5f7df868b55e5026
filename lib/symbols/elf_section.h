/* SPDX-License-Identifier: MIT */
/** @file Contents of sections of an ELF file, by name. Private. */
#ifndef PM_SYMBOLS_ELF_SECTION_H
#define PM_SYMBOLS_ELF_SECTION_H

#include <stddef.h>
#include <stdint.h>

/** A section that is searched for. */
struct pm_elf_section {
	const char *name; /**< its name, such as ".debug_info" */
	uint64_t max;     /**< only this number of bytes is kept; a compressed section must fit */
	void *bytes;      /**< receives a copy of the content, NULL if there is none; free it */
	size_t size;      /**< receives the number of bytes */
};

/**
 * Reads sections of a file. Compressed sections (SHF_COMPRESSED) are decompressed.
 *
 * @param fd        descriptor of the file; remains owned by the caller
 * @param sections  the names; receives the contents; release with pm_elf_sections_free()
 * @param count     number of elements of `sections`
 * @return          the number of sections that were found and read
 */
size_t pm_elf_sections_read(int fd, struct pm_elf_section *sections, size_t count);

/** Releases the contents of sections. */
void pm_elf_sections_free(struct pm_elf_section *sections, size_t count);

#endif
