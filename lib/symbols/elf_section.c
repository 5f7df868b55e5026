/* SPDX-License-Identifier: MIT */
#include "symbols/elf_section.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "symbols/elf_symbols.h"

/** Returns the number of bytes of a section after decompression; 0 if it has none. */
static uint64_t size_of(Elf_Scn *section, const GElf_Shdr *header)
{
	GElf_Chdr compressed;

	if (header->sh_type == SHT_NOBITS)
		return 0;
	if (!(header->sh_flags & SHF_COMPRESSED))
		return header->sh_size;
	return gelf_getchdr(section, &compressed) ? compressed.ch_size : 0;
}

/** Copies the content of a section. */
static void read_section(Elf_Scn *section, const GElf_Shdr *header, struct pm_elf_section *wanted)
{
	bool compressed = header->sh_flags & SHF_COMPRESSED;
	uint64_t size = size_of(section, header);

	if (size == 0 || header->sh_size > PM_ELF_TABLE_MAX || (compressed && size > wanted->max))
		return;
	if (compressed && elf_compress(section, 0, 0) < 0)
		return;

	Elf_Data *data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || data->d_size == 0)
		return;

	size = pm_min(data->d_size, wanted->max);
	wanted->bytes = malloc(size);
	if (!wanted->bytes)
		return;
	memcpy(wanted->bytes, data->d_buf, size);
	wanted->size = size;
}

/** Reads a section if it is one of those that are searched for, and the first of its name. */
static bool read_if_wanted(Elf *elf, size_t names, Elf_Scn *section,
                           struct pm_elf_section *sections, size_t count)
{
	GElf_Shdr header;
	const char *name = NULL;

	if (gelf_getshdr(section, &header))
		name = elf_strptr(elf, names, header.sh_name);

	for (size_t i = 0; name && i < count; i++) {
		if (sections[i].bytes || strcmp(sections[i].name, name) != 0)
			continue;
		read_section(section, &header, &sections[i]);
		return sections[i].bytes != NULL;
	}

	return false;
}

size_t pm_elf_sections_read(int fd, struct pm_elf_section *sections, size_t count)
{
	size_t found = 0, names;

	for (size_t i = 0; i < count; i++) {
		sections[i].bytes = NULL;
		sections[i].size = 0;
	}
	if (elf_version(EV_CURRENT) == EV_NONE || !pm_elf_has_few_sections(fd))
		return 0;

	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0) {
		Elf_Scn *section = NULL;
		while (found < count && (section = elf_nextscn(elf, section)))
			found += read_if_wanted(elf, names, section, sections, count);
	}

	elf_end(elf);
	return found;
}

void pm_elf_sections_free(struct pm_elf_section *sections, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(sections[i].bytes);
		sections[i].bytes = NULL;
		sections[i].size = 0;
	}
}
