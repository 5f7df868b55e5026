/* SPDX-License-Identifier: MIT */
/**
 * @file Declares all rules. The comment at the start of each source file describes its rule; the
 * table in kinds.c defines the order. Private.
 */
#ifndef PM_KINDS_RULES_H
#define PM_KINDS_RULES_H

#include "kinds/rule.h"

int pm_rule_allocators(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_anonymous(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_arena_flags(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_arenas(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_bss(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_devices(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_files(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_go_heap(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_go_rest(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_guards(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_huge_pages(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_java_heap(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_java_rest(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_jit(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_kernel_names(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_main_heap(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_malloc_chunks(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_malloc_search(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_objects(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_reserves(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_runtime_names(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_runtimes(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_shared_memory(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_stack_guards(struct pm_kinds_context *context, struct pm_error *error);
int pm_rule_thread_stacks(struct pm_kinds_context *context, struct pm_error *error);

#endif
