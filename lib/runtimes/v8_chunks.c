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
#include "runtimes/v8_memory.h"

enum {
	PAGE = 4096,
	/* The next and the previous chunk of the space are two of these words: 33 and 34 in V8 12
	 * and 13, 34 and 35 in V8 14. In released chunks, all of them are 0. */
	LIST_START = 32,
	LIST_END = 36,
	/* Objects start in the first pages of a chunk. */
	AREA_OFFSET_MAX = 1 << 16,
	CHUNKS_MAX = 1 << 20,
	/* Eight to ten spaces an isolate. Further spaces confirm nothing. */
	SPACES_MAX = 4096,
	HEAPS_MAX = 512,
	/* AllocationSpace has 8 to 13 values. */
	SPACE_IDS_MAX = 16,
	/* The limits are in the first 36 words of a Heap in V8 10 to 14. */
	HEAP_WORDS = 64,
};

/* Chunks of large objects are larger than any process that V8 can have. */
#define CHUNK_SIZE_MAX (UINT64_C(1) << 40)

/* MemoryChunk::Flag, the same in V8 10 to 14 */
enum { FLAG_FROM_PAGE = 1 << 3, FLAG_TO_PAGE = 1 << 4 };

/** The layouts of headers. */
enum layout {
	LAYOUT_NONE = 0,
	LAYOUT_SIZE_FIRST, /* V8 10 and 11: the size is the first word */
	LAYOUT_SELF,       /* V8 12: the flags, then the address of the chunk */
	LAYOUT_METADATA,   /* V8 13 and 14: the flags, then the address of the metadata */
	LAYOUTS,
};

/** Where the words of a header, or of metadata, are: their numbers. */
struct places {
	uint8_t size, heap, area_start, area_end, high_water, owner, base, reserved;
	/* Whether released chunks keep their headers. V8 11 and earlier return their memory. */
	bool pools;
};

/** A space, which is part of a heap (BaseSpace). */
struct space {
	uint64_t address;
	uint64_t heap;
	uint64_t first; /* first chunk of its list, pm_v8_chunk.id */
	/* PM_PROOF_INFERRED if its vtable cannot be read: core files do not have the pages of files
	 */
	enum pm_proof proof;
	bool code; /* a chunk of it can be executed */
};

struct spaces {
	struct space *items;
	size_t count;
	size_t capacity;
};

/* In the order of the members */
static const struct places places[LAYOUTS] = {
	[LAYOUT_SIZE_FIRST] = { 0, 2, 3, 4, 7, 8, 10, 11, false },
	[LAYOUT_SELF] = { 2, 3, 4, 5, 8, 9, 11, 12, true },
	[LAYOUT_METADATA] = { 6, 8, 9, 7, 5, 10, 1, 2, true },
};

bool pm_v8_holds_chunks(const struct pm_region *region)
{
	return (region->perms & PM_PERM_READ) && pm_v8_memory_is_private(region);
}

/** Returns whether a chunk is in a list with others, by its header or metadata. */
static bool is_linked(const uint64_t *words)
{
	for (size_t i = LIST_START; i < LIST_END; i++)
		if (words[i] != 0)
			return true;
	return false;
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
	if (area_start <= start || area_start - start > AREA_OFFSET_MAX || area_end <= area_start ||
	    area_end > start + size || words[at->high_water] > size)
		return false;

	uint64_t base = words[at->base], reserved = words[at->reserved];
	if ((base != 0 || reserved != 0) && (base != start || reserved != size))
		return false;

	uint64_t heap = words[at->heap], owner = words[at->owner];
	if ((heap != 0 || owner != 0) &&
	    (!pm_v8_memory_is_pointer(heap) || !pm_v8_memory_is_pointer(owner)))
		return false;

	*chunk = (struct pm_v8_chunk){
		.start = start,
		.size = size,
		.area = area_end - area_start,
		.heap = heap,
		.owner = owner,
		.reserved = base == start,
		.code = pm_v8_memory_is_code(regions, area_start),
		.linked = !at->pools || is_linked(words),
		.layout = (uint8_t)layout,
	};
	return pm_v8_memory_is_reserved(regions, start, size);
}

/** Reads the chunk that starts at an address. Returns false if there is none. */
static bool read_chunk(struct pm_runtimes_context *context, uint64_t start,
                       struct pm_v8_chunk *chunk)
{
	const struct pm_regions *regions = context->source->regions;
	uint64_t words[LIST_END], id = start;
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
	if (!found && words[0] <= UINT32_MAX && pm_v8_memory_is_pointer(words[1]) &&
	    words[1] != start) {
		flags = words[0];
		id = words[1];
		found = pm_runtime_read(context, id, words, sizeof words) &&
		        decode(regions, start, LAYOUT_METADATA, words, chunk);
	}
	if (!found || flags > UINT32_MAX)
		return false;

	chunk->flags = flags;
	chunk->id = id;
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

/**
 * Reads a space. The first words are the vtable, heap, id, and two sizes (BaseSpace), then in V8 11
 * to 14 the first chunk (Space).
 */
static enum pm_proof read_space(struct pm_runtimes_context *context, struct space *space)
{
	uint64_t words[6], function;

	if (!pm_runtime_read(context, space->address, words, sizeof words) ||
	    words[1] != space->heap)
		return PM_PROOF_NONE;
	space->first = words[5];

	/* The upper half of the word of the id is padding. */
	uint64_t id = words[2] & UINT32_MAX, committed = words[3];
	if (id >= SPACE_IDS_MAX || committed % PAGE != 0 || committed > CHUNK_SIZE_MAX)
		return PM_PROOF_NONE;

	const struct pm_regions *regions = context->source->regions;
	if (!pm_v8_memory_is_constant(regions, words[0]))
		return PM_PROOF_NONE;
	if (!pm_runtime_read_word(context, words[0], &function))
		return PM_PROOF_INFERRED;
	return pm_v8_memory_is_code(regions, function) ? PM_PROOF_PROVEN : PM_PROOF_NONE;
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
	};
	space->proof = read_space(context, space);
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
 * Reads the maximum size of the old generation. In V8 10 to 14 these sizes follow each other in a
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
		if (!space || space->proof == PM_PROOF_NONE)
			continue;

		if (!chunk->linked && space->first != chunk->id)
			chunk->trust = PM_V8_TRUST_POOLED;
		else if (space->proof == PM_PROOF_PROVEN)
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

		if (chunk->trust >= PM_V8_TRUST_POOLED && chunk->space < spaces->count) {
			chunk->code = spaces->items[chunk->space].code;
			continue;
		}

		bool known = chunk->heap ? chunk->reserved && find_heap(chunks, chunk->heap)
		                         : chunks->heap_count > 0;
		chunk->trust = known ? PM_V8_TRUST_HEADER : PM_V8_TRUST_NONE;
	}
}

/** Adds the sizes of the chunks to those of their heaps. */
static void add_sizes(struct pm_v8_chunks *chunks)
{
	for (size_t i = 0; i < chunks->count; i++) {
		const struct pm_v8_chunk *chunk = &chunks->items[i];
		struct pm_v8_heap *heap = find_heap(chunks, chunk->heap);

		chunks->confirmed += chunk->trust == PM_V8_TRUST_SPACE;
		if (chunk->trust == PM_V8_TRUST_POOLED)
			chunks->pooled += chunk->size;
		if (!heap || chunk->trust == PM_V8_TRUST_NONE || chunk->trust == PM_V8_TRUST_POOLED)
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
