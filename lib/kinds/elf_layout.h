/* SPDX-License-Identifier: MIT */
/**
 * @file Parses the PT_LOAD segments of an ELF file (elf(5)), which define the addresses of its
 * parts in memory. Private.
 */
#ifndef PM_KINDS_ELF_LAYOUT_H
#define PM_KINDS_ELF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Maximum number of PT_LOAD segments. Linkers write four or five. */
enum { PM_ELF_SEGMENTS = 12 };

/**
 * Number of bytes to read at the start of a file. In nearly every file, these bytes contain the ELF
 * header and all program headers.
 */
enum { PM_ELF_HEAD_SIZE = 1024 };

/**
 * A PT_LOAD segment. Addresses are as in the file. The loader adds a constant, the bias, to each
 * address.
 */
struct pm_elf_segment {
	uint64_t address;     /**< p_vaddr: address of the first byte */
	uint64_t offset;      /**< p_offset: file offset of the first byte */
	uint64_t file_size;   /**< p_filesz: bytes that come from the file */
	uint64_t memory_size; /**< p_memsz: bytes in memory; the bytes after the first `file_size`
	                         bytes are zero-initialised */
	uint32_t flags;       /**< p_flags: PF_R, PF_W, PF_X */
};

/** The layout of a file. */
struct pm_elf_layout {
	uint8_t word_size;     /**< 8 for ELFCLASS64, 4 for ELFCLASS32 */
	uint8_t segment_count; /**< number of segments; 0 if the program headers could not be
	                          parsed, or there are none */
	uint64_t relro_start;  /**< start of PT_GNU_RELRO, which is read-only after relocation */
	uint64_t relro_end;    /**< end of PT_GNU_RELRO; 0 if there is none */
	struct pm_elf_segment segments[PM_ELF_SEGMENTS];
};

/**
 * Parses the first bytes of a file.
 *
 * @param head    first bytes of the file
 * @param size    bytes of `head`
 * @param layout  receives the layout
 * @return        true; false if this is not an ELF file in the byte order of this machine
 */
bool pm_elf_parse(const void *head, size_t size, struct pm_elf_layout *layout);

/**
 * Computes the bias, the constant that the loader added to the addresses in the file.
 *
 * @param layout  the layout
 * @param start   address at which byte 0 of the file is mapped
 * @param bias    receives the bias
 * @return        true; false if no segment contains byte 0
 */
bool pm_elf_bias(const struct pm_elf_layout *layout, uint64_t start, uint64_t *bias);

/**
 * Returns the segment that contains an address if both ends of the segment are rounded outward to
 * pages.
 *
 * @param layout   the layout
 * @param address  address in the file
 * @param page     bytes of a page
 * @return         the segment, or NULL if no segment contains the address
 */
const struct pm_elf_segment *pm_elf_segment_at(const struct pm_elf_layout *layout, uint64_t address,
                                               uint64_t page);

/** Returns the end address of the last segment, rounded up to pages. */
uint64_t pm_elf_end(const struct pm_elf_layout *layout, uint64_t page);

#endif
