/* SPDX-License-Identifier: MIT */
#include "heap/census.h"

#include <stdlib.h>

#include "base/array.h"
#include "heap/class_table.h"
#include "heap/content.h"

enum {
	ALL_KEYS = PM_CENSUS_SIZE | PM_CENSUS_TYPE | PM_CENSUS_TEXT | PM_CENSUS_ARENA |
	           PM_CENSUS_STATE,
	/* If the text is not a key, only the texts of the first FIRST_TEXTS chunks of a class are
	 * compared, and then the text of each TEXT_INTERVAL-th chunk. */
	FIRST_TEXTS = 256,
	TEXT_INTERVAL = 64,
};

struct pm_census {
	struct pm_census_options options;
	struct pm_class_table table;
	struct pm_census_total total;
	uint32_t *order; /* after pm_census_sort(): indices of the classes */
};

int pm_census_create(const struct pm_census_options *options, struct pm_census **census,
                     struct pm_error *error)
{
	uint64_t budget = options->budget ? options->budget : PM_CENSUS_BUDGET;

	if ((options->keys & ALL_KEYS) == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "a census needs a key, such as the size of the chunks");
	if (budget < PM_CENSUS_BUDGET_MIN)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "the budget of a census must be at least 256K");

	struct pm_census *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	made->options = *options;
	pm_class_table_init(&made->table, budget);
	*census = made;
	return 0;
}

void pm_census_destroy(struct pm_census *census)
{
	if (!census)
		return;

	pm_class_table_deinit(&census->table);
	free(census->order);
	free(census);
}

/** Counts the type of a chunk, as a majority vote if the type is not a key. */
static void vote_for_type(struct pm_class *class, const struct pm_chunk_type *type)
{
	if (class->type_votes == 0) {
		class->counts.type = type;
		class->counts.type_count = 0;
	}

	if (class->counts.type == type) {
		class->type_votes++;
		class->counts.type_count++;
	} else {
		class->type_votes--;
	}
}

/** Counts the chunks with equal bytes, as a majority vote. */
static void vote_for_bytes(struct pm_class *class, const struct pm_chunk_item *item)
{
	uint64_t hash = 0;
	bool is_zeros = item->type->content == PM_CONTENT_ZEROS;

	if (item->type->content == PM_CONTENT_UNREAD)
		return;
	if (!is_zeros) {
		struct pm_head head = pm_head_copy(item->head, item->size);
		hash = pm_head_hash(&head);
	}

	class->counts.zeros += is_zeros;
	if (class->head_votes == 0) {
		class->head = hash;
		class->counts.equal = 0;
	}

	if (class->head == hash) {
		class->head_votes++;
		class->counts.equal++;
	} else {
		class->head_votes--;
	}
}

/** Tests whether the text of the next chunk of a class is compared. */
static bool is_sample(const struct pm_census *census, const struct pm_class *class)
{
	bool is_key = census->options.keys & PM_CENSUS_TEXT;
	return is_key || class->counts.count < FIRST_TEXTS ||
	       class->counts.count % TEXT_INTERVAL == 0;
}

/** Adds a chunk to its class. */
static void add_to(const struct pm_census *census, struct pm_class *class,
                   const struct pm_chunk_item *item, const struct pm_chunk_text *text,
                   uint64_t text_hash)
{
	const struct pm_chunk *chunk = &item->chunk;
	struct pm_census_class *counts = &class->counts;
	unsigned keys = census->options.keys;

	if (counts->count == 0) {
		counts->size = chunk->size;
		counts->example = chunk->start;
		counts->arena = chunk->arena;
		counts->state = chunk->state;
	} else if (!(keys & PM_CENSUS_SIZE) && counts->size != chunk->size) {
		counts->size = 0;
	}

	vote_for_type(class, item->type);
	vote_for_bytes(class, item);

	if (keys & PM_CENSUS_TEXT) {
		pm_class_text_add(&class->text, text, text_hash);
	} else if (is_sample(census, class)) {
		struct pm_chunk_text found = pm_chunk_text_find(item->head, item->size);
		pm_class_text_add(&class->text, &found, pm_class_text_hash(&found));
	}

	counts->count++;
	counts->bytes += chunk->size;
}

int pm_census_add_item(struct pm_census *census, const struct pm_chunk_item *item,
                       struct pm_error *error)
{
	unsigned keys = census->options.keys;
	struct pm_chunk_text text = { 0 };
	struct pm_class_key key = { 0 };

	if (keys & PM_CENSUS_SIZE)
		key.size = item->chunk.size;
	if (keys & PM_CENSUS_TYPE)
		key.type = item->type;
	if (keys & PM_CENSUS_ARENA)
		key.arena = item->chunk.arena;
	if (keys & PM_CENSUS_STATE)
		key.state = item->chunk.state;
	if (keys & PM_CENSUS_TEXT) {
		text = pm_chunk_text_find(item->head, item->size);
		key.text = pm_class_text_hash(&text);
	}

	struct pm_class *class = pm_class_table_add(&census->table, &key, error);
	if (!class)
		return -1;

	add_to(census, class, item, &text, key.text);
	census->total.count++;
	census->total.bytes += item->chunk.size;
	census->total.zeros += item->type->content == PM_CONTENT_ZEROS;
	return 0;
}

int pm_census_add(struct pm_census *census, const struct pm_chunk *chunk, const void *head,
                  size_t size, struct pm_error *error)
{
	struct pm_chunk_item item = { .chunk = *chunk, .head = head, .size = size };

	if (pm_chunk_types_find(census->options.types, head, size, &item.type, error) < 0)
		return -1;
	if (census->options.filter && !pm_chunk_filter_match(census->options.filter, &item))
		return 0;

	return pm_census_add_item(census, &item, error);
}

/** What visit() needs. */
struct visit {
	struct pm_census *census;
	struct pm_error *error;
};

static int visit(void *context, const struct pm_chunk *chunk, const void *head, size_t size)
{
	struct visit *to = context;
	return pm_census_add(to->census, chunk, head, size, to->error);
}

int pm_census_add_heap(struct pm_census *census, struct pm_heap *heap, struct pm_error *error)
{
	struct visit context = { census, error };
	unsigned states = pm_chunk_filter_states(census->options.filter);

	return pm_heap_read_chunks(heap, states, visit, &context, error);
}

void pm_census_scale(struct pm_census *census, double (*scale)(void *context, uint64_t size),
                     void *context)
{
	census->total = (struct pm_census_total){ 0 };
	for (size_t i = 0; i < census->table.count; i++) {
		struct pm_census_class *class = &census->table.items[i].counts;
		double factor = scale(context, class->size);

		class->count = (uint64_t)((double)class->count * factor + 0.5);
		class->zeros = (uint64_t)((double)class->zeros * factor + 0.5);
		class->bytes = class->count * class->size;
		census->total.count += class->count;
		census->total.bytes += class->bytes;
		census->total.zeros += class->zeros;
	}
}

/** What pm_census_sort() passes to compare(). */
struct sorting {
	const struct pm_class *items;
	enum pm_census_order order;
};

static uint64_t rank_of(const struct pm_census_class *class, enum pm_census_order order)
{
	switch (order) {
	case PM_CENSUS_BY_COUNT:
		return class->count;
	case PM_CENSUS_BY_SIZE:
		return class->size;
	case PM_CENSUS_BY_BYTES:
	default:
		return class->bytes;
	}
}

static int compare(const void *left, const void *right, void *context)
{
	const struct sorting *sorting = context;
	const struct pm_census_class *a = &sorting->items[*(const uint32_t *)left].counts;
	const struct pm_census_class *b = &sorting->items[*(const uint32_t *)right].counts;
	uint64_t rank_a = rank_of(a, sorting->order), rank_b = rank_of(b, sorting->order);

	if (rank_a != rank_b)
		return (rank_a < rank_b) - (rank_a > rank_b);
	return (a->example > b->example) - (a->example < b->example);
}

/** Writes the text of a class. */
static void finish_text(struct pm_class *class)
{
	struct pm_census_class *counts = &class->counts;
	size_t length = pm_class_text_write(&class->text, counts->text, &counts->text_cut);
	bool found = length > 0;
	uint64_t share = 0;

	if (found)
		share = (uint64_t)class->text.count * 100 / class->text.all;

	counts->text_length = (uint8_t)length;
	counts->text_percent = (uint8_t)share;
	counts->text_varies = found && class->text.varies;
	counts->text_cut = found && counts->text_cut;
}

int pm_census_sort(struct pm_census *census, enum pm_census_order order, struct pm_error *error)
{
	struct sorting sorting = { census->table.items, order };
	size_t count = census->table.count;

	uint32_t *sorted = calloc(count + 1, sizeof *sorted);
	if (!sorted)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < count; i++) {
		finish_text(&census->table.items[i]);
		sorted[i] = (uint32_t)i;
	}

	qsort_r(sorted, count, sizeof *sorted, compare, &sorting);
	free(census->order);
	census->order = sorted;
	return 0;
}

size_t pm_census_count(const struct pm_census *census)
{
	return census->table.count;
}

const struct pm_census_class *pm_census_get(const struct pm_census *census, size_t index)
{
	return &census->table.items[census->order[index]].counts;
}

const struct pm_census_class *pm_census_find(struct pm_census *census, uint64_t size,
                                             const struct pm_chunk_type *type)
{
	const struct pm_class_key key = { .size = size, .type = type };
	const struct pm_class *class = pm_class_table_find(&census->table, &key);

	return class ? &class->counts : NULL;
}

uint64_t pm_census_bound(const struct pm_census *census)
{
	return census->table.bound;
}

struct pm_census_total pm_census_total(const struct pm_census *census)
{
	return census->total;
}
