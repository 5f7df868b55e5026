/* SPDX-License-Identifier: MIT */
#include "target/arena_threads.h"

#include "target/chunk_text.h"

void arena_threads_text(const struct pm_arena_threads *threads, uint32_t arena, struct text *text)
{
	size_t count;
	const struct pm_arena_thread *first = pm_arena_threads_of(threads, arena, &count);

	for (size_t i = 0; i < count; i++) {
		text_format(text, "%s%d", i > 0 ? ", " : "", (int)first[i].tid);
		if (first[i].name[0])
			text_char(text, ' ');
		text_string(text, first[i].name);
	}
}

void arena_threads_label(const struct pm_arena_threads *threads, const struct pm_heap *heap,
                         uint32_t arena, struct text *text)
{
	size_t count;

	if (pm_arena_threads_of(threads, arena, &count)) {
		arena_threads_text(threads, arena, text);
		return;
	}

	if (arena != PM_CHUNK_MAPPED)
		text_string(text, threads->unknown == 0 ? "no thread, " : "not known, ");
	chunk_text_place(heap, arena, text);
}

json_t *arena_threads_json(const struct pm_arena_threads *threads, uint32_t arena)
{
	size_t count;
	const struct pm_arena_thread *first = pm_arena_threads_of(threads, arena, &count);
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++) {
		json_t *thread = json_object();

		json_object_set_new(thread, "tid", json_number((uint64_t)first[i].tid));
		if (first[i].name[0])
			json_object_set_new(thread, "name", json_text(first[i].name));
		json_array_append_new(list, thread);
	}
	return list;
}
