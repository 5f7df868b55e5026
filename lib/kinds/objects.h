/* SPDX-License-Identifier: MIT */
/**
 * @file Collects the files that are, or may be, mapped with execute permission: programs,
 * libraries, and other files that contain code. Private.
 */
#ifndef PM_KINDS_OBJECTS_H
#define PM_KINDS_OBJECTS_H

#include "kinds/elf_layout.h"
#include "kinds/rule.h"

/** Format of a file, by its first bytes. */
enum pm_format {
	PM_FORMAT_UNKNOWN, /**< the first bytes could not be read */
	PM_FORMAT_ELF,
	PM_FORMAT_OTHER,
};

/** A mapped file. */
struct pm_object {
	const struct pm_region *first; /**< the first mapping that was found; identifies the file */
	const char *path;              /**< name of the file in maps */
	/** Whether at least one mapping is executable, by its permissions or by its address. If
	 * none is executable, the file is ignored. */
	bool executable;
	struct pm_region *head; /**< a mapping of the file's first page; NULL if none */
	enum pm_format format;
	struct pm_elf_layout layout; /**< layout of an ELF file; may have no segments */
	/** Start address of the copy of the file to which the last region passed to
	 * pm_object_follow() belongs. A file may be loaded several times. */
	uint64_t copy_start;
	bool has_copy; /**< whether a copy was found, so that `copy_start` is valid */
};

/** The collected files; opaque. */
struct pm_objects;

/**
 * Collects the files with mappings that are or may be executable, and reads the first bytes of
 * each: from the memory of the target if the page is present, otherwise, if the target is running,
 * from the file.
 *
 * @param context  receives the files in `objects`
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_objects_read(struct pm_kinds_context *context, struct pm_error *error);

/**
 * Releases the objects.
 * @param objects  the objects; may be NULL
 */
void pm_objects_destroy(struct pm_objects *objects);

/**
 * Returns whether two regions map the same file. In core files, which have no inodes, the names are
 * compared.
 */
bool pm_objects_same_file(const struct pm_region *one, const struct pm_region *other);

/** Returns the object of the file that a region maps, or NULL if the file was not collected. */
struct pm_object *pm_objects_find(const struct pm_objects *objects, const struct pm_region *region);

/**
 * Updates `copy_start` and `has_copy` of an object for the next region. Call it for all regions of
 * the object by ascending address.
 *
 * @param context  the context
 * @param object   the object
 * @param region   a mapping of the object
 */
void pm_object_follow(const struct pm_kinds_context *context, struct pm_object *object,
                      const struct pm_region *region);

/**
 * Returns the size of a pointer in the programs and libraries, in bytes.
 *
 * @param objects  the objects; may be NULL
 * @return         8 or 4; 0 if no ELF file is known
 */
unsigned pm_objects_word_size(const struct pm_objects *objects);

/**
 * Finds the first executable object whose path ends in "/NAME".
 *
 * @param objects  the objects; may be NULL
 * @param name     the name
 * @return         the object, or NULL if there is none
 */
const struct pm_object *pm_objects_named(const struct pm_objects *objects, const char *name);

/** Returns the bytes of a pointer in the target: 8, or 4 for a 32-bit program. */
unsigned pm_kinds_word_size(const struct pm_kinds_context *context);

#endif
