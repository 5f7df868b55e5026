/* SPDX-License-Identifier: MIT */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <procmem/chunk_filter.h>

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "base/pattern_error.h"
#include "heap/heap.h"

/* An attempt to match an expression is ended after this number of steps, which take some
 * milliseconds. */
enum { MATCH_STEPS_MAX = 100000 };

struct pm_chunk_filter {
	unsigned states;
	uint64_t size_min;
	uint64_t size_max;
	pcre2_code *type; /* NULL if any type is selected */
	pcre2_code *text; /* NULL if any content is selected */
	pcre2_match_data *match;
	pcre2_match_context *context;
	/* Whether the last type matched: most chunks have the same type as the one before. */
	const struct pm_chunk_type *last_type;
	bool last_result;
};

/**
 * Compiles an expression.
 * @param text  the expression; NULL if there is none
 * @param code  receives the compiled expression
 */
static int compile(const char *text, pcre2_code **code, struct pm_error *error)
{
	PCRE2_UCHAR reason[200];
	PCRE2_SIZE offset;
	int number;

	if (!text)
		return 0;

	*code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_UTF, &number,
	                      &offset, NULL);
	if (!*code) {
		if (pcre2_get_error_message(number, reason, sizeof reason) < 0)
			reason[0] = '\0';
		return pm_pattern_wrong(text, strlen(text), offset, (const char *)reason, error);
	}

	/* Without the compiler to machine code, matching is slower, but has the same results. */
	pcre2_jit_compile(*code, PCRE2_JIT_COMPLETE);
	return 0;
}

static int prepare_matching(struct pm_chunk_filter *filter, struct pm_error *error)
{
	filter->match = pcre2_match_data_create(1, NULL);
	filter->context = pcre2_match_context_create(NULL);
	if (!filter->match || !filter->context)
		return pm_error_out_of_memory(error);

	pcre2_set_match_limit(filter->context, MATCH_STEPS_MAX);
	return 0;
}

int pm_chunk_filter_create(const struct pm_chunk_filter_options *options,
                           struct pm_chunk_filter **filter, struct pm_error *error)
{
	struct pm_chunk_filter *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	made->states = options->states ? options->states : 1U << PM_CHUNK_IN_USE;
	made->size_min = options->size_min;
	made->size_max = options->size_max ? options->size_max : UINT64_MAX;

	if (compile(options->type, &made->type, error) < 0 ||
	    compile(options->text, &made->text, error) < 0 || prepare_matching(made, error) < 0) {
		pm_chunk_filter_destroy(made);
		return -1;
	}

	*filter = made;
	return 0;
}

void pm_chunk_filter_destroy(struct pm_chunk_filter *filter)
{
	if (!filter)
		return;

	pcre2_code_free(filter->type);
	pcre2_code_free(filter->text);
	pcre2_match_data_free(filter->match);
	pcre2_match_context_free(filter->context);
	free(filter);
}

static bool is_match(struct pm_chunk_filter *filter, const pcre2_code *code, const char *text,
                     size_t length)
{
	return pcre2_match(code, (PCRE2_SPTR)text, length, 0, 0, filter->match, filter->context) >=
	       0;
}

static bool type_matches(struct pm_chunk_filter *filter, const struct pm_chunk_type *type)
{
	if (filter->last_type != type) {
		const char *label = pm_chunk_type_label(type);
		filter->last_result = is_match(filter, filter->type, label, strlen(label));
		filter->last_type = type;
	}
	return filter->last_result;
}

static bool text_matches(struct pm_chunk_filter *filter, const struct pm_chunk_item *item)
{
	struct pm_chunk_text text = pm_chunk_text_find(item->head, item->size);
	return text.length > 0 && is_match(filter, filter->text, text.text, text.length);
}

bool pm_chunk_filter_match(struct pm_chunk_filter *filter, const struct pm_chunk_item *item)
{
	unsigned state = 1U << item->chunk.state;
	if (!(pm_chunk_filter_states(filter) & state))
		return false;
	if (!filter)
		return true;

	if (item->chunk.size < filter->size_min || item->chunk.size > filter->size_max)
		return false;
	if (filter->type && !type_matches(filter, item->type))
		return false;
	return !filter->text || text_matches(filter, item);
}

unsigned pm_chunk_filter_states(const struct pm_chunk_filter *filter)
{
	return filter ? filter->states : 1U << PM_CHUNK_IN_USE;
}

/** What visit() needs. */
struct listing {
	struct pm_chunk_types *types;
	struct pm_chunk_filter *filter;
	pm_chunk_item_visitor *visit;
	void *context;
	struct pm_error *error;
};

static int visit(void *context, const struct pm_chunk *chunk, const void *head, size_t size)
{
	struct listing *listing = context;
	struct pm_chunk_item item = { .chunk = *chunk, .head = head, .size = size };

	if (pm_chunk_types_find(listing->types, head, size, &item.type, listing->error) < 0)
		return -1;
	if (!pm_chunk_filter_match(listing->filter, &item))
		return 0;
	return listing->visit(listing->context, &item);
}

int pm_chunk_list(struct pm_heap *heap, struct pm_chunk_types *types,
                  struct pm_chunk_filter *filter, pm_chunk_item_visitor *visitor, void *context,
                  struct pm_error *error)
{
	struct listing listing = { types, filter, visitor, context, error };
	return pm_heap_read_chunks(heap, pm_chunk_filter_states(filter), visit, &listing, error);
}

int pm_chunk_item_read(struct pm_heap *heap, struct pm_chunk_types *types,
                       const struct pm_chunk *chunk, void *head, struct pm_chunk_item *item,
                       struct pm_error *error)
{
	struct pm_heap_window *window = pm_heap_handle(heap)->window;
	size_t size = (size_t)pm_min(chunk->end - chunk->start, PM_CHUNK_HEAD_SIZE);

	pm_heap_window_forget(window);
	int found = pm_heap_window_peek(window, chunk->start, head, size, error);
	if (found < 0)
		return -1;

	*item = (struct pm_chunk_item){ .chunk = *chunk, .head = head, .size = found ? size : 0 };
	return pm_chunk_types_find(types, head, item->size, &item->type, error);
}
