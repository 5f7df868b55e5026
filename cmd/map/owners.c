/* SPDX-License-Identifier: MIT */
#include "map/owners.h"

#include <string.h>

#include <procmem/python_heap.h>
#include <procmem/target_reader.h>

#include "base/interrupt.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "target/owner_source.h"
#include "target/owner_text.h"

/* Number of types of CPython that are named. */
enum { TYPES_SHOWN = 3 };

/** Returns whether a runtime was found. */
static bool has_runtime(const struct loaded *loaded, const char *family)
{
	const struct pm_runtimes *runtimes = loaded->runtimes;

	for (size_t i = 0; runtimes && i < runtimes->count; i++)
		if (strcmp(runtimes->items[i].family, family) == 0)
			return true;
	return false;
}

/** Adds the types with the most bytes. */
static void put_types(const struct pm_python_heap *heap, struct text *text)
{
	size_t shown = pm_min_size(heap->type_count, TYPES_SHOWN);

	for (size_t i = 0; i < shown; i++) {
		const struct pm_runtime_type *type = &heap->types[i];

		if (i > 0)
			text_string(text, ", ");
		utf8_escape(text, type->name, strlen(type->name));
		text_string(text, " \xc3\x97");
		text_grouped(text, type->count);
		text_char(text, ' ');
		text_size(text, type->bytes);
	}
	if (heap->type_count > shown)
		text_format(text, ", %zu more types", heap->type_count - shown);
}

/** Describes the objects of CPython by their types, if they can be read. */
static void describe_python(struct groups *groups, const struct loaded *loaded,
                            const struct owner_source *owners)
{
	struct pm_reader reader = { 0 };
	struct pm_python_heap *heap = NULL;
	struct text types = { 0 };
	const struct pm_runtimes_source source = { .regions = &loaded->regions,
		                                   .reader = &reader,
		                                   .pages = owners->division.pages,
		                                   .process = loaded->target->process,
		                                   .cancel = owners->division.cancel };

	if (!has_runtime(loaded, "python") || !owners->division.pages)
		return;
	if (loaded->core)
		reader = pm_core_reader(loaded->core);
	else if (pm_target_reader_open(loaded->target->process, &loaded->regions, &reader, NULL) <
	         0)
		return;

	if (pm_python_heap_open(&source, &heap, NULL) == 0 && heap && heap->type_count > 0) {
		put_types(heap, &types);
		group_describe_owner(groups, PM_OWNER_PYTHON_OBJECTS, text_terminate(&types));
	}

	pm_python_heap_close(heap);
	pm_reader_close(&reader);
	text_deinit(&types);
}

int map_owners_fill(struct groups *groups, const struct loaded *loaded, const struct list *list,
                    enum group_by by, struct pm_error *error)
{
	struct owner_source source = { 0 };

	if (by == GROUP_BY_OWNER) {
		owner_source_open(&source, loaded, interrupt_catch());
		group_know_owners(groups, &source);
	}

	int result = group_fill(groups, &loaded->regions, list->items, list->count, error);
	if (result == 0 && by == GROUP_BY_OWNER)
		describe_python(groups, loaded, &source);
	group_know_owners(groups, NULL);
	owner_source_close(&source);
	return result;
}

size_t map_owners_print(const struct loaded *loaded, const struct groups *groups, bool all,
                        bool bytes, struct out *out)
{
	const char *label = "RSS";
	struct text line = { 0 };

	if (loaded->core)
		label = MAP_HELD;
	else if (!all)
		label = "RSS of the selected regions";
	owner_text_equation(group_owner_sums(groups), label, bytes, &line);
	text_char(&line, '\n');

	size_t lines = out_wrapped(out, &line, 2);
	lines += owner_text_print_runtimes(loaded->runtimes, bytes, out);
	text_deinit(&line);
	return lines;
}
