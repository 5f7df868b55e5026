/* SPDX-License-Identifier: MIT */
#include "map/print.h"

#include <string.h>

#include "base/interrupt.h"
#include "base/report.h"
#include "base/utf8.h"
#include "map/header.h"
#include "map/owners.h"
#include "map/pmap_format.h"
#include "map/sum.h"
#include "target/json_parts.h"
#include "target/malloc_heap.h"
#include "target/owner_text.h"
#include "view/list_print.h"

/** Prints below a region whether its kind is proven or inferred, and which rule determined it. */
static void print_why(const void *item, struct out *out)
{
	const struct pm_region *region = item;
	const char *proof = pm_proof_name((enum pm_proof)region->proof);
	if (*proof == '\0')
		proof = "not classified";

	struct text line = { 0 };
	text_format(&line, "    %s: ", proof);
	utf8_escape(&line, region->why, strlen(region->why));
	text_char(&line, '\n');
	out_wrapped(out, &line, 6);
	text_deinit(&line);
}

void map_print_open_json(struct json *json, const struct loaded *loaded)
{
	const struct pm_core_info *core = loaded->core ? pm_core_info(loaded->core) : NULL;

	json_open(json, NULL, '{');
	if (loaded->target->process) {
		json_parts_process(json, loaded->info.pid, loaded->info.comm, loaded->command);
		json_put(json, "time", json_now());
		return;
	}

	json_put(json, "path", json_text(loaded->target->path));
	if (loaded->recorded.word)
		sampled_put_members(json, &loaded->recorded);
	else if (core)
		json_parts_process(json, core->pid, core->comm, core->command);
}

static int print_json(const struct loaded *loaded, struct list *list, struct list *groups,
                      struct out *out, struct pm_error *error)
{
	struct json json = { .out = out };
	map_print_open_json(&json, loaded);
	owner_text_json_runtimes(&json, loaded->runtimes);
	if (json_put_list(&json, "regions", list, error) < 0 ||
	    (groups && json_put_list(&json, "groups", groups, error) < 0))
		return -1;

	json_put_total(&json, list,
	               "size,rss,pss,dirty,shared_clean,shared_dirty,private_clean,"
	               "private_dirty,referenced,"
	               "anonymous,lazyfree,anon_huge,hugetlb,swap,swap_pss,locked");
	json_shut(&json, '}');
	out_string(out, "\n");

	return 0;
}

/**
 * Prints a list as a table or as CSV.
 * @param owners  groups by owner; NULL for other lists
 * @param all     all regions are selected
 */
static void print_text(const struct loaded *loaded, struct list *list, const struct groups *owners,
                       bool all, const struct map_options *options, struct out *out)
{
	if (!options->list.csv && !options->list.no_header) {
		list->lines_above = map_header_print(loaded, options->output.bytes, out);
		if (owners)
			list->lines_above += map_owners_print(loaded, owners, all,
			                                      options->output.bytes, out);
	}
	list_print(list, out);
}

/** What is inside malloc. */
struct inside {
	struct malloc_heap opened;
	struct pm_arena_threads threads;
};

/** Reads what is inside malloc, if the target has memory and the allocator is that of glibc. */
static void open_inside(struct inside *inside, struct groups *groups, const struct loaded *loaded,
                        bool quiet)
{
	const volatile sig_atomic_t *cancel = interrupt_catch();

	if ((!loaded->target->process && !loaded->core) ||
	    malloc_heap_open_loaded(loaded, cancel, &inside->opened, NULL) < 0)
		return;

	struct pm_heap *heap = inside->opened.heap;
	if (heap->allocator == PM_HEAP_ALLOCATOR_JEMALLOC && !quiet)
		report_note("the arenas of jemalloc have no regions of their own: 'procmem heap' "
		            "shows them");
	if (heap->allocator != PM_HEAP_ALLOCATOR_GLIBC || heap->unused || heap->lost ||
	    pm_arena_threads_find(heap, loaded->target->process, loaded->core, &inside->threads,
	                          NULL) < 0)
		return;

	group_know_heap(groups, heap, &inside->threads);
	if (!heap->complete && !quiet)
		report_note(
			"the heap changed while it was read, or it is damaged: the sizes in use "
			"and free are approximate; 'procmem heap' says more");
}

static void close_inside(struct inside *inside)
{
	pm_arena_threads_deinit(&inside->threads);
	malloc_heap_close(&inside->opened);
}

int map_print(const struct loaded *loaded, struct list *list, struct groups *groups,
              const struct map_options *options, struct out *out, struct pm_error *error)
{
	struct list of_groups = { 0 };
	struct inside inside = { 0 };
	struct list *printed = list, *json_groups = NULL;
	int status = 0;

	if (options->processes) {
		map_processes_add(options->processes, loaded, list);
		return 0;
	}
	if (options->pmap) {
		map_pmap_format_print(loaded, list, !options->list.no_header, out);
		return 0;
	}

	if (groups) {
		if (list_init(&of_groups, group_columns_spec(groups), &options->list,
		              options->output.bytes, error) < 0)
			return -1;
		if (options->by == GROUP_BY_ARENA)
			open_inside(&inside, groups, loaded, options->output.quiet);
		if (map_owners_fill(groups, loaded, list, options->by, error) < 0) {
			close_inside(&inside);
			list_deinit(&of_groups);
			return -1;
		}
		group_add_to(groups, &of_groups);
		list_sort(&of_groups);
		printed = json_groups = &of_groups;
	}

	if (options->sum)
		map_sum_add(options->sum, list);
	if (options->sum && groups)
		map_sum_add_groups(options->sum, options->by, groups);

	list_sort(list);
	if (loaded->core)
		list->rss_title = of_groups.rss_title = MAP_HELD;
	if (options->why)
		list->below = print_why;

	if (options->output.json)
		status = print_json(loaded, list, json_groups, out, error);
	else
		print_text(loaded, printed, options->by == GROUP_BY_OWNER ? groups : NULL,
		           list->count == loaded->regions.count, options, out);

	list_deinit(&of_groups);
	close_inside(&inside);
	return status;
}
