/* SPDX-License-Identifier: MIT */
/*
 * The main arena is a variable of libc.so.6, or of the program if this is linked statically. It is
 * found by its structure: sizes that fit each other, and 127 bins, each of which is a doubly linked
 * list. The other arenas are linked in a circle. mp_ is in the same mapping.
 */
#include "heap/glibc_find.h"

#include <stdlib.h>

#include "base/array.h"
#include "heap/glibc_pages.h"

enum {
	STEP = 16, /* distance of tested addresses; the main arena is aligned to 32 in all known
	              builds */
	ARENAS_MAX = 65536,      /* malloc creates at most 8 arenas for each CPU by default */
	FILE_SIZE_MAX = 1 << 30, /* larger mappings are not searched */
	CODE_DISTANCE = 64,      /* regions before the data of a file among which its code is */
	SLICE = 1 << 28,         /* bytes whose page states are known at a time */
};

/** Returns whether the memory of a region is private and can be written. */
static bool is_data(const struct pm_region *region)
{
	unsigned write = PM_PERM_WRITE | PM_PERM_MAYBE(PM_PERM_WRITE);

	return (region->perms & write) != 0 && (region->perms & PM_PERM_SHARED) == 0 &&
	       region->mapping[0] == '/' && pm_region_size(region) <= FILE_SIZE_MAX;
}

/** Returns whether a file name is that of glibc: `libc.so.6`, or `libc-2.31.so` until 2.33. */
static bool is_libc(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-2.", 7) == 0;
}

/** Returns whether one of the regions before a region contains code of the same file. */
static bool has_code(const struct pm_regions *regions, size_t index)
{
	const struct pm_region *region = &regions->items[index];
	unsigned code = PM_PERM_EXEC | PM_PERM_MAYBE(PM_PERM_EXEC);

	for (size_t i = index + 1; i-- > 0 && index - i <= CODE_DISTANCE;) {
		const struct pm_region *other = &regions->items[i];
		if ((other->perms & code) != 0 && strcmp(other->mapping, region->mapping) == 0)
			return true;
	}
	return false;
}

/**
 * Reads a word to check a malloc_state. The number of these reads is bounded, because a hostile
 * file can contain many structures that look like a malloc_state.
 */
static int read_state_word(struct pm_glibc *glibc, uint64_t address, uint64_t *word,
                           struct pm_error *error)
{
	if (glibc->state_reads == 0)
		return 0;

	glibc->state_reads--;
	return pm_heap_window_word(glibc->heap->window, address, word, error);
}

/** Checks whether the first and the last chunk of a bin point back to the bin. */
static int bin_is_linked(struct pm_glibc *glibc, uint64_t bin, uint64_t first, uint64_t last,
                         struct pm_error *error)
{
	uint64_t back = 0, forward = 0;

	if (first == bin)
		return last == bin;

	int result = read_state_word(glibc, first + 24, &back, error);
	if (result > 0)
		result = read_state_word(glibc, last + 16, &forward, error);
	if (result <= 0)
		return result;
	return back == bin && forward == bin;
}

/** Checks whether most of the bins of a plausible malloc_state are doubly linked lists. */
static int bins_are_linked(struct pm_glibc *glibc, const struct pm_glibc_layout *layout,
                           uint64_t address, const unsigned char *bytes, struct pm_error *error)
{
	unsigned bad = 0;

	for (size_t i = 0; i < PM_GLIBC_BINS && bad <= PM_GLIBC_BINS_BAD_MAX; i++) {
		size_t offset = layout->bins + i * 16;
		int linked = bin_is_linked(glibc, address + offset - 16,
		                           pm_glibc_word(bytes + offset),
		                           pm_glibc_word(bytes + offset + 8), error);
		if (linked < 0)
			return -1;
		bad += linked == 0;
	}

	return bad <= PM_GLIBC_BINS_BAD_MAX;
}

/**
 * Checks whether the list of arenas leads back to its start. It does not if the structure is that
 * of another version: malloc_state of 2.26 is that of 2.43 with ten words more.
 */
static int circle_is_closed(struct pm_glibc *glibc, const struct pm_glibc_layout *layout,
                            uint64_t address, uint64_t next, struct pm_error *error)
{
	for (size_t i = 0; next != address; i++) {
		int got = 0;
		if (i < ARENAS_MAX && next % 8 == 0 && next < UINT64_MAX - layout->next)
			got = read_state_word(glibc, next + layout->next, &next, error);
		if (got <= 0)
			return got;
	}
	return 1;
}

/** A main arena that was found. */
struct candidate {
	const struct pm_region *region; /* NULL if there is none */
	const struct pm_glibc_layout *layout;
	struct pm_glibc_arena arena;
};

/** The search for the main arena. */
struct search {
	struct pm_glibc *glibc;
	const struct pm_region *region; /* the region that is searched */
	struct candidate idle;          /* initialised, but without memory */
	struct candidate open;          /* its list of arenas does not lead back to it */
};

/** Keeps a candidate, unless there is one already. */
static void keep(struct candidate *kept, const struct candidate *candidate)
{
	if (!kept->region)
		*kept = *candidate;
}

/**
 * Checks a plausible malloc_state.
 *
 * @param state  a copy of the bytes of the malloc_state: bytes in the window change with the next
 *               read
 * @return 1 if it is the main arena, and is in use; 0 if not, or if there may be a better one; -1
 */
static int check_state(struct search *search, const struct pm_glibc_layout *layout,
                       uint64_t address, const unsigned char *state, struct pm_error *error)
{
	struct pm_glibc *glibc = search->glibc;
	struct candidate candidate = { .region = search->region, .layout = layout };
	int good = bins_are_linked(glibc, layout, address, state, error);
	if (good <= 0)
		return good;

	pm_glibc_parse_state(layout, address, state, &candidate.arena);
	good = circle_is_closed(glibc, layout, address, candidate.arena.next, error);
	if (good < 0)
		return -1;

	if (good == 0) {
		keep(&search->open, &candidate);
		return 0;
	}
	if (candidate.arena.system == 0 && candidate.arena.next == address) {
		keep(&search->idle, &candidate);
		return 0;
	}

	/* Nothing else is searched for. */
	search->idle = candidate;
	return 1;
}

/**
 * Checks an address for a main arena of each layout.
 * @return 1 if there is a main arena that is in use; 0 if not; -1 on error
 */
static int check(struct search *search, uint64_t address, const unsigned char *bytes, size_t size,
                 struct pm_error *error)
{
	unsigned char copy[PM_GLIBC_STATE_MAX];
	int found = 0;

	for (size_t i = 0; found == 0 && i < PM_GLIBC_LAYOUTS; i++) {
		const struct pm_glibc_layout *layout = pm_glibc_layout(i);
		if (size < layout->size)
			continue;

		enum pm_glibc_guess guess = pm_glibc_guess_state(layout, address, bytes);
		if (guess == PM_GLIBC_UNUSED)
			search->glibc->layout = layout;
		if (guess != PM_GLIBC_PLAUSIBLE)
			continue;

		if (bytes != copy)
			memcpy(copy, bytes, size);
		bytes = copy;
		found = check_state(search, layout, address, bytes, error);
	}

	return found;
}

/** Searches contiguous pages for a main arena. */
static int search_pages(struct search *search, struct pm_range pages, uint64_t end,
                        struct pm_error *error)
{
	const uint64_t least = pm_glibc_layout(1)->size;

	for (uint64_t at = pages.start; at < pages.end && end - at >= least; at += STEP) {
		const void *bytes;
		size_t size = (size_t)pm_min(end - at, PM_GLIBC_STATE_MAX);
		int got = pm_heap_window_at(search->glibc->heap->window, at, size, end, &bytes,
		                            error);
		if (got <= 0)
			return got;

		int found = check(search, at, bytes, size, error);
		if (found != 0)
			return found;
	}

	return 0;
}

/** Searches the readable pages of a region. */
static int search_region(struct search *search, struct pm_error *error)
{
	const struct pm_region *region = search->region;
	struct pm_glibc_pages pages = { 0 };
	int found = 0;

	for (uint64_t at = region->start; found == 0 && at < region->end;) {
		struct pm_range slice = { at, at + pm_min(region->end - at, SLICE) };
		if (pm_glibc_pages_find(&search->glibc->heap->source, slice, &pages, error) < 0)
			found = -1;
		for (size_t i = 0; found == 0 && i < pages.count; i++)
			found = search_pages(search, pages.items[i], region->end, error);
		at = slice.end;
	}

	free(pages.items);
	return found;
}

/**
 * Finds the main arena.
 * @param best  receives the main arena; `region` is NULL if there is none that is initialised
 * @return      0 or -1
 */
static int find_main(struct pm_glibc *glibc, struct candidate *best, struct pm_error *error)
{
	const struct pm_regions *regions = glibc->heap->source.regions;
	struct search search = { .glibc = glibc };
	int found = 0;

	/* First libc, then all other files, for programs that are linked statically. */
	for (size_t i = 0; found == 0 && glibc->state_reads > 0 && i < 2 * regions->count; i++) {
		size_t index = i % regions->count;
		search.region = &regions->items[index];

		bool first = i < regions->count;
		if (is_data(search.region) && is_libc(search.region->mapping) == first &&
		    (first || has_code(regions, index)))
			found = search_region(&search, error);
	}
	if (found < 0)
		return -1;

	/* A search that was given up has found nothing. */
	if (found == 0 && glibc->state_reads == 0) {
		glibc->layout = NULL;
		*best = (struct candidate){ 0 };
		return 0;
	}

	*best = search.idle.region ? search.idle : search.open;
	return 0;
}

/** How well an address fits as mp_.sbrk_base. */
enum fit { FIT_NONE, FIT_POSSIBLE, FIT_TUNED, FIT_EXACT };

/**
 * Compares an address with the start of the brk heap.
 * @param expected  start of the brk heap according to the main arena; 0 if not known
 */
static enum fit fit_of(const struct pm_glibc *glibc, uint64_t sbrk_base, uint64_t expected)
{
	const struct pm_glibc_arena *main = &glibc->arenas[0];

	if (main->system == 0)
		return sbrk_base == 0 ? FIT_EXACT : FIT_NONE;
	if (expected != 0 && sbrk_base == expected)
		return FIT_EXACT;
	if (sbrk_base == 0 || !pm_regions_find(glibc->heap->source.regions, sbrk_base))
		return FIT_NONE;
	return FIT_POSSIBLE;
}

/**
 * As fit_of(), for parameters. If tunables have changed them all, only the start of the brk heap
 * shows that they are mp_.
 */
static enum fit fit_parameters(const struct pm_glibc *glibc,
                               const struct pm_glibc_parameters *parameters, uint64_t expected)
{
	enum fit fit = fit_of(glibc, parameters->sbrk_base, expected);

	if (!parameters->tuned)
		return fit;
	return fit == FIT_EXACT && parameters->sbrk_base != 0 ? FIT_TUNED : FIT_NONE;
}

/** Finds mp_ in a region. mp_ is not needed, so it is not an error if it is not found. */
static int find_parameters(struct pm_glibc *glibc, const struct pm_region *region,
                           struct pm_error *error)
{
	const struct pm_glibc_arena *main = &glibc->arenas[0];
	uint64_t head = 0, expected = 0;
	enum fit best = FIT_NONE;
	int got = pm_heap_window_word(glibc->heap->window, main->top + 8, &head, error);

	if (got < 0)
		return -1;
	if (got > 0 && main->contiguous)
		expected = main->top + (head & ~UINT64_C(7)) - main->system;

	for (uint64_t at = region->start; best != FIT_EXACT && at < region->end; at += 8) {
		const size_t size = PM_GLIBC_PARAMETERS_BEFORE + PM_GLIBC_PARAMETERS_AFTER;
		struct pm_glibc_parameters parameters;
		const void *bytes;

		if (region->end - at < size)
			break;
		got = pm_heap_window_at(glibc->heap->window, at, size, region->end, &bytes, error);
		if (got < 0)
			return -1;
		if (got == 0) {
			at |= glibc->page - 8;
			continue;
		}

		const unsigned char *from = (const unsigned char *)bytes;
		if (!pm_glibc_parse_parameters(from + PM_GLIBC_PARAMETERS_BEFORE, &parameters))
			continue;

		enum fit fit = fit_parameters(glibc, &parameters, expected);
		if (fit <= best)
			continue;
		best = fit;
		glibc->parameters = parameters;
		glibc->parameters.address = at + PM_GLIBC_PARAMETERS_BEFORE;
	}

	return 0;
}

/** Reads the arena at an address. */
static int read_arena(struct pm_glibc *glibc, uint64_t address, struct pm_glibc_arena *arena,
                      struct pm_error *error)
{
	unsigned char state[PM_GLIBC_STATE_MAX];
	int got = pm_heap_window_peek(glibc->heap->window, address, state, glibc->layout->size,
	                              error);

	if (got <= 0)
		return got;
	if (!pm_glibc_state_is_sane(glibc->layout, state))
		return 0;

	pm_glibc_parse_state(glibc->layout, address, state, arena);
	return 1;
}

/** Follows the circle of arenas from the main arena. */
static int find_others(struct pm_glibc *glibc, struct pm_error *error)
{
	const uint64_t main = glibc->arenas[0].address;
	uint64_t address = glibc->arenas[0].next, previous = main, seen = main;

	while (address != main) {
		struct pm_glibc_arena arena;
		int got = 0;

		/* A damaged list can be a circle without the main arena (Brent's algorithm). */
		if (glibc->count < ARENAS_MAX && address % 16 == 0 && address != seen)
			got = read_arena(glibc, address, &arena, error);
		if (got < 0)
			return -1;
		if (got == 0)
			return pm_glibc_damage(glibc, 0, address, previous,
			                       "the list of arenas leads to memory that is not an "
			                       "arena",
			                       error);

		if (pm_array_reserve(&glibc->arenas, &glibc->capacity, glibc->count, 1,
		                     sizeof *glibc->arenas, error) < 0)
			return -1;
		glibc->arenas[glibc->count++] = arena;
		if ((glibc->count & (glibc->count - 1)) == 0)
			seen = address;
		previous = address;
		address = arena.next;
	}

	return 0;
}

int pm_glibc_find(struct pm_glibc *glibc, struct pm_error *error)
{
	struct candidate best;

	if (find_main(glibc, &best, error) < 0)
		return -1;
	if (!best.region)
		return glibc->layout != NULL;

	if (pm_array_reserve(&glibc->arenas, &glibc->capacity, 0, 1, sizeof *glibc->arenas, error) <
	    0)
		return -1;
	glibc->arenas[glibc->count++] = best.arena;
	glibc->layout = best.layout;
	glibc->file = best.region->mapping;
	if (find_parameters(glibc, best.region, error) < 0 || find_others(glibc, error) < 0)
		return -1;
	return 1;
}

int pm_glibc_find_copy(struct pm_glibc *glibc, struct pm_error *error)
{
	const struct pm_regions *regions = glibc->heap->source.regions;
	const struct pm_glibc_layout *layout = glibc->layout;
	struct search search = { .glibc = glibc };
	int found = 0;

	for (size_t i = 0; found == 0 && i < regions->count; i++) {
		const struct pm_region *region = search.region = &regions->items[i];

		if (is_data(region) && is_libc(region->mapping) &&
		    !pm_range_contains(pm_region_bounds(region), glibc->arenas[0].address))
			found = search_region(&search, error);
	}

	glibc->layout = layout;
	return found;
}

int pm_glibc_find_again(struct pm_glibc *glibc, size_t arena, struct pm_error *error)
{
	struct pm_glibc_arena read;
	int got = read_arena(glibc, glibc->arenas[arena].address, &read, error);

	if (got > 0)
		glibc->arenas[arena] = read;
	return got;
}

int pm_glibc_find_parameters(struct pm_glibc *glibc, struct pm_error *error)
{
	unsigned char bytes[PM_GLIBC_PARAMETERS_BEFORE + PM_GLIBC_PARAMETERS_AFTER];
	struct pm_glibc_parameters parameters;
	uint64_t address = glibc->parameters.address;

	if (address == 0)
		return 0;

	int got = pm_heap_window_peek(glibc->heap->window, address - PM_GLIBC_PARAMETERS_BEFORE,
	                              bytes, sizeof bytes, error);
	if (got <= 0)
		return got;
	if (!pm_glibc_parse_parameters(bytes + PM_GLIBC_PARAMETERS_BEFORE, &parameters))
		return 0;

	parameters.address = address;
	glibc->parameters = parameters;
	return 1;
}
