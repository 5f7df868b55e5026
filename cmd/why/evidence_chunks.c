/* SPDX-License-Identifier: MIT */
#include "why/evidence_chunks.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/target_reader.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "why/constants.h"
#include "why/trends.h"

/* Maximum number of chunks whose texts are completed. */
enum { COMPLETED_MAX = 8 };

void why_evidence_chunks_add_arenas(struct why_evidence *made, const struct why_walks *walks)
{
	struct pm_evidence_arena *arenas = alloc_array(NULL, walks->arena_count + 1,
	                                               sizeof *arenas);

	for (size_t i = 0; i < walks->arena_count; i++) {
		const struct why_arena *from = &walks->arenas[i];

		arenas[i] = (struct pm_evidence_arena){
			.address = from->last.address,
			.number = from->last.number,
			.main = from->last.main,
			.complete = from->last.complete,
			.system = from->last.system,
			.in_use = from->last.in_use,
			.free = from->last.free + from->last.cached + from->last.top,
			.free_always = why_walks_free_always(walks, from),
			.trimmable = from->last.trimmable,
			.thread = from->thread.tid,
			.thread_name = from->thread.name,
			.threads = from->threads,
			.use_trend = why_trends_of_few(from->in_use, walks->times, walks->whole),
		};
	}

	made->evidence.arenas = arenas;
	made->evidence.arena_count = walks->arena_count;
	made->evidence.heap_known = walks->count > 0;
}

/* Heaps of arenas are aligned to this size (malloc/arena.c, HEAP_MAX_SIZE). */
static const uint64_t heap_size = UINT64_C(64) << 20;

/** Returns the number of the arena that has a chunk; 0 for the main arena, or if not known. */
static uint32_t arena_number(const struct pm_evidence *evidence, uint64_t chunk)
{
	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];

		if (region->kind == PM_KIND_ARENA && region->start / heap_size == chunk / heap_size)
			return region->arena;
	}
	return 0;
}

/** Fills chunks from a class. */
static struct pm_evidence_chunks chunks_of(struct why_evidence *made,
                                           const struct why_observation *observation,
                                           const struct pm_census_class *class)
{
	struct pm_evidence_chunks chunks = {
		.size = class->size,
		.count = class->count,
		.bytes = class->bytes,
		.type = class->type ? class->type->name : "",
		.text = "",
		.module = "",
		.example = class->example,
		.arena = arena_number(&made->evidence, class->example),
		.mapped = class->arena == PM_CHUNK_MAPPED,
	};

	if (class->text_length > 0 && !observation->options->no_text)
		chunks.text = why_evidence_keep(made, class->text, class->text_length);
	return chunks;
}

/** Finds the present chunks of a class of survivors. */
static const struct pm_census_class *find_present(const struct pm_census *census,
                                                  const struct pm_census_class *class)
{
	for (size_t i = 0; i < pm_census_count(census); i++) {
		const struct pm_census_class *present = pm_census_get(census, i);
		if (present->size == class->size && present->type == class->type)
			return present;
	}
	return NULL;
}

/** Adds the classes that grow, and then the largest ones. */
static void add_chunks(struct why_evidence *made, const struct why_observation *observation)
{
	const struct why_walks *walks = &observation->walks;
	struct pm_evidence_chunks *chunks = alloc_array(NULL, PM_EVIDENCE_CHUNKS_MAX,
	                                                sizeof *chunks);
	size_t count = 0, half = PM_EVIDENCE_CHUNKS_MAX / 2;
	double seconds = why_walks_seconds(walks);

	if (why_walks_know_growth(walks)) {
		for (size_t i = 0; i < pm_survivors_count(walks->survivors) && count < half; i++) {
			struct pm_survivor_class class;
			const struct pm_census_class *present;

			pm_survivors_get(walks->survivors, i, &class);
			present = find_present(walks->census, class.chunks);
			chunks[count] = chunks_of(made, observation, class.chunks);
			if (present) {
				chunks[count].count = present->count;
				chunks[count].bytes = present->bytes;
			}
			chunks[count].growth_known = class.net_known && seconds > 0;
			chunks[count].rate = class.rate;
			chunks[count].fall = (uint64_t)class.fall_count;
			if (chunks[count].growth_known)
				chunks[count].net_rate = (double)class.net_count / seconds;
			chunks[count].certain = pm_survivors_are_certain(walks->survivors) &&
			                        walks->complete;
			count++;
		}
	}

	for (size_t i = 0;
	     walks->census && i < pm_census_count(walks->census) && count < PM_EVIDENCE_CHUNKS_MAX;
	     i++)
		chunks[count++] = chunks_of(made, observation, pm_census_get(walks->census, i));

	made->evidence.chunks = chunks;
	made->evidence.chunk_count = count;
}

/** Makes chunks of a class of a recording, which has grown by a number of chunks. */
static struct pm_evidence_chunks recorded_chunks(const struct why_evidence *made,
                                                 const struct why_observation *observation,
                                                 const struct pm_histogram_class *class,
                                                 int64_t grown)
{
	double seconds = observation->histograms.seconds;
	struct pm_evidence_chunks chunks = {
		.size = class->size,
		.count = class->count,
		.bytes = class->bytes,
		.growth_known = seconds > 0,
		.type = "",
		.text = "",
		.module = "",
		.example = class->example,
		.arena = arena_number(&made->evidence, class->example),
	};

	if (class->name)
		chunks.type = class->name;
	if (class->text && !observation->options->no_text)
		chunks.text = class->text;
	if (grown > 0 && seconds > 0)
		chunks.rate = chunks.net_rate = (double)grown / seconds;
	return chunks;
}

/**
 * Adds the chunks of a recording: the classes that grow, and then the largest ones. Two counts show
 * what was added, not what was released in between.
 */
static void add_histograms(struct why_evidence *made, const struct why_observation *observation)
{
	const struct why_histograms *histograms = &observation->histograms;
	const struct pm_histogram *last = &histograms->last;
	struct pm_histogram_change *changes = NULL;
	size_t change_count = 0, count = 0, half = PM_EVIDENCE_CHUNKS_MAX / 2;
	struct pm_evidence_chunks *chunks = alloc_array(NULL, PM_EVIDENCE_CHUNKS_MAX,
	                                                sizeof *chunks);

	if (histograms->seconds > 0 &&
	    pm_histogram_compare(&histograms->first, last, &changes, &change_count, NULL) < 0)
		change_count = 0;

	for (size_t i = 0; i < change_count && count < half; i++)
		if (changes[i].after && changes[i].count > 0)
			chunks[count++] = recorded_chunks(made, observation, changes[i].after,
			                                  changes[i].count);
	for (size_t i = 0; i < last->class_count && count < PM_EVIDENCE_CHUNKS_MAX; i++)
		chunks[count++] = recorded_chunks(made, observation, &last->classes[i], 0);

	free(changes);
	made->evidence.chunks = chunks;
	made->evidence.chunk_count = count;
}

/**
 * Completes the texts of the chunks that grow, and finds the files that have them as constants. The
 * process can be gone: then the texts stay as they are.
 */
static void complete_texts(struct why_evidence *made, const struct why_observation *observation)
{
	struct pm_evidence_chunks *chunks = (struct pm_evidence_chunks *)made->evidence.chunks;
	struct pm_reader files = observation->walks.contents.files, memory = { 0 };
	struct why_constants constants = { .files = &files,
		                           .regions = &observation->walks.regions };
	char text[WHY_CONSTANTS_TEXT_MAX];

	if (!observation->process ||
	    pm_target_reader_open(observation->process, NULL, &memory, NULL) < 0)
		return;

	for (size_t i = 0, completed = 0;
	     i < made->evidence.chunk_count && completed < COMPLETED_MAX; i++) {
		if (!chunks[i].growth_known || chunks[i].net_rate <= 0 || !*chunks[i].text)
			continue;
		completed++;
		size_t length = why_constants_read_text(&memory, chunks[i].example, chunks[i].size,
		                                        chunks[i].text, text);
		if (length > 0)
			chunks[i].text = why_evidence_keep(made, text, length);
		chunks[i].module = why_constants_find(&constants, chunks[i].text);
	}
	pm_reader_close(&memory);
}

void why_evidence_chunks_add(struct why_evidence *made, const struct why_observation *observation)
{
	if (observation->histograms.known)
		add_histograms(made, observation);
	else
		add_chunks(made, observation);
	complete_texts(made, observation);
}
