/* SPDX-License-Identifier: MIT */
/**
 * @file The files that are, or may be, mapped with execute permission: programs, libraries, and
 * what else holds code. Private.
 */
#ifndef PM_KINDS_OBJECTS_H
#define PM_KINDS_OBJECTS_H

#include "kinds/elf_layout.h"
#include "kinds/rule.h"

/** What the first bytes of a file say. */
enum pm_format {
	PM_FORMAT_UNKNOWN, /**< they could not be read */
	PM_FORMAT_ELF,
	PM_FORMAT_OTHER,
};

/** One file. */
struct pm_object {
	const struct pm_region *first; /**< a mapping of it, which tells which one it is */
	const char *path;              /**< its name in maps */
	bool executable; /**< a mapping of it is, by its permissions or its place; else it is none
	                    that matters here */
	struct pm_region *head; /**< a mapping of its first page, or NULL */
	enum pm_format format;
	struct pm_elf_layout
		layout;      /**< of an ELF file; without segments where they could not be read */
	uint64_t copy_start; /**< where the copy begins that the rule looks at; a file may be loaded
	                        several times */
	bool has_copy;       /**< a mapping of its first page was seen */
};

/** All of them; opaque. */
struct pm_objects;

/**
 * Finds the files with mappings that are executable, or not known not to be, and reads the head of
 * each: from the target where that page is present, else from the file itself.
 *
 * @param context  its `objects` is set
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_objects_read(struct pm_kinds_context *context, struct pm_error *error);

/**
 * Releases them.
 * @param objects the objects or NULL
 */
void pm_objects_destroy(struct pm_objects *objects);

/** Whether two regions map the same file. Core files have no inodes: there the name tells. */
bool pm_objects_same_file(const struct pm_region *one, const struct pm_region *other);

/** The object that a region maps, or NULL. */
struct pm_object *pm_objects_find(const struct pm_objects *objects, const struct pm_region *region);

/** Follows, region by region upwards, which copy of the file is being looked at: its copy_start. */
void pm_object_follow(const struct pm_kinds_context *context, struct pm_object *object,
                      const struct pm_region *region);

/**
 * Pointer size of the programs: 8 or 4; 0 where no ELF file is known.
 * @param objects the objects or NULL
 */
unsigned pm_objects_word_size(const struct pm_objects *objects);

/**
 * The object whose path ends in "/NAME", or NULL.
 * @param objects the objects or NULL
 */
const struct pm_object *pm_objects_named(const struct pm_objects *objects, const char *name);

/** Bytes of a pointer in the target: 8, or 4 where it runs a 32-bit program. */
unsigned pm_kinds_word_size(const struct pm_kinds_context *context);

#endif
