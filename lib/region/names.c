/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <procmem/region.h>

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

const char *pm_kind_name(enum pm_kind kind)
{
	return (unsigned)kind < PM_KIND_COUNT ? kind_names[kind] : "";
}

const char *pm_size_name(enum pm_size size)
{
	return (unsigned)size < PM_SIZE_COUNT ? size_names[size] : "";
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
		length += (size_t)snprintf(list + length, sizeof list - length, " %s",
		                           kind_names[i]);
	}

	return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is not a kind; the kinds are:%s", name,
	                    list);
}
