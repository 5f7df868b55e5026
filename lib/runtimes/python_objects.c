/* SPDX-License-Identifier: MIT */
/*
 * A block in use is an object if it has a type object at the place where objects of this type have
 * it, a reference count that is possible, and the size of such objects. Objects that CPython keeps
 * for reuse have a reference count of 0, and are not counted.
 */
#include "runtimes/python_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	WORD = 8,
	GC_HEAD = 16,      /* PyGC_Head: the links of a list */
	GC_FLAGS = 3,      /* flags in these links */
	GC_COLLECTING = 2, /* the link is a number during a collection */
	HOOK_SIZE = 16,    /* PYTHONMALLOC=debug: before the data, a size and fixed bytes */
	STRING_MIN = 40,   /* PyASCIIObject of 3.12; earlier versions have 48 */
	ROUND = 16,        /* blocks are multiples of this */
	COUNT_OFFSET = 0,  /* PyObject.ob_refcnt */
	TYPE_OFFSET = 8,   /* PyObject.ob_type */
	OBJECT_MIN = 16,
};

/* The highest address of user space, with five levels of page tables */
static const uint64_t address_end = UINT64_C(1) << 56;

static uint64_t word_at(const unsigned char *bytes, uint64_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof word);
	return word;
}

/** Returns the number of bytes of the debug hooks before the data of a block, or 0. */
static uint64_t hooks_before(const unsigned char *block, uint64_t size)
{
	static const unsigned char fixed[7] = { 0xfd, 0xfd, 0xfd, 0xfd, 0xfd, 0xfd, 0xfd };
	unsigned char domain = size > HOOK_SIZE ? block[WORD] : 0;

	if ((domain == 'o' || domain == 'm' || domain == 'r') &&
	    memcmp(block + WORD + 1, fixed, sizeof fixed) == 0)
		return HOOK_SIZE;
	return 0;
}

/** Returns whether a link of the garbage collector is possible. */
static bool is_link(uint64_t link)
{
	uint64_t address = link & ~(uint64_t)GC_FLAGS;

	return (link & GC_COLLECTING) || (address % WORD == 0 && address < address_end);
}

/** Returns whether the size of a block is that of objects of a type. */
static bool fits(const struct pm_python_type *type, uint64_t size, bool exact)
{
	uint64_t needed = type->before + type->size;

	if (type->is_string)
		return type->before + STRING_MIN <= size;
	if (!exact || type->item_size > 0 || type->is_inline)
		return needed <= size;
	return (needed + ROUND - 1) / ROUND * ROUND == size;
}

/** Returns the type of the object in a block; NULL if the block is not an object. */
static struct pm_python_type *type_of(struct pm_python_objects *objects, const unsigned char *block,
                                      uint64_t size, bool exact)
{
	for (uint64_t before = 0; before <= 2 * (uint64_t)GC_HEAD; before += GC_HEAD) {
		if (before + OBJECT_MIN > size)
			break;
		if (!pm_python_types_is_count(objects->context,
		                              word_at(block, before + COUNT_OFFSET)))
			continue;

		struct pm_python_type *type = pm_python_types_find(
			objects->context, &objects->types, word_at(block, before + TYPE_OFFSET));
		if (!type || type->before != before || !fits(type, size, exact))
			continue;
		if (before == 0 || (is_link(word_at(block, before - GC_HEAD)) &&
		                    is_link(word_at(block, before - WORD))))
			return type;
	}

	return NULL;
}

void pm_python_objects_count(void *closure, const struct pm_python_pool_view *view)
{
	struct pm_python_objects *objects = closure;

	for (uint32_t i = 0; i < view->blocks; i++) {
		const unsigned char *block = view->bytes + PM_PYTHON_POOL_HEADER +
		                             (size_t)i * view->size;

		if (view->is_free[i])
			continue;

		uint64_t hooks = hooks_before(block, view->size);
		struct pm_python_type *type = type_of(objects, block + hooks, view->size - hooks,
		                                      hooks == 0);
		objects->hooked += hooks > 0;
		if (type) {
			type->count++;
			type->bytes += view->size;
		} else {
			objects->other++;
			objects->other_bytes += view->size;
		}
	}
}

static int by_name(const void *left, const void *right)
{
	const struct pm_runtime_type *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int by_bytes(const void *left, const void *right)
{
	const struct pm_runtime_type *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return strcmp(a->name, b->name);
}

/** Adds up types of the same name, which are adjacent. */
static size_t merge(struct pm_runtime_type *types, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && strcmp(types[kept - 1].name, types[i].name) == 0) {
			types[kept - 1].count += types[i].count;
			types[kept - 1].bytes += types[i].bytes;
			free((char *)types[i].name);
		} else {
			types[kept++] = types[i];
		}
	}

	return kept;
}

int pm_python_objects_list(const struct pm_python_objects *objects, struct pm_python_heap *heap,
                           struct pm_error *error)
{
	const struct pm_python_types *types = &objects->types;
	size_t count = 0;

	heap->other = objects->other;
	heap->other_bytes = objects->other_bytes;
	heap->types = calloc(types->count + 1, sizeof *heap->types);
	if (!heap->types)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < types->capacity; i++) {
		const struct pm_python_type *type = &types->items[i];
		struct pm_runtime_type *item = &heap->types[count];

		if (type->count == 0)
			continue;
		*item = (struct pm_runtime_type){ .family = pm_owner_family(
							  PM_OWNER_PYTHON_OBJECTS),
			                          .name = strdup(type->name),
			                          .count = type->count,
			                          .bytes = type->bytes };
		if (!item->name)
			return pm_error_out_of_memory(error);
		heap->type_count = ++count;
	}

	qsort(heap->types, count, sizeof *heap->types, by_name);
	heap->type_count = merge(heap->types, count);
	qsort(heap->types, heap->type_count, sizeof *heap->types, by_bytes);
	return 0;
}
