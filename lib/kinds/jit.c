/* SPDX-License-Identifier: MIT */
/*
 * Code made at run time: anonymous memory with execute permission, and executable memfds that are no ELF file. Runtimes are told by the libraries or programs that
 * are mapped.
 */
#include <string.h>

#include "kinds/objects.h"
#include "kinds/rules.h"

/** Which runtime's code it is, as far as one is mapped. */
static const char *runtime_of(const struct pm_kinds_context *context)
{
	static const struct {
		const char *file, *detail;
	} runtimes[] = {
		{ "libjvm.so", "code cache of the JVM" }, { "libcoreclr.so", "code of .NET" },       { "node", "code of V8 (node)" },
		{ "libnode.so", "code of V8 (node)" },    { "libluajit-5.1.so.2", "code of LuaJIT" }, { "libmonosgen-2.0.so", "code of Mono" },
	};
	for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
		if (pm_objects_named(context->objects, runtimes[i].file))
			return runtimes[i].detail;
	return "";
}

/** memfds by which runtimes map code twice, writable and executable. */
static const char *double_mapping(const struct pm_region *region)
{
	if (strcmp(region->mapping, "/memfd:doublemapper") == 0)
		return ".NET maps its code twice";
	if (strncmp(region->mapping, "/memfd:dart", strlen("/memfd:dart")) == 0 && region->perms & PM_PERM_EXEC)
		return "code of Dart";
	return NULL;
}

int pm_rule_jit(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	struct pm_region *region;
	const char *runtime = NULL;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_LOOKS_EXECUTABLE, &at));) {
		if (!runtime)
			runtime = runtime_of(context);
		pm_kinds_claim(region, PM_KIND_JIT, PM_PROOF_PROVEN, "executable and of no file: code that was made at run time");
		region->detail = runtime;
	}
	for (size_t at = 0; (region = pm_kinds_next(context, PM_LOOKS_FILE, &at));) {
		const char *detail = double_mapping(region);
		bool memory = strncmp(region->mapping, "/memfd:", strlen("/memfd:")) == 0 || region->deleted;
		if (!detail && !(memory && region->perms & PM_PERM_EXEC))
			continue;
		pm_kinds_claim(region, PM_KIND_JIT, PM_PROOF_INFERRED,
		               detail ? "a memfd of the name by which a runtime maps its code" : "an executable mapping of a file in memory that is no ELF file");
		region->detail = detail ? detail : "";
	}
	return 0;
}
