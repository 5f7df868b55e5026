/* SPDX-License-Identifier: MIT */
/**
 * @file
 * How much of the resident memory of a process is its own, and how much it shares.
 */
#ifndef PROCMEM_PROCESS_ROLLUP_H
#define PROCMEM_PROCESS_ROLLUP_H

#include <stdint.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The sums over all regions of a process, from smaps_rollup (proc_pid_smaps(5)). All sizes are in
 * bytes.
 *
 * A page counts as private if only one process maps it. The kernel does not count pages of
 * hugetlbfs in Rss and Pss.
 */
struct pm_process_rollup {
	uint64_t rss; /**< resident memory (Rss), without huge pages of hugetlbfs */
	/** Resident memory, each page divided by the number of processes that map it (Pss) */
	uint64_t pss;
	/** Private_Clean + Private_Dirty: memory that no other process maps, without `hugetlb` */
	uint64_t private_pages;
	uint64_t hugetlb;        /**< private huge pages of hugetlbfs (Private_Hugetlb) */
	uint64_t shared_hugetlb; /**< shared huge pages of hugetlbfs (Shared_Hugetlb) */
	uint64_t swap_pss;       /**< SwapPss; 0 if the kernel does not report it */
};

/**
 * Reads the sums over all regions of a process from smaps_rollup (Linux 4.14). The kernel walks the
 * page tables of all regions, and the target cannot map memory during that time: about 20 ms for
 * each GiB of pages of 4 KiB.
 *
 * @param process  the process
 * @param rollup   receives the sums
 * @param error    as for pm_maps_read(); also PM_ERROR_NOT_FOUND if the kernel does not provide
 *                 smaps_rollup
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_rollup_read(struct pm_process *process, struct pm_process_rollup *rollup,
                                     struct pm_error *error);

/**
 * Returns the unique set size (USS): the memory that would become free if the process ended.
 * @param rollup  the sums
 * @return        Private_Clean + Private_Dirty + Private_Hugetlb, in bytes
 */
static inline uint64_t pm_process_rollup_uss(const struct pm_process_rollup *rollup)
{
	return rollup->private_pages + rollup->hugetlb;
}

#ifdef __cplusplus
}
#endif

#endif
