/* SPDX-License-Identifier: MIT */
/*
 * Generated code: anonymous executable memory, executable mappings of memory files that are not ELF
 * files, and files in which JIT compilers describe their code for perf(1). The latter are mapped
 * executable, because perf(1) records only executable mappings. The runtime is recognised by its
 * library or program among the mapped files.
 */
#include "kinds/jit.h"

#include <string.h>

#include "kinds/context.h"
#include "kinds/objects.h"
#include "kinds/rules.h"

/** A runtime, and the file by which it is recognised. */
struct runtime {
	const char *file;
	enum pm_runtime id;
	bool reserves; /**< the runtime reserves one range of address space for its code, so code
	                  without a reserve above belongs to something else */
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

/** Returns whether a text consists of a prefix, a decimal number and a suffix. */
static bool is_numbered(const char *text, const char *prefix, const char *suffix)
{
	size_t length = strlen(prefix);
	if (strncmp(text, prefix, length) != 0)
		return false;
	size_t digits = strspn(text + length, "0123456789");
	return digits > 0 && strcmp(text + length + digits, suffix) == 0;
}

bool pm_jit_is_record(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = path;

	if (slash)
		name = slash + 1;
	return is_numbered(name, "jit-", ".dump") || is_numbered(name, "perf-", ".map");
}

/**
 * Returns whether there is a reserve directly above generated code. Runtimes reserve address space
 * into which their code grows. Code that a library generates, such as a page of thunks, has no
 * reserve.
 */
static bool has_rest(const struct pm_kinds_context *context, const struct pm_region *code)
{
	const struct pm_region *above = pm_kinds_above(context, code);
	while (above && pm_kinds_region_class(context, above) == PM_REGION_CLASS_EXECUTABLE)
		above = pm_kinds_above(context, above);

	if (!above || pm_kinds_region_class(context, above) != PM_REGION_CLASS_CLOSED)
		return false;
	/*
	 * Reserves have VmFlags nr (MAP_NORESERVE). The guard of a stack does not have this flag.
	 */
	return !(above->vm_flags & PM_VM_KNOWN) || (above->vm_flags & PM_VM_NORESERVE);
}

/**
 * Returns the detail of a memfd in which a runtime keeps its code, recognised by the name;
 * PM_DETAIL_NONE for others. The memfd is mapped twice, writable and executable.
 */
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
		               "a memfd with the name that a runtime uses for its code");
		region->detail = detail;
	} else if (pm_jit_is_record(region->mapping) && region->perms & PM_PERM_EXEC) {
		pm_kinds_claim(region, PM_KIND_JIT, PM_PROOF_INFERRED,
		               "has the name of a file in which a JIT compiler describes its code "
		               "for perf");
		region->detail.type = PM_DETAIL_CODE_RECORD;
	} else if (memory && region->perms & PM_PERM_EXEC) {
		pm_kinds_claim(region, PM_KIND_JIT, PM_PROOF_INFERRED,
		               "an executable mapping of a memory file that is not an ELF file");
	}
}

int pm_rule_jit(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	struct pm_region *region;
	const struct runtime *runtime = NULL;
	if (context->lists[PM_REGION_CLASS_EXECUTABLE].count > 0)
		runtime = find_runtime(context);

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_EXECUTABLE, &at));) {
		pm_kinds_claim(region, PM_KIND_JIT, PM_PROOF_PROVEN,
		               "executable memory without a file: generated code");
		if (runtime && (!runtime->reserves || has_rest(context, region)))
			region->detail = (struct pm_detail){ .type = PM_DETAIL_RUNTIME_CODE,
				                             .runtime = (uint8_t)runtime->id };
	}

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_FILE, &at));)
		claim_file(region);

	return 0;
}
