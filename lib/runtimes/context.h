/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the readers of runtimes share: bounded reading of the target, symbols of mapped files, and
 * the result. Private.
 *
 * Everything that a reader gets from here is untrusted. A reader checks each value before it uses
 * it, and bounds each loop by a constant. If a read fails, the reader leaves out the label that
 * depends on it, and sets pm_runtime_info.missing.
 */
#ifndef PM_RUNTIMES_CONTEXT_H
#define PM_RUNTIMES_CONTEXT_H

#include <procmem/heap.h>
#include <procmem/runtimes.h>

#include "heap/window.h"

/** Maximum number of ranges of a process. */
enum { PM_RUNTIME_RANGES_MAX = 1 << 20 };

/** State that all readers share. */
struct pm_runtimes_context {
	const struct pm_runtimes_source *source;
	struct pm_heap_source memory;  /**< the same source, for the window */
	struct pm_heap_window *window; /**< reads present pages */
	struct pm_reader files;        /**< reads mapped files; not open if there is no process */
	struct pm_runtimes *result;    /**< receives what is found */
	size_t capacity;               /**< allocated elements of result->items */
	size_t range_capacity;         /**< allocated elements of result->ranges */
	uint64_t deadline_ns;          /**< time of CLOCK_MONOTONIC when reading ends */
	struct pm_error failure; /**< the first error that ends reading; its kind is 0 if none */
};

/**
 * A reader: finds one runtime, and adds what it found to `context->result`. A runtime that is not
 * in the process is not an error.
 *
 * @return 0; -1 with PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 */
typedef int pm_runtime_reader(struct pm_runtimes_context *context, struct pm_error *error);

/**
 * Starts reading: opens the window and an empty result.
 *
 * @param source   where to read; must outlive the context
 * @param context  receives the context; must not be moved; release with pm_runtime_context_close()
 *                 after success
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_runtime_context_open(const struct pm_runtimes_source *source,
                            struct pm_runtimes_context *context, struct pm_error *error);

/**
 * Ends reading.
 * @param context  the context; its result is released if it is still there
 */
void pm_runtime_context_close(struct pm_runtimes_context *context);

/** Returns whether reading must end: out of time, or an error. Call it in each long loop. */
bool pm_runtime_ends(const struct pm_runtimes_context *context);

/**
 * Reads bytes anywhere. Pages are cached, so neighbouring values cost little. Constant data of a
 * program or library that the target has never touched is read from the file.
 *
 * @param address  first address
 * @param buffer   room for `size` bytes; unchanged if the function returns false
 * @param size     number of bytes; at most 4096
 * @return         false if a page is not present or cannot be read, or if pm_runtime_ends()
 */
bool pm_runtime_read(struct pm_runtimes_context *context, uint64_t address, void *buffer,
                     size_t size);

/** Reads a 64-bit word with pm_runtime_read(). */
bool pm_runtime_read_word(struct pm_runtimes_context *context, uint64_t address, uint64_t *word);

/** Reads a 32-bit number with pm_runtime_read(). */
bool pm_runtime_read_u32(struct pm_runtimes_context *context, uint64_t address, uint32_t *number);

/**
 * Reads a text that ends in NUL.
 *
 * @param address  first address
 * @param text     receives the text, cut to `size` - 1 bytes, and a NUL
 * @param size     size of `text` in bytes, at most 4096
 * @return         false if the first byte cannot be read
 */
bool pm_runtime_read_text(struct pm_runtimes_context *context, uint64_t address, char *text,
                          size_t size);

/**
 * Makes the bytes from an address on available, for scans with ascending addresses: see
 * pm_heap_window_ahead().
 *
 * @return the number of bytes; 0 if the first byte is not present
 */
size_t pm_runtime_read_ahead(struct pm_runtimes_context *context, uint64_t address, uint64_t end,
                             const void **bytes);

/**
 * Skips memory that is not present.
 * @return the first address from `address` on whose page is present; `end` if there is none
 */
uint64_t pm_runtime_next_present(struct pm_runtimes_context *context, uint64_t address,
                                 uint64_t end);

/** A symbol that a reader looks for. */
struct pm_runtime_symbol {
	const char *name; /**< name, mangled if it is of C++ */
	uint64_t address; /**< receives its address in the target; 0 if it was not found */
	uint64_t size;    /**< receives its size in bytes; 0 if not known */
};

/**
 * Finds symbols of a mapped file by their names, in .symtab and .dynsym, and in a file with debug
 * information.
 *
 * @param context  the context
 * @param region   any region that maps the file
 * @param symbols  the names; receives the addresses
 * @param count    number of elements of `symbols`
 * @return         the number of symbols that were found; 0 if the file cannot be read
 */
size_t pm_runtime_find_symbols(struct pm_runtimes_context *context, const struct pm_region *region,
                               struct pm_runtime_symbol *symbols, size_t count);

/** Returns the last part of a path; it points into the path. */
const char *pm_runtime_last_part(const char *path);

/**
 * Finds a mapped file by its name.
 *
 * @param context  the context
 * @param prefix   start of the last part of the path, such as "libpython3"
 * @return         the first region that maps such a file; NULL if there is none
 */
const struct pm_region *pm_runtime_find_file(const struct pm_runtimes_context *context,
                                             const char *prefix);

/** Returns the first region that maps the program; NULL if it is not known. */
const struct pm_region *pm_runtime_find_program(const struct pm_runtimes_context *context);

/**
 * Adds memory and its owner. Memory that an earlier call has given to another owner keeps it. Parts
 * outside of the regions are ignored.
 *
 * @param context  the context; `failure` is set if memory is exhausted
 * @param start    first address
 * @param end      address after the last byte; nothing is added if it is not above `start`
 * @param owner    the owner; PM_OWNER_UNKNOWN if that of the kind of the region would be wrong
 * @param proof    PM_PROOF_PROVEN if the structures of the runtime say so; PM_PROOF_NONE is added
 *                 for an owner that is not known
 */
void pm_runtime_add_range(struct pm_runtimes_context *context, uint64_t start, uint64_t end,
                          enum pm_owner owner, enum pm_proof proof);

/**
 * Adds a runtime. The texts are empty.
 *
 * @param context  the context
 * @param owner    any owner of the family
 * @param error    PM_ERROR_RESOURCES
 * @return         the runtime, valid until the next call; NULL if memory is exhausted
 */
struct pm_runtime_info *pm_runtime_add(struct pm_runtimes_context *context, enum pm_owner owner,
                                       struct pm_error *error);

/** Adds a limit; does nothing if there are too many. */
void pm_runtime_add_limit(struct pm_runtimes_context *context, struct pm_runtime_limit limit);

/** Adds a counter; does nothing if there are too many. */
void pm_runtime_add_counter(struct pm_runtimes_context *context, struct pm_runtime_counter counter);

#endif
