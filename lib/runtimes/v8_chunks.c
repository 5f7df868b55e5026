/* SPDX-License-Identifier: MIT */
/*
 * First, headers are collected: a header is correct if its addresses are inside its own chunk, and
 * if the chunk is mapped. Memory that was copied elsewhere therefore has no correct headers. Then
 * each header is confirmed by the space that it names: the space names the same heap, and has a
 * vtable in a mapped file.
 */
#include "runtimes/v8_chunks.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"

enum {
	PAGE = 4096,
	HEADER_WORDS = 13,
	METADATA_WORDS = 11,
	/* Objects start in the first pages of a chunk. */
	AREA_OFFSET_MAX = 1 << 16,
	CHUNKS_MAX = 1 << 20,
	/* Eight to ten spaces an isolate. Further spaces confirm nothing. */
	SPACES_MAX = 4096,
	HEAPS_MAX = 512,
	/* AllocationSpace has 8 to 13 values. */
	SPACE_IDS_MAX = 16,
	/* The limits are in the first 36 words of a Heap in V8 10 to 13. */
	HEAP_WORDS = 64,
};

/* Chunks of large objects are larger than any process that V8 can have. */
#define CHUNK_SIZE_MAX (UINT64_C(1) << 40)

/* MemoryChunk::Flag, the same in V8 10 to 13 */
enum { FLAG_FROM_PAGE = 1 << 3, FLAG_TO_PAGE = 1 << 4 };

/** The layouts of headers. */
enum layout {
	LAYOUT_NONE = 0,
	LAYOUT_SIZE_FIRST, /* V8 10 and 11: the size is the first word */
	LAYOUT_SELF,       /* V8 12: the flags, then the address of the chunk */
	LAYOUT_METADATA,   /* V8 13: the flags, then the address of the metadata */
	LAYOUTS,
};

/** Where the words of a header or of metadata are. */
struct places {
	uint8_t size, heap, area_start, area_end, high_water, owner, base, reserved;
};

/** A space, which is part of a heap (BaseSpace). */
struct space {
	uint64_t address;
	uint64_t heap;
	bool valid;
	bool code; /* a chunk of it can be executed */
};

struct spaces {
	struct space *items;
	size_t count;
	size_t capacity;
};

static const struct places places[LAYOUTS] = {
	[LAYOUT_SIZE_FIRST] = { .size = 0, .heap = 2, .area_start = 3, .area_end = 4,
	                        .high_water = 7, .owner = 8, .base = 10, .reserved = 11 },
	[LAYOUT_SELF] = { .size = 2, .heap = 3, .area_start = 4, .area_end = 5,
	                  .high_water = 8, .owner = 9, .base = 11, .reserved = 12 },
	[LAYOUT_METADATA] = { .size = 6, .heap = 8, .area_start = 9, .area_end = 7,
	                      .high_water = 5, .owner = 10, .base = 1, .reserved = 2 },
};

bool pm_v8_holds_chunks(const struct pm_region *region)
{
	return region->inode == 0 && (region->perms & PM_PERM_READ) &&
	       !(region->perms & PM_PERM_SHARED) && pm_region_is_anonymous(region);
}

static bool is_pointer(uint64_t word)
{
	return word % 8 == 0 && word >= PAGE && word < UINT64_C(1) << 56;
}

/** Returns whether regions without files cover all addresses from `start` to `end`. */
static bool is_mapped(const struct pm_regions *regions, uint64_t start, uint64_t end)
{
	size_t i = pm_regions_index(regions, start);

	for (; i < regions->count && regions->items[i].start <= start; i++) {
		if (regions->items[i].inode != 0)
			return false;
		start = regions->items[i].end;
		if (start >= end)
			return true;
	}

	return false;
}

/** Returns whether an address is in executable memory. */
static bool is_executable(const struct pm_regions *regions, uint64_t address)
{
	const struct pm_region *region = pm_regions_find(regions, address);
	return region && (region->perms & PM_PERM_EXEC);
}

/**
 * Decodes a header or metadata.
 * @return false if it is not correct
 */
static bool decode(const struct pm_regions *regions, uint64_t start, enum layout layout,
                   const uint64_t *words, struct pm_v8_chunk *chunk)
{
	const struct places *at = &places[layout];
	uint64_t size = words[at->size];
	uint64_t area_start = words[at->area_start], area_end = words[at->area_end];

	if (size == 0 || size % PAGE != 0 || size > CHUNK_SIZE_MAX || start > UINT64_MAX - size)
		return false;
	if (area_start <= start || area_start - start > AREA_OFFSET_MAX ||
	    area_end <= area_start || area_end > start + size || words[at->high_water] > size)
		return false;

	uint64_t base = words[at->base], reserved = words[at->reserved];
	if ((base != 0 || reserved != 0) && (base != start || reserved != size))
		return false;

	uint64_t heap = words[at->heap], owner = words[at->owner];
	if ((heap != 0 || owner != 0) && (!is_pointer(heap) || !is_pointer(owner)))
		return false;

	*chunk = (struct pm_v8_chunk){
		.start = start,
		.size = size,
		.area = area_end - area_start,
		.heap = heap,
		.owner = owner,
		.reserved = base == start,
		.code = is_executable(regions, area_start),
		.layout = (uint8_t)layout,
	};
	return is_mapped(regions, start, start + size);
}

/** Reads the chunk that starts at an address. Returns false if there is none. */
static bool read_chunk(struct pm_runtimes_context *context, uint64_t start,
                       struct pm_v8_chunk *chunk)
{
	const struct pm_regions *regions = context->source->regions;
	uint64_t words[HEADER_WORDS], metadata[METADATA_WORDS];
	bool found = false;

	if (!pm_runtime_read(context, start, words, sizeof words))
		return false;

	uint64_t flags = words[0];
	if (words[1] == start) {
		found = decode(regions, start, LAYOUT_SELF, words, chunk);
	} else if (words[1] <= UINT32_MAX && words[2] != start) {
		flags = words[1];
		found = decode(regions, start, LAYOUT_SIZE_FIRST, words, chunk);
	}
	if (!found && words[0] <= UINT32_MAX && is_pointer(words[1]) && words[1] != start &&
	    pm_runtime_read(context, words[1], metadata, sizeof metadata)) {
		flags = words[0];
		found = decode(regions, start, LAYOUT_METADATA, metadata, chunk);
	}
	if (!found || flags > UINT32_MAX)
		return false;

	chunk->flags = flags;
	return true;
}

/** Collects the chunks that start in a region. Returns the end of the last chunk. */
static int collect(struct pm_runtimes_context *context, const struct pm_region *region,
                   uint64_t *reached, struct pm_v8_chunks *chunks, struct pm_error *error)
{
	const uint64_t mask = PM_V8_CHUNK_ALIGNMENT - 1;
	uint64_t at = (pm_max(region->start, *reached) + mask) & ~mask;

	while (at < region->end && at >= region->start && chunks->count < CHUNKS_MAX) {
		uint64_t present = pm_runtime_next_present(context, at, region->end);
		struct pm_v8_chunk chunk;

		if (present >= region->end)
			break;
		if (present - at >= PAGE) {
			at = (present + mask) & ~mask;
			continue;
		}
		if (!read_chunk(context, at, &chunk)) {
			at += PM_V8_CHUNK_ALIGNMENT;
			continue;
		}

		if (pm_array_reserve(&chunks->items, &chunks->capacity, chunks->count, 1,
		                     sizeof *chunks->items, error) < 0)
			return -1;
		chunks->items[chunks->count++] = chunk;
		*reached = chunk.start + chunk.size;
		at = (*reached + mask) & ~mask;
	}

	return 0;
}

/** Drops the chunks whose layout is not that of most. A process has one version of V8. */
static void keep_one_layout(struct pm_v8_chunks *chunks)
{
	size_t counts[LAYOUTS] = { 0 }, kept = 0;
	unsigned best = LAYOUT_NONE;

	for (size_t i = 0; i < chunks->count; i++)
		counts[chunks->items[i].layout] += chunks->items[i].heap != 0;
	for (unsigned i = 0; i < LAYOUTS; i++)
		if (counts[i] > counts[best])
			best = i;

	for (size_t i = 0; i < chunks->count; i++)
		if (chunks->items[i].layout == best)
			chunks->items[kept++] = chunks->items[i];
	chunks->count = kept;
}

/** Reads a space. The first words of BaseSpace are the vtable, heap, id, and two sizes. */
static bool is_space(struct pm_runtimes_context *context, uint64_t address, uint64_t heap)
{
	uint64_t words[5], function;

	if (!pm_runtime_read(context, address, words, sizeof words) || words[1] != heap)
		return false;

	/* The upper half of the word of the id is padding. */
	uint64_t id = words[2] & UINT32_MAX, committed = words[3], max = words[4];
	if (id >= SPACE_IDS_MAX || committed % PAGE != 0 || committed > max)
		return false;

	const struct pm_regions *regions = context->source->regions;
	const struct pm_region *region = pm_regions_find(regions, words[0]);
	return region && region->inode != 0 && words[0] % 8 == 0 &&
	       pm_runtime_read_word(context, words[0], &function) &&
	       is_executable(regions, function);
}

/** Finds a space, or reads and adds it. Returns NULL if there are too many. */
static struct space *find_space(struct pm_runtimes_context *context, struct spaces *spaces,
                                const struct pm_v8_chunk *chunk, struct pm_error *error)
{
	for (size_t i = spaces->count; i-- > 0;)
		if (spaces->items[i].address == chunk->owner &&
		    spaces->items[i].heap == chunk->heap)
			return &spaces->items[i];

	if (spaces->count >= SPACES_MAX ||
	    pm_array_reserve(&spaces->items, &spaces->capacity, spaces->count, 1,
	                     sizeof *spaces->items, error) < 0)
		return NULL;

	struct space *space = &spaces->items[spaces->count++];
	*space = (struct space){
		.address = chunk->owner,
		.heap = chunk->heap,
		.valid = is_space(context, chunk->owner, chunk->heap),
	};
	return space;
}

/** Returns the heap at an address; NULL if it is not known. */
static struct pm_v8_heap *find_heap(const struct pm_v8_chunks *chunks, uint64_t address)
{
	for (size_t i = 0; i < chunks->heap_count; i++)
		if (chunks->heaps[i].address == address)
			return &chunks->heaps[i];
	return NULL;
}

/**
 * Reads the maximum size of the old generation. In V8 10 to 13 these sizes follow each other in a
 * Heap (heap.h): max_semi_space_size_, initial_semispace_size_, min_old_generation_size_,
 * max_old_generation_size_, min_global_memory_size_, max_global_memory_size_,
 * initial_max_old_generation_size_. The global sizes are twice those of the old generation
 * (Heap::GlobalMemorySizeFromV8Size()), so the sizes confirm each other.
 *
 * @return bytes; 0 if the sizes were not found
 */
static uint64_t read_limit(struct pm_runtimes_context *context, uint64_t heap)
{
	uint64_t words[HEAP_WORDS];

	if (!pm_runtime_read(context, heap, words, sizeof words))
		return 0;

	for (size_t i = 0; i + 7 <= HEAP_WORDS; i++) {
		const uint64_t *word = &words[i];
		uint64_t semi = word[0], max = word[3];

		if (semi < PM_V8_CHUNK_ALIGNMENT || semi > UINT64_C(1) << 32 || semi % PAGE != 0 ||
		    word[1] == 0 || word[1] > semi || word[1] % PAGE != 0)
			continue;
		if (max < PM_V8_CHUNK_ALIGNMENT || max % PM_V8_CHUNK_ALIGNMENT != 0 ||
		    max > UINT64_C(1) << 47 || word[2] > max)
			continue;
		if (word[4] == 2 * word[2] && word[5] == 2 * max && word[6] <= max &&
		    word[6] >= PM_V8_CHUNK_ALIGNMENT && word[6] % PM_V8_CHUNK_ALIGNMENT == 0)
			return max;
	}

	return 0;
}

static int add_heap(struct pm_runtimes_context *context, struct pm_v8_chunks *chunks,
                    uint64_t address, struct pm_error *error)
{
	if (find_heap(chunks, address) || chunks->heap_count >= HEAPS_MAX)
		return 0;
	if (pm_array_reserve(&chunks->heaps, &chunks->heap_capacity, chunks->heap_count, 1,
	                     sizeof *chunks->heaps, error) < 0)
		return -1;

	chunks->heaps[chunks->heap_count++] = (struct pm_v8_heap){
		.address = address,
		.old_limit = read_limit(context, address),
	};
	return 0;
}

/** Confirms chunks by their spaces, and adds the heaps of these. */
static int confirm(struct pm_runtimes_context *context, struct pm_v8_chunks *chunks,
                   struct spaces *spaces, struct pm_error *error)
{
	struct pm_error why = { 0 };

	for (size_t i = 0; i < chunks->count && !pm_runtime_ends(context); i++) {
		struct pm_v8_chunk *chunk = &chunks->items[i];
		struct space *space;

		if (chunk->heap == 0)
			continue;
		space = find_space(context, spaces, chunk, &why);
		if (!space && why.kind != PM_ERROR_NONE)
			return pm_error_out_of_memory(error);
		if (!space || !space->valid)
			continue;

		chunk->trust = PM_V8_TRUST_SPACE;
		chunk->space = (uint16_t)(space - spaces->items);
		space->code = space->code || chunk->code;
		if (add_heap(context, chunks, chunk->heap, error) < 0)
			return -1;
	}

	return 0;
}

/** Judges the chunks that their spaces do not confirm, and marks all chunks of code. */
static void judge(struct pm_v8_chunks *chunks, const struct spaces *spaces)
{
	for (size_t i = 0; i < chunks->count; i++) {
		struct pm_v8_chunk *chunk = &chunks->items[i];

		if (chunk->trust == PM_V8_TRUST_SPACE) {
			chunk->code = spaces->items[chunk->space].code;
			continue;
		}

		bool known = chunk->heap ? chunk->reserved && find_heap(chunks, chunk->heap)
		                         : chunks->heap_count > 0;
		chunk->trust = known ? PM_V8_TRUST_HEADER : PM_V8_TRUST_NONE;
		chunks->doubtful += known;
	}
}

/** Adds the sizes of the chunks to those of their heaps. */
static void add_sizes(struct pm_v8_chunks *chunks)
{
	for (size_t i = 0; i < chunks->count; i++) {
		const struct pm_v8_chunk *chunk = &chunks->items[i];
		struct pm_v8_heap *heap = find_heap(chunks, chunk->heap);

		if (!heap || chunk->trust != PM_V8_TRUST_SPACE)
			continue;
		if (chunk->flags & (FLAG_FROM_PAGE | FLAG_TO_PAGE)) {
			heap->young += chunk->size;
			continue;
		}
		heap->old += chunk->size;
		heap->old_area += chunk->area;
		if (chunk->code)
			heap->code += chunk->size;
		else if (chunk->size > PM_V8_CHUNK_ALIGNMENT)
			heap->large += chunk->size;
	}
}

int pm_v8_chunks_find(struct pm_runtimes_context *context, struct pm_v8_chunks *chunks,
                      struct pm_error *error)
{
	const struct pm_regions *regions = context->source->regions;
	struct spaces spaces = { 0 };
	uint64_t reached = 0;

	*chunks = (struct pm_v8_chunks){ 0 };
	for (size_t i = 0; i < regions->count && !pm_runtime_ends(context); i++)
		if (pm_v8_holds_chunks(&regions->items[i]) &&
		    collect(context, &regions->items[i], &reached, chunks, error) < 0)
			return -1;

	keep_one_layout(chunks);
	int result = confirm(context, chunks, &spaces, error);
	if (result == 0) {
		judge(chunks, &spaces);
		add_sizes(chunks);
	}

	free(spaces.items);
	return result;
}

void pm_v8_chunks_deinit(struct pm_v8_chunks *chunks)
{
	free(chunks->items);
	free(chunks->heaps);
}
