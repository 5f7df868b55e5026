/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads memory of the target for the walks over a heap: in large pieces where addresses ascend, and
 * single words elsewhere. Reads only pages that the page source reports as present or swapped.
 * Private.
 */
#ifndef PM_HEAP_WINDOW_H
#define PM_HEAP_WINDOW_H

#include <procmem/heap.h>

/** Maximum number of bytes of one pm_heap_window_at() call. */
enum { PM_HEAP_WINDOW_SIZE = 1 << 20 };

struct pm_heap_window;

/**
 * Opens a window. It takes about 1.3 MiB of memory.
 * @param source  where to read; must outlive the window
 * @return        0, or -1 with PM_ERROR_RESOURCES
 */
int pm_heap_window_open(const struct pm_heap_source *source, struct pm_heap_window **window,
                        struct pm_error *error);

/**
 * Closes a window.
 * @param window  the window; may be NULL
 */
void pm_heap_window_close(struct pm_heap_window *window);

/**
 * Makes bytes of the target available. If the address is not in the buffer, up to
 * PM_HEAP_WINDOW_SIZE bytes are read from it on, so ascending addresses are read once. Pages that
 * the target never touched are zeros if they are after the first page.
 *
 * @param address  first address
 * @param size     number of bytes, at most PM_HEAP_WINDOW_SIZE
 * @param end      nothing is read from here on; bytes beyond it are not available
 * @param bytes    receives the bytes, valid until the next call
 * @param error    PM_ERROR_GONE, PM_ERROR_IO (page states), PM_ERROR_CANCELLED
 * @return         1; 0 if not all of the bytes can be read, or if the target never touched the
 *                 first page; -1 on error
 */
int pm_heap_window_at(struct pm_heap_window *window, uint64_t address, size_t size, uint64_t end,
                      const void **bytes, struct pm_error *error);

/**
 * Makes the bytes from an address on available: those in the buffer if these are enough, else up to
 * PM_HEAP_WINDOW_SIZE bytes that are read from the address on. Each byte is read about once if the
 * addresses ascend, whatever their distances are.
 *
 * @param address  first address
 * @param end      nothing is read from here on; bytes beyond it are not available
 * @param bytes    receives the bytes, valid until the next call
 * @param size     receives the number of bytes. There are fewer than 4096 only if `end` follows, or
 *                 bytes that cannot be read or were never touched
 * @param error    as for pm_heap_window_at()
 * @return         1; 0 if the first byte cannot be read or was never touched; -1 on error
 */
int pm_heap_window_ahead(struct pm_heap_window *window, uint64_t address, uint64_t end,
                         const void **bytes, size_t *size, struct pm_error *error);

/**
 * Skips memory that is not mapped, cannot be read, or was never touched.
 *
 * @param address  first address
 * @param end      where the search ends
 * @param next     receives the first address from `address` on that is in a page with content;
 *                 `end` if there is none
 * @param error    as for pm_heap_window_at()
 * @return         0 or -1
 */
int pm_heap_window_next(struct pm_heap_window *window, uint64_t address, uint64_t end,
                        uint64_t *next, struct pm_error *error);

/** Forgets what was read, so that the next call reads the current bytes and page states. */
void pm_heap_window_forget(struct pm_heap_window *window);

/** Forgets the bytes that were read, but keeps the page states. */
void pm_heap_window_forget_bytes(struct pm_heap_window *window);

/**
 * Reads a few bytes anywhere. Pages are kept in a small cache; pm_heap_window_forget() empties it.
 *
 * @param buffer  room for `size` bytes, at most 4096
 * @param error   as for pm_heap_window_at()
 * @return        1; 0 if the target never touched one of the pages, or if it cannot be read; -1 on
 *                error
 */
int pm_heap_window_peek(struct pm_heap_window *window, uint64_t address, void *buffer, size_t size,
                        struct pm_error *error);

/** Reads a 64-bit word with pm_heap_window_peek(). */
int pm_heap_window_word(struct pm_heap_window *window, uint64_t address, uint64_t *word,
                        struct pm_error *error);

#endif
