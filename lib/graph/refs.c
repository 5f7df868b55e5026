/* SPDX-License-Identifier: MIT */
#include <procmem/refs.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "base/search.h"
#include "graph/nearest.h"
#include "graph/roots.h"
#include "graph/roots_scan.h"

/* Number of bytes that are searched between two tests of the cancellation flag. */
static const uint64_t STEP = UINT64_C(16) << 20;

/** A search for words that contain an address in a range. */
struct search {
	struct pm_graph *graph;
	struct pm_range range;
	pm_ref_visitor *visit;
	void *context;
	struct pm_error *error;
};

/** Returns whether an address is in the memory outside of malloc that is searched. */
static bool is_searched(const struct pm_graph *graph, uint64_t address)
{
	const struct pm_range_list *memory = &graph->memory;
	size_t next = pm_first_above(memory->items, memory->count, sizeof *memory->items,
	                             offsetof(struct pm_range, end), address);
	return next < memory->count && memory->items[next].start <= address;
}

/** Reports a word, unless it is in a chunk that is not in use, or in memory that is not searched.
 */
static int report_word(struct search *search, uint64_t address, uint64_t value)
{
	struct pm_graph *graph = search->graph;
	struct pm_ref ref = { .address = address, .value = value, .root = PM_REF_CHUNK };
	struct pm_range unused;

	if (pm_range_contains(search->range, address))
		return 0;

	if (pm_heap_index_find(graph->index, address, &ref.chunk)) {
		if (ref.chunk.state != PM_CHUNK_IN_USE || address < ref.chunk.start)
			return 0;
		ref.offset = address - ref.chunk.start;
		return search->visit(search->context, &ref);
	}

	if (!is_searched(graph, address))
		return 0;
	if (pm_roots_at(graph, address, &ref.root, &unused, search->error) < 0)
		return -1;

	ref.offset = address - pm_min(graph->roots[ref.root].start, address);
	return search->visit(search->context, &ref);
}

/** Searches copied bytes. */
static int search_part(struct search *search, struct pm_range part)
{
	const uint64_t *words = pm_copy_bytes(search->graph->copy, part.start, pm_range_size(part));
	uint64_t start = search->range.start, size = pm_range_size(search->range);
	size_t count = words ? (size_t)pm_range_size(part) / sizeof *words : 0;

	for (size_t i = 0; i < count; i++) {
		if (words[i] - start >= size)
			continue;
		int result = report_word(search, part.start + i * sizeof *words, words[i]);
		if (result != 0)
			return result;
	}

	return 0;
}

/** Searches a range that was copied. */
static int search_range(struct search *search, struct pm_range rest)
{
	while (rest.start < rest.end) {
		struct pm_range part = { rest.start, pm_min(rest.end, rest.start + STEP) };
		if (pm_check_cancel(search->graph->options.cancel, search->error) < 0)
			return -1;
		int result = search_part(search, part);
		if (result != 0)
			return result;
		rest.start = part.end;
	}

	return 0;
}

/**
 * Searches the parts of a copied range that are outside of malloc, or the other parts.
 * @param next  index of the first range of pm_graph.memory that may overlap; updated
 */
static int search_parts(struct search *search, struct pm_range range, bool outside, size_t *next)
{
	const struct pm_range_list *memory = &search->graph->memory;
	uint64_t done = range.start;
	int result = 0;

	while (*next < memory->count && memory->items[*next].end <= range.start)
		++*next;

	for (size_t i = *next; i < memory->count && memory->items[i].start < range.end; i++) {
		struct pm_range part = pm_range_clip(memory->items[i], range);
		/* A word that crosses the end of a part is searched with the next part. */
		part.start = pm_max((part.start + 7) & ~UINT64_C(7), done);
		part.end = pm_max(part.end & ~UINT64_C(7), part.start);
		if (outside)
			result = search_range(search, part);
		else
			result = search_range(search, (struct pm_range){ done, part.start });
		if (result != 0)
			return result;
		done = part.end;
	}

	return outside ? 0 : search_range(search, (struct pm_range){ done, range.end });
}

/** Searches the copied memory outside of malloc, or all other copied memory. */
static int search_memory(struct search *search, bool outside)
{
	size_t count, next = 0;
	const struct pm_range *ranges = pm_copy_ranges(search->graph->copy, &count);
	int result = 0;

	for (size_t i = 0; result == 0 && i < count; i++)
		result = search_parts(search, ranges[i], outside, &next);
	return result;
}

static int search_registers(struct search *search)
{
	size_t count;
	const struct pm_copy_thread *threads = pm_copy_threads(search->graph->copy, &count);

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < pm_roots_register_count(&threads[i]); k++) {
			struct pm_ref ref = { .value = pm_roots_register(&threads[i], k),
				              .offset = UINT64_C(8) * k };
			if (!pm_range_contains(search->range, ref.value))
				continue;
			if (pm_roots_registers(search->graph, i, &ref.root, search->error) < 0)
				return -1;
			int result = search->visit(search->context, &ref);
			if (result != 0)
				return result;
		}
	}

	return 0;
}

int pm_refs_find(struct pm_graph *graph, struct pm_range range, pm_ref_visitor *visit,
                 void *context, struct pm_error *error)
{
	struct search search = {
		.graph = graph, .range = range, .visit = visit, .context = context, .error = error
	};

	int result = search_registers(&search);
	if (result == 0)
		result = search_memory(&search, true);
	if (result == 0)
		result = search_memory(&search, false);
	return result;
}

/** Reports the words of a range that point to chunks. */
struct pointers {
	const struct pm_graph *graph;
	uint64_t start;
	pm_ref_visitor *visit;
	void *context;
};

static int report_pointer(void *context, uint32_t target, uint64_t address)
{
	const struct pointers *pointers = context;
	struct pm_ref ref = { .address = address,
		              .root = PM_REF_CHUNK,
		              .offset = address - pointers->start,
		              .chunk = pm_graph_chunk(pointers->graph, target) };
	const void *bytes = pm_copy_bytes(pointers->graph->copy, address, sizeof ref.value);

	if (bytes)
		memcpy(&ref.value, bytes, sizeof ref.value);
	return pointers->visit(pointers->context, &ref);
}

int pm_refs_from(struct pm_graph *graph, struct pm_range range, pm_ref_visitor *visit,
                 void *context, struct pm_error *error)
{
	struct pointers pointers = {
		.graph = graph, .start = range.start, .visit = visit, .context = context
	};
	size_t last = 0;

	int result = pm_graph_scan(graph, range, &last, report_pointer, &pointers);
	return result != 0 ? result : pm_check_cancel(graph->options.cancel, error);
}

/** Finds the first word that points to a node. */
struct word {
	uint32_t target;
	uint32_t root; /* if the word is in a root: this root */
	uint64_t address;
};

static int find_in_chunk(void *context, uint32_t target, uint64_t address)
{
	struct word *word = context;
	if (target != word->target)
		return 0;
	word->address = address;
	return 1;
}

static int find_in_root(void *context, uint32_t root, uint32_t target, uint64_t address)
{
	struct word *word = context;
	if (target != word->target || root != word->root)
		return 0;
	word->address = address;
	return 1;
}

/** Finds the reference from a parent to a node. */
static int make_ref(const struct pm_graph *graph, uint32_t parent, uint32_t node,
                    struct pm_ref *made, struct pm_error *error)
{
	struct word word = { .target = node };
	struct pm_ref ref = { .root = PM_REF_CHUNK };
	size_t last = 0;

	if (pm_nearest_is_root(graph, parent)) {
		ref.root = word.root = pm_nearest_root(graph, parent);
		const struct pm_root *root = &graph->roots[ref.root];
		if (pm_roots_scan(graph, root->level, find_in_root, &word, error) < 0)
			return -1;
		if (root->kind == PM_ROOT_REGISTER) {
			ref.offset = word.address * 8;
			ref.value = pm_graph_bytes(graph, node).start;
			*made = ref;
			return 0;
		}
		ref.offset = word.address - pm_min(root->start, word.address);
	} else {
		struct pm_range bytes = pm_graph_bytes(graph, parent - 1);
		pm_graph_scan(graph, bytes, &last, find_in_chunk, &word);
		ref.chunk = pm_graph_chunk(graph, parent - 1);
		ref.offset = word.address - bytes.start;
	}

	const void *value = pm_copy_bytes(graph->copy, word.address, sizeof ref.value);
	ref.address = word.address;
	if (value)
		memcpy(&ref.value, value, sizeof ref.value);

	*made = ref;
	return pm_check_cancel(graph->options.cancel, error);
}

/** Returns whether a reference continues the list of which a step is a part. */
static bool continues(const struct pm_path_step *step, const struct pm_ref *ref)
{
	return step->ref.root == PM_REF_CHUNK && ref->root == PM_REF_CHUNK &&
	       step->ref.offset == ref->offset && step->ref.chunk.size == ref->chunk.size;
}

/** Adds a reference to a path. If the path has too many steps, a step in the middle is removed. */
static int add_step(struct pm_path *path, size_t *capacity, const struct pm_ref *ref,
                    struct pm_error *error)
{
	enum { HALF = PM_PATH_STEPS_MAX / 2 };
	struct pm_path_step *last = path->count > 0 ? &path->steps[path->count - 1] : NULL;

	path->length++;
	if (last && continues(last, ref)) {
		last->repeats++;
		return 0;
	}

	if (path->count == PM_PATH_STEPS_MAX) {
		memmove(&path->steps[HALF], &path->steps[HALF + 1],
		        (HALF - 1) * sizeof *path->steps);
		path->count--;
	}
	if (pm_array_reserve(&path->steps, capacity, path->count, 1, sizeof *path->steps, error) <
	    0)
		return -1;

	path->steps[path->count++] = (struct pm_path_step){ .ref = *ref, .repeats = 1 };
	return 0;
}

/** Follows the parents from a node to its root. */
static int make_path(const struct pm_graph *graph, const struct pm_nearest *nearest, uint32_t node,
                     struct pm_path *path, struct pm_error *error)
{
	struct pm_path made = { 0 };
	size_t capacity = 0;
	uint32_t parent;

	do {
		parent = nearest->parents[node];
		struct pm_ref ref;
		if (make_ref(graph, parent, node, &ref, error) < 0 ||
		    add_step(&made, &capacity, &ref, error) < 0) {
			pm_path_deinit(&made);
			return -1;
		}
		node = parent - 1;
	} while (!pm_nearest_is_root(graph, parent));

	*path = made;
	return 0;
}

int pm_refs_path(struct pm_graph *graph, uint64_t address, struct pm_path *path,
                 struct pm_error *error)
{
	struct pm_chunk chunk;
	struct pm_nearest nearest;

	if (!pm_heap_index_find(graph->index, address, &chunk) || chunk.state != PM_CHUNK_IN_USE)
		return 0;
	if (pm_nearest_find(graph, chunk.number, &nearest, error) < 0)
		return -1;

	int result = nearest.parents[chunk.number] != 0;
	if (result == 1 && make_path(graph, &nearest, chunk.number, path, error) < 0)
		result = -1;
	pm_nearest_deinit(&nearest);

	return result;
}

void pm_path_deinit(struct pm_path *path)
{
	free(path->steps);
	*path = (struct pm_path){ 0 };
}
