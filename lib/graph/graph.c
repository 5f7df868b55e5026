/* SPDX-License-Identifier: MIT */
/*
 * The nodes. A search visits nodes in random order, and the index of the heap finds a chunk by its
 * number only with a binary search. So the address and the size of each chunk are kept in a word:
 * 44 bits address / 16, 19 bits size / 16, and 1 bit for a chunk in use. Chunks that do not fit
 * (those of 8 MiB and more, and mapped chunks) have the size LARGE, and are found in the index.
 */
#include "graph/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/array.h"
#include "base/minmax.h"
#include "base/search.h"
#include "graph/roots.h"

enum { SIZE_SHIFT = 1, ADDRESS_SHIFT = 20, LARGE = (1 << 19) - 1 };

/*
 * Ranges up to this size in bytes are scanned as a whole. Pages that were not copied are zeros in
 * the buffer.
 */
enum { SMALL = 65536 };

/* Larger ranges are scanned in parts of at most PART_MAX bytes, a multiple of 8. The cancellation
 * flag is tested after each part, and after each CANCEL_STEP nodes. */
enum { PART_MAX = 16 << 20, CANCEL_STEP = 65536 };

static uint64_t pack(const struct pm_chunk *chunk)
{
	uint64_t units = chunk->size / PM_HEAP_UNIT;
	bool fits = units < LARGE && chunk->arena != PM_CHUNK_MAPPED && chunk->address >> 48 == 0 &&
	            chunk->address % PM_HEAP_UNIT == 0 && chunk->size % PM_HEAP_UNIT == 0;

	return chunk->address / PM_HEAP_UNIT << ADDRESS_SHIFT |
	       (fits ? units : LARGE) << SIZE_SHIFT | (chunk->state == PM_CHUNK_IN_USE);
}

/** Returns the size of a node in units, or LARGE. */
static uint64_t units_of(uint64_t node)
{
	return node >> SIZE_SHIFT & LARGE;
}

struct pm_chunk pm_graph_chunk(const struct pm_graph *graph, uint32_t node)
{
	struct pm_chunk chunk;
	pm_heap_index_chunk(graph->index, node, &chunk);
	return chunk;
}

bool pm_graph_in_use(const struct pm_graph *graph, uint32_t node)
{
	return graph->nodes[node] & 1;
}

bool pm_graph_is_mapped(const struct pm_graph *graph, uint32_t node)
{
	return units_of(graph->nodes[node]) == LARGE &&
	       pm_graph_chunk(graph, node).arena == PM_CHUNK_MAPPED;
}

uint64_t pm_graph_size(const struct pm_graph *graph, uint32_t node)
{
	uint64_t units = units_of(graph->nodes[node]);
	return units == LARGE ? pm_graph_chunk(graph, node).size : units * PM_HEAP_UNIT;
}

struct pm_range pm_graph_extent(const struct pm_graph *graph, uint32_t node)
{
	uint64_t units = units_of(graph->nodes[node]);
	if (units == LARGE) {
		struct pm_chunk chunk = pm_graph_chunk(graph, node);
		return (struct pm_range){ chunk.address, chunk.address + chunk.size };
	}

	uint64_t address = (graph->nodes[node] >> ADDRESS_SHIFT) * PM_HEAP_UNIT;
	return (struct pm_range){ address, address + units * PM_HEAP_UNIT };
}

struct pm_range pm_graph_bytes(const struct pm_graph *graph, uint32_t node)
{
	uint64_t units = units_of(graph->nodes[node]);
	if (units == LARGE) {
		struct pm_chunk chunk = pm_graph_chunk(graph, node);
		return (struct pm_range){ chunk.start, chunk.end };
	}

	uint64_t address = (graph->nodes[node] >> ADDRESS_SHIFT) * PM_HEAP_UNIT;
	return (struct pm_range){ address + graph->index->header,
		                  address + units * PM_HEAP_UNIT + graph->index->overlap };
}

size_t pm_graph_head(const struct pm_graph *graph, uint32_t node, unsigned char *head)
{
	struct pm_range bytes = pm_graph_bytes(graph, node);
	size_t size = (size_t)pm_min(pm_range_size(bytes), PM_CHUNK_HEAD_SIZE);
	const void *from = pm_copy_bytes(graph->copy, bytes.start, size);

	if (!from)
		return 0;

	memcpy(head, from, size);
	return size;
}

const char *pm_graph_next_part(const struct pm_graph *graph, struct pm_range *rest,
                               struct pm_range *part)
{
	if (rest->start >= rest->end)
		return NULL;

	*part = *rest;
	if (rest->end - rest->start > SMALL) {
		size_t count;
		const struct pm_range *ranges = pm_copy_ranges(graph->copy, &count);
		size_t next = pm_first_above(ranges, count, sizeof *ranges,
		                             offsetof(struct pm_range, end), rest->start);
		if (next == count || ranges[next].start >= rest->end ||
		    pm_is_cancelled(graph->options.cancel))
			return NULL;
		*part = pm_range_clip(ranges[next], *rest);
		part->end = pm_min(part->end, part->start + PART_MAX);
	}

	rest->start = part->end;
	return pm_copy_bytes(graph->copy, part->start, part->end - part->start);
}

void *pm_graph_array(const struct pm_graph *graph, unsigned bits, struct pm_error *error)
{
	size_t size = (size_t)graph->node_count / 8 * bits + sizeof(uint64_t) + bits;
	void *array = calloc((size + 7) / 8, 8);
	if (!array)
		pm_error_out_of_memory(error);
	return array;
}

/** Compares the memory that a search can need with the limit of the caller. */
static int check_memory(const struct pm_graph *graph, struct pm_error *error)
{
	uint64_t needed = (uint64_t)graph->node_count * PM_GRAPH_CHUNK_BYTES;
	char texts[2][PM_SIZE_TEXT_SIZE];
	if (graph->options.memory_max == 0 || needed <= graph->options.memory_max)
		return 0;

	pm_format_size(needed, texts[0]);
	pm_format_size(graph->options.memory_max, texts[1]);
	return pm_error_set(error, PM_ERROR_RESOURCES, 0,
	                    "not enough memory: a graph of %" PRIu32
	                    " chunks needs %s, but only %s may be used; free memory, raise the "
	                    "limit of the cgroup, or examine a core file on another machine",
	                    graph->node_count, texts[0], texts[1]);
}

static int make_nodes(struct pm_graph *graph, struct pm_error *error)
{
	graph->node_count = graph->index->chunks;
	if (check_memory(graph, error) < 0)
		return -1;

	graph->nodes = pm_graph_array(graph, 64, error);
	if (!graph->nodes)
		return -1;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		struct pm_chunk chunk = pm_graph_chunk(graph, i);
		if (i % CANCEL_STEP == 0 && pm_check_cancel(graph->options.cancel, error) < 0)
			return -1;
		graph->nodes[i] = pack(&chunk);
	}

	return 0;
}

int pm_graph_open(struct pm_copy *copy, const struct pm_heap *heap, struct pm_symbols *symbols,
                  const struct pm_graph_options *options, struct pm_graph **graph,
                  struct pm_error *error)
{
	struct pm_graph *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	made->copy = copy;
	made->heap = heap;
	made->index = pm_heap_index_of(heap);
	made->symbols = symbols;
	if (options)
		made->options = *options;

	if (make_nodes(made, error) < 0 || pm_roots_find(made, error) < 0) {
		pm_graph_close(made);
		return -1;
	}

	*graph = made;
	return 0;
}

void pm_graph_close(struct pm_graph *graph)
{
	if (!graph)
		return;

	pm_roots_deinit(graph);
	free(graph->nodes);
	free(graph);
}

const struct pm_root *pm_graph_roots(const struct pm_graph *graph, size_t *count)
{
	*count = graph->root_count;
	return graph->roots;
}

uint64_t pm_graph_root_bytes(const struct pm_graph *graph)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < graph->memory.count; i++)
		bytes += pm_range_size(graph->memory.items[i]);
	return bytes;
}

const char *pm_root_kind_name(enum pm_root_kind kind)
{
	static const char *const names[PM_ROOT_KIND_COUNT] = {
		[PM_ROOT_GLOBAL] = "global",
		[PM_ROOT_STATIC] = "static",
		[PM_ROOT_THREAD_LOCAL] = "thread_local",
		[PM_ROOT_MODULE_DATA] = "module_data",
		[PM_ROOT_LIBC] = "libc",
		[PM_ROOT_STACK] = "stack",
		[PM_ROOT_REGISTER] = "register",
		[PM_ROOT_ANONYMOUS] = "anonymous",
	};
	return (unsigned)kind < PM_ROOT_KIND_COUNT ? names[kind] : "";
}
