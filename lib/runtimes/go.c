/* SPDX-License-Identifier: MIT */
/*
 * Programs of Go, recognised by their build information. If the program has symbols and debug
 * information, its memory is known by the structures of the runtime; else by addresses only.
 */
#include "runtimes/readers.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reader/mapped_file.h"
#include "runtimes/go_buildinfo.h"
#include "runtimes/go_figures.h"
#include "runtimes/go_heap.h"
#include "runtimes/go_layout.h"
#include "runtimes/go_metadata.h"
#include "symbols/elf_section.h"

/** Bytes of the build information that are read: the main module comes first. */
enum { BUILDINFO_MAX = 4096 };

static bool read_buildinfo(struct pm_runtimes_context *context, const struct pm_region *program,
                           struct pm_go_buildinfo *info)
{
	struct pm_elf_section section = { .name = ".go.buildinfo", .max = BUILDINFO_MAX };
	int fd;

	if (pm_mapped_file_open(context->source->process, program, &fd, NULL) < 0)
		return false;

	size_t read = pm_elf_sections_read(fd, &section, 1);
	close(fd);
	bool found = read == 1 && pm_go_buildinfo_parse(section.bytes, section.size, info);
	pm_elf_sections_free(&section, 1);
	return found;
}

/** Returns whether a region maps code of a library, other than the dynamic loader. */
static bool is_library(const struct pm_region *region, const struct pm_region *program)
{
	const char *name = strrchr(region->mapping, '/');

	return region->inode != 0 && region->inode != program->inode &&
	       region->perms & PM_PERM_EXEC && !(name && strncmp(name, "/ld-", 4) == 0);
}

/**
 * Returns whether a program has no C code, which could allocate memory, too. A program with symbols
 * says it itself. Other programs with C code map a library, or use the heap of brk(2).
 */
static bool is_pure(struct pm_runtimes_context *context, const struct pm_region *program,
                    const struct pm_go_layout *layout)
{
	const struct pm_regions *regions = context->source->regions;
	unsigned char iscgo;

	if (layout->variables[PM_GO_ISCGO] != 0 &&
	    pm_runtime_read(context, layout->variables[PM_GO_ISCGO], &iscgo, 1))
		return iscgo == 0;

	for (size_t i = 0; i < regions->count; i++)
		if (strcmp(regions->items[i].mapping, "[heap]") == 0 ||
		    is_library(&regions->items[i], program))
			return false;

	return true;
}

static void describe(struct pm_runtime_info *info, const struct pm_go_buildinfo *build,
                     const struct pm_go_layout *layout, const struct pm_go_heap *heap)
{
	static const char prefix[] = "go";
	const char *version = build->version;
	const char *program = build->module[0] ? build->module : build->path;

	if (strncmp(version, prefix, sizeof prefix - 1) == 0)
		version += sizeof prefix - 1;
	snprintf(info->version, sizeof info->version, "%s", version);
	snprintf(info->variant, sizeof info->variant, "%s", program);
	snprintf(info->proof, sizeof info->proof, "%s",
	         heap->proven ? "build information; arenas and spans of runtime.mheap_"
	                      : "build information; addresses of arenas");
	info->complete = heap->proven && heap->complete;

	const char *missing = "";
	if (!heap->proven && layout->variables[PM_GO_MHEAP] == 0)
		missing = "the program has no symbols: what is in use is not known";
	else if (!heap->proven && layout->fields[PM_GO_SPAN_START] == PM_GO_NONE)
		missing = "the program has no debug information: what is in use is not known";
	else if (!heap->proven)
		missing = "the structures of the Go runtime did not pass the checks";
	else if (!heap->complete)
		missing = "the time for reading was used up before all spans were read";
	snprintf(info->missing, sizeof info->missing, "%s", missing);
}

int pm_runtime_read_go(struct pm_runtimes_context *context, struct pm_error *error)
{
	const struct pm_region *program = pm_runtime_find_program(context);
	struct pm_go_buildinfo build;
	struct pm_go_layout layout;
	struct pm_go_heap heap;

	if (!program || !read_buildinfo(context, program, &build))
		return 0;

	struct pm_runtime_info *info = pm_runtime_add(context, PM_OWNER_GO_HEAP, error);
	if (!info)
		return -1;

	pm_go_layout_read(context, program, &layout);
	pm_go_heap_read(context, &layout, &heap);
	describe(info, &build, &layout, &heap);
	if (heap.proven) {
		pm_go_figures_read(context, &layout);
		pm_go_metadata_read(context, &layout);
	}
	pm_go_metadata_named(context);
	if (!heap.proven)
		pm_go_heap_guess(context);
	if (is_pure(context, program, &layout))
		pm_go_metadata_guess(context);

	bool has_limit = pm_go_layout_has(&layout, PM_GO_CONTROLLER, PM_GO_CONTROLLER_LIMIT,
	                                  PM_GO_CONTROLLER_READY);
	if (!heap.proven || !has_limit)
		pm_go_figures_environment(context);
	return 0;
}
