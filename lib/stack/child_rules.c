/* SPDX-License-Identifier: MIT */
/*
 * libdw runs the program of the unwind table for each frame of each stack. Compilers write few
 * kinds of rules: CFA is rsp or rbp with an offset, and the return address and rbp are at offsets
 * from CFA. Such a rule is kept by its address. No other register is needed to find the callers, as
 * long as all their rules are of this kind.
 */
#include "stack/child_rules.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "base/hash.h"

/* Size of the table, a power of two. The target decides on the number of addresses: the table is
 * cleared when it is half full. */
enum { SLOTS = 1 << 15 };

/* Registers in DWARF (System V ABI for x86-64, figure 3.36). */
enum { DWARF_RBP = 6, DWARF_RSP = 7 };

/** Where a register of the caller is. */
enum place { UNKNOWN, UNCHANGED, SAVED, UNDEFINED };

/** Stores an offset, if it fits into a rule. */
static bool store_offset(Dwarf_Word value, int32_t *offset)
{
	int64_t number = (int64_t)value;

	if (number < INT32_MIN || number > INT32_MAX)
		return false;
	*offset = (int32_t)number;
	return true;
}

/** Reads how CFA is found. Returns false if it is not rsp or rbp with an offset. */
static bool read_cfa(Dwarf_Frame *frame, struct pm_child_rule *rule)
{
	Dwarf_Op *ops;
	size_t count;
	Dwarf_Word number, offset;

	if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count != 1)
		return false;

	if (ops->atom == DW_OP_bregx) {
		number = ops->number;
		offset = ops->number2;
	} else if (ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_breg31) {
		number = (Dwarf_Word)(ops->atom - DW_OP_breg0);
		offset = ops->number;
	} else {
		return false;
	}

	rule->cfa_from_frame = number == DWARF_RBP;
	return (number == DWARF_RBP || number == DWARF_RSP) &&
	       store_offset(offset, &rule->cfa_offset);
}

/** Reads where a register of the caller is. @param offset receives the offset from CFA if SAVED */
static enum place read_register(Dwarf_Frame *frame, int number, int32_t *offset)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
		return UNKNOWN;
	if (count == 0)
		return ops ? UNDEFINED : UNCHANGED;
	if (count > 2 || ops[0].atom != DW_OP_call_frame_cfa)
		return UNKNOWN;

	*offset = 0;
	if (count == 2 &&
	    (ops[1].atom != DW_OP_plus_uconst || !store_offset(ops[1].number, offset)))
		return UNKNOWN;
	return SAVED;
}

/** Reads the rule of a frame. */
static void read_frame(Dwarf_Frame *frame, struct pm_child_rule *rule)
{
	bool signal;
	int number = dwarf_frame_info(frame, NULL, NULL, &signal);

	if (number < 0 || signal)
		return;

	enum place caller = read_register(frame, number, &rule->return_offset);
	if (caller == UNDEFINED) {
		rule->kind = PM_CHILD_RULE_LAST;
		return;
	}

	enum place base = read_register(frame, DWARF_RBP, &rule->frame_offset);
	rule->frame_saved = base == SAVED;
	if (caller == SAVED && (base == SAVED || base == UNCHANGED) && read_cfa(frame, rule))
		rule->kind = PM_CHILD_RULE_FRAME;
}

/** Reads the rule of an address from a table. Returns false if the table does not contain it. */
static bool read_table(Dwarf_CFI *table, uint64_t address, struct pm_child_rule *rule)
{
	Dwarf_Frame *frame;

	if (!table || dwarf_cfi_addrframe(table, address, &frame) != 0)
		return false;

	read_frame(frame, rule);
	free(frame);
	return true;
}

/** Reads the rule of an address from the same tables as libdw, in the same order. */
static void read_rule(Dwfl *dwfl, uint64_t address, struct pm_child_rule *rule)
{
	Dwarf_Addr bias;
	Dwfl_Module *module = dwfl_addrmodule(dwfl, address);

	*rule = (struct pm_child_rule){ .address = address, .kind = PM_CHILD_RULE_OTHER };
	if (!module)
		return;

	Dwarf_CFI *table = dwfl_module_eh_cfi(module, &bias);
	if (table && read_table(table, address - bias, rule))
		return;
	table = dwfl_module_dwarf_cfi(module, &bias);
	if (table)
		read_table(table, address - bias, rule);
}

/** Finds the place of an address in the table: its rule, or a free item. */
static struct pm_child_rule *find_slot(const struct pm_child_rules *rules, uint64_t address)
{
	size_t at = pm_hash_mix(address, PM_HASH_ONE) & (SLOTS - 1);

	while (rules->items[at].kind != PM_CHILD_RULE_NONE && rules->items[at].address != address)
		at = (at + 1) & (SLOTS - 1);
	return &rules->items[at];
}

const struct pm_child_rule *pm_child_rules_find(struct pm_child_rules *rules, Dwfl *dwfl,
                                                uint64_t address)
{
	if (!rules->items) {
		rules->items = calloc(SLOTS, sizeof *rules->items);
		if (!rules->items)
			return NULL;
	}
	if (rules->count == SLOTS / 2) {
		memset(rules->items, 0, SLOTS * sizeof *rules->items);
		rules->count = 0;
	}

	struct pm_child_rule *rule = find_slot(rules, address);
	if (rule->kind == PM_CHILD_RULE_NONE) {
		read_rule(dwfl, address, rule);
		rules->count++;
	}
	return rule;
}

void pm_child_rules_clear(struct pm_child_rules *rules)
{
	free(rules->items);
	*rules = (struct pm_child_rules){ 0 };
}
