/* SPDX-License-Identifier: MIT */
/*
 * Anonymous memory that the program named by prctl(PR_SET_VMA_ANON_NAME) (Linux 5.17,
 * CONFIG_ANON_VMA_NAME). Such names are used by glibc since 2.39 with the tunable
 * glibc.mem.decorate_maps, Go since 1.25, jemalloc, mimalloc, V8 and others. The rule trusts these
 * names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "kinds/context.h"
#include "kinds/rules.h"

/**
 * Parses the TID of a name like " glibc: pthread stack: TID". Returns 0 if the name has another
 * form.
 */
static pid_t stack_thread(const char *name)
{
	static const char prefix[] = " glibc: pthread stack: ";
	if (strncmp(name, prefix, sizeof prefix - 1) != 0)
		return 0;
	const char *at = name + sizeof prefix - 1;
	uint64_t tid;
	if (!pm_scan_decimal(&at, &tid) || tid > INT32_MAX)
		return 0;

	return (pid_t)tid;
}

static int claim(struct pm_kinds_context *context, struct pm_region *region, struct pm_error *error)
{
	static const char why[] = "the program gave it this name (prctl PR_SET_VMA_ANON_NAME)";
	const char *name = region->mapping + strlen("[anon:");
	pid_t tid = stack_thread(name);
	if (tid != 0 ||
	    strncmp(name, " glibc: pthread user stack:", strlen(" glibc: pthread user stack:")) ==
	            0) {
		if (pm_kinds_read_threads(context, error) < 0)
			return -1;
		const struct pm_thread *thread = pm_kinds_thread(context, tid);
		pm_kinds_claim(region, PM_KIND_STACK, PM_PROOF_PROVEN, why);
		region->thread = tid;
		if (tid)
			pm_kinds_set_threads(
				context, region, PM_DETAIL_THREADS,
				&(struct pm_detail_thread){
					tid, thread ? pm_kinds_thread_name(context, thread) : "" },
				1, 0);
		return 0;
	}

	if (strncmp(name, " glibc: malloc arena", strlen(" glibc: malloc arena")) == 0)
		pm_kinds_claim(region, PM_KIND_ARENA, PM_PROOF_PROVEN, why);
	else if (strncmp(name, " glibc: ", strlen(" glibc: ")) == 0 && strstr(name, "malloc"))
		pm_kinds_claim(region, PM_KIND_MALLOC, PM_PROOF_PROVEN, why);
	else
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_PROVEN, why);

	return 0;
}

int pm_rule_runtime_names(struct pm_kinds_context *context, struct pm_error *error)
{
	static const enum pm_region_class classes[] = { PM_REGION_CLASS_WRITABLE,
		                                        PM_REGION_CLASS_READABLE };
	struct pm_region *region;
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		for (size_t at = 0; (region = pm_kinds_next(context, classes[i], &at));)
			if (strncmp(region->mapping, "[anon:", strlen("[anon:")) == 0 &&
			    claim(context, region, error) < 0)
				return -1;

	return 0;
}
