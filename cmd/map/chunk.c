/* SPDX-License-Identifier: MIT */
#include "map/chunk.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "target/chunk_text.h"
#include "target/json_parts.h"

/** Returns whether a region can contain chunks, of glibc or of another allocator. */
static bool has_chunks(const struct pm_region *region)
{
	return region->kind == PM_KIND_HEAP || region->kind == PM_KIND_ARENA ||
	       region->kind == PM_KIND_MALLOC || region->detail.type == PM_DETAIL_ALLOCATOR ||
	       region->owner == PM_OWNER_JEMALLOC || region->owner_mixed;
}

bool map_chunk_find(struct map_chunk *found, const struct loaded *loaded,
                    const struct pm_region *region, uint64_t address,
                    const volatile sig_atomic_t *cancel)
{
	if (!has_chunks(region) || (!loaded->target->process && !loaded->core) ||
	    malloc_heap_open_loaded(loaded, cancel, &found->opened, NULL) < 0)
		return false;

	struct pm_heap *heap = found->opened.heap;
	if (heap->lost)
		return false;

	const struct chunk_contents_target target = {
		.process = loaded->target->process,
		.core = loaded->core,
		.memory = &found->opened.source,
		.heap = heap,
	};

	struct pm_chunk_parts *parts = &found->parts;

	pm_chunk_parts_find(heap, (struct pm_range){ address, address + 1 }, parts);
	return parts->found && chunk_contents_open(&found->contents, &target, NULL) == 0 &&
	       chunk_contents_read(&found->contents, heap, &parts->chunk, &found->content, NULL) ==
	               0;
}

void map_chunk_deinit(struct map_chunk *found)
{
	chunk_contents_close(&found->contents);
	malloc_heap_close(&found->opened);
}

void map_chunk_put(const struct map_chunk *found, uint64_t address, struct text *line)
{
	const struct pm_chunk *chunk = &found->parts.chunk;
	const struct chunk_content *content = &found->content;
	struct text what = { 0 };

	text_format(line, "  chunk of malloc: %" PRIx64 "-%" PRIx64 "  %" PRIu64 " B  %s  ",
	            chunk->start, chunk->end, chunk->size, chunk_text_state(chunk->state));
	if (address > chunk->start)
		text_format(line, "offset 0x%" PRIx64 "  ", address - chunk->start);
	if (found->parts.inside & PM_CHUNK_PART_HEADER)
		text_string(line, "in its header  ");
	else if (found->parts.inside & PM_CHUNK_PART_LINKS)
		text_string(line, "in list pointers of malloc  ");
	chunk_text_what(content->item.type, content->text.text, content->text.length,
	                content->text.cut, &what);
	utf8_escape(line, what.bytes, what.length);
	text_deinit(&what);
}

void map_chunk_put_json(const struct map_chunk *found, uint64_t address, struct json *json)
{
	const struct pm_chunk *chunk = &found->parts.chunk;
	const struct chunk_content *content = &found->content;

	json_open(json, "chunk", '{');
	json_parts_chunk(json, found->opened.heap, chunk);
	json_parts_content(json, content->item.type, content->text.text, content->text.length);
	if (address >= chunk->start)
		json_put(json, "offset", json_number(address - chunk->start));
	json_shut(json, '}');
}
