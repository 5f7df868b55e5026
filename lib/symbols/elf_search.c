/* SPDX-License-Identifier: MIT */
#include "symbols/elf_search.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* How many symbols below an address are asked whether they reach it: functions do not nest deeper.
 */
enum { STEPS_BACK_MAX = 64 };

/* Symbols that are added come behind all that a table can have. */
enum { BEHIND = PM_ELF_TABLE_MAX };

/* The mapping of a segment begins at a page, which may lie before the segment: pages of this size
 * exist (arm64). */
enum { ALIGNED_MAX = 65536 };

static int compare(const void *left, const void *right)
{
	const struct pm_elf_symbol *a = left, *b = right;
	if (a->value != b->value)
		return a->value > b->value ? 1 : -1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? 1 : -1;
	/* Of equals the first in the file is the last here, which is the one that is found. */
	return (a->place < b->place) - (a->place > b->place);
}

void pm_elf_symbols_sort(struct pm_elf_symbols *symbols)
{
	if (symbols->count > 0)
		qsort(symbols->items, symbols->count, sizeof *symbols->items, compare);
}

int pm_elf_symbols_add(struct pm_elf_symbols *symbols, const struct pm_elf_symbols *other,
                       struct pm_error *error)
{
	size_t names = symbols->names_size;
	if (names > PM_ELF_TABLE_MAX + 1 || other->count == 0)
		return 0;

	char *grown = realloc(symbols->names, names + other->names_size);
	if (!grown)
		return pm_error_out_of_memory(error);

	memcpy(grown + names, other->names, other->names_size);
	symbols->names = grown;
	symbols->names_size += other->names_size;
	if (pm_array_reserve(&symbols->items, &symbols->capacity, symbols->count, other->count,
	                     sizeof *symbols->items, error) < 0)
		return -1;

	for (size_t i = 0; i < other->count; i++) {
		struct pm_elf_symbol *item = &symbols->items[symbols->count++];
		*item = other->items[i];
		item->name += (uint32_t)names;
		item->place += BEHIND;
	}

	symbols->whole |= other->whole;
	pm_elf_symbols_sort(symbols);

	return 0;
}

void pm_elf_symbols_deinit(struct pm_elf_symbols *symbols)
{
	free(symbols->items);
	free(symbols->names);
	free(symbols->loads);
	*symbols = (struct pm_elf_symbols){ 0 };
}

const struct pm_elf_symbol *pm_elf_symbols_at(const struct pm_elf_symbols *symbols, uint64_t value)
{
	size_t below = pm_first_above(symbols->items, symbols->count, sizeof *symbols->items,
	                              offsetof(struct pm_elf_symbol, value), value);
	for (size_t steps = 0; steps < STEPS_BACK_MAX && steps < below; steps++) {
		const struct pm_elf_symbol *symbol = &symbols->items[below - 1 - steps];
		if (value - symbol->value < symbol->size)
			return symbol;
	}

	const struct pm_elf_symbol *nearest = below > 0 ? &symbols->items[below - 1] : NULL;
	return nearest && nearest->size == 0 && value - nearest->value <= nearest->reach ? nearest
	                                                                                 : NULL;
}

bool pm_elf_symbols_address(const struct pm_elf_symbols *symbols, uint64_t offset, uint64_t *value)
{
	for (size_t i = 0; i < symbols->load_count; i++) {
		const struct pm_elf_load *load = &symbols->loads[i];
		if (offset < load->offset || offset - load->offset >= load->file_size)
			continue;
		*value = load->address + (offset - load->offset);
		return true;
	}
	return false;
}

bool pm_elf_symbols_zeroed_address(const struct pm_elf_symbols *symbols, uint64_t mapped,
                                   uint64_t offset, uint64_t *value)
{
	for (size_t i = 0; i < symbols->load_count; i++) {
		const struct pm_elf_load *load = &symbols->loads[i];
		uint64_t into = offset - load->offset;
		bool is_mapped = mapped >= load->offset - load->offset % ALIGNED_MAX &&
		                 mapped < load->offset + load->file_size;
		if (!is_mapped || offset < load->offset || into < load->file_size ||
		    into >= load->memory_size)
			continue;
		*value = load->address + into;
		return true;
	}

	return false;
}
