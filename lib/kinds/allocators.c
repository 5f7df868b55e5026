/* SPDX-License-Identifier: MIT */
/*
 * Memory of other allocators. jemalloc, tcmalloc and mimalloc grow by steps that are multiples of
 * 512 KiB; where one of them is mapped as a library, anonymous memory of such a length that no
 * surer rule has claimed is most likely its own. Nothing in the region itself says so: it stays
 * `anon`, inferred.
 */
#include <string.h>

#include "kinds/context.h"
#include "kinds/objects.h"
#include "kinds/rules.h"

static const uint64_t growth_step = UINT64_C(512) << 10;

/** The allocator that is mapped, or NULL. */
static const char *allocator_of(const struct pm_kinds_context *context)
{
	static const struct {
		const char *file, *name;
	} allocators[] = {
		{ "libjemalloc.so.2", "jemalloc" }, { "libjemalloc.so.1", "jemalloc" },
		{ "libtcmalloc.so.4", "tcmalloc" }, { "libtcmalloc_minimal.so.4", "tcmalloc" },
		{ "libmimalloc.so.2", "mimalloc" },
	};

	for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
		if (pm_objects_named(context->objects, allocators[i].file))
			return allocators[i].name;

	return NULL;
}

int pm_rule_allocators(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	const char *name = allocator_of(context);
	struct pm_region *region;
	for (size_t at = 0;
	     name && (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		if (pm_region_size(region) % growth_step != 0)
			continue;
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_INFERRED,
		               pm_kinds_text(context,
		                             "anonymous, a multiple of 512K long as %s maps "
		                             "memory, and its library is mapped",
		                             name));
		region->detail = pm_kinds_text(context, "probably %s", name);
	}

	return 0;
}
