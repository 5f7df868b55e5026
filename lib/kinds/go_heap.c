/* SPDX-License-Identifier: MIT */
/*
 * The heap of Go programs. The Go runtime maps arenas of 64 MiB from 0xc000000000 upwards (arena
 * hints, runtime/malloc.go). The address alone proves nothing, so the rule also requires a Go
 * program. Such a program is recognised by the magic string that the Go linker writes at the start
 * of the .go.buildinfo section.
 */
#include <string.h>

#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/rules.h"

static const uint64_t first_arena = UINT64_C(0xc000000000);
static const uint64_t last_arena = UINT64_C(0xd000000000);

/**
 * Checks whether one of the first REGIONS_MAX data regions of programs and libraries begins with
 * the build information of Go.
 *
 * @param context  the context
 * @param found    receives whether such a region was found
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
static int find_build_info(struct pm_kinds_context *context, bool *found, struct pm_error *error)
{
	static const char magic[] = "\xff Go buildinf:";
	enum { MAGIC_LENGTH = sizeof magic - 1, REGIONS_MAX = 16 };

	const struct pm_region_list *files = &context->lists[PM_REGION_CLASS_FILE];
	size_t examined = 0;
	*found = false;

	for (size_t i = 0; i < files->count && examined < REGIONS_MAX && !*found; i++) {
		const struct pm_region *region = files->items[i];
		if (region->kind != PM_KIND_DATA && region->kind != PM_KIND_RODATA)
			continue;

		enum pm_presence presence;
		char bytes[MAGIC_LENGTH];
		bool got = false;
		examined++;
		if (pm_kinds_presence(context, region, region->start, &presence, error) < 0)
			return -1;
		if (presence == PM_PRESENT &&
		    pm_kinds_read(context, &region->start, 1, sizeof bytes, bytes, &got, error) < 0)
			return -1;

		*found = got && memcmp(bytes, magic, sizeof bytes) == 0;
	}

	return 0;
}

int pm_rule_go_heap(struct pm_kinds_context *context, struct pm_error *error)
{
	struct pm_region *region;
	bool known = false, is_go = false;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		if (region->start < first_arena || region->start >= last_arena)
			continue;
		if (!known && find_build_info(context, &is_go, error) < 0)
			return -1;
		known = true;
		if (!is_go)
			return 0;
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_INFERRED,
		               "in the address range where the Go runtime maps its heap; the "
		               "program has Go build information");
		region->detail = (struct pm_detail){ .type = PM_DETAIL_RUNTIME_HEAP,
			                             .runtime = PM_RUNTIME_GO };
	}

	return 0;
}
