/* SPDX-License-Identifier: MIT */
#include "symbols/elf_symbols.h"

#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/search.h"

/* How many symbols below an address are asked whether they reach it: functions do not nest deeper. */
enum { MOST_STEPS_BACK = 64 };

/*
 * What a hostile file may cost: a table larger than this is not read (programs of a gigabyte have symbols of a tenth of it; a file may be sparse), and of each
 * sort only the first, for there is no other (elf(5)): thousands of sections could share one table.
 */
enum { MOST_TABLE = 512 << 20 };

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
	/* More than this stands in a section header, which only core files have. */
	if (elf_getphdrnum(elf, &count) < 0 || count >= PN_XNUM)
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

static int add_symbol(struct pm_elf_symbols *symbols, const GElf_Sym *symbol, size_t place, struct pm_error *error)
{
	if (pm_array_reserve(&symbols->items, &symbols->capacity, symbols->count, 1, sizeof *symbols->items, error) < 0)
		return -1;
	symbols->items[symbols->count++] = (struct pm_elf_symbol){
		.value = symbol->st_value,
		.size = symbol->st_size,
		.name = symbol->st_name,
		.place = (uint32_t)place,
		.rank = rank_of(symbol),
	};
	return 0;
}

/** The bytes of a section. @return NULL where there are none, or too many */
static Elf_Data *section_data(Elf_Scn *section, GElf_Word type)
{
	GElf_Shdr header;
	if (!gelf_getshdr(section, &header) || header.sh_type != type || (header.sh_flags & SHF_COMPRESSED) || header.sh_size > MOST_TABLE)
		return NULL;
	Elf_Data *data = elf_getdata(section, NULL);
	return data && data->d_buf && data->d_size > 0 ? data : NULL;
}

/** Keeps a whole table of names: each symbol may have the same long one, or the end of another's. */
static int keep_names(struct pm_elf_symbols *symbols, const Elf_Data *names, struct pm_error *error)
{
	free(symbols->names);
	symbols->names = malloc(names->d_size + 1);
	if (!symbols->names)
		return pm_error_out_of_memory(error);
	memcpy(symbols->names, names->d_buf, names->d_size);
	symbols->names[names->d_size] = '\0';
	symbols->names_size = names->d_size + 1;
	return 0;
}

static int read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct pm_elf_symbols *symbols, struct pm_error *error)
{
	Elf_Data *data = section_data(section, header->sh_type), *names = section_data(elf_getscn(elf, header->sh_link), SHT_STRTAB);
	if (!data || !names)
		return 0;
	if (keep_names(symbols, names, error) < 0)
		return -1;
	size_t count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol))
			break;
		bool has_name = symbol.st_name < symbols->names_size && symbols->names[symbol.st_name];
		if (has_name && is_place(&symbol) && add_symbol(symbols, &symbol, i, error) < 0)
			return -1;
	}
	return 0;
}

/** Reads the first table of a type. */
static int read_first_table(Elf *elf, GElf_Word type, struct pm_elf_symbols *symbols, struct pm_error *error)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			return read_table(elf, section, &header, symbols, error);
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
	return (a->place < b->place) - (a->place > b->place);
}

/** Whether the number of sections stands in the ELF header: no program has the 65,280 from which on it does not, and it has no bound then. */
static bool has_few_sections(int fd)
{
	unsigned char header[sizeof(Elf64_Ehdr)] = { 0 };
	if (pread(fd, header, sizeof header, 0) < EI_NIDENT)
		return false;
	const unsigned char *count = header + (header[EI_CLASS] == ELFCLASS64 ? offsetof(Elf64_Ehdr, e_shnum) : offsetof(Elf32_Ehdr, e_shnum));
	return count[0] != 0 || count[1] != 0;
}

int pm_elf_symbols_read(int fd, struct pm_elf_symbols *symbols, struct pm_error *error)
{
	int status = 0;
	if (elf_version(EV_CURRENT) == EV_NONE || !has_few_sections(fd))
		return 0;
	/* Not mapped: a file that shrinks meanwhile must not be the end of us (SIGBUS). */
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		status = read_loads(elf, symbols, error);
		if (status == 0)
			status = read_first_table(elf, SHT_SYMTAB, symbols, error);
		if (status == 0 && symbols->count == 0)
			status = read_first_table(elf, SHT_DYNSYM, symbols, error);
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
	size_t below = pm_first_above(symbols->items, symbols->count, sizeof *symbols->items, offsetof(struct pm_elf_symbol, value), value);
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
