/* SPDX-License-Identifier: MIT */
/** @file The symbols of one ELF file, by address. Private. */
#ifndef PM_SYMBOLS_ELF_SYMBOLS_H
#define PM_SYMBOLS_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#include "symbols/build_id.h"

/**
 * Bound for hostile files: a larger table is not read. A program of a gigabyte has a tenth of that
 * in symbols, but a file may be sparse. Of each sort only the first table is read, since there is
 * only one (elf(5)): thousands of sections could share one table.
 */
enum { PM_ELF_TABLE_MAX = 512 << 20 };

/** A symbol. Its address is relative to the file, without the load bias. */
struct pm_elf_symbol {
	uint64_t value; /**< address */
	uint64_t size;  /**< size in bytes, 0 if unknown */
	uint32_t name;  /**< offset of the name in `names` */
	uint32_t place; /**< index in the table of the file */
	uint32_t rank;  /**< preference among symbols at one address: the highest wins */
	uint32_t reach; /**< of a symbol of unknown size: bytes after its first that may belong to
	                   it, up to the end of its section */
};

/** A PT_LOAD segment. */
struct pm_elf_load {
	uint64_t address;     /**< p_vaddr */
	uint64_t offset;      /**< p_offset */
	uint64_t file_size;   /**< p_filesz */
	uint64_t memory_size; /**< p_memsz */
};

/** The symbols of a file; all zeros if nothing is known. */
struct pm_elf_symbols {
	struct pm_elf_symbol *items; /**< by ascending value, then rank */
	size_t count;                /**< number of symbols */
	size_t capacity;             /**< allocated symbols */
	char *names;                 /**< string table of the file, and a NUL */
	size_t names_size;           /**< size of the string table in bytes, with the NUL */
	struct pm_elf_load *loads;   /**< the segments */
	size_t load_count;           /**< number of segments */
	size_t load_capacity;        /**< allocated segments */
	struct pm_build_id id;       /**< build ID of the program */
	bool whole;                  /**< from .symtab, which has all symbols, not from .dynsym */
};

/**
 * Reads the symbols of a file. A damaged file, or one of another format, has no symbols, which is
 * not a failure.
 *
 * @param fd       the file; remains owned by the caller
 * @param symbols  all zeros; filled; release with pm_elf_symbols_deinit(), also after a failure
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_elf_symbols_read(int fd, struct pm_elf_symbols *symbols, struct pm_error *error);

/**
 * Reads segments and build ID of a program from its image in memory. The symbol tables are not in
 * memory.
 *
 * @param head     copy of the first bytes of the image; modified
 * @param size     number of these bytes
 * @param symbols  all zeros; filled; release with pm_elf_symbols_deinit(), also after a failure
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_elf_symbols_read_head(char *head, size_t size, struct pm_elf_symbols *symbols,
                             struct pm_error *error);

/**
 * Adds the symbols of another file of the same program. Of symbols of the same rank at one address,
 * those that were there before are preferred.
 *
 * @param symbols  extended
 * @param other    the symbols to copy
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_elf_symbols_add(struct pm_elf_symbols *symbols, const struct pm_elf_symbols *other,
                       struct pm_error *error);

/**
 * Converts an offset in the file into an address.
 *
 * @param symbols  the file
 * @param offset   the offset in bytes
 * @param value    receives the address, without the load bias
 * @return         false if no segment loads that offset
 */
bool pm_elf_symbols_address(const struct pm_elf_symbols *symbols, uint64_t offset, uint64_t *value);

/**
 * Finds the symbol that contains an address, or else the next one below it if its size is unknown.
 * @return the symbol, or NULL if there is none
 */
const struct pm_elf_symbol *pm_elf_symbols_at(const struct pm_elf_symbols *symbols, uint64_t value);

/**
 * Releases the symbols.
 * @param symbols  all zeros afterwards
 */
void pm_elf_symbols_deinit(struct pm_elf_symbols *symbols);

/**
 * Converts an offset into an address, for the zero-initialised part of a segment. That part is not
 * in the file, but follows the part that is.
 *
 * @param symbols  the file
 * @param mapped   offset in the file of the mapping before the zero-initialised part
 * @param offset   offset in the file that the address would have
 * @param value    receives the address, without the load bias
 * @return         false if the offset does not belong to a segment
 */
bool pm_elf_symbols_zeroed_address(const struct pm_elf_symbols *symbols, uint64_t mapped,
                                   uint64_t offset, uint64_t *value);

#endif
