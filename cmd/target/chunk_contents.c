/* SPDX-License-Identifier: MIT */
#include "target/chunk_contents.h"

#include <procmem/file_reader.h>
#include <procmem/symbols.h>

int chunk_contents_open(struct chunk_contents *contents, const struct chunk_contents_target *target,
                        struct pm_error *error)
{
	const struct pm_regions *regions = target->memory->regions;
	struct pm_chunk_type_source source = { .memory = target->memory, .heap = target->heap };

	*contents = (struct chunk_contents){ 0 };
	if (target->core) {
		if (pm_symbols_open_core(target->core, NULL, regions, &contents->symbols, error) <
		    0)
			return -1;
	} else {
		if (pm_symbols_open(target->process, regions, &contents->symbols, error) < 0 ||
		    pm_file_reader_open(target->process, regions, &contents->files, error) < 0)
			return -1;
		source.files = &contents->files;
	}

	source.symbols = contents->symbols;
	return pm_chunk_types_open(&source, &contents->types, error);
}

void chunk_contents_close(struct chunk_contents *contents)
{
	pm_chunk_types_close(contents->types);
	pm_reader_close(&contents->files);
	pm_symbols_close(contents->symbols);
	*contents = (struct chunk_contents){ 0 };
}

int chunk_contents_read(struct chunk_contents *contents, struct pm_heap *heap,
                        const struct pm_chunk *chunk, struct chunk_content *content,
                        struct pm_error *error)
{
	if (pm_chunk_item_read(heap, contents->types, chunk, content->head, &content->item, error) <
	    0)
		return -1;

	content->text = pm_chunk_text_find(content->item.head, content->item.size);
	return 0;
}
