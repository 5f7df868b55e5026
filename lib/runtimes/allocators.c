/* SPDX-License-Identifier: MIT */
/*
 * Allocators other than malloc of glibc: recognised by the names of their libraries, or by
 * functions that the program defines. The memory of jemalloc is known by its structures, that of
 * the others is not: the rule of kinds/allocators.c names what is probably theirs.
 */
#include "runtimes/readers.h"

#include <stdio.h>
#include <string.h>

#include "heap/linked.h"
#include "runtimes/jemalloc.h"

/** An allocator, and the start of the name of its library. */
struct allocator {
	const char *library;
	enum pm_heap_allocator id;
};

static const struct allocator libraries[] = {
	{ "libjemalloc.so", PM_HEAP_ALLOCATOR_JEMALLOC },
	{ "libtcmalloc", PM_HEAP_ALLOCATOR_TCMALLOC },
	{ "libmimalloc", PM_HEAP_ALLOCATOR_MIMALLOC },
	{ "ld-musl-", PM_HEAP_ALLOCATOR_MUSL },
};

/**
 * Finds the allocator.
 * @param proof  receives how it was found
 * @return       PM_HEAP_ALLOCATOR_UNKNOWN if there is none but malloc of glibc
 */
static enum pm_heap_allocator find_allocator(struct pm_runtimes_context *context,
                                             char proof[PM_RUNTIME_TEXT_SIZE])
{
	for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
		const struct pm_region *region = pm_runtime_find_file(context,
		                                                      libraries[i].library);
		if (!region)
			continue;
		snprintf(proof, PM_RUNTIME_TEXT_SIZE, "%.140s is mapped", region->mapping);
		return libraries[i].id;
	}

	/* The symbols of a program that contains a whole runtime take long to read. */
	if (!context->source->process || context->result->count > 0)
		return PM_HEAP_ALLOCATOR_UNKNOWN;

	snprintf(proof, PM_RUNTIME_TEXT_SIZE, "the program defines its functions");
	return pm_linked_find(context->source->process, context->deadline_ns);
}

static int add_jemalloc(struct pm_runtimes_context *context, const char *proof,
                        struct pm_error *error)
{
	struct pm_runtime_jemalloc found;
	int result = pm_runtime_jemalloc_read(context, &found, error);
	if (result < 0)
		return -1;

	struct pm_runtime_info *info = pm_runtime_add(context, PM_OWNER_JEMALLOC, error);
	if (!info)
		return -1;

	snprintf(info->proof, sizeof info->proof, "%s", proof);
	if (result == 0) {
		snprintf(info->missing, sizeof info->missing,
		         "its structures were not found: its memory is not known");
		return 0;
	}

	info->complete = found.complete;
	snprintf(info->version, sizeof info->version, "%s", found.versions);
	if (!found.complete)
		snprintf(info->missing, sizeof info->missing,
		         "not all extents could be read: the process changed them, or it took "
		         "too long");
	return 0;
}

/** Adds an allocator of which only the name is known. */
static int add_named(struct pm_runtimes_context *context, enum pm_owner owner, const char *proof,
                     const char *missing, struct pm_error *error)
{
	struct pm_runtime_info *info = pm_runtime_add(context, owner, error);
	if (!info)
		return -1;

	snprintf(info->proof, sizeof info->proof, "%s", proof);
	snprintf(info->missing, sizeof info->missing, "%s", missing);
	return 0;
}

/** The heap of brk(2) is tcmalloc's, which replaces malloc and takes memory there first. */
static void add_brk_heap(struct pm_runtimes_context *context, enum pm_owner owner)
{
	const struct pm_regions *regions = context->source->regions;

	for (size_t i = 0; i < regions->count; i++)
		if (strcmp(regions->items[i].mapping, "[heap]") == 0)
			pm_runtime_add_range(context, regions->items[i].start,
			                     regions->items[i].end, owner, PM_PROOF_INFERRED);
}

int pm_runtime_read_allocators(struct pm_runtimes_context *context, struct pm_error *error)
{
	static const char missing[] = "its structures are not read: regions whose size is a "
				      "multiple of 512 KiB are probably its memory";
	char proof[PM_RUNTIME_TEXT_SIZE];

	switch (find_allocator(context, proof)) {
	case PM_HEAP_ALLOCATOR_JEMALLOC:
		return add_jemalloc(context, proof, error);
	case PM_HEAP_ALLOCATOR_TCMALLOC:
		add_brk_heap(context, PM_OWNER_TCMALLOC);
		return add_named(context, PM_OWNER_TCMALLOC, proof, missing, error);
	case PM_HEAP_ALLOCATOR_MIMALLOC:
		return add_named(context, PM_OWNER_MIMALLOC, proof, missing, error);
	case PM_HEAP_ALLOCATOR_MUSL:
		return add_named(context, PM_OWNER_MALLOC, proof,
		                 "malloc of musl: its structures are not read", error);
	default:
		return 0;
	}
}
