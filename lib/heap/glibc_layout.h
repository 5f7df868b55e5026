/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The structures of glibc's malloc on 64-bit machines: malloc_state (an arena) and malloc_par (mp_,
 * the parameters and counters), by version. Private.
 *
 * Source: malloc/malloc.c and malloc/arena.c of glibc. malloc_state has three layouts. malloc_par
 * has two layouts in front of `mmapped_mem`.
 */
#ifndef PM_HEAP_GLIBC_LAYOUT_H
#define PM_HEAP_GLIBC_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	PM_GLIBC_LAYOUTS = 3,
	PM_GLIBC_FASTBINS = 10,
	PM_GLIBC_BINS = 127,        /**< bins 1 to 127; bin 0 does not exist */
	PM_GLIBC_BINS_BAD_MAX = 31, /**< number of bins that need not be valid in a malloc_state */
	PM_GLIBC_STATE_MAX = 0x898, /**< size of the largest malloc_state */
};

/** Offsets in malloc_state, in bytes. */
struct pm_glibc_layout {
	const char *version;  /**< first and last version with this layout */
	uint16_t fastbins;    /**< 0 if there are no fastbins */
	uint16_t top;         /**< address of the top chunk */
	uint16_t bins;        /**< first and last free chunk of each bin */
	uint16_t next;        /**< the next arena */
	uint16_t attached;    /**< number of threads */
	uint16_t system;      /**< system_mem */
	uint16_t max;         /**< max_system_mem */
	uint16_t size;        /**< size of malloc_state */
	uint16_t mapped_rest; /**< bytes of a mapped chunk that its `size` does not include */
};

/** What malloc_state contains. */
struct pm_glibc_arena {
	uint64_t address;
	uint64_t top;
	uint64_t next;
	uint64_t attached;
	uint64_t system;
	uint64_t fastbins[PM_GLIBC_FASTBINS]; /**< zeros if there are no fastbins */
	bool contiguous;                      /**< NONCONTIGUOUS_BIT of `flags` is not set */
	uint64_t bad_bin; /**< address of the first bin that has no pointers to chunks; or 0 */
};

/** What mp_ contains. */
struct pm_glibc_parameters {
	uint64_t address;      /**< of mp_.mmapped_mem; 0 if mp_ was not found */
	uint64_t mapped;       /**< bytes of mapped chunks */
	uint64_t mapped_count; /**< number of mapped chunks */
	uint64_t sbrk_base;    /**< start of the brk heap */
	uint64_t tcache_count; /**< maximum number of chunks in a bin of a tcache */
	bool has_huge_pages;   /**< has fields for huge pages: glibc 2.35 or newer */
	bool tuned;            /**< no field has its default: other words can look like this */
};

/** Number of bytes that pm_glibc_parse_parameters() needs before and after `mmapped_mem`. */
enum { PM_GLIBC_PARAMETERS_BEFORE = 24, PM_GLIBC_PARAMETERS_AFTER = 48 };

/** What bytes can be. */
enum pm_glibc_guess {
	PM_GLIBC_NOTHING,  /**< not a malloc_state */
	PM_GLIBC_UNUSED,   /**< malloc_state of the main arena, not initialised yet */
	PM_GLIBC_PLAUSIBLE /**< perhaps a malloc_state: the bins must be checked */
};

/** Loads a word of 64 bits. */
static inline uint64_t pm_glibc_word(const void *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof word);
	return word;
}

/**
 * Returns a layout of malloc_state.
 * @param index  less than PM_GLIBC_LAYOUTS
 */
const struct pm_glibc_layout *pm_glibc_layout(size_t index);

/**
 * Checks whether bytes can be a malloc_state, without reading anything else.
 *
 * @param layout   the layout to check
 * @param address  address of the bytes
 * @param bytes    layout->size bytes
 */
enum pm_glibc_guess pm_glibc_guess_state(const struct pm_glibc_layout *layout, uint64_t address,
                                         const unsigned char *bytes);

/**
 * Parses a malloc_state. All values are untrusted.
 *
 * @param layout   the layout
 * @param address  address of the bytes
 * @param bytes    layout->size bytes
 * @param arena    receives the contents
 */
void pm_glibc_parse_state(const struct pm_glibc_layout *layout, uint64_t address,
                          const unsigned char *bytes, struct pm_glibc_arena *arena);

/**
 * Returns whether an arena is plausible: its sizes and pointers are aligned, and system_mem is not
 * larger than max_system_mem.
 */
bool pm_glibc_state_is_sane(const struct pm_glibc_layout *layout, const unsigned char *bytes);

/**
 * Parses mp_, if the bytes can be mp_.
 *
 * @param bytes       the bytes at `mmapped_mem`: PM_GLIBC_PARAMETERS_BEFORE bytes before it and
 *                    PM_GLIBC_PARAMETERS_AFTER bytes from there on are available
 * @param parameters  receives the contents, except for the address
 * @return            true if the bytes can be mp_
 */
bool pm_glibc_parse_parameters(const unsigned char *bytes, struct pm_glibc_parameters *parameters);

#endif
