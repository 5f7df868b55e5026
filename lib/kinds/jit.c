/* SPDX-License-Identifier: MIT */
/*
 * Code made at run time: anonymous memory with execute permission, executable memory files that are
 * no ELF file, and the files in which JIT compilers record their code for perf(1), which they map
 * executable so that perf sees them. Runtimes are told by the libraries or programs that are
 * mapped.
 */
#include "kinds/jit.h"

#include <string.h>

#include "kinds/context.h"
#include "kinds/objects.h"
#include "kinds/rules.h"

/** A runtime, told by a file that is mapped. */
struct runtime {
	const char *file;
	enum pm_runtime id;
	bool reserves; /**< keeps its code in one range of address space, so that other code near it
	                  is not its */
};

static const struct runtime *find_runtime(const struct pm_kinds_context *context)
{
	static const struct runtime runtimes[] = {
		{ "libjvm.so", PM_RUNTIME_JAVA, true },
		{ "libcoreclr.so", PM_RUNTIME_DOTNET, false },
		{ "node", PM_RUNTIME_NODE, true },
		{ "libnode.so", PM_RUNTIME_NODE, true },
		{ "libluajit-5.1.so.2", PM_RUNTIME_LUAJIT, false },
		{ "libmonosgen-2.0.so", PM_RUNTIME_MONO, false },
	};

	for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
		if (pm_objects_named(context->objects, runtimes[i].file))
			return &runtimes[i];

	return NULL;
}

/** Whether a text is `before`, a decimal number, `behind`. */
static bool is_numbered(const char *text, const char *before, const char *behind)
{
	size_t length = strlen(before);
	if (strncmp(text, before, length) != 0)
		return false;
	size_t digits = strspn(text + length, "0123456789");
	return digits > 0 && strcmp(text + length + digits, behind) == 0;
}

bool pm_jit_is_record(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	return is_numbered(name, "jit-", ".dump") || is_numbered(name, "perf-", ".map");
}

/**
 * Whether address space is reserved right above code, as runtimes do that let their code grow; a
 * single page of a library that makes thunks has none.
 */
static bool has_rest(const struct pm_kinds_context *context, const struct pm_region *code)
{
	const struct pm_region *above = pm_kinds_above(context, code);
	while (above && pm_kinds_region_class(context, above) == PM_REGION_CLASS_EXECUTABLE)
		above = pm_kinds_above(context, above);

	if (!above || pm_kinds_region_class(context, above) != PM_REGION_CLASS_CLOSED)
		return false;
	/* The guard of a stack that happens to follow is no reserve: without MAP_NORESERVE. */
	return !(above->vm_flags & PM_VM_KNOWN) || (above->vm_flags & PM_VM_NORESERVE);
}

/** memfds by which runtimes map code twice, writable and executable. */
static struct pm_detail double_mapping(const struct pm_region *region)
{
	if (strcmp(region->mapping, "/memfd:doublemapper") == 0)
		return (struct pm_detail){ .type = PM_DETAIL_RUNTIME_CODE_TWICE,
			                   .runtime = PM_RUNTIME_DOTNET };
	if (strncmp(region->mapping, "/memfd:dart", strlen("/memfd:dart")) == 0 &&
	    region->perms & PM_PERM_EXEC)
		return (struct pm_detail){ .type = PM_DETAIL_RUNTIME_CODE,
			                   .runtime = PM_RUNTIME_DART };
	return (struct pm_detail){ .type = PM_DETAIL_NONE };
}

static void claim_file(struct pm_region *region)
{
	struct pm_detail detail = double_mapping(region);
	bool memory = strncmp(region->mapping, "/memfd:", strlen("/memfd:")) == 0 ||
	              region->deleted;
	if (detail.type != PM_DETAIL_NONE) {
		pm_kinds_claim(region, PM_KIND_JIT, PM_PROOF_INFERRED,
		               "a memfd of the name by which a runtime maps its code");
		region->detail = detail;
	} else if (pm_jit_is_record(region->mapping) && region->perms & PM_PERM_EXEC) {
		pm_kinds_claim(
			region, PM_KIND_JIT, PM_PROOF_INFERRED,
			"named like the record of a JIT compiler, and mapped so that perf sees it");
		region->detail.type = PM_DETAIL_CODE_RECORD;
	} else if (memory && region->perms & PM_PERM_EXEC) {
		pm_kinds_claim(region, PM_KIND_JIT, PM_PROOF_INFERRED,
		               "an executable mapping of a file in memory that is no ELF file");
	}
}

int pm_rule_jit(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	struct pm_region *region;
	const struct runtime *runtime = context->lists[PM_REGION_CLASS_EXECUTABLE].count > 0
	                                        ? find_runtime(context)
	                                        : NULL;

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_EXECUTABLE, &at));) {
		pm_kinds_claim(region, PM_KIND_JIT, PM_PROOF_PROVEN,
		               "executable and of no file: code that was made at run time");
		if (runtime && (!runtime->reserves || has_rest(context, region)))
			region->detail = (struct pm_detail){ .type = PM_DETAIL_RUNTIME_CODE,
				                             .runtime = (uint8_t)runtime->id };
	}

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_FILE, &at));)
		claim_file(region);

	return 0;
}
