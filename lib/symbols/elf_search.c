/* SPDX-License-Identifier: MIT */
/*
 * The tables of a large program have hundreds of megabytes. So they are read in blocks, and not
 * kept: first the string table, in which each place of a wanted name is noted, then the symbols,
 * of which those are kept whose name is at such a place.
 */
#include "symbols/elf_search.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/minmax.h"
#include "symbols/elf_symbols.h"

enum {
	BLOCK = 256 << 10,
	/* Longer names are not found. */
	NAME_MAX_SIZE = 256,
	/* Places where names can start. Linkers store a name once, or as the end of others. */
	PLACES_MAX = 4096,
	BITS = 1 << 16,
};

/** Where a name is in the string table. */
struct place {
	uint32_t offset;
	uint32_t name; /* index of the value */
};

/** What is known while the tables of a file are read. */
struct state {
	const struct pm_elf_search *search;
	int fd;
	size_t lengths[PM_SYMBOL_VALUES_MAX]; /* of the names */
	unsigned char ends[BITS / 8];         /* by the last two bytes of the names */
	unsigned char offsets[BITS / 8];      /* by the low bits of the offsets of places */
	struct place places[PLACES_MAX];
	size_t place_count;
	unsigned char bytes[NAME_MAX_SIZE + BLOCK];
};

static void set_bit(unsigned char *bits, uint32_t bit)
{
	bits[bit % BITS / 8] |= (unsigned char)(1U << bit % 8);
}

static bool has_bit(const unsigned char *bits, uint32_t bit)
{
	return bits[bit % BITS / 8] >> bit % 8 & 1;
}

/** Returns the last two bytes before an address as a number. */
static uint32_t end_at(const unsigned char *end)
{
	return (uint32_t)end[-1] << 8 | end[-2];
}

static void prepare(struct state *state)
{
	for (size_t i = 0; i < state->search->count; i++) {
		const char *name = state->search->values[i].name;
		size_t length = strlen(name);

		state->lengths[i] = 0;
		if (length < 2 || length >= NAME_MAX_SIZE)
			continue;
		state->lengths[i] = length;
		set_bit(state->ends, end_at((const unsigned char *)name + length));
	}
}

static bool is_late(const struct state *state)
{
	return pm_clock_ns(CLOCK_MONOTONIC) >= state->search->deadline_ns;
}

/**
 * Notes the names that end at a NUL.
 *
 * @param end     address of the NUL
 * @param before  number of bytes before it that were read
 * @param offset  its offset in the string table
 */
static void add_places(struct state *state, const unsigned char *end, size_t before,
                       uint64_t offset)
{
	if (before < 2 || !has_bit(state->ends, end_at(end)))
		return;

	for (size_t i = 0; i < state->search->count; i++) {
		size_t length = state->lengths[i];

		if (length == 0 || length > before || state->place_count == PLACES_MAX ||
		    memcmp(end - length, state->search->values[i].name, length) != 0)
			continue;

		uint32_t start = (uint32_t)(offset - length);
		state->places[state->place_count++] = (struct place){ start, (uint32_t)i };
		set_bit(state->offsets, start);
	}
}

/** Finds the places of the names in a string table. The end of a block is kept for the next one. */
static void read_strings(struct state *state, const GElf_Shdr *header)
{
	size_t kept = 0;

	for (uint64_t at = 0; at < header->sh_size && !is_late(state);) {
		size_t wanted = (size_t)pm_min(header->sh_size - at, BLOCK);
		ssize_t got = pm_pread(state->fd, state->bytes + kept, wanted,
		                       header->sh_offset + at);
		if (got <= 0)
			return;

		const unsigned char *from = state->bytes + kept, *end = from + got;
		for (const unsigned char *nul; (nul = memchr(from, '\0', (size_t)(end - from)));
		     from = nul + 1)
			add_places(state, nul, (size_t)(nul - state->bytes),
			           at + (size_t)(nul - state->bytes) - kept);

		at += (uint64_t)got;
		size_t left = pm_min_size(kept + (size_t)got, NAME_MAX_SIZE);
		memmove(state->bytes, end - left, left);
		kept = left;
	}
}

/** Returns whether a symbol is defined in the file, and of a type that is wanted. */
static bool is_wanted(const struct state *state, unsigned info, unsigned section)
{
	unsigned type = ELF64_ST_TYPE(info);

	if (section == SHN_UNDEF || section == SHN_ABS || section == SHN_COMMON)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return !state->search->functions && (type == STT_OBJECT || type == STT_NOTYPE);
}

static void add_symbol(const struct state *state, const Elf64_Sym *symbol)
{
	if (!has_bit(state->offsets, symbol->st_name) ||
	    !is_wanted(state, symbol->st_info, symbol->st_shndx))
		return;

	for (size_t i = 0; i < state->place_count; i++) {
		struct pm_symbol_value *value = &state->search->values[state->places[i].name];

		if (state->places[i].offset != symbol->st_name || value->address != 0)
			continue;
		value->address = symbol->st_value;
		value->size = symbol->st_size;
	}
}

/** Copies a symbol of either class. */
static Elf64_Sym symbol_at(const unsigned char *bytes, size_t size)
{
	Elf64_Sym wide;
	Elf32_Sym narrow;

	if (size == sizeof wide) {
		memcpy(&wide, bytes, sizeof wide);
		return wide;
	}

	memcpy(&narrow, bytes, sizeof narrow);
	return (Elf64_Sym){ .st_name = narrow.st_name,
		            .st_info = narrow.st_info,
		            .st_shndx = narrow.st_shndx,
		            .st_value = narrow.st_value,
		            .st_size = narrow.st_size };
}

/** Finds the symbols whose names are at the places that were noted. */
static void read_symbols(struct state *state, const GElf_Shdr *header)
{
	const size_t size = (size_t)header->sh_entsize;

	for (uint64_t at = 0; at + size <= header->sh_size && !is_late(state);) {
		size_t wanted = (size_t)pm_min(header->sh_size - at, BLOCK) / size * size;
		ssize_t got = pm_pread(state->fd, state->bytes, wanted, header->sh_offset + at);
		if (got < (ssize_t)size)
			return;

		size_t whole = (size_t)got / size * size;
		for (size_t i = 0; i < whole; i += size) {
			Elf64_Sym symbol = symbol_at(state->bytes + i, size);
			add_symbol(state, &symbol);
		}
		at += whole;
	}
}

/** Returns whether the content of a section can be read: it is in the file, and not too large. */
static bool get_header(Elf_Scn *section, GElf_Word type, GElf_Shdr *header)
{
	return gelf_getshdr(section, header) && header->sh_type == type &&
	       !(header->sh_flags & SHF_COMPRESSED) && header->sh_size <= PM_ELF_TABLE_MAX;
}

static void search_table(struct state *state, Elf *elf, Elf_Scn *section)
{
	const size_t size = gelf_getclass(elf) == ELFCLASS64 ? sizeof(Elf64_Sym)
	                                                     : sizeof(Elf32_Sym);
	GElf_Shdr symbols, strings;

	if (!gelf_getshdr(section, &symbols) || symbols.sh_entsize != size ||
	    !get_header(section, symbols.sh_type, &symbols) ||
	    !get_header(elf_getscn(elf, symbols.sh_link), SHT_STRTAB, &strings))
		return;

	state->place_count = 0;
	memset(state->offsets, 0, sizeof state->offsets);
	read_strings(state, &strings);
	if (state->place_count > 0)
		read_symbols(state, &symbols);
}

/** Returns the first section of a type; NULL if there is none. */
static Elf_Scn *first_of(Elf *elf, GElf_Word type)
{
	GElf_Shdr header;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			return section;
	return NULL;
}

/** Returns whether a file is an ELF file whose numbers have the byte order of this machine. */
static bool is_readable(Elf *elf)
{
	const uint16_t one = 1;
	unsigned char low;
	GElf_Ehdr header;

	memcpy(&low, &one, 1);
	return elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
	       header.e_ident[EI_DATA] == (low ? ELFDATA2LSB : ELFDATA2MSB);
}

bool pm_elf_search(int fd, const struct pm_elf_search *search)
{
	static const GElf_Word types[] = { SHT_SYMTAB, SHT_DYNSYM };
	bool whole = false;

	if (search->count > PM_SYMBOL_VALUES_MAX || elf_version(EV_CURRENT) == EV_NONE ||
	    !pm_elf_has_few_sections(fd))
		return false;

	/* ELF_C_READ does not map the file: see pm_elf_symbols_read(). */
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	struct state *state = is_readable(elf) ? calloc(1, sizeof *state) : NULL;

	if (state) {
		state->search = search;
		state->fd = fd;
		prepare(state);
		whole = first_of(elf, SHT_SYMTAB) != NULL;
	}
	for (size_t i = 0; state && i < sizeof types / sizeof types[0]; i++) {
		Elf_Scn *section = first_of(elf, types[i]);
		if (section)
			search_table(state, elf, section);
	}

	free(state);
	elf_end(elf);
	return whole;
}
