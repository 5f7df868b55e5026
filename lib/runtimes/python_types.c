/* SPDX-License-Identifier: MIT */
/*
 * A type object is recognised without symbols: it is ready, its name is text, and its own type is
 * `type` or a metaclass. `type` is the object that is its own type.
 */
#include "runtimes/python_types.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

enum {
	/* Offsets in PyTypeObject, the same in all versions */
	REFERENCES = 0,
	TYPE = 8,
	NAME = 24,
	BASIC_SIZE = 32,
	ITEM_SIZE = 40,
	FLAGS = 168,
	HEAD = 176,

	/* Flags of types: Include/object.h */
	FLAG_INLINE_VALUES = 1 << 2,   /* since 3.13 */
	FLAG_MANAGED_WEAKREF = 1 << 3, /* since 3.12 */
	FLAG_MANAGED_DICT = 1 << 4,    /* since 3.11 */
	FLAG_READY = 1 << 12,
	FLAG_GC = 1 << 14,
	FLAG_STRING = 1 << 28,

	OBJECT_MIN = 16,      /* an object has a reference count and a type */
	OBJECT_MAX = 1 << 20, /* for tp_basicsize */
	ITEM_MAX = 1 << 16,   /* for tp_itemsize */
	METACLASSES_MAX = 8,  /* metaclasses of metaclasses */
	FIRST_CAPACITY = 1024,
	CAPACITY_MAX = 1 << 18, /* types, and addresses that are none: 20 MiB */
	ADDRESS_MIN = 65536,    /* programs map nothing below: vm.mmap_min_addr */
};

/* The flag of subclasses of `type` */
static const uint64_t flag_type = UINT64_C(1) << 31;

/** The start of a type object. */
struct head {
	uint64_t type, name, basic_size, item_size, flags;
};

void pm_python_types_init(struct pm_python_types *types, unsigned minor)
{
	*types = (struct pm_python_types){ .minor = minor, .seed = pm_hash_seed(types) };
}

void pm_python_types_deinit(struct pm_python_types *types)
{
	for (size_t i = 0; i < types->capacity; i++)
		free(types->items[i].name);
	free(types->items);
	*types = (struct pm_python_types){ 0 };
}

bool pm_python_types_is_count(const struct pm_runtimes_context *context, uint64_t word)
{
	if (word == 0 || word > UINT32_MAX)
		return false;

	/* A pointer in the low 4 GiB, where the heap of a program is that is not PIE */
	return word < ADDRESS_MIN || word % 8 != 0 ||
	       !pm_regions_find(context->source->regions, word);
}

static uint64_t word_at(const unsigned char *bytes, size_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof word);
	return word;
}

/** Reads the start of a type object, and checks its numbers. */
static bool read_head(struct pm_runtimes_context *context, uint64_t address, struct head *head)
{
	unsigned char bytes[HEAD];

	if (address % 8 != 0 || address < ADDRESS_MIN ||
	    !pm_regions_find(context->source->regions, address) ||
	    !pm_runtime_read(context, address, bytes, sizeof bytes))
		return false;

	*head = (struct head){
		.type = word_at(bytes, TYPE),
		.name = word_at(bytes, NAME),
		.basic_size = word_at(bytes, BASIC_SIZE),
		.item_size = word_at(bytes, ITEM_SIZE),
		.flags = word_at(bytes, FLAGS),
	};

	return pm_python_types_is_count(context, word_at(bytes, REFERENCES)) &&
	       (head->flags & FLAG_READY) && head->basic_size >= OBJECT_MIN &&
	       head->basic_size <= OBJECT_MAX && head->item_size <= ITEM_MAX;
}

/** Returns whether bytes are the name of a type: UTF-8 without control characters. */
static bool is_name(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t more = 0;

	for (; *at; at++) {
		if (more > 0) {
			if ((*at & 0xc0) != 0x80)
				return false;
			more--;
		} else if (*at >= 0xc2 && *at < 0xf5) {
			more = (size_t)1 + (*at >= 0xe0) + (*at >= 0xf0);
		} else if (*at < 0x20 || *at >= 0x7f) {
			return false;
		}
	}

	/* A cut name can end inside a character. */
	return text[0] != '\0' &&
	       (more == 0 || at - (const unsigned char *)text == PM_PYTHON_NAME_MAX);
}

/** Returns whether the type of a type is `type` or a metaclass. */
static bool is_metaclass(struct pm_runtimes_context *context, uint64_t address)
{
	for (int i = 0; i < METACLASSES_MAX; i++) {
		struct head head;
		char name[8];

		if (!read_head(context, address, &head) || !(head.flags & flag_type))
			return false;
		if (head.type == address)
			return pm_runtime_read_text(context, head.name, name, sizeof name) &&
			       strcmp(name, "type") == 0;
		address = head.type;
	}

	return false;
}

/** Returns the number of bytes before an object. */
static uint32_t before(const struct pm_python_types *types, uint64_t flags)
{
	uint64_t managed = 0;

	if (types->minor >= 11)
		managed |= FLAG_MANAGED_DICT;
	if (types->minor >= 12)
		managed |= FLAG_MANAGED_WEAKREF;
	if (!(flags & FLAG_GC))
		return 0;

	return flags & managed ? 32 : 16;
}

/** Reads the type at an address. The name is NULL if there is no type. */
static struct pm_python_type read_type(struct pm_runtimes_context *context,
                                       const struct pm_python_types *types, uint64_t address)
{
	struct pm_python_type type = { .address = address };
	char name[PM_PYTHON_NAME_MAX + 1];
	struct head head;

	if (!read_head(context, address, &head) ||
	    !pm_runtime_read_text(context, head.name, name, sizeof name) || !is_name(name) ||
	    !is_metaclass(context, head.type))
		return type;

	type.name = strdup(name);
	if (!type.name)
		pm_error_out_of_memory(&context->failure);
	type.size = head.basic_size;
	type.item_size = head.item_size;
	type.before = before(types, head.flags);
	type.is_string = head.flags & FLAG_STRING;
	type.is_inline = types->minor >= 13 && (head.flags & FLAG_INLINE_VALUES);
	return type;
}

/** Returns the entry of an address, or the empty entry where it belongs. */
static struct pm_python_type *entry_of(const struct pm_python_types *types, uint64_t address)
{
	size_t mask = types->capacity - 1;
	size_t at = (size_t)pm_hash_mix(address ^ types->seed, PM_HASH_ONE) & mask;

	while (types->items[at].address != 0 && types->items[at].address != address)
		at = (at + 1) & mask;
	return &types->items[at];
}

/** Makes room for one more entry. Returns false if there is none. */
static bool reserve(struct pm_runtimes_context *context, struct pm_python_types *types)
{
	struct pm_python_types larger = *types;

	if (types->count < types->capacity / 2)
		return true;
	if (types->capacity >= CAPACITY_MAX)
		return false;

	larger.capacity = types->capacity > 0 ? types->capacity * 2 : FIRST_CAPACITY;
	larger.items = calloc(larger.capacity, sizeof *larger.items);
	if (!larger.items) {
		pm_error_out_of_memory(&context->failure);
		return false;
	}

	for (size_t i = 0; i < types->capacity; i++)
		if (types->items[i].address != 0)
			*entry_of(&larger, types->items[i].address) = types->items[i];
	free(types->items);
	*types = larger;
	return true;
}

struct pm_python_type *pm_python_types_find(struct pm_runtimes_context *context,
                                            struct pm_python_types *types, uint64_t address)
{
	struct pm_python_type *entry;

	if (address == 0)
		return NULL;
	if (types->capacity > 0) {
		entry = entry_of(types, address);
		if (entry->address != 0)
			return entry->name ? entry : NULL;
	}
	if (!reserve(context, types))
		return NULL;

	entry = entry_of(types, address);
	*entry = read_type(context, types, address);
	types->count++;
	return entry->name ? entry : NULL;
}
