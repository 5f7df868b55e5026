/* SPDX-License-Identifier: MIT */
#include "symbols/elf_section.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
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

/** Reads the start of a section that is not compressed. Returns the number of bytes. */
static size_t read_plain(int fd, const GElf_Shdr *header, char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pm_pread(fd, bytes + done, size - done, header->sh_offset + done);
		if (got <= 0)
			break;
		done += (size_t)got;
	}

	return done;
}

/** Copies the content of a compressed section. Returns the number of bytes. */
static size_t read_compressed(Elf_Scn *section, char *bytes, size_t size)
{
	if (elf_compress(section, 0, 0) < 0)
		return 0;

	Elf_Data *data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf)
		return 0;

	size = pm_min_size(data->d_size, size);
	memcpy(bytes, data->d_buf, size);
	return size;
}

/** Copies the content of a section. */
static void read_section(int fd, Elf_Scn *section, const GElf_Shdr *header,
                         struct pm_elf_section *wanted)
{
	const bool compressed = header->sh_flags & SHF_COMPRESSED;
	const uint64_t size = size_of(section, header), kept = pm_min(size, wanted->max);

	/* What is compressed is smaller: in a hostile file, it could be as large as the file. */
	if (size == 0 || (compressed && (size > wanted->max || header->sh_size > size)))
		return;

	wanted->bytes = malloc((size_t)kept);
	if (!wanted->bytes)
		return;
	wanted->size = compressed ? read_compressed(section, wanted->bytes, (size_t)kept)
	                          : read_plain(fd, header, wanted->bytes, (size_t)kept);
	if (wanted->size > 0)
		return;

	free(wanted->bytes);
	wanted->bytes = NULL;
}

/** Reads a section if it is one of those that are searched for, and the first of its name. */
static bool read_if_wanted(int fd, Elf *elf, size_t names, Elf_Scn *section,
                           struct pm_elf_section *sections, size_t count)
{
	GElf_Shdr header;
	const char *name = NULL;

	if (gelf_getshdr(section, &header))
		name = elf_strptr(elf, names, header.sh_name);

	for (size_t i = 0; name && i < count; i++) {
		if (sections[i].bytes || strcmp(sections[i].name, name) != 0)
			continue;
		read_section(fd, section, &header, &sections[i]);
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
			found += read_if_wanted(fd, elf, names, section, sections, count);
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
