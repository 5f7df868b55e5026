/* SPDX-License-Identifier: MIT */
/*
 * All memory outside of malloc is scanned once. A word that points to a chunk is attributed to a
 * variable, a stack, or another root. Only these words are looked up, so few symbols are needed.
 * Consecutive words of the same root form a span, and later scans read the spans only.
 */
#include "graph/roots.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/minmax.h"
#include "graph/areas.h"

/*
 * Maximum number of roots. A hostile file can have any number of symbols. Further variables count
 * as data without a symbol.
 */
enum { ROOTS_MAX = 1 << 20 };

/*
 * Maximum number of places without a symbol that are roots of their own. Further places of a file
 * are one root.
 */
enum { PLACES_MAX = 1024 };

/*
 * Words without a symbol that point to chunks are one place if at most this number of bytes is
 * between one and the next. So the words of one container of C++, such as a map, list or hash
 * table, are one place, and two containers are usually two places.
 */
enum { PLACE_GAP = 8 };

/*
 * Size in bytes of the part of a stack, from the stack pointer on, in which pointers to headers of
 * chunks count. The frames of malloc and free are in this part.
 */
enum { FRAMES = 512 };

/** Finds roots that exist: a hash table of indexes + 1, and the areas of the threads. */
struct pm_root_table {
	uint32_t *slots;
	size_t size;   /* number of slots, a power of 2 */
	uint64_t seed; /* random, because a hostile file can choose the addresses of its symbols */
	struct pm_thread_areas areas;
	uint32_t places[PLACES_MAX]; /* roots in data without a symbol, by ascending address */
	size_t place_count;
};

static uint64_t hash_root(const struct pm_root *root, uint64_t seed)
{
	uint64_t hash = pm_hash_mix(seed ^ root->start, PM_HASH_ONE);
	hash = pm_hash_mix(hash ^ (uint64_t)root->kind << 32 ^ (uint32_t)root->thread, PM_HASH_TWO);

	return root->start ? hash : pm_hash_bytes(hash, root->module, strlen(root->module));
}

/** Tests whether two roots are the same. Roots without an address are the same if their files are.
 */
static bool same_root(const struct pm_root *one, const struct pm_root *other)
{
	return one->kind == other->kind && one->thread == other->thread &&
	       one->start == other->start &&
	       (one->start != 0 || strcmp(one->module, other->module) == 0);
}

/** Returns the slot of a root, or the empty slot where it belongs. */
static uint32_t *find_slot(const struct pm_graph *graph, const struct pm_root *root)
{
	struct pm_root_table *table = graph->table;
	size_t at = (size_t)hash_root(root, table->seed) & (table->size - 1);

	while (table->slots[at] && !same_root(&graph->roots[table->slots[at] - 1], root))
		at = (at + 1) & (table->size - 1);
	return &table->slots[at];
}

/** Makes the table at least twice as large as the number of roots. */
static int grow_table(struct pm_graph *graph, struct pm_error *error)
{
	struct pm_root_table *table = graph->table;
	if (graph->root_count * 2 < table->size)
		return 0;

	size_t size = pm_max_size(table->size * 2, 256);
	uint32_t *slots = calloc(size, sizeof *slots);
	if (!slots)
		return pm_error_out_of_memory(error);

	free(table->slots);
	table->slots = slots;
	table->size = size;
	for (size_t i = 0; i < graph->root_count; i++)
		*find_slot(graph, &graph->roots[i]) = (uint32_t)i + 1;

	return 0;
}

/** Finds a root, or adds it. */
static int intern(struct pm_graph *graph, const struct pm_root *root, uint32_t *index,
                  struct pm_error *error)
{
	if (grow_table(graph, error) < 0)
		return -1;

	uint32_t *slot = find_slot(graph, root);
	if (*slot == 0) {
		if (pm_array_reserve(&graph->roots, &graph->root_capacity, graph->root_count, 1,
		                     sizeof *graph->roots, error) < 0)
			return -1;
		graph->roots[graph->root_count++] = *root;
		*slot = (uint32_t)graph->root_count;
	}

	*index = *slot - 1;
	return 0;
}

/** Tests whether a file is libc, the dynamic linker, or a runtime library of the compiler. */
static bool is_libc(const char *module)
{
	static const char *const names[] = { "libc.so",    "libc-2.",   "ld-linux",  "ld-2.",
		                             "ld.so",      "libstdc++", "libgcc_s.", "libc++",
		                             "libpthread", "libdl.so",  "libdl-2." };
	const char *slash = strrchr(module, '/');
	const char *name = slash ? slash + 1 : module;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/** Describes thread-local data or a stack. */
static int describe_area(struct pm_graph *graph, const struct pm_thread_area *area,
                         uint64_t address, struct pm_root *root, struct pm_range *range,
                         struct pm_error *error)
{
	size_t count;
	const struct pm_copy_thread *thread = &pm_copy_threads(graph->copy, &count)[area->thread];
	struct pm_symbol symbol;
	int found = 0;

	root->start = area->range.start;
	root->end = area->range.end;
	root->thread = thread->tid;
	root->thread_name = thread->name;
	root->kind = area->local ? PM_ROOT_THREAD_LOCAL : PM_ROOT_STACK;
	root->level = area->local ? PM_LEVEL_LIBC : PM_LEVEL_STACKS;

	if (area->local && graph->symbols && address < area->pointer)
		found = pm_symbols_find_thread_local(graph->symbols, area->pointer - address,
		                                     &symbol, error);
	if (found == 1) {
		root->level = PM_LEVEL_VARIABLES;
		root->name = symbol.name;
		root->module = symbol.object;
	}
	if (found == 1 && symbol.size > 0) {
		root->start = address - symbol.offset;
		root->end = root->start + symbol.size;
	}

	/* A variable may follow thread-local data without a symbol. */
	*range = (struct pm_range){ root->start, root->end };
	if (area->local && (found != 1 || symbol.size == 0))
		*range = (struct pm_range){ address, address + 8 };

	return found < 0 ? -1 : 0;
}

/**
 * Describes the data of a program or library.
 * @return 1; 0 if the address does not belong to one; -1 on an error
 */
static int describe_data(struct pm_graph *graph, uint64_t address, struct pm_root *root,
                         struct pm_range *range, struct pm_error *error)
{
	struct pm_symbol symbol;
	int found = 0;

	if (!graph->symbols)
		return 0;
	if (graph->root_count < ROOTS_MAX)
		found = pm_symbols_find(graph->symbols, address, &symbol, error);
	if (found < 0)
		return -1;

	if (found == 1) {
		root->kind = symbol.local ? PM_ROOT_STATIC : PM_ROOT_GLOBAL;
		root->level = PM_LEVEL_VARIABLES;
		root->name = symbol.name;
		root->module = symbol.object;
		root->start = address - symbol.offset;
		root->end = root->start + pm_max(symbol.size, symbol.offset + 8);
		*range = (struct pm_range){ root->start, root->end };
	} else {
		found = pm_symbols_find_object(graph->symbols, address, &root->module, error);
		root->kind = PM_ROOT_MODULE_DATA;
		root->level = PM_LEVEL_DATA;
		*range = (struct pm_range){ address, address + 8 };
	}

	if (found == 1 && is_libc(root->module)) {
		root->kind = PM_ROOT_LIBC;
		root->level = PM_LEVEL_LIBC;
	}
	return found;
}

/**
 * Describes the root to which an address belongs.
 * @param described  receives the root. `start` is 0 for data of a file without a symbol
 */
static int describe(struct pm_graph *graph, uint64_t address, struct pm_root *described,
                    struct pm_range *range, struct pm_error *error)
{
	static const struct pm_root unnamed = { .thread_name = "", .name = "", .module = "" };
	const struct pm_thread_area *area = pm_thread_areas_at(&graph->table->areas, address);
	struct pm_root root = unnamed;

	if (area) {
		*described = unnamed;
		return describe_area(graph, area, address, described, range, error);
	}

	int found = describe_data(graph, address, &root, range, error);
	if (found < 0)
		return -1;

	const struct pm_region *region = pm_regions_find(pm_copy_regions(graph->copy), address);
	if (found == 0) {
		root = unnamed;
		root.kind = PM_ROOT_ANONYMOUS;
		root.level = PM_LEVEL_OTHER;
		root.module = region ? region->mapping : "";
		root.start = region ? region->start : address;
		root.end = region ? region->end : address + 8;
		/* Only the start of an anonymous region can be data of a program. This address is
		 * not, so the rest of the region is not either. */
		*range = (struct pm_range){ address, address + 8 };
		if (region && pm_region_is_anonymous(region))
			range->end = pm_min(region->end,
			                    pm_thread_areas_next(&graph->table->areas, address));
	}

	*described = root;
	return 0;
}

/** Returns whether a root is data of a file without a symbol, as describe() describes it. */
static bool is_place(const struct pm_root *root)
{
	return root->start == 0 &&
	       (root->kind == PM_ROOT_MODULE_DATA || root->kind == PM_ROOT_LIBC);
}

/** Returns the root of the place that contains an address, or UINT32_MAX. */
static uint32_t place_at(const struct pm_graph *graph, uint64_t address)
{
	const struct pm_root_table *table = graph->table;
	size_t low = 0, high = table->place_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (graph->roots[table->places[middle]].end <= address)
			low = middle + 1;
		else
			high = middle;
	}

	if (low == table->place_count || graph->roots[table->places[low]].start > address)
		return UINT32_MAX;
	return table->places[low];
}

int pm_roots_at(struct pm_graph *graph, uint64_t address, uint32_t *index, struct pm_range *range,
                struct pm_error *error)
{
	struct pm_root root;
	if (describe(graph, address, &root, range, error) < 0)
		return -1;

	uint32_t place = is_place(&root) ? place_at(graph, address) : UINT32_MAX;
	if (place == UINT32_MAX)
		return intern(graph, &root, index, error);

	*index = place;
	return 0;
}

/**
 * Finds the root of a word that points to a chunk. The words of the memory are passed by ascending
 * address: a word without a symbol extends the last place, or starts a new one.
 */
static int root_of_word(struct pm_graph *graph, uint64_t address, uint32_t *index,
                        struct pm_range *range, struct pm_error *error)
{
	struct pm_root_table *table = graph->table;
	struct pm_root root;

	if (describe(graph, address, &root, range, error) < 0)
		return -1;
	if (!is_place(&root))
		return intern(graph, &root, index, error);

	if (table->place_count > 0) {
		uint32_t place = table->places[table->place_count - 1];
		struct pm_root *last = &graph->roots[place];
		if (last->kind == root.kind && strcmp(last->module, root.module) == 0 &&
		    address >= last->end && address - last->end <= PLACE_GAP) {
			last->end = address + 8;
			*index = place;
			return 0;
		}
	}

	if (table->place_count == PLACES_MAX)
		return intern(graph, &root, index, error);
	root.start = address;
	root.end = address + 8;
	if (intern(graph, &root, index, error) < 0)
		return -1;

	table->places[table->place_count++] = *index;
	return 0;
}

size_t pm_roots_register_count(const struct pm_copy_thread *thread)
{
	return thread->registers_known ? PM_COPY_REGISTERS + thread->vector_count : 0;
}

uint64_t pm_roots_register(const struct pm_copy_thread *thread, size_t number)
{
	if (number < PM_COPY_REGISTERS)
		return thread->registers[number];
	return thread->vectors[number - PM_COPY_REGISTERS];
}

int pm_roots_registers(struct pm_graph *graph, size_t thread, uint32_t *root,
                       struct pm_error *error)
{
	size_t count;
	const struct pm_copy_thread *owner = &pm_copy_threads(graph->copy, &count)[thread];
	const struct pm_root registers = { .kind = PM_ROOT_REGISTER,
		                           .level = PM_LEVEL_OTHER,
		                           .thread = owner->tid,
		                           .thread_name = owner->name,
		                           .name = "",
		                           .module = "" };
	return intern(graph, &registers, root, error);
}

static int add_register(struct pm_graph *graph, struct pm_root_register found,
                        struct pm_error *error)
{
	if (pm_array_reserve(&graph->registers, &graph->register_capacity, graph->register_count, 1,
	                     sizeof *graph->registers, error) < 0)
		return -1;

	graph->registers[graph->register_count++] = found;
	graph->roots[found.root].pointers++;
	return 0;
}

/** Returns the chunk in use whose header starts at an address, or UINT32_MAX. */
static uint32_t header_at(const struct pm_graph *graph, uint64_t address, size_t *last)
{
	uint64_t start = address + graph->index->header;
	uint32_t target = pm_heap_index_points_to(graph->index, start, last);

	if (start == address || target == UINT32_MAX ||
	    pm_graph_bytes(graph, target).start != start)
		return UINT32_MAX;
	return target;
}

/**
 * Finds the registers of a thread that point to chunks, or to their headers. The vector registers
 * follow the general ones.
 */
static int scan_registers(struct pm_graph *graph, size_t thread, struct pm_error *error)
{
	size_t count, last = 0;
	const struct pm_copy_thread *owner = &pm_copy_threads(graph->copy, &count)[thread];

	for (size_t k = 0; k < pm_roots_register_count(owner); k++) {
		uint64_t value = pm_roots_register(owner, k);
		const uint32_t targets[] = {
			pm_heap_index_points_to(graph->index, value, &last),
			header_at(graph, value, &last),
		};

		for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
			struct pm_root_register found = { .target = targets[i], .address = k };
			if (found.target == UINT32_MAX)
				continue;
			if (pm_roots_registers(graph, thread, &found.root, error) < 0 ||
			    add_register(graph, found, error) < 0)
				return -1;
		}
	}

	return 0;
}

/** Finds the words near a stack pointer that point to headers of chunks. */
static int scan_frames(struct pm_graph *graph, const struct pm_thread_area *area,
                       struct pm_error *error)
{
	size_t last = 0;
	uint64_t size = pm_min(pm_range_size(area->range), FRAMES);
	const uint64_t *words = pm_copy_bytes(graph->copy, area->range.start, size);
	if (area->local || !words)
		return 0;

	for (size_t i = 0; i < size / sizeof *words; i++) {
		struct pm_root_register found = { .target = header_at(graph, words[i], &last),
			                          .address = area->range.start + 8 * i };
		struct pm_range unused;
		if (found.target == UINT32_MAX)
			continue;
		if (pm_roots_at(graph, found.address, &found.root, &unused, error) < 0 ||
		    add_register(graph, found, error) < 0)
			return -1;
	}

	return 0;
}

/** Finds pointers in registers, and pointers to headers of chunks that functions of malloc use. */
static int scan_threads(struct pm_graph *graph, struct pm_error *error)
{
	const struct pm_thread_areas *areas = &graph->table->areas;
	size_t count;
	pm_copy_threads(graph->copy, &count);

	for (size_t i = 0; i < count; i++)
		if (scan_registers(graph, i, error) < 0)
			return -1;
	for (size_t i = 0; i < areas->count; i++)
		if (scan_frames(graph, &areas->items[i], error) < 0)
			return -1;

	return 0;
}

/**
 * If some of the mapped chunks may be other memory that only looks like chunks, makes all mapped
 * chunks reachable: other memory is a root.
 */
static int add_mapped(struct pm_graph *graph, struct pm_error *error)
{
	for (uint32_t i = 0; graph->heap->mapped_uncertain && i < graph->node_count; i++) {
		struct pm_root_register found = { .target = i };
		struct pm_range unused;
		if (!pm_graph_in_use(graph, i) || !pm_graph_is_mapped(graph, i))
			continue;
		found.address = pm_graph_bytes(graph, i).start;
		if (pm_roots_at(graph, found.address, &found.root, &unused, error) < 0 ||
		    add_register(graph, found, error) < 0)
			return -1;
	}

	return 0;
}

/** State of the scan for roots. */
struct finding {
	struct pm_graph *graph;
	struct pm_error *error;
	struct pm_range range; /* the addresses that belong to `root` */
	uint32_t root;
};

static int note_word(void *context, uint32_t target, uint64_t address)
{
	struct finding *finding = context;
	struct pm_graph *graph = finding->graph;
	(void)target;

	if (!pm_range_contains(finding->range, address) &&
	    root_of_word(graph, address, &finding->root, &finding->range, finding->error) < 0)
		return -1;

	graph->roots[finding->root].pointers++;
	if (graph->span_count > 0 && graph->spans[graph->span_count - 1].root == finding->root) {
		graph->spans[graph->span_count - 1].range.end = address + 8;
		return 0;
	}

	if (pm_array_reserve(&graph->spans, &graph->span_capacity, graph->span_count, 1,
	                     sizeof *graph->spans, finding->error) < 0)
		return -1;

	graph->spans[graph->span_count++] = (struct pm_root_span){ { address, address + 8 },
		                                                   finding->root };
	return 0;
}

static int scan_memory(struct pm_graph *graph, struct pm_error *error)
{
	struct finding finding = { .graph = graph, .error = error };
	size_t last = 0;

	for (size_t i = 0; i < graph->memory.count; i++) {
		if (pm_check_cancel(graph->options.cancel, error) < 0 ||
		    pm_graph_scan(graph, graph->memory.items[i], &last, note_word, &finding) != 0)
			return -1;
	}

	return pm_check_cancel(graph->options.cancel, error);
}

/**
 * Sets the addresses of roots without a symbol for which there was no place of their own. Until now
 * they had no address, and were found by their file.
 */
static void place_rest(struct pm_graph *graph)
{
	for (size_t i = 0; i < graph->span_count; i++) {
		const struct pm_root_span *span = &graph->spans[i];
		struct pm_root *root = &graph->roots[span->root];
		if (root->kind != PM_ROOT_MODULE_DATA && root->kind != PM_ROOT_LIBC)
			continue;
		if (root->start == 0)
			root->start = span->range.start;
		root->end = pm_max(root->end, span->range.end);
	}
}

int pm_roots_find(struct pm_graph *graph, struct pm_error *error)
{
	graph->table = calloc(1, sizeof *graph->table);
	if (!graph->table)
		return pm_error_out_of_memory(error);

	graph->table->seed = pm_hash_seed(graph);
	int result = pm_thread_areas_find(graph, &graph->table->areas, error);
	if (result == 0)
		result = pm_root_memory_find(graph, error);

	if (result == 0)
		result = scan_threads(graph, error);
	if (result == 0)
		result = add_mapped(graph, error);
	if (result == 0)
		result = scan_memory(graph, error);
	if (result == 0)
		place_rest(graph);

	return result;
}

void pm_roots_deinit(struct pm_graph *graph)
{
	if (graph->table) {
		free(graph->table->slots);
		free(graph->table->areas.items);
		free(graph->table);
	}

	free(graph->roots);
	free(graph->spans);
	free(graph->registers);
	free(graph->memory.items);
	free(graph->unused.items);
}
