/* SPDX-License-Identifier: MIT */
/**
 * @file The addresses that an ELF file requests for its parts: its PT_LOAD segments (elf(5)).
 * Private.
 */
#ifndef PM_KINDS_ELF_LAYOUT_H
#define PM_KINDS_ELF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Enough for all known programs: linkers write four or five. */
enum { PM_ELF_SEGMENTS = 12 };

/**
 * Bytes at the start of a file that contain the ELF header and the program headers of nearly every
 * file.
 */
enum { PM_ELF_HEAD_SIZE = 1024 };

/** A PT_LOAD segment. Addresses are those in the file: the loader adds a constant, the bias. */
struct pm_elf_segment {
	uint64_t address;     /**< p_vaddr */
	uint64_t offset;      /**< p_offset */
	uint64_t file_size;   /**< bytes that come from the file */
	uint64_t memory_size; /**< bytes in memory: those beyond file_size are zero-initialised */
	uint32_t flags;       /**< PF_R, PF_W, PF_X */
};

/** The layout of a file. */
struct pm_elf_layout {
	uint8_t word_size;     /**< 8 for ELFCLASS64, 4 for ELFCLASS32 */
	uint8_t segment_count; /**< 0 if the head is cut off, or the file has none */
	uint64_t relro_start;  /**< PT_GNU_RELRO: made read-only after relocation */
	uint64_t relro_end;    /**< its end; 0 for none */
	struct pm_elf_segment segments[PM_ELF_SEGMENTS];
};

/**
 * Parses the head of a file.
 *
 * @param head    its first bytes
 * @param size    bytes of `head`
 * @param layout  filled
 * @return        false if it is not an ELF file of our byte order
 */
bool pm_elf_parse(const void *head, size_t size, struct pm_elf_layout *layout);

/**
 * Computes the bias: the constant to add to the addresses in the file.
 *
 * @param layout  the layout
 * @param start   address at which byte 0 of the file is mapped
 * @param bias    receives the bias
 * @return        false if no segment contains byte 0
 */
bool pm_elf_bias(const struct pm_elf_layout *layout, uint64_t start, uint64_t *bias);

/**
 * Returns the segment that an address belongs to, page borders included.
 *
 * @param layout   the layout
 * @param address  address in the file
 * @param page     bytes of a page
 * @return         the segment, or NULL
 */
const struct pm_elf_segment *pm_elf_segment_at(const struct pm_elf_layout *layout, uint64_t address,
                                               uint64_t page);

/** Returns the end of the last byte in memory, rounded up to pages. */
uint64_t pm_elf_end(const struct pm_elf_layout *layout, uint64_t page);

#endif
