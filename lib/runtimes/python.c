/* SPDX-License-Identifier: MIT */
/* Reads the memory of CPython: its arenas, and the blocks of malloc next to them. */
#include "runtimes/python.h"

#include <stdio.h>
#include <string.h>

#include "base/minmax.h"
#include "runtimes/malloc_blocks.h"
#include "runtimes/readers.h"

void pm_python_describe(const struct pm_python_module *module, char *variant, char *missing)
{
	const char *what = "", *why = "";

	if (module->free_threaded) {
		what = "free threading: objects are in mimalloc";
		why = "objects in mimalloc are not read";
	} else if (module->arenas.count == 0 && module->complete) {
		what = "no arenas of pymalloc found: objects are probably in malloc "
		       "(PYTHONMALLOC=malloc)";
		why = "objects in malloc are counted as chunks only";
	} else if (!module->complete) {
		why = "there was no time to read all structures";
	} else if (module->arenas.doubtful > 0) {
		why = "some arenas changed while they were read";
	}

	snprintf(variant, PM_RUNTIME_TEXT_SIZE, "%s", what);
	snprintf(missing, PM_RUNTIME_TEXT_SIZE, "%s", why);
}

/** Adds the blocks at the start of memory between arenas. */
static void add_gap(struct pm_runtimes_context *context, uint64_t start, uint64_t end)
{
	if (start >= end)
		return;

	uint64_t reached = pm_malloc_blocks_end(context, start, end);
	pm_runtime_add_range(context, start, reached, PM_OWNER_MALLOC,
	                     reached == end ? PM_PROOF_PROVEN : PM_PROOF_INFERRED);
}

/** Returns the range of an arena. */
static struct pm_range bounds(const struct pm_python_arenas *arenas, size_t index)
{
	uint64_t start = arenas->items[index].start;

	return (struct pm_range){ start, start + arenas->layout.arena_size };
}

/**
 * Adds the blocks that malloc has mapped next to an arena, such as the tables of large dicts: the
 * kernel merges both into one region.
 *
 * @param arenas  the arenas, by address
 * @param index   index of the arena
 */
static void add_blocks(struct pm_runtimes_context *context, const struct pm_python_arenas *arenas,
                       size_t index)
{
	const struct pm_range arena = bounds(arenas, index);
	const struct pm_region *region = pm_regions_find(context->source->regions, arena.start);
	bool last = true;

	if (!region)
		return;

	uint64_t before = region->start;
	if (index > 0)
		before = pm_max(before, bounds(arenas, index - 1).end);
	if (index + 1 < arenas->count)
		last = arenas->items[index + 1].start >= region->end;

	add_gap(context, before, arena.start);
	if (last)
		add_gap(context, arena.end, region->end);
}

/** Adds the arenas, and the blocks of malloc next to them. */
static void add_memory(struct pm_runtimes_context *context, const struct pm_python_arenas *arenas)
{
	for (size_t i = 0; i < arenas->count; i++) {
		const struct pm_range arena = bounds(arenas, i);

		pm_runtime_add_range(context, arena.start, arena.end, PM_OWNER_PYTHON_OBJECTS,
		                     arenas->items[i].proven ? PM_PROOF_PROVEN : PM_PROOF_INFERRED);
	}

	for (size_t i = 0; i < arenas->count && !pm_runtime_ends(context); i++)
		add_blocks(context, arenas, i);
}

int pm_runtime_read_python(struct pm_runtimes_context *context, struct pm_error *error)
{
	struct pm_python_module module;
	int result = 0;

	pm_python_module_read(context, &module);
	if (module.file) {
		struct pm_runtime_info *info = pm_runtime_add(context, PM_OWNER_PYTHON_OBJECTS,
		                                              error);

		result = info ? 0 : -1;
		if (info) {
			memcpy(info->version, module.version, sizeof info->version);
			memcpy(info->proof, module.proof, sizeof info->proof);
			pm_python_describe(&module, info->variant, info->missing);
			info->complete = module.complete && module.arenas.doubtful == 0;
		}
	}

	if (result == 0)
		add_memory(context, &module.arenas);

	pm_python_module_deinit(&module);
	return result;
}
