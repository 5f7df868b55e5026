/* SPDX-License-Identifier: MIT */
#include "target/chunk_histogram.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/maps.h>
#include <procmem/recording.h>

#include "base/utf8.h"
#include "target/chunk_contents.h"
#include "target/chunk_text.h"
#include "target/json_parts.h"
#include "target/malloc_heap.h"
#include "target/target.h"

/** Counts the chunks of a heap. */
static int count(const struct malloc_heap *opened, struct pm_chunk_types *types,
                 struct pm_histogram *chunks, struct pm_error *error)
{
	const struct pm_census_options options = { .keys = PM_CENSUS_SIZE | PM_CENSUS_TYPE,
		                                   .types = types };
	struct pm_census *census;
	int result = -1;

	if (pm_census_create(&options, &census, error) < 0)
		return -1;
	if (pm_census_add_heap(census, opened->heap, error) == 0 &&
	    pm_census_sort(census, PM_CENSUS_BY_BYTES, error) == 0)
		result = pm_histogram_make(census, opened->heap, chunks, error);

	pm_census_destroy(census);
	return result;
}

int chunk_histogram_take(struct pm_process *process, const struct pm_regions *regions,
                         const char *word, struct pm_histogram *chunks, struct pm_error *error)
{
	struct chunk_contents contents = { 0 };
	struct malloc_heap opened;
	int result = malloc_heap_open_process(process, regions, NULL, &opened, error);

	if (result == 0)
		result = malloc_heap_check(opened.heap, NULL, word, error);
	if (result == 0) {
		const struct chunk_contents_target target = { .process = process,
			                                      .memory = &opened.source,
			                                      .heap = opened.heap };
		result = chunk_contents_open(&contents, &target, error);
	}
	if (result == 0)
		result = count(&opened, contents.types, chunks, error);

	chunk_contents_close(&contents);
	malloc_heap_close(&opened);
	return result;
}

int chunk_histogram_load(const struct sampled *sampled, uint64_t *found,
                         struct pm_histogram *chunks, struct pm_error *error)
{
	struct pm_recording *recording;
	int result = sampled_open_recording(sampled, &recording, error);

	if (result <= 0)
		return result;

	result = pm_recording_read_chunks(recording, sampled->number, found, chunks, error);
	pm_recording_close(recording);
	return result;
}

/** Walks the heap of a target if it is still the process of a sample. */
static int walk_target(const struct sampled *sampled, const struct target *target,
                       struct pm_histogram *chunks, struct pm_error *error)
{
	struct pm_process_id id = { 0 };
	struct pm_regions regions;
	int result = -1;

	pm_regions_init(&regions);
	if (pm_process_id_read(target->process, &id, error) < 0)
		return -1;

	if (!pm_process_id_equal(&id, &sampled->id))
		pm_error_set(error, PM_ERROR_GONE, 0, "%s is another process now", sampled->word);
	else if (pm_maps_read(target->process, PM_SMAPS, &regions, error) == 0)
		result = chunk_histogram_take(target->process, &regions, target->word, chunks,
		                              error);

	pm_regions_deinit(&regions);
	pm_process_id_deinit(&id);
	return result;
}

int chunk_histogram_walk(const struct sampled *sampled, struct pm_histogram *chunks,
                         struct pm_error *error)
{
	struct target target = { 0 };

	if (target_open_process(&target, sampled->word, error) < 0)
		return -1;

	int result = walk_target(sampled, &target, chunks, error);
	target_close(&target);
	return result;
}

/** Returns the type of a class; its object is not known. */
static struct pm_chunk_type type_of(const struct pm_histogram_class *class)
{
	return (struct pm_chunk_type){
		.content = class->content, .word = class->word, .name = class->name, .object = ""
	};
}

void chunk_histogram_put_what(const struct pm_histogram_class *class, struct text *text)
{
	const struct pm_chunk_type type = type_of(class);
	struct text raw = { 0 };

	chunk_text_what(&type, class->text, strlen(class->text), class->text_cut, &raw);
	utf8_escape(text, raw.bytes, raw.length);
	text_deinit(&raw);
}

void chunk_histogram_put_class(struct json *json, const struct pm_histogram_class *class)
{
	const struct pm_chunk_type type = type_of(class);

	json_put(json, "size", json_number(class->size));
	json_parts_content(json, &type, class->text, strlen(class->text));
	json_put(json, "example", json_address(class->example));
}

void chunk_histogram_put_sums(const struct pm_histogram *chunks, bool bytes, struct text *text)
{
	text_grouped(text, chunks->count);
	text_format(text, " chunk%s in use, ", text_plural(chunks->count));
	if (bytes)
		text_decimal(text, chunks->bytes);
	else
		text_size(text, chunks->bytes);
	if (!chunks->complete)
		text_string(text, " (incomplete: the heap changed during the walk)");
}

void chunk_histogram_put_sums_json(struct json *json, const struct pm_histogram *chunks)
{
	json_put(json, "chunks", json_number(chunks->count));
	json_put(json, "in_use", json_number(chunks->bytes));
	json_put(json, "complete", json_boolean(chunks->complete));
}
