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
 * What a hostile file may cost: a table larger than this is not read (programs of a gigabyte have
 * symbols of a tenth of it; a file may be sparse), and of each sort only the first, for there is no
 * other (elf(5)): thousands of sections could share one table.
 */
enum { PM_ELF_TABLE_MAX = 512 << 20 };

/** A symbol; its address is that in the file, without the bias of loading. */
struct pm_elf_symbol {
	uint64_t value; /**< its address */
	uint64_t size;  /**< its bytes, 0 where unknown */
	uint32_t name;  /**< where its name begins in `names` */
	uint32_t place; /**< its number in the file */
	uint32_t rank;  /**< which of several at one address is the best known: the highest */
	uint32_t reach; /**< of one of unknown size: how many bytes behind its first may be its own,
	                   to the end of its section */
};

/** A PT_LOAD segment. */
struct pm_elf_load {
	uint64_t address;     /**< p_vaddr */
	uint64_t offset;      /**< p_offset */
	uint64_t file_size;   /**< p_filesz */
	uint64_t memory_size; /**< p_memsz */
};

/** What is known of a file; all zeros: nothing. */
struct pm_elf_symbols {
	struct pm_elf_symbol *items; /**< by ascending value, then rank */
	size_t count;                /**< how many */
	size_t capacity;             /**< room for so many */
	char *names;                 /**< the file's table of names, and a NUL */
	size_t names_size;           /**< bytes of it */
	struct pm_elf_load *loads;   /**< the segments */
	size_t load_count;           /**< how many */
	size_t load_capacity;        /**< room for so many */
	struct pm_build_id id;       /**< which program it is */
	bool whole; /**< the symbols are all of the program, not only those that others link by */
};

/**
 * Reads the symbols of a file. What is no ELF file, or is damaged, has none; that is no error.
 *
 * @param fd       the file; stays the caller's
 * @param symbols  all zeros; filled; release with pm_elf_symbols_deinit(), also where this fails
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_elf_symbols_read(int fd, struct pm_elf_symbols *symbols, struct pm_error *error);

/**
 * Reads what memory tells of a program that is mapped there: segments and build ID, but no symbols,
 * which are not loaded.
 *
 * @param head     copy of its first bytes; changed
 * @param size     how many
 * @param symbols  all zeros; filled; release with pm_elf_symbols_deinit(), also where this fails
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_elf_symbols_read_head(char *head, size_t size, struct pm_elf_symbols *symbols,
                             struct pm_error *error);

#endif
