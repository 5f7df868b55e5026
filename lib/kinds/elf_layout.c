/* SPDX-License-Identifier: MIT */
#include "kinds/elf_layout.h"

#include <elf.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { OUR_BYTE_ORDER = ELFDATA2LSB };
#else
enum { OUR_BYTE_ORDER = ELFDATA2MSB };
#endif

/** A program header of a 64-bit or 32-bit ELF file. */
struct program_header {
	uint32_t type;
	struct pm_elf_segment segment;
};

/** Location of the program headers: offset and entry size in bytes, number of entries. */
struct table {
	uint64_t offset;
	size_t entry_size;
	size_t count;
};

static struct program_header read_wide(const char *bytes)
{
	Elf64_Phdr header;
	memcpy(&header, bytes, sizeof header);
	return (struct program_header){ header.p_type,
		                        { header.p_vaddr, header.p_offset, header.p_filesz,
		                          header.p_memsz, header.p_flags } };
}

static struct program_header read_narrow(const char *bytes)
{
	Elf32_Phdr header;
	memcpy(&header, bytes, sizeof header);
	return (struct program_header){ header.p_type,
		                        { header.p_vaddr, header.p_offset, header.p_filesz,
		                          header.p_memsz, header.p_flags } };
}

/**
 * Returns whether the numbers of a segment are plausible, and so small that their sums do not
 * overflow. The file may be hostile.
 */
static bool is_sane(const struct pm_elf_segment *segment)
{
	const uint64_t max = UINT64_C(1) << 62;

	return segment->address < max && segment->memory_size < max && segment->offset < max &&
	       segment->file_size <= segment->memory_size;
}

static bool read_segments(const char *bytes, size_t size, const struct table *table,
                          struct pm_elf_layout *layout)
{
	bool wide = layout->word_size == 8;
	size_t known = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	if (table->entry_size < known || table->offset > size ||
	    table->count > (size - table->offset) / table->entry_size)
		return false;

	size_t found = 0;
	for (size_t i = 0; i < table->count; i++) {
		const char *at = bytes + table->offset + i * table->entry_size;
		struct program_header header = wide ? read_wide(at) : read_narrow(at);
		if ((header.type != PT_LOAD && header.type != PT_GNU_RELRO) ||
		    header.segment.memory_size == 0)
			continue;
		if (!is_sane(&header.segment))
			return false;

		if (header.type == PT_GNU_RELRO) {
			layout->relro_start = header.segment.address;
			layout->relro_end = header.segment.address + header.segment.memory_size;
		} else if (found == PM_ELF_SEGMENTS) {
			return false;
		} else {
			layout->segments[found++] = header.segment;
		}
	}

	layout->segment_count = (uint8_t)found;
	return true;
}

bool pm_elf_parse(const void *head, size_t size, struct pm_elf_layout *layout)
{
	const char *bytes = head;
	if (size < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
	    bytes[EI_DATA] != OUR_BYTE_ORDER)
		return false;

	*layout = (struct pm_elf_layout){ 0 };
	struct table table = { 0 };
	if (bytes[EI_CLASS] == ELFCLASS64 && size >= sizeof(Elf64_Ehdr)) {
		Elf64_Ehdr header;
		memcpy(&header, bytes, sizeof header);
		layout->word_size = 8;
		table = (struct table){ header.e_phoff, header.e_phentsize, header.e_phnum };
	} else if (bytes[EI_CLASS] == ELFCLASS32 && size >= sizeof(Elf32_Ehdr)) {
		Elf32_Ehdr header;
		memcpy(&header, bytes, sizeof header);
		layout->word_size = 4;
		table = (struct table){ header.e_phoff, header.e_phentsize, header.e_phnum };
	} else {
		return false;
	}

	if (!read_segments(bytes, size, &table, layout))
		*layout = (struct pm_elf_layout){ .word_size = layout->word_size };
	return true;
}

bool pm_elf_bias(const struct pm_elf_layout *layout, uint64_t start, uint64_t *bias)
{
	for (size_t i = 0; i < layout->segment_count; i++) {
		const struct pm_elf_segment *segment = &layout->segments[i];
		uint64_t base = segment->address - segment->offset;
		/*
		 * The loader maps whole pages, so byte 0 of the file is mapped together with a
		 * segment that begins in the first page.
		 */
		if (segment->offset < 4096 && segment->address >= segment->offset &&
		    start >= base) {
			*bias = start - base;
			return true;
		}
	}

	return false;
}

const struct pm_elf_segment *pm_elf_segment_at(const struct pm_elf_layout *layout, uint64_t address,
                                               uint64_t page)
{
	for (size_t i = layout->segment_count; i > 0; i--) {
		const struct pm_elf_segment *segment = &layout->segments[i - 1];
		uint64_t end = (segment->address + segment->memory_size + page - 1) & ~(page - 1);
		if (address >= (segment->address & ~(page - 1)) && address < end)
			return segment;
	}
	return NULL;
}

uint64_t pm_elf_end(const struct pm_elf_layout *layout, uint64_t page)
{
	uint64_t last = 0;
	for (size_t i = 0; i < layout->segment_count; i++) {
		uint64_t end = layout->segments[i].address + layout->segments[i].memory_size;
		if (end > last)
			last = end;
	}
	return (last + page - 1) & ~(page - 1);
}
