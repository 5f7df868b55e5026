/* SPDX-License-Identifier: MIT */
#include "target/chunk_text.h"

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

void chunk_text_arena(const struct pm_heap *heap, uint32_t arena, struct text *text)
{
	if (arena == PM_CHUNK_MAPPED)
		text_string(text, "mapped");
	else if (arena < heap->arena_count && heap->arenas[arena].main)
		text_string(text, "main");
	else
		text_decimal(text, arena);
}

void chunk_text_place(const struct pm_heap *heap, uint32_t arena, struct text *text)
{
	if (arena == PM_CHUNK_MAPPED) {
		text_string(text, "mapped separately");
	} else if (arena < heap->arena_count && heap->arenas[arena].main) {
		text_string(text, "in the main arena");
	} else {
		text_string(text, "in arena ");
		text_decimal(text, arena);
	}
}
