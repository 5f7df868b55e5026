/* SPDX-License-Identifier: MIT */
/** @file The symbols of one ELF file, sorted by address. Private. */
#ifndef PM_SYMBOLS_ELF_SYMBOLS_H
#define PM_SYMBOLS_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#include "symbols/build_id.h"

/**
 * Maximum size in bytes of a symbol table or string table; a larger one is not read. The bound is
 * for hostile files, which may be sparse: a real program of a gigabyte has a tenth of that in
 * symbols. Of each type, only the first symbol table is read, since a valid file has only one
 * (elf(5)), but in a hostile file thousands of sections could share one table.
 */
enum { PM_ELF_TABLE_MAX = 512 << 20 };

/** A symbol. Its address is relative to the file, without the load bias. */
struct pm_elf_symbol {
	uint64_t value; /**< address, relative to the file */
	uint64_t size;  /**< size in bytes, 0 if unknown */
	uint32_t name;  /**< offset of the name in `names` */
	uint32_t place; /**< index of the symbol in the symbol table of the file */
	uint32_t rank;  /**< preference among symbols at one address: the highest wins */
	/**
	 * for a symbol of unknown size: number of bytes after its first one that may belong to it,
	 * up to the end of its section; otherwise 0
	 */
	uint32_t reach;
};

/** A PT_LOAD segment. */
struct pm_elf_load {
	uint64_t address;     /**< p_vaddr */
	uint64_t offset;      /**< p_offset */
	uint64_t file_size;   /**< p_filesz */
	uint64_t memory_size; /**< p_memsz */
};

/** The symbols of a file. If nothing is known, all fields are zero. */
struct pm_elf_symbols {
	struct pm_elf_symbol *items; /**< the symbols, by ascending value, then rank */
	size_t count;                /**< number of symbols */
	size_t capacity;             /**< number of allocated symbols */
	char *names;                 /**< string table of the file, followed by a NUL */
	size_t names_size;           /**< size of the string table in bytes, with the NUL */
	struct pm_elf_load *loads;   /**< the PT_LOAD segments */
	size_t load_count;           /**< number of segments */
	size_t load_capacity;        /**< number of allocated segments */
	struct pm_build_id id;       /**< build ID of the program */
	/** Whether the symbols come from .symtab, which has all symbols, and not from .dynsym */
	bool whole;
};

/**
 * Reads the symbols of a file. If the file is damaged or has another format, it has no symbols;
 * this is not a failure.
 *
 * @param fd       descriptor of the file; remains owned by the caller
 * @param symbols  must be all zeros; filled; release with pm_elf_symbols_deinit(), also after a
 *                 failure
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_elf_symbols_read(int fd, struct pm_elf_symbols *symbols, struct pm_error *error);

/**
 * Reads segments and build ID of a program from the start of its image in memory. The image does
 * not contain the symbol tables.
 *
 * @param head     copy of the first bytes of the image; modified
 * @param size     size of the copy in bytes
 * @param symbols  must be all zeros; filled; release with pm_elf_symbols_deinit(), also after a
 *                 failure
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_elf_symbols_read_head(char *head, size_t size, struct pm_elf_symbols *symbols,
                             struct pm_error *error);

/**
 * Adds the symbols of another file of the same program. If symbols at one address have the same
 * rank, those that were added first are preferred.
 *
 * @param symbols  the symbols to extend
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
 * Finds the symbol that contains an address. If there is none, returns the next symbol below the
 * address if its size is unknown and it may extend to the address.
 * @return the symbol, or NULL if there is none
 */
const struct pm_elf_symbol *pm_elf_symbols_at(const struct pm_elf_symbols *symbols, uint64_t value);

/**
 * Releases the symbols of a file.
 * @param symbols  all zeros afterwards
 */
void pm_elf_symbols_deinit(struct pm_elf_symbols *symbols);

/**
 * Converts an offset into an address, for zero-initialised data of a program. The file does not
 * contain these data. In memory they follow the part of the segment that the file contains.
 *
 * @param symbols  the file
 * @param mapped   offset in the file at which the mapping before the data starts
 * @param offset   offset that the data would have if the file contained them
 * @param value    receives the address, without the load bias
 * @return         false if the offset does not belong to the zero-initialised part of a segment
 */
bool pm_elf_symbols_zeroed_address(const struct pm_elf_symbols *symbols, uint64_t mapped,
                                   uint64_t offset, uint64_t *value);

#endif
