/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What fills a cgroup: its usage split into parts, from the statistics of the kernel (memory.stat,
 * Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst).
 */
#ifndef PROCMEM_CGROUP_PARTS_H
#define PROCMEM_CGROUP_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Parts of the usage of a cgroup. No byte is in two parts. */
enum pm_cgroup_part {
	PM_CGROUP_ANON, /**< memory of processes that no file backs (anon; v1: total_rss) */
	/**
	 * Files in tmpfs, shared anonymous memory, memfd and System V shared memory (shmem; v1:
	 * total_shmem). The kernel does not count these separately. It cannot reclaim them without
	 * swap.
	 */
	PM_CGROUP_SHMEM,
	/** Page cache of files, not used recently: is reclaimed first (inactive_file) */
	PM_CGROUP_FILE_INACTIVE,
	PM_CGROUP_FILE_ACTIVE, /**< page cache of files, used recently (active_file) */
	/**
	 * Page cache of files in neither list: locked by mlock(2), or in ramfs. Pages that are
	 * moved between the lists at this moment are counted here, too
	 */
	PM_CGROUP_FILE_PINNED,
	/**
	 * Swap cache that no process maps: pages that are in memory and in swap. At most this much:
	 * the kernel does not say which of these pages are mapped
	 */
	PM_CGROUP_SWAP_CACHE,
	PM_CGROUP_SLAB_RECLAIMABLE,   /**< kernel objects that can be reclaimed: dentries, inodes */
	PM_CGROUP_SLAB_UNRECLAIMABLE, /**< kernel objects that cannot be reclaimed */
	PM_CGROUP_PAGE_TABLES,        /**< page tables (pagetables, sec_pagetables) */
	PM_CGROUP_STACKS,             /**< kernel stacks of threads (kernel_stack) */
	PM_CGROUP_PERCPU,             /**< per-CPU data of the kernel (percpu) */
	PM_CGROUP_VMALLOC,            /**< memory that the kernel maps (vmalloc) */
	PM_CGROUP_ZSWAP,              /**< compressed pages of swap (zswap) */
	PM_CGROUP_SOCKETS,            /**< buffers of network sockets (sock) */
	PM_CGROUP_HUGETLB, /**< hugetlb pages, if they are charged to the memory controller */
	/**
	 * Memory of the kernel that the parts above do not contain, such as pipe buffers. With v1,
	 * which does not split it, all memory of the kernel (memory.kmem.usage_in_bytes)
	 */
	PM_CGROUP_KERNEL_OTHER,
	PM_CGROUP_PARTS, /**< number of parts */
};

/** The usage of a cgroup, split into parts. Sizes are bytes. */
struct pm_cgroup_split {
	bool known; /**< whether the kernel reports statistics for the cgroup */
	/** Whether the kernel splits its own memory. If not, it is all in PM_CGROUP_KERNEL_OTHER.
	 */
	bool kernel_split;
	uint64_t parts[PM_CGROUP_PARTS]; /**< the parts */
	/**
	 * Usage that the parts do not explain. The kernel charges pages to CPUs in advance, up to
	 * 256 KiB for each CPU, and does not count all kinds of pages in its statistics.
	 */
	uint64_t rest;
	/**
	 * How much the sum of the parts exceeds the usage. The statistics are not read at the same
	 * moment as the usage, and lag behind it.
	 */
	uint64_t excess;
	/* These are contained in the parts above. */
	uint64_t dirty;       /**< page cache that must be written before it can be reclaimed */
	uint64_t writeback;   /**< page cache that is being written */
	uint64_t unevictable; /**< locked pages of all parts (unevictable) */
	uint64_t mapped_file; /**< page cache and shared memory that processes map (file_mapped) */
	uint64_t swap_cached; /**< swap cache, mapped or not (swapcached) */
};

/**
 * Splits the usage of a cgroup.
 *
 * @param version  version of cgroups, 1 or 2
 * @param stat     text of memory.stat; untrusted
 * @param kernel   v1: memory.kmem.usage_in_bytes, or 0; v2: ignored
 * @param usage    usage of the cgroup (memory.current, memory.usage_in_bytes); UINT64_MAX if it is
 *                 not known: `rest` and `excess` are then 0
 * @param split    receives the parts
 */
PM_PUBLIC void pm_cgroup_parts_split(int version, const char *stat, uint64_t kernel, uint64_t usage,
                                     struct pm_cgroup_split *split);

/**
 * Returns the sum of all parts.
 * @param split  the parts
 * @return       the sum; UINT64_MAX if it is larger than 64 bits
 */
PM_PUBLIC uint64_t pm_cgroup_parts_sum(const struct pm_cgroup_split *split);

/**
 * Returns the memory of the kernel: slab, page tables, stacks, per-CPU data, vmalloc, and other.
 * Sockets and zswap are not contained.
 *
 * @param split  the parts
 * @return       the sum; UINT64_MAX if it is larger than 64 bits
 */
PM_PUBLIC uint64_t pm_cgroup_parts_kernel(const struct pm_cgroup_split *split);

/**
 * Returns the name of a part, as in JSON, such as "file_inactive".
 * @param part  the part
 * @return      a constant text
 */
PM_PUBLIC const char *pm_cgroup_parts_name(enum pm_cgroup_part part);

#ifdef __cplusplus
}
#endif

#endif
