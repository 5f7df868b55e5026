/* SPDX-License-Identifier: MIT */
#include <procmem/kinds.h>

#include "base/array.h"
#include "kinds/context.h"
#include "kinds/objects.h"
#include "kinds/owners.h"
#include "kinds/rules.h"

/*
 * The most reliable rules come first, because a rule sees only the regions that no earlier rule has
 * claimed.
 */
static const struct pm_kinds_rule rules[] = {
	{ "names given by the kernel", pm_rule_kernel_names },
	{ "huge pages", pm_rule_huge_pages },
	{ "devices", pm_rule_devices },
	{ "programs and libraries", pm_rule_objects },
	{ "zero-initialised data", pm_rule_bss },
	{ "runtimes", pm_rule_runtimes },
	{ "malloc arenas", pm_rule_arenas },
	{ "malloc chunks", pm_rule_malloc_chunks },
	{ "brk heap without a name", pm_rule_main_heap },
	{ "just-in-time code", pm_rule_jit },
	{ "shared memory", pm_rule_shared_memory },
	{ "mapped files", pm_rule_files },
	{ "Go heap", pm_rule_go_heap },
	{ "Java heap", pm_rule_java_heap },
	{ "names given by runtimes", pm_rule_runtime_names },
	{ "thread stacks", pm_rule_thread_stacks },
	{ "stacks by their guards", pm_rule_stack_guards },
	{ "malloc chunks after other memory", pm_rule_malloc_search },
	{ "malloc arenas by flags", pm_rule_arena_flags },
	{ "guards", pm_rule_guards },
	{ "reserved address space", pm_rule_reserves },
	{ "other allocators", pm_rule_allocators },
	{ "other memory of a JVM", pm_rule_java_rest },
	{ "data of the Go runtime", pm_rule_go_rest },
	{ "other anonymous memory", pm_rule_anonymous },
};

int pm_kinds_assign(struct pm_regions *regions, const struct pm_kinds_evidence *evidence,
                    struct pm_error *error)
{
	struct pm_kinds_context context;
	int result = pm_kinds_context_init(&context, regions, evidence, error);
	for (size_t i = 0; result == 0 && i < sizeof rules / sizeof rules[0]; i++) {
		result = rules[i].apply(&context, error);
		if (result < 0)
			pm_error_prefix(error, "cannot determine the kinds of regions (%s): ",
			                rules[i].name);
	}

	if (result == 0)
		pm_kinds_assign_owners(regions, context.runtimes);
	if (result == 0 && context.out_of_memory)
		result = pm_error_out_of_memory(error);
	pm_runtimes_close(context.own_runtimes);
	pm_objects_destroy(context.objects);
	pm_kinds_context_deinit(&context);

	return result;
}
