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
 * Maximum size in bytes of a symbol table or string table. A larger table is not read. The limit is
 * for hostile files, which may be sparse: in a real program of a gigabyte, the symbols have about
 * 100 MB. Only the first symbol table of each type is read. A valid file has no more than one
 * (elf(5)), but in a hostile file thousands of sections could share one table.
 */
enum { PM_ELF_TABLE_MAX = 512 << 20 };

/** A symbol. Its address is relative to the file, without the load bias. */
struct pm_elf_symbol {
	uint64_t value; /**< address, relative to the file */
	uint64_t size;  /**< size in bytes, 0 if unknown */
	uint32_t name;  /**< offset of the name in pm_elf_symbols.names */
	/**
	 * Position of the symbol: its index in the symbol table of the file, increased for symbols
	 * of a second file
	 */
	uint32_t place;
	/**
	 * Preference: of several symbols at the same address, the one with the highest rank is used
	 */
	uint32_t rank;
	/**
	 * If the size of the symbol is unknown: number of bytes after its first byte that may
	 * belong to the symbol, up to the end of its section. Otherwise 0.
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
	/**
	 * String table of the file, followed by a NUL. If symbols of a second file were added, its
	 * string table and a NUL follow.
	 */
	char *names;
	size_t names_size;         /**< size of `names` in bytes */
	struct pm_elf_load *loads; /**< the PT_LOAD segments */
	size_t load_count;         /**< number of segments */
	size_t load_capacity;      /**< number of allocated segments */
	struct pm_build_id id;     /**< build ID of the program */
	/**
	 * Whether `items` contains symbols of a .symtab, which has all symbols. A .dynsym has only
	 * those for dynamic linking.
	 */
	bool whole;
	/**
	 * Size in bytes of the thread-local data of a program (PT_TLS), rounded up to their
	 * alignment; 0 if there are none
	 */
	uint64_t thread_local_size;
};

/**
 * Bit in the value of a thread-local symbol (STT_TLS). The other bits are the offset of the symbol
 * in the thread-local data. No address in a program has this bit.
 */
#define PM_ELF_THREAD_LOCAL (UINT64_C(1) << 63)

/**
 * Tests whether the ELF header of a file contains the number of sections. If a file has 65,280
 * sections or more, their number is stored elsewhere, and a hostile file could have any number. No
 * real program has that many sections.
 */
bool pm_elf_has_few_sections(int fd);

/** Tests whether a symbol is local to a source file (STB_LOCAL). */
bool pm_elf_symbol_is_local(const struct pm_elf_symbol *symbol);

/**
 * Finds the thread-local symbol that contains an offset.
 *
 * @param symbols  the file
 * @param offset   offset in the thread-local data, in bytes
 * @return         the symbol, or NULL if there is none
 */
const struct pm_elf_symbol *pm_elf_symbols_thread_local_at(const struct pm_elf_symbols *symbols,
                                                           uint64_t offset);

/**
 * Reads the symbols of a file. If the file is damaged or not an ELF file, no symbols are added, and
 * the function succeeds.
 *
 * @param fd       descriptor of the file; remains owned by the caller
 * @param symbols  must be all zeros; filled; release with pm_elf_symbols_deinit(), also after a
 *                 failure
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_elf_symbols_read(int fd, struct pm_elf_symbols *symbols, struct pm_error *error);

/**
 * Reads segments and build ID of a file, without its symbols.
 *
 * @param fd       descriptor of the file; remains owned by the caller
 * @param symbols  must be all zeros; filled; release with pm_elf_symbols_deinit(), also after a
 *                 failure
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_elf_symbols_read_loads(int fd, struct pm_elf_symbols *symbols, struct pm_error *error);

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
 * Finds the symbol that contains an address. If no symbol contains the address, returns the next
 * symbol below the address, provided that its size is unknown and that the address is within its
 * `reach`.
 *
 * @param symbols  the file
 * @param value    the address, without the load bias
 * @return         the symbol, or NULL if there is none
 */
const struct pm_elf_symbol *pm_elf_symbols_at(const struct pm_elf_symbols *symbols, uint64_t value);

/**
 * Releases the symbols of a file.
 * @param symbols  all zeros afterwards
 */
void pm_elf_symbols_deinit(struct pm_elf_symbols *symbols);

/**
 * Converts an offset into an address, for zero-initialised data of a program. The file does not
 * contain these data. In memory, they follow the bytes that are mapped from the file.
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
