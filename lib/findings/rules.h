/* SPDX-License-Identifier: MIT */
/** @file All rules; the table in findings.c defines the order. Private. */
#ifndef PM_FINDINGS_RULES_H
#define PM_FINDINGS_RULES_H

#include "findings/rule.h"

pm_finding_rule pm_finding_arena_retention;
pm_finding_rule pm_finding_child_grows;
pm_finding_rule pm_finding_group_process;
pm_finding_rule pm_finding_growth;
pm_finding_rule pm_finding_huge_pages;
pm_finding_rule pm_finding_java_code;
pm_finding_rule pm_finding_java_direct;
pm_finding_rule pm_finding_java_metaspace;
pm_finding_rule pm_finding_kernel_memory;
pm_finding_rule pm_finding_locked;
pm_finding_rule pm_finding_malloc_leak;
pm_finding_rule pm_finding_many_chunks;
pm_finding_rule pm_finding_mapped_chunks;
pm_finding_rule pm_finding_page_cache;
pm_finding_rule pm_finding_pile_up;
pm_finding_rule pm_finding_plateau;
pm_finding_rule pm_finding_pressure;
pm_finding_rule pm_finding_reserve;
pm_finding_rule pm_finding_rising_floor;
pm_finding_rule pm_finding_runtime_growth;
pm_finding_rule pm_finding_runtime_heap;
pm_finding_rule pm_finding_shared_counted;
pm_finding_rule pm_finding_shared_file;
pm_finding_rule pm_finding_swapping;
pm_finding_rule pm_finding_tmpfs;

#endif
