/* SPDX-License-Identifier: MIT */
/*
 * Splits the usage of a cgroup. memory.stat has overlapping numbers: `file` contains shmem and the
 * swap cache, `kernel` contains slab and zswap, and the lists of pages (inactive_file) also have
 * anonymous pages that are freed lazily. The numbers lag behind each other, so each difference is
 * clamped.
 */
#include <procmem/cgroup_parts.h>

#include <stddef.h>

#include "base/minmax.h"
#include "limits/cgroup_file.h"

/** Keys of memory.stat; the index is the version of cgroups. NULL: the version has no such key. */
enum key {
	ANON,
	FILE_PAGES, /* page cache with shmem and swap cache */
	SHMEM,
	SWAP_CACHED,
	INACTIVE_FILE,
	ACTIVE_FILE,
	DIRTY,
	WRITEBACK,
	UNEVICTABLE,
	MAPPED,
	KEYS
};

static const char *const keys[KEYS][3] = {
	[ANON] = { NULL, "total_rss", "anon" },
	[FILE_PAGES] = { NULL, "total_cache", "file" },
	[SHMEM] = { NULL, "total_shmem", "shmem" },
	[SWAP_CACHED] = { NULL, "total_swapcached", "swapcached" },
	[INACTIVE_FILE] = { NULL, "total_inactive_file", "inactive_file" },
	[ACTIVE_FILE] = { NULL, "total_active_file", "active_file" },
	[DIRTY] = { NULL, "total_dirty", "file_dirty" },
	[WRITEBACK] = { NULL, "total_writeback", "file_writeback" },
	[UNEVICTABLE] = { NULL, "total_unevictable", "unevictable" },
	[MAPPED] = { NULL, "total_mapped_file", "file_mapped" },
};

static const char *const names[PM_CGROUP_PARTS] = {
	[PM_CGROUP_ANON] = "anon",
	[PM_CGROUP_SHMEM] = "shmem",
	[PM_CGROUP_FILE_INACTIVE] = "file_inactive",
	[PM_CGROUP_FILE_ACTIVE] = "file_active",
	[PM_CGROUP_FILE_PINNED] = "file_pinned",
	[PM_CGROUP_SWAP_CACHE] = "swap_cache",
	[PM_CGROUP_SLAB_RECLAIMABLE] = "slab_reclaimable",
	[PM_CGROUP_SLAB_UNRECLAIMABLE] = "slab_unreclaimable",
	[PM_CGROUP_PAGE_TABLES] = "page_tables",
	[PM_CGROUP_STACKS] = "kernel_stacks",
	[PM_CGROUP_PERCPU] = "percpu",
	[PM_CGROUP_VMALLOC] = "vmalloc",
	[PM_CGROUP_ZSWAP] = "zswap",
	[PM_CGROUP_SOCKETS] = "sockets",
	[PM_CGROUP_HUGETLB] = "hugetlb",
	[PM_CGROUP_KERNEL_OTHER] = "kernel_other",
};

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t subtract(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t find(const char *stat, const char *key)
{
	uint64_t number = 0;
	pm_cgroup_entry(stat, key, &number);
	return number;
}

/** Splits the page cache of files. Pages that are freed lazily are in `inactive`, but not in it. */
static void split_files(struct pm_cgroup_split *split, uint64_t cache, uint64_t inactive,
                        uint64_t active)
{
	split->parts[PM_CGROUP_FILE_ACTIVE] = pm_min(active, cache);
	cache -= split->parts[PM_CGROUP_FILE_ACTIVE];
	split->parts[PM_CGROUP_FILE_INACTIVE] = pm_min(inactive, cache);
	split->parts[PM_CGROUP_FILE_PINNED] = cache - split->parts[PM_CGROUP_FILE_INACTIVE];
}

/** Splits the memory of the kernel, which v2 reports in detail. */
static void split_kernel(struct pm_cgroup_split *split, const char *stat)
{
	static const struct {
		enum pm_cgroup_part part;
		const char *key;
	} details[] = {
		{ PM_CGROUP_SLAB_RECLAIMABLE, "slab_reclaimable" },
		{ PM_CGROUP_SLAB_UNRECLAIMABLE, "slab_unreclaimable" },
		{ PM_CGROUP_PAGE_TABLES, "pagetables" },
		{ PM_CGROUP_PAGE_TABLES, "sec_pagetables" },
		{ PM_CGROUP_STACKS, "kernel_stack" },
		{ PM_CGROUP_PERCPU, "percpu" },
		{ PM_CGROUP_VMALLOC, "vmalloc" },
		{ PM_CGROUP_ZSWAP, "zswap" },
	};
	uint64_t sum = 0, kernel;

	for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
		uint64_t bytes = find(stat, details[i].key), *part = &split->parts[details[i].part];
		*part = add(*part, bytes);
		sum = add(sum, bytes);
	}

	/* `kernel` contains all of these (Linux 5.18). Before, the other memory is not known. */
	if (pm_cgroup_entry(stat, "kernel", &kernel))
		split->parts[PM_CGROUP_KERNEL_OTHER] = subtract(kernel, sum);
	split->parts[PM_CGROUP_SOCKETS] = find(stat, "sock");
	split->parts[PM_CGROUP_HUGETLB] = find(stat, "hugetlb");
	split->kernel_split = true;
}

/** Compares the sum of the parts with the usage. */
static void compare(struct pm_cgroup_split *split, uint64_t usage)
{
	uint64_t sum = pm_cgroup_parts_sum(split);
	if (usage == UINT64_MAX)
		return;

	/* Pages of the swap cache that a process maps are in `anon` already. */
	split->parts[PM_CGROUP_SWAP_CACHE] = pm_min(split->swap_cached, subtract(usage, sum));
	sum = add(sum, split->parts[PM_CGROUP_SWAP_CACHE]);
	split->rest = subtract(usage, sum);
	split->excess = subtract(sum, usage);
}

void pm_cgroup_parts_split(int version, const char *stat, uint64_t kernel, uint64_t usage,
                           struct pm_cgroup_split *split)
{
	struct pm_cgroup_split result = { .known = true };
	uint64_t values[KEYS];

	for (int i = 0; i < KEYS; i++)
		values[i] = find(stat, keys[i][version == 2 ? 2 : 1]);

	uint64_t not_files = add(values[SHMEM], values[SWAP_CACHED]);
	uint64_t cache = subtract(values[FILE_PAGES], not_files);
	result.parts[PM_CGROUP_ANON] = values[ANON];
	result.parts[PM_CGROUP_SHMEM] = values[SHMEM];
	split_files(&result, cache, values[INACTIVE_FILE], values[ACTIVE_FILE]);

	result.dirty = values[DIRTY];
	result.writeback = values[WRITEBACK];
	result.unevictable = values[UNEVICTABLE];
	result.mapped_file = values[MAPPED];
	result.swap_cached = values[SWAP_CACHED];

	if (version == 2)
		split_kernel(&result, stat);
	else
		result.parts[PM_CGROUP_KERNEL_OTHER] = kernel;
	compare(&result, usage);

	*split = result;
}

uint64_t pm_cgroup_parts_sum(const struct pm_cgroup_split *split)
{
	uint64_t sum = 0;
	for (int part = 0; part < PM_CGROUP_PARTS; part++)
		sum = add(sum, split->parts[part]);
	return sum;
}

uint64_t pm_cgroup_parts_kernel(const struct pm_cgroup_split *split)
{
	static const enum pm_cgroup_part parts[] = {
		PM_CGROUP_SLAB_RECLAIMABLE, PM_CGROUP_SLAB_UNRECLAIMABLE,
		PM_CGROUP_PAGE_TABLES,      PM_CGROUP_STACKS,
		PM_CGROUP_PERCPU,           PM_CGROUP_VMALLOC,
		PM_CGROUP_KERNEL_OTHER,
	};
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		sum = add(sum, split->parts[parts[i]]);
	return sum;
}

const char *pm_cgroup_parts_name(enum pm_cgroup_part part)
{
	return names[part];
}
