/* SPDX-License-Identifier: MIT */
#include "runtimes/python_arenas.h"

#include <stdlib.h>

#include <procmem/python_heap.h>

#include "base/array.h"
#include "base/minmax.h"

enum {
	ALIGNMENT = 16, /* blocks, and arrays that malloc returned */
	PAGE = 4096,
	FIRST_ENTRIES = 16, /* initial number of entries; then it is doubled */
	ENTRIES_MAX = FIRST_ENTRIES << 20,
	/* Entries that the process changes while they are read: one, and others by chance */
	DOUBTFUL_MAX = 64,
	INVALID_MAX = FIRST_ENTRIES / 2, /* of the first entries */
};

/** An entry of the array, as in memory: struct arena_object. */
struct entry {
	uint64_t address; /* 0: there is no arena */
	uint64_t unused;  /* address of the first pool that was never used */
	uint32_t free;    /* number of pools without blocks in use */
	uint32_t pools;   /* number of pools */
	uint64_t free_pool;
	uint64_t next;
	uint64_t previous;
};

_Static_assert(sizeof(struct entry) == 48, "struct arena_object of 64-bit CPython");
_Static_assert(sizeof(struct pm_python_pool) == PM_PYTHON_POOL_HEADER, "struct pool_header");

/* The sizes since 3.10, before 3.10, and since 3.10 if built without the radix tree. */
static const struct pm_python_layout layouts[] = {
	{ 1 << 20, 16384 },
	{ 1 << 18, 4096 },
	{ 1 << 20, 4096 },
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

/** An array that is examined. */
struct array {
	uint64_t address;
	uint32_t count;
};

bool pm_python_pool_is_valid(const struct pm_python_pool *pool, uint32_t pool_size, uint32_t arena)
{
	if (pool->arena != arena || pool->class >= PM_PYTHON_CLASSES)
		return false;

	uint32_t size = (pool->class + 1) * ALIGNMENT;
	uint32_t blocks = (pool_size - PM_PYTHON_POOL_HEADER) / size;

	return pool->max_offset == pool_size - size && pool->used <= blocks &&
	       pool->next_offset >= PM_PYTHON_POOL_HEADER + size &&
	       pool->next_offset <= PM_PYTHON_POOL_HEADER + blocks * size &&
	       (pool->next_offset - PM_PYTHON_POOL_HEADER) % size == 0;
}

/** Returns whether all of a range is in one region that can contain an arena. */
static bool is_writable(const struct pm_runtimes_context *context, uint64_t start, uint64_t size)
{
	const struct pm_region *region = pm_regions_find(context->source->regions, start);

	/* The regions can be older than the arena, but then its owner cannot be shown anyway. */
	return region && (region->perms & PM_PERM_WRITE) && region->end - start >= size;
}

/**
 * Checks an entry.
 * @param arena  receives the arena, without `index` and `proven`
 */
static bool check_entry(const struct pm_runtimes_context *context,
                        const struct pm_python_layout *layout, const struct entry *entry,
                        struct pm_python_arena *arena)
{
	const uint64_t size = layout->arena_size, mask = layout->pool_size - 1;

	if (entry->address % ALIGNMENT != 0 || entry->address > UINT64_MAX - 2 * size)
		return false;

	uint64_t base = (entry->address + mask) & ~mask, end = entry->address + size;
	uint64_t pools = (end - base) / layout->pool_size;
	if (entry->pools != pools || entry->free > pools || (entry->unused & mask) != 0 ||
	    entry->unused < base || entry->unused > base + pools * layout->pool_size)
		return false;
	if (entry->free_pool != 0 && ((entry->free_pool & mask) != 0 || entry->free == 0 ||
	                              entry->free_pool < base || entry->free_pool >= entry->unused))
		return false;

	*arena = (struct pm_python_arena){
		.start = entry->address, .base = base, .end = entry->unused, .pools = entry->pools
	};
	return is_writable(context, entry->address, size);
}

/** Returns whether an entry without an arena is valid: such entries are in a list. */
static bool is_unused(const struct array *array, const struct entry *entry)
{
	uint64_t offset = entry->next - array->address;

	if (entry->address != 0)
		return false;
	return entry->next == 0 ||
	       (offset < (uint64_t)array->count * sizeof *entry && offset % sizeof *entry == 0);
}

/** Returns whether the first pool of an arena has the index of the arena. */
static bool first_pool_refers(struct pm_runtimes_context *context,
                              const struct pm_python_layout *layout,
                              const struct pm_python_arena *arena)
{
	struct pm_python_pool pool;

	return arena->end > arena->base &&
	       pm_runtime_read(context, arena->base, &pool, sizeof pool) &&
	       pm_python_pool_is_valid(&pool, layout->pool_size, arena->index);
}

static bool read_entry(struct pm_runtimes_context *context, const struct array *array,
                       uint32_t index, struct entry *entry)
{
	return pm_runtime_read(context, array->address + (uint64_t)index * sizeof *entry, entry,
	                       sizeof *entry);
}

/** Returns the layout of an entry with an arena whose first pool refers to it; NULL if it has none.
 */
static const struct pm_python_layout *layout_of(struct pm_runtimes_context *context,
                                                const struct entry *entry, uint32_t index)
{
	for (size_t i = 0; i < LAYOUTS; i++) {
		struct pm_python_arena arena;

		if (!check_entry(context, &layouts[i], entry, &arena))
			continue;
		arena.index = index;
		if (first_pool_refers(context, &layouts[i], &arena))
			return &layouts[i];
	}

	return NULL;
}

/**
 * Finds the layout of an array. More entries than the first ones are added only when all of these
 * are in use. The process can change some entries concurrently, and have arenas that are not in the
 * list of regions.
 */
static const struct pm_python_layout *find_layout(struct pm_runtimes_context *context,
                                                  const struct array *array)
{
	const struct pm_python_layout *found = NULL;
	unsigned invalid = 0;

	for (uint32_t i = 0; i < FIRST_ENTRIES; i++) {
		const struct pm_python_layout *layout;
		struct entry entry;

		if (!read_entry(context, array, i, &entry))
			return NULL;
		if (is_unused(array, &entry))
			continue;

		layout = layout_of(context, &entry, i);
		if (layout && !found)
			found = layout;
		invalid += !layout || layout != found;
		if (invalid > INVALID_MAX)
			return NULL;
	}

	return found;
}

bool pm_python_arenas_is_count(uint32_t count)
{
	return count >= FIRST_ENTRIES && count <= ENTRIES_MAX && (count & (count - 1)) == 0;
}

/**
 * Adds an entry, if it is valid.
 * @return whether it is valid; an entry without an arena is, too
 */
static bool add_entry(struct pm_runtimes_context *context, const struct array *array,
                      uint32_t index, struct pm_python_arenas *arenas)
{
	struct pm_python_arena arena;
	struct entry entry;

	if (!read_entry(context, array, index, &entry))
		return false;
	if (is_unused(array, &entry))
		return true;
	if (!check_entry(context, &arenas->layout, &entry, &arena) ||
	    pm_array_reserve(&arenas->items, &arenas->capacity, arenas->count, 1, sizeof arena,
	                     &context->failure) < 0)
		return false;

	arena.index = index;
	arena.proven = first_pool_refers(context, &arenas->layout, &arena);
	arenas->items[arenas->count++] = arena;
	return true;
}

bool pm_python_arenas_add(struct pm_runtimes_context *context, uint64_t array, uint32_t count,
                          bool strict, struct pm_python_arenas *arenas)
{
	const struct array from = { array, count };
	const size_t before = arenas->count;
	size_t doubtful = 0;

	if (array == 0 || array % ALIGNMENT != 0 || !pm_python_arenas_is_count(count) ||
	    array > UINT64_MAX - (uint64_t)count * sizeof(struct entry) ||
	    !is_writable(context, array, FIRST_ENTRIES * sizeof(struct entry)))
		return false;

	const struct pm_python_layout *layout = find_layout(context, &from);
	if (!layout || (arenas->count > 0 && arenas->layout.pool_size != layout->pool_size))
		return false;

	arenas->layout = *layout;
	for (uint32_t i = 0; i < count && !pm_runtime_ends(context); i++) {
		if (add_entry(context, &from, i, arenas))
			continue;
		if (strict || ++doubtful > DOUBTFUL_MAX) {
			arenas->count = before;
			return false;
		}
	}

	arenas->doubtful += doubtful;
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct pm_python_arena *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

void pm_python_arenas_sort(struct pm_python_arenas *arenas)
{
	size_t kept = 0;

	if (arenas->count == 0)
		return;

	qsort(arenas->items, arenas->count, sizeof *arenas->items, compare);
	for (size_t i = 0; i < arenas->count; i++) {
		const struct pm_python_arena *last = kept > 0 ? &arenas->items[kept - 1] : NULL;

		if (last && arenas->items[i].start < last->start + arenas->layout.arena_size) {
			/* The same array was found twice, or an entry is not valid. */
			arenas->doubtful += arenas->items[i].start != last->start;
			continue;
		}
		arenas->items[kept++] = arenas->items[i];
	}
	arenas->count = kept;
}

void pm_python_arenas_deinit(struct pm_python_arenas *arenas)
{
	free(arenas->items);
	*arenas = (struct pm_python_arenas){ 0 };
}
