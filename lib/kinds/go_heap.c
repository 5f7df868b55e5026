/* SPDX-License-Identifier: MIT */
/*
 * Memory of Go programs whose structures could not be read (runtimes/go.c), such as core files. The
 * Go runtime maps arenas of 64 MiB from 0xc000000000 upwards (arena hints, runtime/malloc.go). The
 * address alone proves nothing, so the rules also require a Go program. Such a program is
 * recognised by the magic string that the Go linker writes at the start of the .go.buildinfo
 * section.
 */
#include <string.h>

#include "base/minmax.h"
#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/rules.h"

static const uint64_t first_arena = UINT64_C(0xc000000000);
static const uint64_t last_arena = UINT64_C(0xd000000000);

enum {
	REST_MIN = 8 << 20, /* a region with that many bytes can always be data of the runtime */
	REST_SHARE = 8,     /* a larger one only if the heap is that many times larger */
};

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

/** Returns whether the program itself, not only a library, is one of Go. */
static bool is_go_program(const struct pm_kinds_context *context)
{
	const char *family = pm_owner_family(PM_OWNER_GO_HEAP);
	const struct pm_runtimes *runtimes = context->runtimes;

	for (size_t i = 0; runtimes && i < runtimes->count; i++)
		if (strcmp(runtimes->items[i].family, family) == 0)
			return true;
	return false;
}

/** Returns whether a region is in the address range of the heap. */
static bool is_heap(const struct pm_region *region)
{
	return region->start >= first_arena && region->start < last_arena;
}

int pm_rule_go_heap(struct pm_kinds_context *context, struct pm_error *error)
{
	struct pm_region *region;
	bool known = false, is_go = false;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		if (!is_heap(region))
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

/** Returns the bytes of a region that are in use; its size if they are not known. */
static uint64_t used_bytes(const struct pm_region *region)
{
	if (pm_region_knows(region, PM_SIZE_RSS))
		return region->bytes[PM_SIZE_RSS];
	return pm_region_size(region);
}

int pm_rule_go_rest(struct pm_kinds_context *context, struct pm_error *error)
{
	const struct pm_region_list *list = &context->lists[PM_REGION_CLASS_WRITABLE];
	uint64_t heap = 0;
	struct pm_region *region;

	(void)error;
	if (!is_go_program(context))
		return 0;
	for (size_t i = 0; i < list->count; i++)
		if (is_heap(list->items[i]))
			heap += pm_region_size(list->items[i]);

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		if (used_bytes(region) > pm_max(REST_MIN, heap / REST_SHARE))
			continue;
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_INFERRED,
		               "anonymous memory of a Go program, neither its heap nor malloc's: "
		               "probably data of the Go runtime");
		region->detail = (struct pm_detail){ .type = PM_DETAIL_OWNER,
			                             .owner = PM_OWNER_GO_INTERNAL };
	}

	return 0;
}
