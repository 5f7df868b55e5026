/* SPDX-License-Identifier: MIT */
/* Two ways of reading share the page states: a buffer for ascending addresses, and a cache of pages
 * for single words. */
#include "heap/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "heap/presence.h"
#include "reader/cancel.h"

enum {
	PAGE = 4096,
	CACHED_PAGES = 64,
	/* A read starts at a page boundary: up to a page comes before the bytes that are wanted. */
	BUFFER_SIZE = PM_HEAP_WINDOW_SIZE + PAGE,
	/* pm_heap_window_ahead() reads more if fewer bytes are left in the buffer. */
	AHEAD_MIN = 4096,
};

/* Number of bytes for which page states are fetched at once for the buffer. */
static const uint64_t states_ahead = UINT64_C(64) << 20;

/* Size in bytes of the aligned blocks whose page states are fetched at once for the cache, if the
 * process is stopped. In a running process, the state of each page is fetched when it is read. */
static const uint64_t states_block = UINT64_C(2) << 20;

/** A page in the cache. */
struct cached_page {
	uint64_t address; /* 1 if the entry is empty */
	size_t size;      /* number of bytes at the start of the page that can be read */
	unsigned char bytes[PAGE];
};

struct pm_heap_window {
	const struct pm_heap_source *source;
	struct pm_range loaded; /* addresses of the bytes in `buffer` */
	bool ended; /* the bytes after `loaded` could not be read, or were not touched */
	struct pm_heap_presence ahead;
	struct pm_heap_presence single; /* for the cache */
	struct cached_page cache[CACHED_PAGES];
	size_t used; /* number of bytes at the start of `buffer` that were ever written */
	unsigned char buffer[BUFFER_SIZE];
};

int pm_heap_window_open(const struct pm_heap_source *source, struct pm_heap_window **window,
                        struct pm_error *error)
{
	struct pm_heap_window *made = malloc(sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	made->source = source;
	made->used = 0;
	pm_heap_presence_init(&made->ahead, source);
	pm_heap_presence_init(&made->single, source);
	pm_heap_window_forget(made);
	*window = made;

	return 0;
}

void pm_heap_window_close(struct pm_heap_window *window)
{
	/* The rest of the buffer has no data of the target, and no memory yet. */
	if (window)
		explicit_bzero(window, offsetof(struct pm_heap_window, buffer) + window->used);
	free(window);
}

void pm_heap_window_forget(struct pm_heap_window *window)
{
	pm_heap_window_forget_bytes(window);
	pm_heap_presence_forget(&window->ahead);
	pm_heap_presence_forget(&window->single);
}

void pm_heap_window_forget_bytes(struct pm_heap_window *window)
{
	window->loaded = (struct pm_range){ 0 };
	for (size_t i = 0; i < CACHED_PAGES; i++)
		window->cache[i].address = 1;
}

/** Reads bytes of the target. Leaves the error unchanged if only some of them can be read. */
static int read_bytes(struct pm_heap_window *window, uint64_t address, void *buffer, uint64_t size,
                      size_t *done, struct pm_error *error)
{
	struct pm_error why;
	if (pm_reader_read(window->source->reader, address, buffer, (size_t)size, done, &why) == 0)
		return 0;

	if (error)
		*error = why;
	return -1;
}

/**
 * Appends bytes of the target to the buffer.
 * @return 1; 0 if not all of the bytes can be read; -1 on error
 */
static int append(struct pm_heap_window *window, uint64_t size, struct pm_error *error)
{
	unsigned char *to = window->buffer + pm_range_size(window->loaded);
	size_t done = 0;

	window->used = pm_max_size(window->used, (size_t)(pm_range_size(window->loaded) + size));
	if (read_bytes(window, window->loaded.end, to, size, &done, error) < 0)
		return -1;

	window->loaded.end += done;
	return done == size;
}

/**
 * Loads bytes into the buffer. Stops before a page that was never touched, unless it is between the
 * bytes that are needed.
 *
 * @param address  first address that is needed
 * @param needed   end of the bytes that are needed
 * @param end      end of the bytes to read, at most BUFFER_SIZE from the page of `address` on
 */
static int load(struct pm_heap_window *window, uint64_t address, uint64_t needed, uint64_t end,
                struct pm_error *error)
{
	uint64_t page = address & ~(uint64_t)(PAGE - 1), until;

	window->loaded = (struct pm_range){ page, page };
	while (window->loaded.end < end) {
		uint64_t at = window->loaded.end;
		int state = pm_heap_presence_at(&window->ahead, at, states_ahead, &until, error);
		if (state < 0)
			return -1;

		bool skipped = state == PM_PRESENCE_ZEROS && (at == page || at >= needed);
		if (state == PM_PRESENCE_NONE || skipped)
			break;

		uint64_t size = pm_min(until, end) - at;
		if (state == PM_PRESENCE_ZEROS) {
			size = pm_min(size, needed - at);
			memset(window->buffer + (at - page), 0, (size_t)size);
			window->loaded.end += size;
			continue;
		}

		int complete = append(window, size, error);
		if (complete < 0)
			return -1;
		if (!complete)
			break;
	}

	window->ended = window->loaded.end < end;
	return 0;
}

/** Loads bytes from an address on; at least `needed` bytes if they can be read. */
static int reload(struct pm_heap_window *window, uint64_t address, size_t needed, uint64_t end,
                  struct pm_error *error)
{
	uint64_t ahead = pm_min(end - address, PM_HEAP_WINDOW_SIZE);

	if (pm_check_cancel(window->source->cancel, error) < 0)
		return -1;
	if (load(window, address, address + needed, address + ahead, error) < 0) {
		window->loaded = (struct pm_range){ 0 };
		return -1;
	}
	return 0;
}

int pm_heap_window_at(struct pm_heap_window *window, uint64_t address, size_t size, uint64_t end,
                      const void **bytes, struct pm_error *error)
{
	const struct pm_range *loaded = &window->loaded;
	if (end <= address || size > end - address || size > PM_HEAP_WINDOW_SIZE)
		return 0;

	if (address < loaded->start || address >= loaded->end || size > loaded->end - address) {
		if (reload(window, address, size, end, error) < 0)
			return -1;
		if (address >= loaded->end || size > loaded->end - address)
			return 0;
	}

	*bytes = window->buffer + (address - loaded->start);
	return 1;
}

/** Returns whether the buffer is sufficient: to read again would not make more bytes available. */
static bool is_enough(const struct pm_heap_window *window, uint64_t address, uint64_t end)
{
	const struct pm_range *loaded = &window->loaded;

	return pm_range_contains(*loaded, address) &&
	       (loaded->end - address >= AHEAD_MIN || loaded->end >= end || window->ended);
}

int pm_heap_window_ahead(struct pm_heap_window *window, uint64_t address, uint64_t end,
                         const void **bytes, size_t *size, struct pm_error *error)
{
	const struct pm_range *loaded = &window->loaded;

	if (end <= address)
		return 0;
	if (!is_enough(window, address, end) && reload(window, address, 1, end, error) < 0)
		return -1;
	if (!pm_range_contains(*loaded, address))
		return 0;

	*bytes = window->buffer + (address - loaded->start);
	*size = (size_t)(pm_min(loaded->end, end) - address);
	return 1;
}

int pm_heap_window_next(struct pm_heap_window *window, uint64_t address, uint64_t end,
                        uint64_t *next, struct pm_error *error)
{
	uint64_t at = address, until;

	while (at < end) {
		if (pm_check_cancel(window->source->cancel, error) < 0)
			return -1;

		int state = pm_heap_presence_at(&window->ahead, at, states_ahead, &until, error);
		if (state < 0)
			return -1;
		if (state == PM_PRESENCE_PAGES)
			break;
		at = until;
	}

	*next = pm_min(at, end);
	return 0;
}

/**
 * Returns the state of a page that goes into the cache. Single words are read in any order, so that
 * the states of the pages before an address are as useful as those after it.
 *
 * @param address  of the page
 * @return         an enum pm_presence_state, or -1 on error
 */
static int page_state(struct pm_heap_window *window, uint64_t address, struct pm_error *error)
{
	struct pm_heap_presence *single = &window->single;
	uint64_t block = address & ~(states_block - 1), until;

	if (!window->source->stopped) {
		int state = pm_heap_presence_at(single, address, PAGE, &until, error);
		if (state == PM_PRESENCE_NONE)
			state = pm_heap_presence_beyond(single, address, error);
		return state;
	}

	/* The block can start in front of the region: then nothing is fetched here. */
	if (!pm_range_contains(single->known, address) &&
	    pm_heap_presence_at(single, block, states_block, &until, error) < 0)
		return -1;

	return pm_heap_presence_at(single, address, states_block, &until, error);
}

/**
 * Loads a page into the cache.
 * @return 0; -1 on error
 */
static int load_page(struct pm_heap_window *window, uint64_t address, struct cached_page *page,
                     struct pm_error *error)
{
	size_t done = 0;

	page->address = 1;
	if (pm_check_cancel(window->source->cancel, error) < 0)
		return -1;

	int state = page_state(window, address, error);
	if (state < 0)
		return -1;
	if (state == PM_PRESENCE_PAGES &&
	    read_bytes(window, address, page->bytes, PAGE, &done, error) < 0)
		return -1;

	page->address = address;
	page->size = done;
	return 0;
}

int pm_heap_window_peek(struct pm_heap_window *window, uint64_t address, void *buffer, size_t size,
                        struct pm_error *error)
{
	unsigned char *to = buffer;
	if (size > PAGE || size > UINT64_MAX - address)
		return 0;

	while (size > 0) {
		uint64_t start = address & ~(uint64_t)(PAGE - 1);
		size_t offset = (size_t)(address - start), part = pm_min_size(size, PAGE - offset);
		struct cached_page *page = &window->cache[address / PAGE % CACHED_PAGES];

		if (page->address != start && load_page(window, start, page, error) < 0)
			return -1;
		if (offset + part > page->size)
			return 0;

		memcpy(to, page->bytes + offset, part);
		to += part;
		address += part;
		size -= part;
	}

	return 1;
}

int pm_heap_window_word(struct pm_heap_window *window, uint64_t address, uint64_t *word,
                        struct pm_error *error)
{
	return pm_heap_window_peek(window, address, word, sizeof *word, error);
}
