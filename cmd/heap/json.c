/* SPDX-License-Identifier: MIT */
#include "heap/json.h"

#include "heap/classes.h"
#include "target/arena_threads.h"
#include "target/json_parts.h"

/** Writes the process, or what the core file says about it. */
static void put_process(struct json *json, const struct memory *memory)
{
	if (memory->core) {
		const struct pm_core_info *info = pm_core_info(memory->core);
		json_parts_process(json, info->pid, info->comm, info->command);
		return;
	}

	json_parts_process(json, memory->loaded.info.pid, memory->loaded.info.comm,
	                   memory->loaded.command);
}

void heap_json_open(struct json *json, const struct heap_report *report)
{
	const struct pm_heap *heap = report->heap;

	json_open(json, NULL, '{');
	put_process(json, &report->memory);
	json_put(json, "time", json_now());

	json_open(json, "allocator", '{');
	json_put(json, "name", json_text(pm_heap_allocator_name(heap->allocator)));
	if (heap->version[0])
		json_put(json, "version", json_text(heap->version));
	if (heap->proof[0])
		json_put(json, "proof", json_text(heap->proof));
	if (heap->other != PM_HEAP_ALLOCATOR_UNKNOWN) {
		json_open(json, "other", '{');
		json_put(json, "name", json_text(pm_heap_allocator_name(heap->other)));
		if (heap->other_known)
			json_put(json, "in_use", json_number(heap->other_in_use));
		json_shut(json, '}');
	}
	json_shut(json, '}');

	json_put(json, "complete", json_boolean(heap->complete));
	if (heap_report_stopped_ns(report) > 0)
		json_put(json, "stopped_us", json_number(heap_report_stopped_ns(report) / 1000));
}

/** Writes the pages of jemalloc. */
static void put_pages(struct json *json, const struct pm_heap_arena *arena)
{
	json_put(json, "active", json_number(arena->system - arena->unused_pages));
	json_put(json, "unused_dirty", json_number(arena->unused_pages - arena->muzzy));
	json_put(json, "unused_muzzy", json_number(arena->muzzy));
	json_put(json, "retained", json_number(arena->retained));
}

/** Writes the figures that an arena and the totals have. */
static void put_figures(struct json *json, const struct pm_heap *heap,
                        const struct pm_heap_arena *arena)
{
	json_put(json, "system", json_number(arena->system));
	json_put(json, "in_use", json_number(arena->in_use));
	json_put(json, "free", json_number(arena->free));
	json_put(json, "cached", json_number(arena->cached));
	if (heap->allocator == PM_HEAP_ALLOCATOR_GLIBC)
		json_put(json, "fastbins", json_number(arena->fast));
	json_put(json, "top", json_number(arena->top));
	json_put(json, "overhead", json_number(arena->overhead));
	json_put(json, "trimmable", json_number(arena->trimmable));
	json_put(json, "chunks", json_number(arena->chunks));
	if (heap->allocator == PM_HEAP_ALLOCATOR_JEMALLOC)
		put_pages(json, arena);
}

static void put_arena(struct json *json, const struct heap_report *report, uint32_t index)
{
	const struct pm_heap_arena *arena = &report->heap->arenas[index];

	json_open(json, NULL, '{');
	if (arena->address != 0)
		json_put(json, "address", json_address(arena->address));
	json_parts_kind(json, arena->main ? PM_KIND_HEAP : PM_KIND_ARENA);
	put_figures(json, report->heap, arena);
	if (arena->address != 0) {
		json_put(json, "attached", json_number(arena->attached));
		json_put(json, "threads", arena_threads_json(&report->threads, index));
	}
	json_put(json, "complete", json_boolean(arena->complete));
	json_shut(json, '}');
}

/** Writes the places where the chain of chunks broke, if there are any. */
static void put_breaks(struct json *json, const struct pm_heap *heap)
{
	if (heap->break_count == 0)
		return;

	json_open(json, "breaks", '[');
	for (size_t i = 0; i < heap->break_count; i++) {
		const struct pm_heap_break *broken = &heap->breaks[i];

		json_open(json, NULL, '{');
		json_put(json, "address", json_address(broken->address));
		if (broken->previous)
			json_put(json, "previous", json_address(broken->previous));
		json_put(json, "skipped", json_number(broken->skipped));
		json_put(json, "why", json_text(broken->why));
		json_shut(json, '}');
	}
	json_shut(json, ']');
}

/** Writes the verdict, and the chunks that pin free memory. */
static void put_verdict(struct json *json, const struct heap_report *report)
{
	const struct heap_verdict *verdict = &report->verdict;
	const struct pm_census_class *class = heap_report_pins(report);

	if (verdict->type != HEAP_VERDICT_FRAGMENTED)
		return;

	json_open(json, "fragmented", '{');
	json_put(json, "free", json_number(verdict->free));
	if (class) {
		json_open(json, "pins", '{');
		json_put(json, "count", json_number(verdict->pins.count));
		heap_classes_put_json(json, class, PM_CENSUS_SIZE);
		json_shut(json, '}');
	}
	json_shut(json, '}');
}

void heap_json_put_arenas(struct json *json, const struct heap_report *report)
{
	const struct pm_heap *heap = report->heap;

	json_open(json, "arenas", '[');
	for (size_t i = 0; i < heap->arena_count; i++)
		put_arena(json, report, (uint32_t)i);
	json_shut(json, ']');

	json_open(json, "mmapped", '{');
	json_put(json, "count", json_number(heap->mapped_count));
	json_put(json, "bytes", json_number(heap->mapped));
	if (heap->mapped_counted) {
		json_open(json, "counted", '{');
		json_put(json, "count", json_number(heap->mapped_count_counter));
		json_put(json, "bytes", json_number(heap->mapped_counter));
		json_shut(json, '}');
	}
	json_shut(json, '}');

	json_open(json, "total", '{');
	put_figures(json, heap, &heap->total);
	if (report->verdict.resident != UINT64_MAX)
		json_put(json, "rss", json_number(report->verdict.resident));
	json_shut(json, '}');

	put_verdict(json, report);
	put_breaks(json, heap);
}
