/* SPDX-License-Identifier: MIT */
#include <procmem/python_heap.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "runtimes/python.h"
#include "runtimes/python_module.h"
#include "runtimes/python_objects.h"

/* The versions whose objects are known */
enum { MINOR_MIN = 8, MINOR_MAX = 13 };

/** Reads pools and objects. */
static int read_objects(struct pm_runtimes_context *context, const struct pm_python_module *module,
                        struct pm_python_heap *heap, struct pm_error *error)
{
	struct pm_python_objects objects = { .context = context };
	const bool known = module->minor >= MINOR_MIN && module->minor <= MINOR_MAX;

	pm_python_types_init(&objects.types, module->minor);
	int result = pm_python_pools_read(context, &module->arenas, heap,
	                                  known ? pm_python_objects_count : NULL, &objects, error);
	if (result == 0 && known)
		result = pm_python_objects_list(&objects, heap, error);
	heap->types_known = known;

	if (!known)
		snprintf(heap->missing, sizeof heap->missing,
		         "types of objects: only those of CPython 3.%d to 3.%d can be read",
		         MINOR_MIN, MINOR_MAX);
	else if (!heap->complete)
		snprintf(heap->missing, sizeof heap->missing, "%s",
		         pm_runtime_ends(context) ? "there was no time to read all pools"
		                                  : "some pools changed while they were read");
	if (objects.hooked > heap->blocks / 2)
		snprintf(heap->variant, sizeof heap->variant, "debug hooks (PYTHONMALLOC=debug)");

	pm_python_types_deinit(&objects.types);
	return result;
}

/** Returns the error that ended reading, if any. */
static int check(const struct pm_runtimes_context *context, struct pm_error *error)
{
	const volatile sig_atomic_t *cancel = context->source->cancel;

	if (context->failure.kind != PM_ERROR_NONE) {
		if (error)
			*error = context->failure;
		return -1;
	}
	if (cancel && *cancel)
		return pm_error_set(error, PM_ERROR_CANCELLED, 0, "interrupted");
	return 0;
}

/** Fills a heap with what the module has. */
static int fill(struct pm_runtimes_context *context, const struct pm_python_module *module,
                struct pm_python_heap *heap, struct pm_error *error)
{
	memcpy(heap->version, module->version, sizeof heap->version);
	pm_python_describe(module, heap->variant, heap->missing);
	heap->complete = module->complete;
	if (module->arenas.count > 0 && read_objects(context, module, heap, error) < 0)
		return -1;

	return check(context, error);
}

int pm_python_heap_open(const struct pm_runtimes_source *source, struct pm_python_heap **heap,
                        struct pm_error *error)
{
	struct pm_runtimes_context context;
	struct pm_python_module module;
	struct pm_python_heap *made = NULL;

	if (pm_runtime_context_open(source, &context, error) < 0)
		return -1;

	pm_python_module_read(&context, &module);
	int result = check(&context, error);
	if (result == 0 && module.file) {
		made = calloc(1, sizeof *made);
		result = made ? fill(&context, &module, made, error)
		              : pm_error_out_of_memory(error);
	}

	pm_python_module_deinit(&module);
	pm_runtime_context_close(&context);
	if (result < 0) {
		pm_python_heap_close(made);
		return -1;
	}

	*heap = made;
	return 0;
}

void pm_python_heap_close(struct pm_python_heap *heap)
{
	if (!heap)
		return;

	for (size_t i = 0; i < heap->type_count; i++)
		free((char *)heap->types[i].name);
	free(heap->types);
	free(heap);
}

const struct pm_runtime_type *pm_python_heap_type(const struct pm_python_heap *heap,
                                                  const char *name)
{
	for (size_t i = 0; i < heap->type_count; i++)
		if (strcmp(heap->types[i].name, name) == 0)
			return &heap->types[i];

	return NULL;
}
