/* SPDX-License-Identifier: MIT */
#include "why/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"

/* Sizes of the arrays. More is not judged: the largest and the fastest come first. */
enum { REGIONS_MAX = 4096, PROCESSES_MAX = 256, FOLDERS_MAX = 64, TEXTS_MAX = 64 };

/** Keeps a copy of bytes as a string. */
static const char *keep(struct why_evidence *made, const char *bytes, size_t length)
{
	char *copy = alloc_array(NULL, length + 1, 1);

	memcpy(copy, bytes, length);
	copy[length] = '\0';
	made->names = alloc_array(made->names, made->name_count + 1, sizeof *made->names);
	made->names[made->name_count++] = copy;
	return copy;
}

/** Makes the trend of a series. */
static struct pm_evidence_trend trend_of(const struct pm_series *series, enum pm_trend_unit unit)
{
	struct pm_evidence_trend trend = { 0 };

	if (series->count == 0)
		return trend;

	trend.first = series->points[0].value;
	trend.last = series->points[series->count - 1].value;
	trend.known = series->samples > 1;
	if (trend.known)
		pm_trend_judge(series, unit, &trend.trend);
	return trend;
}

/** Makes the trend of a size that is known at a few moments only, such as walks over a heap. */
static struct pm_evidence_trend trend_of_few(const uint64_t *values, const double *times,
                                             size_t count)
{
	struct pm_evidence_trend trend = { .known = count > 1 };
	bool rises = true;

	if (count == 0)
		return trend;

	trend.first = values[0];
	trend.last = values[count - 1];
	for (size_t i = 1; i < count; i++)
		rises &= values[i] > values[i - 1];
	if (count < 2 || times[count - 1] <= times[0])
		return trend;

	double rate = ((double)trend.last - (double)trend.first) / (times[count - 1] - times[0]);
	if (rises && count > 2) {
		trend.trend.verdict = PM_VERDICT_STEADY;
		trend.trend.rate = rate;
	} else {
		trend.trend.verdict = rate > 0 ? PM_VERDICT_UNEVEN : PM_VERDICT_NO_GROWTH;
	}
	return trend;
}

/** Adds the sizes of the regions of smaps that are in a track's region. */
static void add_sizes(const struct why_observation *observation, struct pm_evidence_region *region)
{
	for (size_t i = 0; i < observation->size_count; i++) {
		const struct why_sizes *sizes = &observation->sizes[i];

		if (sizes->start >= region->end)
			break;
		if (sizes->end <= region->start)
			continue;
		region->huge += sizes->huge;
		region->locked += sizes->locked;
		region->swap += sizes->swap;
		region->shared += sizes->shared;
	}
}

static void add_reserve(const struct why_observation *observation,
                        struct pm_evidence_region *region)
{
	size_t count;
	const struct pm_reserve *const *reserves = pm_reserves_list(observation->rates.reserves,
	                                                            &count);

	for (size_t i = 0; i < count; i++) {
		const struct pm_reserve *reserve = reserves[i];

		if (reserve->start > region->start ||
		    region->start >= reserve->start + reserve->used)
			continue;
		region->reserve = pm_reserve_size(reserve) - reserve->used;
		region->length = trend_of(&reserve->series, PM_TREND_BYTES);
	}
}

/** Finds the arena of a track. */
static const struct why_arena *arena_of(const struct why_observation *observation,
                                        const struct pm_track *track)
{
	const struct why_walks *walks = &observation->walks;
	bool in_heap = track->kind == PM_KIND_ARENA && pm_detail_has_heaps(&track->detail) &&
	               track->detail.listed > 0;

	for (size_t i = 0; i < walks->arena_count; i++) {
		const struct why_arena *arena = &walks->arenas[i];

		if (in_heap && arena->last.address == track->detail.heaps[0].arena)
			return arena;
		if (track->kind == PM_KIND_HEAP && arena->last.main)
			return arena;
	}

	return NULL;
}

static void fill_region(const struct why_observation *observation, const struct pm_track *track,
                        struct pm_evidence_region *region)
{
	const struct pm_tracker *tracker = observation->rates.tracker;
	const struct why_arena *arena = arena_of(observation, track);

	*region = (struct pm_evidence_region){
		.start = track->start,
		.end = track->end,
		.kind = track->kind,
		.perms = track->perms,
		.mapping = track->mapping,
		.thread = track->thread,
		.thread_name = "",
		.chunk_min = track->block_min,
		.chunk_max = track->block_max,
		.size = track->size,
		.memory = { .known = track->series.samples > 1,
		            .first = track->baseline,
		            .last = track->weight },
		.count = { .known = track->counts.samples > 1,
		           .first = track->baseline_regions,
		           .last = track->regions },
	};
	pm_track_judge(tracker, track, &region->memory.trend);
	pm_track_judge_count(tracker, track, &region->count.trend);
	region->memory.known = observation->samples > 1;
	region->count.known = observation->samples > 1;
	if (arena) {
		region->arena = arena->last.number;
		if (arena->threads == 1) {
			region->thread = arena->thread.tid;
			region->thread_name = arena->thread.name;
		}
	} else if (pm_detail_has_threads(&track->detail) && track->detail.listed > 0) {
		region->thread_name = track->detail.threads[0].name;
	}
	add_sizes(observation, region);
	add_reserve(observation, region);
}

static enum pm_owner owner_by_kind(const struct pm_evidence_region *region)
{
	switch (region->kind) {
	case PM_KIND_HEAP:
	case PM_KIND_ARENA:
	case PM_KIND_MALLOC:
		return PM_OWNER_MALLOC;
	case PM_KIND_STACK:
		return PM_OWNER_STACK;
	case PM_KIND_SHM:
		return PM_OWNER_SHARED;
	case PM_KIND_CODE:
	case PM_KIND_RODATA:
	case PM_KIND_DATA:
	case PM_KIND_BSS:
	case PM_KIND_FILE:
		return PM_OWNER_FILE;
	default:
		return PM_OWNER_UNKNOWN;
	}
}

/** Sets the owner of a region. */
static void set_owner(const struct why_observation *observation, struct pm_evidence_region *region)
{
	const struct why_region_owner *owner = why_owners_find(&observation->owners, region->start);

	region->owner = owner ? (enum pm_owner)owner->owner : owner_by_kind(region);
	region->owner_certain = owner ? owner->proven : region->owner != PM_OWNER_UNKNOWN;
}

static int by_memory(const void *left, const void *right)
{
	const struct pm_track *const *a = left, *const *b = right;

	if ((*a)->weight != (*b)->weight)
		return (*a)->weight < (*b)->weight ? 1 : -1;
	return ((*a)->index > (*b)->index) - ((*a)->index < (*b)->index);
}

/** Adds the texts in new pages of a track. */
static void add_texts(struct why_evidence *made, const struct why_observation *observation,
                      const struct pm_track *track, size_t region, struct pm_evidence_text *texts)
{
	size_t added = 0;

	for (size_t i = 0; i < observation->texts.count; i++) {
		const struct why_track_texts *item = &observation->texts.items[i];

		if (item->track != track || observation->options->no_text)
			continue;
		for (size_t t = 0; t < item->found.count && added < WHY_TEXTS &&
		                   made->evidence.text_count < TEXTS_MAX;
		     t++) {
			const struct pm_page_string *string = &item->found.strings[t];

			if (string->count < 2)
				continue;
			added++;
			texts[made->evidence.text_count++] = (struct pm_evidence_text){
				.region = region,
				.text = keep(made, string->bytes, string->length),
				.count = string->count,
				.stride = string->stride,
			};
		}
	}
}

static void add_regions(struct why_evidence *made, const struct why_observation *observation)
{
	size_t count = 0, kept = 0;
	const struct pm_track *const *tracks = pm_tracker_tracks(observation->rates.tracker,
	                                                         &count);
	const struct pm_track **sorted = alloc_array(NULL, count + 1, sizeof(struct pm_track *));
	struct pm_evidence_text *texts = alloc_array(NULL, TEXTS_MAX, sizeof *texts);

	for (size_t i = 0; i < count; i++)
		if (tracks[i]->regions > 0)
			sorted[kept++] = tracks[i];
	qsort(sorted, kept, sizeof(struct pm_track *), by_memory);
	kept = pm_min_size(kept, REGIONS_MAX);

	struct pm_evidence_region *regions = alloc_array(NULL, kept + 1, sizeof *regions);
	for (size_t i = 0; i < kept; i++) {
		fill_region(observation, sorted[i], &regions[i]);
		set_owner(observation, &regions[i]);
		add_texts(made, observation, sorted[i], i, texts);
	}

	made->evidence.regions = regions;
	made->evidence.region_count = kept;
	made->evidence.texts = texts;
	free(sorted);
}

static void add_arenas(struct why_evidence *made, const struct why_walks *walks)
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
			.trimmable = from->last.trimmable,
			.thread = from->thread.tid,
			.thread_name = from->thread.name,
			.threads = from->threads,
			.use_trend = trend_of_few(from->in_use, walks->times, walks->count),
		};
	}

	made->evidence.arenas = arenas;
	made->evidence.arena_count = walks->arena_count;
	made->evidence.heap_known = walks->count > 0;
	made->evidence.heap_counter = walks->mapped_counter;
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
		chunks.text = keep(made, class->text, class->text_length);
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
	double seconds = walks->times[PM_SURVIVORS_WALKS - 1] - walks->times[0];

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
		.type = class->name ? class->name : "",
		.text = observation->options->no_text || !class->text ? "" : class->text,
		.module = "",
		.example = class->example,
		.arena = arena_number(&made->evidence, class->example),
	};

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

static void add_owners(struct why_evidence *made, const struct why_owners *owners)
{
	struct pm_evidence_owner *items = alloc_array(NULL, PM_OWNER_COUNT, sizeof *items);
	size_t count = 0;

	for (unsigned i = 0; owners->known && i < PM_OWNER_COUNT; i++) {
		const struct pm_owner_sum *sum = &owners->last.items[i];

		if (pm_owner_sum_weight(sum) == 0)
			continue;
		items[count++] = (struct pm_evidence_owner){
			.owner = (enum pm_owner)i,
			.certain = sum->inferred == 0,
			.memory = trend_of(&owners->series[i], PM_TREND_BYTES),
		};
	}

	made->evidence.owners = items;
	made->evidence.owner_count = count;
}

/** Adds what the memory of the cgroup consists of. */
static void add_parts(struct why_evidence *made, const struct why_group *group)
{
	struct pm_evidence_part *parts;

	if (!group->known)
		return;

	parts = alloc_array(NULL, PM_CGROUP_PARTS, sizeof *parts);
	for (int i = 0; i < PM_CGROUP_PARTS; i++)
		parts[i] = (struct pm_evidence_part){
			.part = (enum pm_cgroup_part)i,
			.memory = trend_of(&group->parts[i], PM_TREND_BYTES),
		};
	made->evidence.parts = parts;
	made->evidence.part_count = PM_CGROUP_PARTS;
}

static void add_signs(struct pm_evidence *evidence, const struct why_signs *pressure)
{
	evidence->signs = pressure->signs.items;
	evidence->sign_count = pressure->signs.count;
	evidence->levels = pressure->last.levels;
	evidence->level_count = pressure->last.count;
}

static int by_growth(const void *left, const void *right)
{
	const struct pm_evidence_type *a = left, *b = right;
	double first = a->rate * (double)a->bytes / (double)pm_max(a->count, 1);
	double second = b->rate * (double)b->bytes / (double)pm_max(b->count, 1);

	return (first < second) - (first > second);
}

/** Adds the types of Python, those that grow most first. */
static void add_types(struct why_evidence *made, const struct why_owners *owners)
{
	const struct pm_python_heap *last = owners->last_types;
	double seconds = owners->last_time - owners->first_time;
	struct pm_evidence_type *types;

	if (!last || seconds <= 0)
		return;

	types = alloc_array(NULL, last->type_count + 1, sizeof *types);
	for (size_t i = 0; i < last->type_count; i++) {
		const struct pm_runtime_type *type = &last->types[i];
		const struct pm_runtime_type *before = pm_python_heap_type(owners->first_types,
		                                                           type->name);
		double grown = (double)type->count - (before ? (double)before->count : 0);

		types[i] = (struct pm_evidence_type){ .owner = PM_OWNER_PYTHON_OBJECTS,
			                              .type = type->name,
			                              .count = type->count,
			                              .bytes = type->bytes,
			                              .rate = grown / seconds };
	}

	qsort(types, last->type_count, sizeof *types, by_growth);
	made->evidence.types = types;
	made->evidence.type_count = last->type_count;
}

static void add_processes(struct why_evidence *made, const struct why_observation *observation)
{
	const struct neighbours *neighbours = &observation->rates.around.neighbours;
	struct pm_evidence_process *processes = alloc_array(NULL, PROCESSES_MAX, sizeof *processes);
	size_t count = 0;

	for (size_t i = 0; i < neighbours->count && count < PROCESSES_MAX; i++) {
		const struct neighbour *from = &neighbours->items[i];
		bool child = from->relation == NEIGHBOUR_CHILD ||
		             from->relation == NEIGHBOUR_DESCENDANT;
		bool shares_limit = from->relation == NEIGHBOUR_MEMBER && from->in_group;
		bool in_given = observation->group.given && from->named;

		if (from->own || from->gone || from->relation == NEIGHBOUR_TARGET ||
		    !(child || shares_limit || in_given) || !neighbours_grows(from))
			continue;

		processes[count] = (struct pm_evidence_process){
			.pid = from->use.pid,
			.comm = from->use.comm,
			.child = child,
			.memory = { .known = true,
			            .first = from->baseline,
			            .last = pm_memory_use_kept(&from->use),
			            .trend = from->trend },
		};
		count++;
	}

	made->evidence.processes = processes;
	made->evidence.process_count = count;
	made->evidence.family_known = observation->rates.around.observed;
}

/** Returns a trend that has only a mean rate. */
static struct pm_evidence_trend mean_trend(uint64_t first, uint64_t last, double rate)
{
	struct pm_evidence_trend trend = { .known = true, .first = first, .last = last };

	trend.trend.verdict = rate > 0 ? PM_VERDICT_STEADY : PM_VERDICT_NO_GROWTH;
	trend.trend.rate = rate > 0 ? rate : 0;
	return trend;
}

static void add_tmpfs(struct why_evidence *made, const struct why_observation *observation)
{
	const struct headroom_around *around = &observation->rates.around;
	struct pm_evidence_tmpfs *tmpfs = alloc_array(NULL, FOLDERS_MAX, sizeof *tmpfs);
	size_t count = 0;

	for (size_t i = 0; i < around->folders.count && count < FOLDERS_MAX; i++) {
		const struct pm_tmpfs_row *row = &around->folders.items[i];
		double seconds = observation->seconds;

		if (!row->rate_known)
			continue;
		double grown = row->rate * seconds;
		tmpfs[count++] = (struct pm_evidence_tmpfs){
			.path = row->path,
			.files = row->files,
			.charged = !around->shmem_known || around->shmem_rate > row->rate / 2,
			.bytes = mean_trend(row->bytes - (uint64_t)(grown > 0 ? grown : 0),
			                    row->bytes, row->rate),
		};
	}

	made->evidence.tmpfs = tmpfs;
	made->evidence.tmpfs_count = count;
}

/** Returns the process that has written most to a file; NULL if that is the target or not known. */
static const struct shared_writer *writer_of(const struct shared_file *file)
{
	for (size_t i = 0; i < file->writer_count; i++)
		if (!file->writers[i].target)
			return &file->writers[i];
	return NULL;
}

static void add_shared(struct why_evidence *made, const struct why_observation *observation)
{
	const struct shared_files *files = &observation->rates.around.files;
	struct pm_evidence_shared *shared = alloc_array(NULL, SHARED_FILES_MAX, sizeof *shared);
	size_t count = 0;

	for (size_t i = 0; i < files->count; i++) {
		const struct shared_file *file = &files->items[i];
		const struct shared_writer *writer = writer_of(file);
		bool target_has_written = false;

		/* Page cache of files on a disk is no shared memory. */
		if (!file->memory)
			continue;
		for (size_t w = 0; w < file->writer_count; w++)
			target_has_written |= file->writers[w].target;
		shared[count++] = (struct pm_evidence_shared){
			.name = file->name,
			.start = file->start,
			.nameless = file->name[0] != '/' ||
			            strncmp(file->name, "/memfd:", strlen("/memfd:")) == 0,
			.writer = writer ? writer->pid : 0,
			.writer_name = writer ? writer->comm : "",
			.target_writes = target_has_written,
			.users = (uint32_t)file->writer_count,
			.length = mean_trend(0, file->used, file->rate),
		};
	}

	made->evidence.shared = shared;
	made->evidence.shared_count = count;
}

static void add_limits(struct why_evidence *made, const struct why_observation *observation)
{
	const struct pm_headroom *headroom = &observation->headroom;
	struct pm_evidence_limit *limits = alloc_array(NULL, headroom->count + 1, sizeof *limits);

	for (size_t i = 0; i < headroom->count; i++) {
		struct forecast_time time = forecast_time(&observation->forecasts[i]);
		const struct pm_series *used = limit_counters_find(&observation->rates.counters,
		                                                   &headroom->limits[i]);

		limits[i] = (struct pm_evidence_limit){
			.limit = headroom->limits[i],
			.time_known = time.known,
			/* A rate that is measured for some seconds is not more exact than this. */
			.seconds_min = time.seconds * (time.estimate ? 0.7 : 0.9),
			.seconds_max = time.seconds * (time.estimate ? 1.3 : 1.1),
		};
		if (used)
			limits[i].used = trend_of(
				used, headroom->limits[i].counts ? PM_TREND_COUNT : PM_TREND_BYTES);
	}

	made->evidence.limits = limits;
	made->evidence.limit_count = headroom->count;
}

void why_evidence_make(struct why_evidence *made, const struct why_observation *observation)
{
	const struct headroom_rates *rates = &observation->rates;
	struct pm_evidence *evidence = &made->evidence;

	*made = (struct why_evidence){ 0 };
	evidence->source = observation->source;
	evidence->file = observation->file;
	evidence->pid = observation->info.pid;
	evidence->comm = observation->info.comm;
	evidence->seconds = observation->seconds;
	evidence->samples = observation->samples;
	evidence->memory = trend_of(&rates->memory, PM_TREND_BYTES);
	evidence->kept = trend_of(&rates->kept, PM_TREND_BYTES);
	evidence->unique = observation->unique;
	evidence->swapped = observation->info.vm_swap;
	evidence->numbers[PM_EVIDENCE_THREADS] = trend_of(&rates->threads, PM_TREND_COUNT);
	evidence->numbers[PM_EVIDENCE_MAPPINGS] = trend_of(&observation->mappings, PM_TREND_COUNT);
	evidence->numbers[PM_EVIDENCE_DESCRIPTORS] = trend_of(&observation->descriptors,
	                                                      PM_TREND_COUNT);

	add_regions(made, observation);
	add_arenas(made, &observation->walks);
	if (observation->histograms.known)
		add_histograms(made, observation);
	else
		add_chunks(made, observation);
	add_owners(made, &observation->owners);
	add_types(made, &observation->owners);
	add_processes(made, observation);
	add_parts(made, &observation->group);
	add_signs(evidence, &observation->pressure);
	add_tmpfs(made, observation);
	add_shared(made, observation);
	add_limits(made, observation);
}

void why_evidence_deinit(struct why_evidence *made)
{
	struct pm_evidence *evidence = &made->evidence;

	for (size_t i = 0; i < made->name_count; i++)
		free(made->names[i]);
	free(made->names);
	free((void *)evidence->regions);
	free((void *)evidence->texts);
	free((void *)evidence->arenas);
	free((void *)evidence->chunks);
	free((void *)evidence->owners);
	free((void *)evidence->types);
	free((void *)evidence->processes);
	free((void *)evidence->parts);
	free((void *)evidence->tmpfs);
	free((void *)evidence->shared);
	free((void *)evidence->limits);
	*made = (struct why_evidence){ 0 };
}
