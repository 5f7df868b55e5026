/* SPDX-License-Identifier: MIT */
#include "symbols/elf_symbols.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* How many symbols below an address are asked whether they reach it: functions do not nest deeper. */
enum { MOST_STEPS_BACK = 64 };

/* The mapping of a segment begins at a page, which may lie before the segment: pages of this size exist (arm64). */
enum { MOST_ALIGNED = 65536 };

static int add_load(struct pm_elf_symbols *symbols, const GElf_Phdr *header, struct pm_error *error)
{
	if (pm_array_reserve(&symbols->loads, &symbols->load_capacity, symbols->load_count, 1, sizeof *symbols->loads, error) < 0)
		return -1;
	symbols->loads[symbols->load_count++] = (struct pm_elf_load){
		.address = header->p_vaddr,
		.offset = header->p_offset,
		.file_size = header->p_filesz,
		.memory_size = header->p_memsz,
	};
	return 0;
}

static int read_loads(Elf *elf, struct pm_elf_symbols *symbols, struct pm_error *error)
{
	size_t count;
	if (elf_getphdrnum(elf, &count) < 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(elf, (int)i, &header))
			break;
		if (header.p_type == PT_LOAD && add_load(symbols, &header, error) < 0)
			return -1;
	}
	return 0;
}

/** Whether a symbol names a place in the program. */
static bool is_place(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS || symbol->st_shndx == SHN_COMMON)
		return false;
	return type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE || type == STT_GNU_IFUNC;
}

/** Those that programs link by are better known than those within a file, and things than mere labels. */
static unsigned rank_of(const GElf_Sym *symbol)
{
	unsigned binding = GELF_ST_BIND(symbol->st_info);
	unsigned known = binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0;
	return known * 2 + (GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE);
}

static int add_symbol(struct pm_elf_symbols *symbols, const GElf_Sym *symbol, const char *name, struct pm_error *error)
{
	size_t size = strlen(name) + 1;
	if (pm_array_reserve(&symbols->items, &symbols->capacity, symbols->count, 1, sizeof *symbols->items, error) < 0 ||
	    pm_array_reserve(&symbols->names, &symbols->names_capacity, symbols->names_size, size, 1, error) < 0)
		return -1;
	memcpy(symbols->names + symbols->names_size, name, size);
	symbols->items[symbols->count++] = (struct pm_elf_symbol){
		.value = symbol->st_value,
		.size = symbol->st_size,
		.name = symbols->names_size,
		.rank = rank_of(symbol),
	};
	symbols->names_size += size;
	return 0;
}

static int read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct pm_elf_symbols *symbols, struct pm_error *error)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol))
			break;
		const char *name = is_place(&symbol) ? elf_strptr(elf, header->sh_link, symbol.st_name) : NULL;
		if (name && *name && add_symbol(symbols, &symbol, name, error) < 0)
			return -1;
	}
	return 0;
}

/** Reads the tables of a type. */
static int read_tables(Elf *elf, GElf_Word type, struct pm_elf_symbols *symbols, struct pm_error *error)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) && header.sh_type == type && read_table(elf, section, &header, symbols, error) < 0)
			return -1;
	}
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct pm_elf_symbol *a = left, *b = right;
	if (a->value != b->value)
		return a->value > b->value ? 1 : -1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? 1 : -1;
	/* Of equals the first in the file is the last here, which is the one that is found. */
	return (a->name < b->name) - (a->name > b->name);
}

int pm_elf_symbols_read(int fd, struct pm_elf_symbols *symbols, struct pm_error *error)
{
	int status = 0;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return 0;
	/* Not mapped: a file that shrinks meanwhile must not be the end of us (SIGBUS). */
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		status = read_loads(elf, symbols, error);
		if (status == 0)
			status = read_tables(elf, SHT_SYMTAB, symbols, error);
		if (status == 0 && symbols->count == 0)
			status = read_tables(elf, SHT_DYNSYM, symbols, error);
	}
	elf_end(elf);
	if (symbols->count > 0)
		qsort(symbols->items, symbols->count, sizeof *symbols->items, compare);
	return status;
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
	size_t below = 0, above = symbols->count;
	while (below < above) {
		size_t middle = below + (above - below) / 2;
		if (symbols->items[middle].value <= value)
			below = middle + 1;
		else
			above = middle;
	}
	for (size_t steps = 0; steps < MOST_STEPS_BACK && steps < below; steps++) {
		const struct pm_elf_symbol *symbol = &symbols->items[below - 1 - steps];
		if (value - symbol->value < symbol->size)
			return symbol;
	}
	const struct pm_elf_symbol *nearest = below > 0 ? &symbols->items[below - 1] : NULL;
	return nearest && nearest->size == 0 ? nearest : NULL;
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

bool pm_elf_symbols_zeroed_address(const struct pm_elf_symbols *symbols, uint64_t mapped, uint64_t offset, uint64_t *value)
{
	for (size_t i = 0; i < symbols->load_count; i++) {
		const struct pm_elf_load *load = &symbols->loads[i];
		uint64_t into = offset - load->offset;
		bool is_mapped = mapped >= load->offset - load->offset % MOST_ALIGNED && mapped < load->offset + load->file_size;
		if (!is_mapped || offset < load->offset || into < load->file_size || into >= load->memory_size)
			continue;
		*value = load->address + into;
		return true;
	}
	return false;
}
