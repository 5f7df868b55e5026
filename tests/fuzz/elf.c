/* SPDX-License-Identifier: MIT */
/*
 * Files that a target has mapped: the layout in their first bytes, and their symbols, with any
 * content.
 */
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "kinds/elf_layout.h"
#include "symbols/elf_search.h"
#include "symbols/elf_section.h"
#include "symbols/elf_symbols.h"

enum { PAGE = 4096 };

static void check_layout(const uint8_t *data, size_t size)
{
	struct pm_elf_layout layout;
	uint64_t bias;

	if (!pm_elf_parse(data, size < PM_ELF_HEAD_SIZE ? size : PM_ELF_HEAD_SIZE, &layout))
		return;

	fuzz_check(layout.word_size == 4 || layout.word_size == 8);
	fuzz_check(layout.segment_count <= PM_ELF_SEGMENTS &&
	           layout.relro_start <= layout.relro_end);

	uint64_t end = pm_elf_end(&layout, PAGE);
	for (size_t i = 0; i < layout.segment_count; i++) {
		const struct pm_elf_segment *segment = &layout.segments[i];
		fuzz_check(segment->address + segment->memory_size > segment->address &&
		           segment->address + segment->memory_size <= end);
		fuzz_check(segment->file_size <= segment->memory_size);
		fuzz_check(pm_elf_segment_at(&layout, segment->address, PAGE) != NULL);
	}

	fuzz_check(pm_elf_segment_at(&layout, end, PAGE) == NULL);
	if (pm_elf_bias(&layout, UINT64_MAX, &bias))
		fuzz_check(layout.segment_count > 0);
}

static void check_symbol(const struct pm_elf_symbols *symbols, uint64_t value)
{
	const struct pm_elf_symbol *symbol = pm_elf_symbols_at(symbols, value);
	if (!symbol)
		return;

	fuzz_check(symbol->value <= value &&
	           (symbol->size == 0 || value - symbol->value < symbol->size));
	fuzz_check(symbol->name < symbols->names_size);

	size_t length = strlen(symbols->names + symbol->name);
	fuzz_check(length > 0 && length < symbols->names_size - symbol->name);
}

static void check_load(const struct pm_elf_symbols *symbols, const struct pm_elf_load *load)
{
	uint64_t value;
	if (pm_elf_symbols_address(symbols, load->offset, &value))
		check_symbol(symbols, value);
	if (pm_elf_symbols_zeroed_address(symbols, load->offset, load->offset + load->file_size,
	                                  &value))
		check_symbol(symbols, value);
}

/** Memory of a program, which can end anywhere. */
static void check_head(const uint8_t *data, size_t size)
{
	struct pm_elf_symbols symbols = { 0 };
	char *head = malloc(size + 1);
	fuzz_check(head != NULL);
	memcpy(head, data, size);
	fuzz_check(pm_elf_symbols_read_head(head, size, &symbols, NULL) == 0);
	fuzz_check(symbols.count == 0 && symbols.id.size <= PM_BUILD_ID_MAX);
	pm_elf_symbols_deinit(&symbols);
	free(head);
}

/** Names and sections, which are read in parts. */
static void check_search(const uint8_t *data, size_t size)
{
	struct pm_symbol_value values[] = { { .name = "main" }, { .name = "in" } };
	const struct pm_elf_search search = { values, 2, false, UINT64_MAX };
	struct pm_elf_section sections[] = { { .name = ".text", .max = 16 },
		                             { .name = ".debug_info", .max = 1 << 16 } };

	pm_elf_search(fuzz_file(data, size), &search);
	pm_elf_sections_read(fuzz_file(data, size), sections, 2);
	for (size_t i = 0; i < 2; i++)
		fuzz_check(sections[i].size <= sections[i].max);
	pm_elf_sections_free(sections, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pm_elf_symbols symbols = { 0 };
	struct pm_error error = { 0 };

	check_layout(data, size);
	check_head(data, size);
	check_search(data, size);
	fuzz_check(pm_elf_symbols_read(fuzz_file(data, size), &symbols, &error) == 0);

	for (size_t i = 0; i < symbols.count; i++) {
		fuzz_check(i == 0 || symbols.items[i - 1].value <= symbols.items[i].value);
		check_symbol(&symbols, symbols.items[i].value);
		check_symbol(&symbols, symbols.items[i].value + symbols.items[i].size);
	}

	check_symbol(&symbols, 0);
	check_symbol(&symbols, UINT64_MAX);
	for (size_t i = 0; i < symbols.load_count; i++)
		check_load(&symbols, &symbols.loads[i]);

	pm_elf_symbols_deinit(&symbols);
	return 0;
}
