/* SPDX-License-Identifier: MIT */
/* Reads the memory of CPython: its arenas. */
#include "runtimes/python.h"

#include <stdio.h>
#include <string.h>

#include "runtimes/readers.h"

void pm_python_describe(const struct pm_python_module *module, char *variant, char *missing)
{
	const char *what = "", *why = "";

	if (module->free_threaded) {
		what = "free threading: objects are in mimalloc";
		why = "objects in mimalloc are not read";
	} else if (module->arenas.count == 0 && module->complete) {
		what = "no arenas of pymalloc found: objects are probably in malloc "
		       "(PYTHONMALLOC=malloc)";
		why = "objects in malloc are counted as chunks only";
	} else if (!module->complete) {
		why = "there was no time to read all structures";
	} else if (module->arenas.doubtful > 0) {
		why = "some arenas changed while they were read";
	}

	snprintf(variant, PM_RUNTIME_TEXT_SIZE, "%s", what);
	snprintf(missing, PM_RUNTIME_TEXT_SIZE, "%s", why);
}

int pm_runtime_read_python(struct pm_runtimes_context *context, struct pm_error *error)
{
	struct pm_python_module module;
	int result = 0;

	pm_python_module_read(context, &module);
	if (module.file) {
		struct pm_runtime_info *info = pm_runtime_add(context, PM_OWNER_PYTHON_OBJECTS,
		                                              error);

		result = info ? 0 : -1;
		if (info) {
			memcpy(info->version, module.version, sizeof info->version);
			memcpy(info->proof, module.proof, sizeof info->proof);
			pm_python_describe(&module, info->variant, info->missing);
			info->complete = module.complete && module.arenas.doubtful == 0;
		}
	}

	for (size_t i = 0; result == 0 && i < module.arenas.count; i++) {
		const struct pm_python_arena *arena = &module.arenas.items[i];

		pm_runtime_add_range(context, arena->start,
		                     arena->start + module.arenas.layout.arena_size,
		                     PM_OWNER_PYTHON_OBJECTS,
		                     arena->proven ? PM_PROOF_PROVEN : PM_PROOF_INFERRED);
	}

	pm_python_module_deinit(&module);
	return result;
}
