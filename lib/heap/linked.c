/* SPDX-License-Identifier: MIT */
/*
 * Allocators that are part of the program. Each of them is recognised by functions with names
 * that no other program is likely to define.
 */
#include "heap/linked.h"

#include <fcntl.h>
#include <unistd.h>

#include "reader/mapped_file.h"
#include "symbols/elf_search.h"

/* The names, and for each of them the allocator. */
static const char *const names[] = {
	"mallctl",
	"je_mallctl",
	"_rjem_mallctl",
	"tc_malloc",
	"TCMallocInternalMalloc",
	"MallocExtension_Internal_GetNumericProperty",
	"mi_malloc",
	"mi_heap_malloc",
	"__malloc_alloc_meta",
	"runtime.mallocgc",
};

static const enum pm_heap_allocator allocators[] = {
	PM_HEAP_ALLOCATOR_JEMALLOC, PM_HEAP_ALLOCATOR_JEMALLOC, PM_HEAP_ALLOCATOR_JEMALLOC,
	PM_HEAP_ALLOCATOR_TCMALLOC, PM_HEAP_ALLOCATOR_TCMALLOC, PM_HEAP_ALLOCATOR_TCMALLOC,
	PM_HEAP_ALLOCATOR_MIMALLOC, PM_HEAP_ALLOCATOR_MIMALLOC, PM_HEAP_ALLOCATOR_MUSL,
	PM_HEAP_ALLOCATOR_GO,
};

enum { NAMES = sizeof names / sizeof names[0] };
_Static_assert(sizeof allocators / sizeof allocators[0] == NAMES, "an allocator for each name");

enum pm_heap_allocator pm_linked_find(struct pm_process *process, uint64_t deadline_ns)
{
	struct pm_symbol_value values[NAMES] = { 0 };
	const struct pm_elf_search search = {
		.values = values, .count = NAMES, .functions = true, .deadline_ns = deadline_ns
	};
	int path_fd;

	if (pm_process_open_file(process, "exe", O_PATH, &path_fd, NULL) < 0)
		return PM_HEAP_ALLOCATOR_UNKNOWN;

	/* Closes `path_fd`. */
	int fd = pm_regular_file_open(path_fd);
	if (fd < 0)
		return PM_HEAP_ALLOCATOR_UNKNOWN;

	for (size_t i = 0; i < NAMES; i++)
		values[i].name = names[i];
	pm_elf_search(fd, &search);
	close(fd);

	for (size_t i = 0; i < NAMES; i++)
		if (values[i].address != 0)
			return allocators[i];
	return PM_HEAP_ALLOCATOR_UNKNOWN;
}
