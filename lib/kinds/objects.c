/* SPDX-License-Identifier: MIT */
#include "kinds/objects.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/file_reader.h>

#include "base/array.h"
#include "base/minmax.h"
#include "kinds/context.h"
#include "kinds/evidence_read.h"

struct pm_objects {
	struct pm_object *items;
	size_t count;
	size_t capacity;
	uint32_t *slots;   /* hash table: 1 + the index of an object; 0 for a free slot */
	size_t slot_count; /* a power of two, at least twice the number of objects */
};

/*
 * Maximum number of files, and maximum number of slots that are tried for a file. Both bound the
 * time for a hostile core file, which may contain very many files, or names that collide in the
 * table.
 */
enum { OBJECTS_MAX = 1 << 16, PROBES_MAX = 256 };

bool pm_objects_same_file(const struct pm_region *one, const struct pm_region *other)
{
	if (one->inode != other->inode || one->device_minor != other->device_minor ||
	    one->device_major != other->device_major)
		return false;
	return one->inode != 0 ||
	       (one->deleted == other->deleted && strcmp(one->mapping, other->mapping) == 0);
}

/** Computes a hash (FNV-1a) of a name. */
static uint64_t hash_name(const char *name)
{
	uint64_t value = UINT64_C(14695981039346656037);
	for (; *name; name++)
		value = (value ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return value;
}

static size_t hash(const struct pm_region *region)
{
	if (region->inode == 0)
		return (size_t)hash_name(region->mapping);
	uint64_t key = region->inode * UINT64_C(0x9e3779b97f4a7c15) ^
	               (uint64_t)region->device_major << 32 ^ region->device_minor;
	return (size_t)(key ^ key >> 29);
}

/**
 * Returns the slot that contains a file, or a free slot for the file if the table does not contain
 * it. Returns NULL if neither is found within PROBES_MAX slots.
 */
static uint32_t *slot_of(const struct pm_objects *objects, const struct pm_region *region)
{
	size_t first = hash(region);
	for (size_t at = first; at - first < PROBES_MAX; at++) {
		uint32_t *slot = &objects->slots[at & (objects->slot_count - 1)];
		if (*slot == 0 || pm_objects_same_file(objects->items[*slot - 1].first, region))
			return slot;
	}
	return NULL;
}

struct pm_object *pm_objects_find(const struct pm_objects *objects, const struct pm_region *region)
{
	const uint32_t *slot = slot_of(objects, region);
	if (!slot || *slot == 0)
		return NULL;
	return &objects->items[*slot - 1];
}

static int make_table(struct pm_objects *objects, size_t max, struct pm_error *error)
{
	objects->slot_count = 16;
	while (objects->slot_count < pm_min_size(max, OBJECTS_MAX) * 2)
		objects->slot_count *= 2;
	objects->slots = calloc(objects->slot_count, sizeof *objects->slots);
	if (!objects->slots)
		return pm_error_out_of_memory(error);

	return 0;
}

static int add(struct pm_objects *objects, const struct pm_region *region, struct pm_error *error)
{
	uint32_t *slot = slot_of(objects, region);
	if (!slot || objects->count == OBJECTS_MAX)
		return 0;

	bool executable = region->perms & PM_PERM_EXEC;
	if (*slot != 0) {
		objects->items[*slot - 1].executable |= executable;
		return 0;
	}
	if (pm_array_reserve(&objects->items, &objects->capacity, objects->count, 1,
	                     sizeof *objects->items, error) < 0)
		return -1;

	objects->items[objects->count++] = (struct pm_object){ .first = region,
		                                               .path = region->mapping,
		                                               .executable = executable };
	*slot = (uint32_t)objects->count;

	return 0;
}

static int collect(struct pm_kinds_context *context, struct pm_objects *objects,
                   struct pm_error *error)
{
	struct pm_region *region;
	size_t executable = 0;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_FILE, &at));)
		executable += pm_kinds_may(region, PM_PERM_EXEC);

	if (make_table(objects, executable, error) < 0)
		return -1;

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_FILE, &at));) {
		if (pm_kinds_may(region, PM_PERM_EXEC) && add(objects, region, error) < 0)
			return -1;
	}

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_FILE, &at));) {
		struct pm_object *object = pm_objects_find(objects, region);
		if (object && !object->head && region->offset == 0 &&
		    pm_kinds_may(region, PM_PERM_READ))
			object->head = region;
	}

	return 0;
}

/**
 * Collects the addresses of those file heads (first pages) that are present in the memory of the
 * target.
 *
 * @param context    the context
 * @param objects    the objects
 * @param addresses  receives the addresses
 * @param wanted     receives for each address the index of its object
 * @param count      receives the number of addresses
 * @param error      PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int list_present(struct pm_kinds_context *context, struct pm_objects *objects,
                        uint64_t *addresses, size_t *wanted, size_t *count, struct pm_error *error)
{
	*count = 0;
	for (size_t i = 0; i < objects->count; i++) {
		enum pm_presence presence;
		const struct pm_region *head = objects->items[i].head;
		if (!head)
			continue;
		if (pm_kinds_presence(context, head, head->start, &presence, error) < 0)
			return -1;
		if (presence != PM_PRESENT)
			continue;
		addresses[*count] = head->start;
		wanted[(*count)++] = i;
	}

	return 0;
}

static void parse_head(struct pm_object *object, const void *head, size_t size)
{
	object->format = PM_FORMAT_OTHER;
	if (pm_elf_parse(head, size, &object->layout))
		object->format = PM_FORMAT_ELF;
}

/** Buffers for reading the heads. */
struct heads {
	uint64_t *addresses;
	size_t *wanted;
	bool *got;
	char *bytes;
};

static int read_present(struct pm_kinds_context *context, struct pm_objects *objects,
                        struct pm_error *error)
{
	size_t count = objects->count;
	struct heads heads = { calloc(count, sizeof(uint64_t)), calloc(count, sizeof(size_t)),
		               calloc(count, sizeof(bool)), calloc(count, PM_ELF_HEAD_SIZE) };
	int result = -1;
	size_t present = 0;

	if (!heads.addresses || !heads.wanted || !heads.got || !heads.bytes)
		pm_error_out_of_memory(error);
	else if (list_present(context, objects, heads.addresses, heads.wanted, &present, error) ==
	         0)
		result = pm_kinds_read(context, heads.addresses, present, PM_ELF_HEAD_SIZE,
		                       heads.bytes, heads.got, error);

	for (size_t i = 0; result == 0 && i < present; i++) {
		if (heads.got[i])
			parse_head(&objects->items[heads.wanted[i]],
			           heads.bytes + i * PM_ELF_HEAD_SIZE, PM_ELF_HEAD_SIZE);
	}

	free(heads.addresses);
	free(heads.wanted);
	free(heads.got);
	free(heads.bytes);

	return result;
}

/**
 * Reads the remaining heads from the files. Reading them through the target would load their pages
 * into its memory.
 */
static int read_from_files(struct pm_kinds_context *context, struct pm_objects *objects,
                           struct pm_error *error)
{
	struct pm_reader files = { 0 };
	for (size_t i = 0; i < objects->count; i++) {
		struct pm_object *object = &objects->items[i];
		if (object->format != PM_FORMAT_UNKNOWN || !object->head)
			continue;
		if (!files.ops && pm_file_reader_open(context->evidence->process, context->regions,
		                                      &files, error) < 0)
			return -1;

		char head[PM_ELF_HEAD_SIZE];
		size_t got = 0;
		struct pm_error why = { 0 };
		if (pm_reader_read(&files, object->head->start, head, sizeof head, &got, &why) <
		            0 &&
		    pm_kinds_fails(&why)) {
			pm_reader_close(&files);
			return pm_kinds_pass_on(&why, error);
		}

		if (got > 0)
			parse_head(object, head, got);
	}

	pm_reader_close(&files);
	return 0;
}

/**
 * Returns whether a region is mapped at the address of an executable segment of the ELF file, from
 * the file offset that belongs to this address.
 */
static bool is_code(const struct pm_kinds_context *context, const struct pm_object *object,
                    const struct pm_region *region)
{
	uint64_t bias;
	if (!object->has_copy || !pm_elf_bias(&object->layout, object->copy_start, &bias) ||
	    region->start < bias)
		return false;

	uint64_t address = region->start - bias;
	const struct pm_elf_segment *segment = pm_elf_segment_at(&object->layout, address,
	                                                         context->page);
	return segment && (segment->flags & PF_X) &&
	       address - segment->address == region->offset - segment->offset;
}

/**
 * Recognises loaded programs in core files of gdb, which contain neither the bytes nor the
 * permissions of code. The addresses of the regions are compared with those of the segments: an ELF
 * file that is only read as data is mapped in one piece, not at the addresses of its segments.
 */
static void find_loaded(struct pm_kinds_context *context, struct pm_objects *objects)
{
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_FILE, &at));) {
		struct pm_object *object = pm_objects_find(objects, region);
		if (!object || object->executable || object->format != PM_FORMAT_ELF)
			continue;
		pm_object_follow(context, object, region);
		object->executable = is_code(context, object, region);
	}

	for (size_t i = 0; i < objects->count; i++)
		objects->items[i].has_copy = false;
}

int pm_objects_read(struct pm_kinds_context *context, struct pm_error *error)
{
	struct pm_objects *objects = calloc(1, sizeof *objects);
	if (!objects)
		return pm_error_out_of_memory(error);

	context->objects = objects;
	if (collect(context, objects, error) < 0)
		return -1;
	if (objects->count == 0)
		return 0;
	if (read_present(context, objects, error) < 0)
		return -1;
	if (context->evidence->process)
		return read_from_files(context, objects, error);

	find_loaded(context, objects);
	return 0;
}

void pm_objects_destroy(struct pm_objects *objects)
{
	if (!objects)
		return;
	free(objects->items);
	free(objects->slots);
	free(objects);
}

/* A region with byte 0 of the file starts a new copy, unless it lies within the previous copy. */
void pm_object_follow(const struct pm_kinds_context *context, struct pm_object *object,
                      const struct pm_region *region)
{
	if (region->offset != 0)
		return;

	uint64_t bias;
	bool within = object->has_copy && pm_elf_bias(&object->layout, object->copy_start, &bias) &&
	              region->start - bias < pm_elf_end(&object->layout, context->page);
	if (within)
		return;

	object->copy_start = region->start;
	object->has_copy = true;
}

unsigned pm_objects_word_size(const struct pm_objects *objects)
{
	for (size_t i = 0; objects && i < objects->count; i++) {
		if (objects->items[i].executable && objects->items[i].format == PM_FORMAT_ELF)
			return objects->items[i].layout.word_size;
	}
	return 0;
}

const struct pm_object *pm_objects_named(const struct pm_objects *objects, const char *name)
{
	for (size_t i = 0; objects && i < objects->count; i++) {
		const char *slash = strrchr(objects->items[i].path, '/');
		if (objects->items[i].executable && slash && strcmp(slash + 1, name) == 0)
			return &objects->items[i];
	}
	return NULL;
}

unsigned pm_kinds_word_size(const struct pm_kinds_context *context)
{
	const struct pm_regions *regions = context->regions;
	/* A 32-bit program ends below 4 GiB; the vsyscall page above 2^63 belongs to the kernel. */
	for (size_t i = regions->count; i > 0; i--) {
		if (regions->items[i - 1].end >> 63 == 0 &&
		    regions->items[i - 1].end > UINT64_C(0x100000000))
			return 8;
		if (regions->items[i - 1].end >> 63 == 0)
			break;
	}

	return pm_objects_word_size(context->objects) == 8 ? 8 : 4;
}
