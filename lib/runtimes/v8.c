/* SPDX-License-Identifier: MIT */
/* Reads the memory of V8: the chunks of its heaps, and the limit of the old generation. */
#include <stdio.h>
#include <string.h>

#include <procmem/number.h>

#include "base/minmax.h"
#include "runtimes/readers.h"
#include "runtimes/v8_cage.h"
#include "runtimes/v8_chunks.h"
#include "runtimes/v8_engine.h"

/** Reads the version: V8 has a pointer to its text. */
static void read_version(struct pm_runtimes_context *context, const struct pm_region *engine,
                         char *version, size_t size)
{
	struct pm_runtime_symbol symbol = { .name = "_ZN2v88internal7Version15version_string_E" };
	uint64_t text;

	if (pm_runtime_find_symbols(context, engine, &symbol, 1) == 0 ||
	    !pm_runtime_read_word(context, symbol.address, &text) ||
	    !pm_runtime_read_text(context, text, version, size))
		return;

	size_t digits = strspn(version, "0123456789.");
	if (digits < 3 || (version[digits] != '\0' && version[digits] != '-'))
		version[0] = '\0';
}

/** Adds the memory of the chunks. */
static void add_chunks(struct pm_runtimes_context *context, const struct pm_v8_chunks *chunks)
{
	for (size_t i = 0; i < chunks->count; i++) {
		const struct pm_v8_chunk *chunk = &chunks->items[i];
		enum pm_owner owner = PM_OWNER_V8_HEAP;
		enum pm_proof proof = PM_PROOF_INFERRED;

		if (chunk->trust == PM_V8_TRUST_NONE)
			continue;
		if (chunk->trust == PM_V8_TRUST_SPACE)
			proof = PM_PROOF_PROVEN;
		if (chunk->trust == PM_V8_TRUST_POOLED)
			owner = PM_OWNER_V8_INTERNAL;
		else if (chunk->code)
			owner = PM_OWNER_V8_CODE;
		pm_runtime_add_range(context, chunk->start, chunk->start + chunk->size, owner,
		                     proof);
	}
}

/** Adds the memory that has a name of V8, where chunks did not say more. */
static void add_named(struct pm_runtimes_context *context)
{
	const struct pm_regions *regions = context->source->regions;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		enum pm_owner owner = PM_OWNER_V8_HEAP;

		if (strncmp(region->mapping, "[anon:v8", 8) != 0 &&
		    strncmp(region->mapping, "[anon: v8", 9) != 0)
			continue;
		if (region->perms & PM_PERM_EXEC)
			owner = PM_OWNER_V8_CODE;
		pm_runtime_add_range(context, region->start, region->end, owner, PM_PROOF_INFERRED);
	}
}

/** Returns the used share of the limit of an isolate; 0 if the limit is not known. */
static double used_share(const struct pm_v8_heap *heap)
{
	return heap->old_limit > 0 ? (double)heap->old_area / (double)heap->old_limit : 0;
}

/** Adds the limit of the isolate that has used most of its own. */
static void add_limit(struct pm_runtimes_context *context, const struct pm_v8_chunks *chunks)
{
	const struct pm_v8_heap *fullest = NULL;

	for (size_t i = 0; i < chunks->heap_count; i++)
		if (chunks->heaps[i].old_limit > 0 &&
		    (!fullest || used_share(&chunks->heaps[i]) > used_share(fullest)))
			fullest = &chunks->heaps[i];
	if (!fullest)
		return;

	pm_runtime_add_limit(context, (struct pm_runtime_limit){
					      .kind = PM_RUNTIME_LIMIT_V8_OLD_SPACE,
					      .max = fullest->old_limit,
					      .used = fullest->old_area,
					      .approximate = true,
					      .used_known = !pm_runtime_ends(context),
					      .source = "--max-old-space-size",
				      });
}

/** Describes the heaps: their number, and the sizes of their parts. */
static void describe(const struct pm_v8_chunks *chunks, struct pm_runtime_info *info)
{
	char old[PM_SIZE_TEXT_SIZE], young[PM_SIZE_TEXT_SIZE];
	char large[PM_SIZE_TEXT_SIZE], code[PM_SIZE_TEXT_SIZE], pooled[PM_SIZE_TEXT_SIZE];
	const char *plural = chunks->heap_count == 1 ? "" : "s";
	struct pm_v8_heap sum = { 0 };

	for (size_t i = 0; i < chunks->heap_count; i++) {
		sum.old += chunks->heaps[i].old;
		sum.young += chunks->heaps[i].young;
		sum.large += chunks->heaps[i].large;
		sum.code += chunks->heaps[i].code;
	}

	pm_format_size(sum.old, old);
	pm_format_size(sum.young, young);
	pm_format_size(sum.large, large);
	pm_format_size(sum.code, code);
	pm_format_size(chunks->pooled, pooled);
	snprintf(info->variant, sizeof info->variant,
	         "%zu isolate%s: old %s (large objects %s, code %s), young %s, kept for reuse %s",
	         chunks->heap_count, plural, old, large, code, young, pooled);
	snprintf(info->proof, sizeof info->proof,
	         "headers of %zu chunks name their heap and a space that names this heap",
	         chunks->confirmed);
}

/** Adds what is known about V8. A cage and chunks outside of it exclude each other. */
static int add_info(struct pm_runtimes_context *context, const struct pm_region *engine,
                    const struct pm_v8_chunks *chunks, const struct pm_v8_cages *cages,
                    struct pm_error *error)
{
	struct pm_runtime_info *info = pm_runtime_add(context, PM_OWNER_V8_HEAP, error);
	const char *missing = "";

	if (!info)
		return -1;

	read_version(context, engine, info->version, sizeof info->version);
	info->complete = !pm_runtime_ends(context);
	if (chunks->heap_count > 0)
		describe(chunks, info);
	else if (cages->count > 0)
		pm_v8_cages_describe(cages, info);

	if (!info->complete)
		missing = "reading took too long: parts of the heap can be missing";
	else if (chunks->heap_count == 0 && cages->count == 0)
		missing = "no chunks of a known version of V8 were found";
	snprintf(info->missing, sizeof info->missing, "%s", missing);
	return 0;
}

int pm_runtime_read_v8(struct pm_runtimes_context *context, struct pm_error *error)
{
	enum pm_v8_engine kind;
	const struct pm_region *engine = pm_v8_engine_find(context->source->regions, &kind);
	struct pm_v8_chunks chunks;
	struct pm_v8_cages cages = { 0 };

	if (!engine)
		return 0;

	int result = pm_v8_chunks_find(context, &chunks, error);
	if (result == 0 && chunks.heap_count == 0)
		pm_v8_cages_find(context, &cages);
	if (result == 0) {
		add_chunks(context, &chunks);
		pm_v8_cages_add(context, &cages);
		add_named(context);
		add_limit(context, &chunks);
	}

	/* Most processes of a browser have no heap of V8. */
	bool found = chunks.heap_count > 0 || cages.count > 0 || kind == PM_V8_ENGINE_NODE;
	if (result == 0 && found)
		result = add_info(context, engine, &chunks, &cages, error);

	pm_v8_chunks_deinit(&chunks);
	return result;
}
