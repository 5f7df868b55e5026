/* SPDX-License-Identifier: MIT */
#include "symbols/elf_symbols.h"

#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "symbols/elf_search.h"

static int add_load(struct pm_elf_symbols *symbols, const GElf_Phdr *header, struct pm_error *error)
{
	if (pm_array_reserve(&symbols->loads, &symbols->load_capacity, symbols->load_count, 1,
	                     sizeof *symbols->loads, error) < 0)
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
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS ||
	    symbol->st_shndx == SHN_COMMON)
		return false;
	return type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE ||
	       type == STT_GNU_IFUNC;
}

/**
 * Those that programs link by are better known than those within a file, and things than mere
 * labels.
 */
static uint32_t rank_of(const GElf_Sym *symbol)
{
	unsigned binding = GELF_ST_BIND(symbol->st_info);
	uint32_t known = binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0;
	return known * 2 + (GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE);
}

/**
 * How far a symbol of unknown size may reach. Those that linkers make for the file as a whole lie
 * in no section: no further than themselves.
 */
static uint32_t reach_of(Elf *elf, const GElf_Sym *symbol)
{
	GElf_Shdr section;
	if (symbol->st_size > 0 || !gelf_getshdr(elf_getscn(elf, symbol->st_shndx), &section))
		return 0;

	uint64_t into = symbol->st_value - section.sh_addr;
	if (symbol->st_value < section.sh_addr || into >= section.sh_size)
		return 0;
	return section.sh_size - into - 1 < UINT32_MAX ? (uint32_t)(section.sh_size - into - 1)
	                                               : UINT32_MAX;
}

static int add_symbol(Elf *elf, struct pm_elf_symbols *symbols, const GElf_Sym *symbol,
                      size_t place, struct pm_error *error)
{
	if (pm_array_reserve(&symbols->items, &symbols->capacity, symbols->count, 1,
	                     sizeof *symbols->items, error) < 0)
		return -1;

	symbols->items[symbols->count++] = (struct pm_elf_symbol){
		.value = symbol->st_value,
		.size = symbol->st_size,
		.name = symbol->st_name,
		.place = (uint32_t)place,
		.rank = rank_of(symbol),
		.reach = reach_of(elf, symbol),
	};

	return 0;
}

/**
 * The bytes of a section.
 * @return NULL where there are none, or too many
 */
static Elf_Data *section_data(Elf_Scn *section, GElf_Word type)
{
	GElf_Shdr header;
	if (!gelf_getshdr(section, &header) || header.sh_type != type ||
	    (header.sh_flags & SHF_COMPRESSED) || header.sh_size > PM_ELF_TABLE_MAX)
		return NULL;
	Elf_Data *data = elf_getdata(section, NULL);
	return data && data->d_buf && data->d_size > 0 ? data : NULL;
}

/**
 * Keeps a whole table of names: each symbol may have the same long one, or the end of another's.
 */
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

static int read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                      struct pm_elf_symbols *symbols, struct pm_error *error)
{
	Elf_Data *data = section_data(section, header->sh_type),
		 *names = section_data(elf_getscn(elf, header->sh_link), SHT_STRTAB);
	if (!data || !names)
		return 0;

	if (keep_names(symbols, names, error) < 0)
		return -1;

	size_t count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol))
			break;
		bool has_name = symbol.st_name < symbols->names_size &&
		                symbols->names[symbol.st_name];
		if (has_name && is_place(&symbol) &&
		    add_symbol(elf, symbols, &symbol, i, error) < 0)
			return -1;
	}

	return 0;
}

/** Reads the first table of a type. */
static int read_first_table(Elf *elf, GElf_Word type, struct pm_elf_symbols *symbols,
                            struct pm_error *error)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			return read_table(elf, section, &header, symbols, error);
	}
	return 0;
}

/**
 * Whether the number of sections stands in the ELF header: no program has the 65,280 from which on
 * it does not, and it has no bound then.
 */
static bool has_few_sections(int fd)
{
	unsigned char header[sizeof(Elf64_Ehdr)] = { 0 };
	if (pread(fd, header, sizeof header, 0) < EI_NIDENT)
		return false;

	const unsigned char *count = header + (header[EI_CLASS] == ELFCLASS64
	                                               ? offsetof(Elf64_Ehdr, e_shnum)
	                                               : offsetof(Elf32_Ehdr, e_shnum));
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
		pm_build_id_find(elf, &symbols->id);
		status = read_loads(elf, symbols, error);
		if (status == 0)
			status = read_first_table(elf, SHT_SYMTAB, symbols, error);
		symbols->whole = symbols->count > 0;
		if (status == 0 && symbols->count == 0)
			status = read_first_table(elf, SHT_DYNSYM, symbols, error);
	}

	elf_end(elf);
	pm_elf_symbols_sort(symbols);

	return status;
}

/**
 * Takes the sections out of an ELF header: what is in memory has none.
 * @return false where it is no such header
 */
static bool forget_sections(char *head, size_t size)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	if (size < sizeof wide || memcmp(head, ELFMAG, SELFMAG) != 0)
		return false;

	if (head[EI_CLASS] == ELFCLASS64) {
		memcpy(&wide, head, sizeof wide);
		wide.e_shoff = 0;
		wide.e_shnum = wide.e_shstrndx = 0;
		memcpy(head, &wide, sizeof wide);
	} else {
		memcpy(&narrow, head, sizeof narrow);
		narrow.e_shoff = 0;
		narrow.e_shnum = narrow.e_shstrndx = 0;
		memcpy(head, &narrow, sizeof narrow);
	}

	return true;
}

int pm_elf_symbols_read_head(char *head, size_t size, struct pm_elf_symbols *symbols,
                             struct pm_error *error)
{
	int status = 0;
	if (elf_version(EV_CURRENT) == EV_NONE || !forget_sections(head, size))
		return 0;

	Elf *elf = elf_memory(head, size);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		pm_build_id_find(elf, &symbols->id);
		status = read_loads(elf, symbols, error);
	}

	elf_end(elf);
	return status;
}
