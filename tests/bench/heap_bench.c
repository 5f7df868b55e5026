/* SPDX-License-Identifier: MIT */
/*
 * heap_bench PID ADDRESS: the time of each step of the heap commands, by the library alone. ADDRESS
 * is in a chunk. Prints `NAME VALUE`:
 *
 * - walk: ms to find all chunks of the running process, median of ROUNDS walks
 * - chunks: number of chunks in use
 * - stopped, copied: duration of the stop in ms, median of ROUNDS copies, and bytes that were
 * copied
 * - graph: ms to walk the copy and to find the roots
 * - direct: ms to find all references to the chunk, median of ROUNDS searches
 * - path: ms to find the path from a root to the chunk
 * - retained: ms to find who holds all chunks
 */
#include <procmem/procmem.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5 };

static void __attribute__((noreturn)) fail(const char *what, const struct pm_error *error)
{
	fprintf(stderr, "heap_bench: %s: %s\n", what, error->text);
	exit(2);
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	const double *one = a, *other = b;
	return (*one > *other) - (*one < *other);
}

static double median(double *times)
{
	qsort(times, ROUNDS, sizeof *times, by_value);
	return times[ROUNDS / 2];
}

/** Walks over the heap of the running process, as `procmem heap` does. */
static void walk(struct pm_process *process)
{
	struct pm_error error = { 0 };
	struct pm_regions regions;
	struct pm_pagemap *pagemap = NULL;
	struct pm_reader reader = { 0 };
	double times[ROUNDS];

	pm_regions_init(&regions);
	if (pm_maps_read(process, PM_MAPS, &regions, &error) < 0 ||
	    pm_pagemap_open(process, PM_PAGEMAP_BEST, &pagemap, &error) < 0 ||
	    pm_target_reader_open(process, &regions, &reader, &error) < 0)
		fail("open", &error);

	const struct pm_page_source pages = pm_pagemap_source(pagemap);
	const struct pm_heap_source source = { .regions = &regions,
		                               .reader = &reader,
		                               .pages = &pages };
	for (int i = 0; i < ROUNDS; i++) {
		struct pm_heap *heap = NULL;
		double begin = now();
		if (pm_heap_open(&source, &heap, &error) < 0)
			fail("walk", &error);
		times[i] = now() - begin;
		if (i == 0)
			printf("chunks %" PRIu64 "\n", heap->total.chunks);
		pm_heap_close(heap);
	}

	printf("walk %.1f\n", median(times));
	pm_reader_close(&reader);
	pm_pagemap_close(pagemap);
	pm_regions_deinit(&regions);
}

static int ignore_reference(void *count, const struct pm_ref *ref)
{
	(void)ref;
	++*(uint64_t *)count;
	return 0;
}

/** Asks the questions about a graph. */
static void ask(struct pm_graph *graph, const struct pm_chunk *chunk)
{
	const struct pm_range range = { chunk->start, chunk->address + chunk->size };
	struct pm_error error = { 0 };
	struct pm_retained retained;
	struct pm_path path;
	double times[ROUNDS];
	uint64_t count = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double begin = now();
		if (pm_refs_find(graph, range, ignore_reference, &count, &error) < 0)
			fail("references", &error);
		times[i] = now() - begin;
	}
	printf("direct %.1f\n", median(times));
	if (count == 0)
		fprintf(stderr, "heap_bench: there are no references\n");

	double begin = now();
	if (pm_refs_path(graph, chunk->start, &path, &error) < 0)
		fail("path", &error);
	printf("path %.1f\nlength %" PRIu64 "\n", now() - begin, path.length);
	pm_path_deinit(&path);

	begin = now();
	if (pm_retained_find(graph, &retained, &error) < 0)
		fail("retained", &error);
	printf("retained %.1f\n", now() - begin);
	pm_retained_deinit(&retained);
}

/** Copies the memory several times. Returns the last copy. */
static struct pm_copy *take_copies(struct pm_process *process)
{
	struct pm_error error = { 0 };
	struct pm_copy *copied = NULL;
	double times[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		pm_copy_close(copied);
		if (pm_copy_open(process, NULL, &copied, &error) < 0 ||
		    pm_copy_take(copied, &error) < 0)
			fail("copy", &error);
		times[i] = (double)pm_copy_info(copied)->stopped_ns / 1e6;
	}

	printf("stopped %.1f\n", median(times));
	printf("copied %" PRIu64 "\n", pm_copy_info(copied)->copied);
	return copied;
}

/** Copies the memory, and makes the graph, as `procmem refs` does. */
static void copy(struct pm_process *process, uint64_t address)
{
	struct pm_error error = { 0 };
	struct pm_symbols *symbols = NULL;
	struct pm_graph *graph = NULL;
	struct pm_copy *copied = take_copies(process);
	struct pm_chunk chunk;
	struct pm_heap *heap = NULL;

	struct pm_reader reader = pm_copy_reader(copied);
	const struct pm_page_source pages = pm_copy_source(copied);
	const struct pm_heap_source source = { .regions = pm_copy_regions(copied),
		                               .reader = &reader,
		                               .pages = &pages,
		                               .stopped = true };
	double begin = now();
	if (pm_heap_open(&source, &heap, &error) < 0 ||
	    pm_symbols_open(process, source.regions, &symbols, &error) < 0 ||
	    pm_graph_open(copied, heap, symbols, NULL, &graph, &error) < 0)
		fail("graph", &error);
	printf("graph %.1f\n", now() - begin);

	if (!pm_heap_find(heap, address, &chunk)) {
		fputs("heap_bench: the address is not in a chunk\n", stderr);
		exit(2);
	}
	ask(graph, &chunk);

	pm_graph_close(graph);
	pm_symbols_close(symbols);
	pm_heap_close(heap);
	pm_copy_close(copied);
}

int main(int argc, char **argv)
{
	struct pm_error error = { 0 };
	struct pm_process *process;

	if (argc != 3) {
		fputs("usage: heap_bench PID ADDRESS\n", stderr);
		return 2;
	}
	if (pm_process_open(NULL, (pid_t)strtol(argv[1], NULL, 10), &process, &error) < 0)
		fail("open", &error);

	walk(process);
	copy(process, strtoull(argv[2], NULL, 16));
	pm_process_close(process);
	return 0;
}
