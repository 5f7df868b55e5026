/* SPDX-License-Identifier: MIT */
#include "target/chunk_text.h"

#include <inttypes.h>
#include <string.h>

const char *chunk_text_state(unsigned state)
{
	switch ((enum pm_chunk_state)state) {
	case PM_CHUNK_IN_USE:
		return "in use";
	case PM_CHUNK_CACHED:
		return "freed, cached";
	case PM_CHUNK_FREE:
		return "free";
	case PM_CHUNK_TOP:
		return "top";
	}
	return "";
}

static bool is_main(const struct pm_heap *heap, uint32_t arena)
{
	return arena < heap->arena_count && heap->arenas[arena].main;
}

/** Returns the number of an arena, as in `map`. */
static uint32_t arena_number(const struct pm_heap *heap, uint32_t arena)
{
	return arena < heap->arena_count ? heap->arenas[arena].number : arena;
}

void chunk_text_arena(const struct pm_heap *heap, uint32_t arena, struct text *text)
{
	if (arena == PM_CHUNK_MAPPED)
		text_string(text, "mapped");
	else if (is_main(heap, arena))
		text_string(text, "main");
	else
		text_decimal(text, arena_number(heap, arena));
}

void chunk_text_place(const struct pm_heap *heap, uint32_t arena, struct text *text)
{
	if (arena == PM_CHUNK_MAPPED)
		text_string(text, "mapped separately");
	else if (is_main(heap, arena))
		text_string(text, "in the main arena");
	else
		text_format(text, "in arena %" PRIu32, arena_number(heap, arena));
}

/** Adds the type in words. */
static void put_type(const struct pm_chunk_type *type, struct text *text)
{
	if (!type->name[0])
		text_string(text, pm_content_name((enum pm_content)type->content));
	else if (type->content == PM_CONTENT_OBJECT)
		text_string(text, type->name);
	else if (type->content == PM_CONTENT_FUNCTION)
		text_format(text, "-> %s()", type->name);
	else
		text_format(text, "-> %s", type->name);

	if (type->name[0] && type->word > 0)
		text_format(text, " at offset %u", type->word);
}

void chunk_text_what(const struct pm_chunk_type *type, const char *bytes, size_t length, bool cut,
                     struct text *text)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	bool is_text = length > 0 && type && type->content == PM_CONTENT_TEXT;

	if (!type)
		text_string(text, "mixed");
	else if (!is_text)
		put_type(type, text);
	if (length == 0)
		return;

	text_string(text, is_text ? "\"" : " \"");
	text_bytes(text, bytes, length);
	/* A template can end with the mark of a filler. */
	bool marked = length >= strlen(ellipsis) &&
	              memcmp(bytes + length - strlen(ellipsis), ellipsis, strlen(ellipsis)) == 0;
	text_string(text, cut && !marked ? ellipsis : "");
	text_char(text, '"');
}
