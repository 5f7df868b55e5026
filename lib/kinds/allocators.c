/* SPDX-License-Identifier: MIT */
/*
 * Memory of jemalloc, tcmalloc and mimalloc, which map memory in multiples of 512 KiB. If one of
 * these allocators is loaded as a library, or is part of the program, an anonymous region of such a
 * length that no earlier rule has claimed probably belongs to the allocator. Nothing in the region
 * proves this, so the kind is `anon`, inferred. Memory of jemalloc is usually known by its
 * structures (runtimes/jemalloc.c).
 */
#include <string.h>

#include "kinds/context.h"
#include "kinds/objects.h"
#include "kinds/rules.h"

static const uint64_t growth_step = UINT64_C(512) << 10;

/** An allocator, and the name of the library by which it is recognised. */
struct allocator {
	const char *file;
	const char *why;
	enum pm_allocator id;
};

#define WHY(NAME)                                                             \
	"anonymous; the length is a multiple of 512K, as for memory of " NAME \
	", which the program uses"

/** Returns the runtime of a family if it was found, or NULL. */
static const struct pm_runtime_info *find_runtime(const struct pm_kinds_context *context,
                                                  const char *family)
{
	const struct pm_runtimes *runtimes = context->runtimes;

	for (size_t i = 0; runtimes && i < runtimes->count; i++)
		if (strcmp(runtimes->items[i].family, family) == 0)
			return &runtimes->items[i];
	return NULL;
}

/**
 * Returns the allocator that is mapped as a library, or is part of the program; NULL if there is
 * none, or if its structures were read: then all of its memory is known.
 */
static const struct allocator *find_allocator(const struct pm_kinds_context *context)
{
	static const struct allocator allocators[] = {
		{ "libjemalloc.so.2", WHY("jemalloc"), PM_ALLOCATOR_JEMALLOC },
		{ "libjemalloc.so.1", WHY("jemalloc"), PM_ALLOCATOR_JEMALLOC },
		{ "libtcmalloc.so.4", WHY("tcmalloc"), PM_ALLOCATOR_TCMALLOC },
		{ "libtcmalloc_minimal.so.4", WHY("tcmalloc"), PM_ALLOCATOR_TCMALLOC },
		{ "libmimalloc.so.2", WHY("mimalloc"), PM_ALLOCATOR_MIMALLOC },
	};
	static const char *const families[] = { [PM_ALLOCATOR_JEMALLOC] = "jemalloc",
		                                [PM_ALLOCATOR_TCMALLOC] = "tcmalloc",
		                                [PM_ALLOCATOR_MIMALLOC] = "mimalloc" };

	for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++) {
		const struct pm_runtime_info *runtime = find_runtime(context,
		                                                     families[allocators[i].id]);

		if (runtime && runtime->complete)
			return NULL;
		if (runtime || pm_objects_named(context->objects, allocators[i].file))
			return &allocators[i];
	}

	return NULL;
}

int pm_rule_allocators(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	const struct allocator *allocator = find_allocator(context);
	struct pm_region *region;
	for (size_t at = 0;
	     allocator && (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		if (pm_region_size(region) % growth_step != 0)
			continue;
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_INFERRED, allocator->why);
		region->detail = (struct pm_detail){ .type = PM_DETAIL_ALLOCATOR,
			                             .allocator = (uint8_t)allocator->id };
	}

	return 0;
}
