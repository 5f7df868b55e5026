/* SPDX-License-Identifier: MIT */
/*
 * Reads symbol tables, segments and build ID of a file with libelf, and keeps a copy of them in
 * which the symbols are sorted by address. libelf cannot search by address, and would need the file
 * to stay open.
 */
#include "symbols/elf_symbols.h"

#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/minmax.h"
#include "base/search.h"

static int compare(const void *left, const void *right)
{
	const struct pm_elf_symbol *a = left, *b = right;

	if (a->value != b->value)
		return a->value > b->value ? 1 : -1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? 1 : -1;
	/* Symbols with the same value and rank are sorted by descending place. The search
	 * returns the last symbol of them, which therefore comes first in the file. */
	return (a->place < b->place) - (a->place > b->place);
}

static void sort(struct pm_elf_symbols *symbols)
{
	if (symbols->count > 0)
		qsort(symbols->items, symbols->count, sizeof *symbols->items, compare);
}

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

/** Returns the size of thread-local data, rounded up; 0 if the size or the alignment is not valid.
 */
static uint64_t thread_local_size(const GElf_Phdr *header)
{
	uint64_t mask = pm_max(header->p_align, 1) - 1;
	if (header->p_memsz > UINT32_MAX || mask > UINT32_MAX || (mask & (mask + 1)) != 0)
		return 0;

	return (header->p_memsz + mask) & ~mask;
}

static int read_loads(Elf *elf, struct pm_elf_symbols *symbols, struct pm_error *error)
{
	size_t count;
	/* If a file has PN_XNUM or more program headers, their number is stored in a section
	 * header. Only core files have that many. */
	if (elf_getphdrnum(elf, &count) < 0 || count >= PN_XNUM)
		return 0;

	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(elf, (int)i, &header))
			break;
		if (header.p_type == PT_LOAD && add_load(symbols, &header, error) < 0)
			return -1;
		if (header.p_type == PT_TLS)
			symbols->thread_local_size = thread_local_size(&header);
	}

	return 0;
}

/**
 * Tests whether a symbol is a function, variable or label whose value is an address in the program,
 * or a thread-local variable.
 */
static bool is_place(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS ||
	    symbol->st_shndx == SHN_COMMON)
		return false;
	return type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE ||
	       type == STT_GNU_IFUNC || type == STT_TLS;
}

/* Parts of the rank of a symbol. */
enum { RANK_WEAK = 2, RANK_GLOBAL = 4 };

/**
 * Returns the rank of a symbol. A higher rank is preferred: a global symbol to a weak symbol, and a
 * weak symbol to a local symbol. Among symbols with the same binding, functions and variables are
 * preferred to labels.
 */
static uint32_t rank_of(const GElf_Sym *symbol)
{
	unsigned binding = GELF_ST_BIND(symbol->st_info);
	uint32_t rank = GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE;

	if (binding == STB_GLOBAL)
		rank += RANK_GLOBAL;
	else if (binding == STB_WEAK)
		rank += RANK_WEAK;

	return rank;
}

/**
 * Returns `reach` of a symbol. A symbol of unknown size may extend to the end of its section.
 * Returns 0 if the size is known, or if the symbol is not in a section: the linker defines such
 * symbols for the whole file.
 */
static uint32_t reach_of(Elf *elf, const GElf_Sym *symbol)
{
	GElf_Shdr section;
	if (symbol->st_size > 0 || GELF_ST_TYPE(symbol->st_info) == STT_TLS ||
	    !gelf_getshdr(elf_getscn(elf, symbol->st_shndx), &section))
		return 0;

	uint64_t into = symbol->st_value - section.sh_addr;
	if (symbol->st_value < section.sh_addr || into >= section.sh_size)
		return 0;
	return (uint32_t)pm_min(section.sh_size - into - 1, UINT32_MAX);
}

static int add_symbol(Elf *elf, struct pm_elf_symbols *symbols, const GElf_Sym *symbol,
                      size_t place, struct pm_error *error)
{
	if (pm_array_reserve(&symbols->items, &symbols->capacity, symbols->count, 1,
	                     sizeof *symbols->items, error) < 0)
		return -1;

	bool is_thread_local = GELF_ST_TYPE(symbol->st_info) == STT_TLS;
	if (symbol->st_value & PM_ELF_THREAD_LOCAL)
		return 0;

	symbols->items[symbols->count++] = (struct pm_elf_symbol){
		.value = symbol->st_value | (is_thread_local ? PM_ELF_THREAD_LOCAL : 0),
		.size = symbol->st_size,
		.name = symbol->st_name,
		.place = (uint32_t)place,
		.rank = rank_of(symbol),
		.reach = reach_of(elf, symbol),
	};

	return 0;
}

/**
 * Returns the contents of a section.
 * @param type  the required type of the section, SHT_...
 * @return      NULL if the section is empty, compressed, larger than PM_ELF_TABLE_MAX, or of
 *              another type
 */
static Elf_Data *section_data(Elf_Scn *section, GElf_Word type)
{
	GElf_Shdr header;
	if (!gelf_getshdr(section, &header) || header.sh_type != type ||
	    (header.sh_flags & SHF_COMPRESSED) || header.sh_size > PM_ELF_TABLE_MAX)
		return NULL;

	Elf_Data *data = elf_getdata(section, NULL);
	if (!data || !data->d_buf || data->d_size == 0)
		return NULL;
	return data;
}

/**
 * Copies the whole string table. Copies of single names could need more memory, because several
 * symbols can share a name, or the end of a name.
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
	Elf_Data *data = section_data(section, header->sh_type);
	Elf_Data *names = section_data(elf_getscn(elf, header->sh_link), SHT_STRTAB);

	if (!data || !names || header->sh_entsize == 0)
		return 0;
	if (keep_names(symbols, names, error) < 0)
		return -1;

	size_t count = header->sh_size / header->sh_entsize;
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

/** Reads the first symbol table of a type. If the file has no such table, no symbols are added. */
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

bool pm_elf_has_few_sections(int fd)
{
	unsigned char header[sizeof(Elf64_Ehdr)] = { 0 };
	if (pread(fd, header, sizeof header, 0) < EI_NIDENT)
		return false;

	size_t at = offsetof(Elf32_Ehdr, e_shnum);
	if (header[EI_CLASS] == ELFCLASS64)
		at = offsetof(Elf64_Ehdr, e_shnum);

	return header[at] != 0 || header[at + 1] != 0;
}

int pm_elf_symbols_read(int fd, struct pm_elf_symbols *symbols, struct pm_error *error)
{
	int status = 0;

	if (elf_version(EV_CURRENT) == EV_NONE || !pm_elf_has_few_sections(fd))
		return 0;

	/* ELF_C_READ reads the file and does not map it: if the file shrank concurrently, access
	 * to a mapping would cause SIGBUS. */
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
	sort(symbols);

	return status;
}

int pm_elf_symbols_read_loads(int fd, struct pm_elf_symbols *symbols, struct pm_error *error)
{
	int status = 0;

	if (elf_version(EV_CURRENT) == EV_NONE || !pm_elf_has_few_sections(fd))
		return 0;

	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		pm_build_id_find(elf, &symbols->id);
		status = read_loads(elf, symbols, error);
	}

	elf_end(elf);
	return status;
}

/**
 * Removes the reference to the section headers from an ELF header. Section headers are not part of
 * the image of a program in memory.
 * @return false if `head` does not start with an ELF header
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

/* Maximum number of symbols below an address that are searched for a symbol that contains the
 * address. In real programs, symbols that contain other symbols do not need more. */
enum { STEPS_BACK_MAX = 64 };

/* Number that is added to the `place` of each symbol of a second file. The sum is higher than
 * the `place` of every symbol of the first file. */
enum { SECOND_FILE = PM_ELF_TABLE_MAX };

/* Maximum page size in bytes (64-bit ARM). The mapping of a segment starts at a page boundary,
 * so it can start up to a page before the segment. */
enum { PAGE_SIZE_MAX = 65536 };

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
		item->place += SECOND_FILE;
	}

	symbols->whole |= other->whole;
	sort(symbols);

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

	if (below == 0)
		return NULL;

	const struct pm_elf_symbol *nearest = &symbols->items[below - 1];
	if (nearest->size == 0 && value - nearest->value <= nearest->reach)
		return nearest;

	return NULL;
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
		bool is_mapped = mapped >= load->offset - load->offset % PAGE_SIZE_MAX &&
		                 mapped < load->offset + load->file_size;
		if (!is_mapped || offset < load->offset || into < load->file_size ||
		    into >= load->memory_size)
			continue;
		*value = load->address + into;
		return true;
	}

	return false;
}

bool pm_elf_symbol_is_local(const struct pm_elf_symbol *symbol)
{
	return symbol->rank < RANK_WEAK;
}

const struct pm_elf_symbol *pm_elf_symbols_thread_local_at(const struct pm_elf_symbols *symbols,
                                                           uint64_t offset)
{
	const struct pm_elf_symbol *found = pm_elf_symbols_at(symbols,
	                                                      offset | PM_ELF_THREAD_LOCAL);
	return found && found->value & PM_ELF_THREAD_LOCAL ? found : NULL;
}
