/* SPDX-License-Identifier: MIT */
#include <procmem/region.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "region/texts.h"

static const char *const kind_names[PM_KIND_COUNT] = {
	[PM_KIND_UNKNOWN] = "",        [PM_KIND_HEAP] = "heap",     [PM_KIND_ARENA] = "arena",
	[PM_KIND_MALLOC] = "malloc",   [PM_KIND_STACK] = "stack",   [PM_KIND_GUARD] = "guard",
	[PM_KIND_RESERVE] = "reserve", [PM_KIND_JIT] = "jit",       [PM_KIND_ANON] = "anon",
	[PM_KIND_SHM] = "shm",         [PM_KIND_HUGE] = "huge",     [PM_KIND_CODE] = "code",
	[PM_KIND_RODATA] = "rodata",   [PM_KIND_DATA] = "data",     [PM_KIND_BSS] = "bss",
	[PM_KIND_FILE] = "file",       [PM_KIND_DEVICE] = "device", [PM_KIND_KERNEL] = "kernel",
};

static const char *const size_names[PM_SIZE_COUNT] = {
	[PM_SIZE_RSS] = "rss",
	[PM_SIZE_PSS] = "pss",
	[PM_SIZE_PSS_DIRTY] = "pss_dirty",
	[PM_SIZE_SHARED_CLEAN] = "shared_clean",
	[PM_SIZE_SHARED_DIRTY] = "shared_dirty",
	[PM_SIZE_PRIVATE_CLEAN] = "private_clean",
	[PM_SIZE_PRIVATE_DIRTY] = "private_dirty",
	[PM_SIZE_REFERENCED] = "referenced",
	[PM_SIZE_ANONYMOUS] = "anonymous",
	[PM_SIZE_KSM] = "ksm",
	[PM_SIZE_LAZYFREE] = "lazyfree",
	[PM_SIZE_ANON_HUGE] = "anon_huge",
	[PM_SIZE_SHMEM_PMD] = "shmem_pmd",
	[PM_SIZE_FILE_PMD] = "file_pmd",
	[PM_SIZE_SHARED_HUGETLB] = "shared_hugetlb",
	[PM_SIZE_PRIVATE_HUGETLB] = "private_hugetlb",
	[PM_SIZE_SWAP] = "swap",
	[PM_SIZE_SWAP_PSS] = "swap_pss",
	[PM_SIZE_LOCKED] = "locked",
	[PM_SIZE_KERNEL_PAGE] = "kernel_page_size",
	[PM_SIZE_MMU_PAGE] = "mmu_page_size",
};

void pm_regions_init(struct pm_regions *regions)
{
	*regions = (struct pm_regions){ 0 };
}

void pm_regions_deinit(struct pm_regions *regions)
{
	free(regions->items);
	pm_texts_destroy(regions->texts);
	pm_regions_init(regions);
}

void pm_regions_clear(struct pm_regions *regions)
{
	regions->count = 0;
	pm_texts_clear(regions->texts);
}

const char *pm_regions_text(struct pm_regions *regions, const char *text, size_t length)
{
	return pm_texts_add(&regions->texts, text, length);
}

/**
 * Copies a text into the list, unless the text of the previous region is equal. Adjacent regions
 * often map the same file, so they share one copy of its name.
 *
 * @param previous  text of the previous region; NULL if there is no previous region
 * @param text      text to copy; NULL counts as ""
 * @return          the copy or `previous`; NULL if out of memory
 */
static const char *share_or_copy(struct pm_regions *regions, const char *previous, const char *text)
{
	if (!text || text[0] == '\0')
		return "";
	if (previous && strcmp(previous, text) == 0)
		return previous;
	return pm_regions_text(regions, text, strlen(text));
}

static int copy_heaps(struct pm_regions *regions, const struct pm_detail *from,
                      struct pm_detail *to, struct pm_error *error)
{
	size_t size = from->listed * sizeof *from->heaps;
	void *heaps = pm_texts_reserve(&regions->texts, size);
	if (!heaps)
		return pm_error_out_of_memory(error);

	memcpy(heaps, from->heaps, size);
	to->heaps = heaps;
	return 0;
}

static int copy_threads(struct pm_regions *regions, const struct pm_detail *from,
                        struct pm_detail *to, struct pm_error *error)
{
	struct pm_detail_thread *threads = pm_texts_reserve(&regions->texts,
	                                                    from->listed * sizeof *threads);
	if (!threads)
		return pm_error_out_of_memory(error);

	for (uint32_t i = 0; i < from->listed; i++) {
		const char *name = from->threads[i].name;
		threads[i].tid = from->threads[i].tid;
		threads[i].name = pm_regions_text(regions, name, strlen(name));
		if (!threads[i].name)
			return pm_error_out_of_memory(error);
	}

	to->threads = threads;
	return 0;
}

int pm_regions_copy_detail(struct pm_regions *regions, const struct pm_detail *from,
                           struct pm_detail *to, struct pm_error *error)
{
	struct pm_detail copy = *from;
	int result = 0;

	if (pm_detail_has_heaps(from) && from->listed > 0)
		result = copy_heaps(regions, from, &copy, error);
	else if (pm_detail_has_threads(from) && from->listed > 0)
		result = copy_threads(regions, from, &copy, error);
	else if (from->type == PM_DETAIL_TEXT)
		copy.text = pm_regions_text(regions, from->text, strlen(from->text));

	if (result == 0 && from->type == PM_DETAIL_TEXT && !copy.text)
		result = pm_error_out_of_memory(error);
	if (result == 0)
		*to = copy;

	return result;
}

int pm_regions_append(struct pm_regions *regions, const struct pm_region *region,
                      struct pm_error *error)
{
	if (pm_array_reserve(&regions->items, &regions->capacity, regions->count, 1,
	                     sizeof *regions->items, error) < 0)
		return -1;

	const struct pm_region *previous = regions->count ? &regions->items[regions->count - 1]
	                                                  : NULL;
	struct pm_region copy = *region;
	copy.mapping = share_or_copy(regions, previous ? previous->mapping : NULL, region->mapping);
	copy.why = share_or_copy(regions, previous ? previous->why : NULL, region->why);
	if (!copy.mapping || !copy.why)
		return pm_error_out_of_memory(error);

	if (previous && pm_detail_equal(&previous->detail, &region->detail))
		copy.detail = previous->detail;
	else if (pm_regions_copy_detail(regions, &region->detail, &copy.detail, error) < 0)
		return -1;

	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the analyzer does not follow the
	 * memcpy() by which pm_array_reserve() sets the pointer. */
	regions->items[regions->count++] = copy;

	return 0;
}

size_t pm_regions_index(const struct pm_regions *regions, uint64_t address)
{
	return pm_first_above(regions->items, regions->count, sizeof *regions->items,
	                      offsetof(struct pm_region, end), address);
}

struct pm_region *pm_regions_find(const struct pm_regions *regions, uint64_t address)
{
	size_t index = pm_regions_index(regions, address);
	if (index == regions->count || regions->items[index].start > address)
		return NULL;
	return &regions->items[index];
}

bool pm_region_is_anonymous(const struct pm_region *region)
{
	return region->mapping[0] == '\0' || strncmp(region->mapping, "[anon:", 6) == 0;
}

void pm_format_perms(unsigned perms, char *text)
{
	static const char set[] = "rwxs", clear[] = "---p";
	memcpy(text, clear, sizeof clear);
	for (unsigned i = 0; i < sizeof set - 1; i++) {
		if (perms & 1u << i)
			text[i] = set[i];
		else if (perms & PM_PERM_MAYBE(1u << i))
			text[i] = '?';
	}
}

bool pm_region_continues(const struct pm_region *before, const struct pm_region *region)
{
	if (before->end != region->start || before->inode != region->inode ||
	    before->device_major != region->device_major ||
	    before->device_minor != region->device_minor ||
	    ((before->perms ^ region->perms) & PM_PERM_SHARED))
		return false;
	if (region->inode != 0)
		return before->offset + pm_region_size(before) == region->offset;
	if (strcmp(before->mapping, region->mapping) != 0)
		return false;

	/* In core files, a region that maps a file has the path of the file but no inode, so its
	 * offset must be compared, too. */
	return region->mapping[0] != '/' ||
	       before->offset + pm_region_size(before) == region->offset;
}

const char *pm_kind_name(enum pm_kind kind)
{
	if ((unsigned)kind >= PM_KIND_COUNT)
		return "";

	return kind_names[kind];
}

const char *pm_size_name(enum pm_size size)
{
	if ((unsigned)size >= PM_SIZE_COUNT)
		return "";

	return size_names[size];
}

const char *pm_proof_name(enum pm_proof proof)
{
	switch (proof) {
	case PM_PROOF_INFERRED:
		return "inferred";
	case PM_PROOF_PROVEN:
		return "proven";
	case PM_PROOF_NONE:
		break;
	}
	return "";
}

int pm_kind_parse(const char *name, enum pm_kind *kind, struct pm_error *error)
{
	char list[256] = "";
	size_t length = 0;

	for (unsigned i = PM_KIND_UNKNOWN + 1; i < PM_KIND_COUNT; i++) {
		if (strcmp(name, kind_names[i]) == 0) {
			*kind = (enum pm_kind)i;
			return 0;
		}
	}

	for (unsigned i = PM_KIND_UNKNOWN + 1; i < PM_KIND_COUNT; i++)
		length += (size_t)snprintf(list + length, sizeof list - length, " %s",
		                           kind_names[i]);
	return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is not a kind; the kinds are:%s", name,
	                    list);
}
