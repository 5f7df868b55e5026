/* SPDX-License-Identifier: MIT */
/**
 * @file
 * How the caller of an address is found, in the child process. Most addresses have a simple rule,
 * which is kept: libdw is needed once for each address. Private.
 */
#ifndef PM_STACK_CHILD_RULES_H
#define PM_STACK_CHILD_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

/** Kinds of rules. */
enum pm_child_rule_kind {
	PM_CHILD_RULE_NONE,  /**< free item of the table */
	PM_CHILD_RULE_OTHER, /**< only libdw can unwind: an expression, a signal, no tables */
	PM_CHILD_RULE_FRAME, /**< the fields of the rule are valid */
	PM_CHILD_RULE_LAST,  /**< the function has no caller */
};

/** The rule of an address. CFA is the stack pointer of the caller after the return. */
struct pm_child_rule {
	uint64_t address;             /**< the address */
	int32_t cfa_offset;           /**< CFA: this offset from a register */
	int32_t return_offset;        /**< offset of the return address from CFA */
	int32_t frame_offset;         /**< offset of the saved rbp from CFA, if `frame_saved` */
	bool cfa_from_frame;          /**< the register of CFA is rbp, otherwise rsp */
	bool frame_saved;             /**< rbp was saved, otherwise it is unchanged */
	enum pm_child_rule_kind kind; /**< the kind */
};

/** The rules that were found. Zeroed means none. */
struct pm_child_rules {
	struct pm_child_rule *items; /**< a hash table */
	size_t count;                /**< number of rules */
};

/**
 * Finds the rule of an address.
 * @param rules    the rules
 * @param dwfl     the mapped files
 * @param address  the address; for a caller, one less than the return address
 * @return         the rule, valid until the next call; NULL without memory
 */
const struct pm_child_rule *pm_child_rules_find(struct pm_child_rules *rules, Dwfl *dwfl,
                                                uint64_t address);

/**
 * Forgets all rules: call it after the mapped files have changed.
 * @param rules  the rules
 */
void pm_child_rules_clear(struct pm_child_rules *rules);

#endif
