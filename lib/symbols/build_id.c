/* SPDX-License-Identifier: MIT */
#include "symbols/build_id.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

/*
 * Maximum size in bytes of all notes of a file that are read. Real programs have some hundred bytes
 * of notes. The limit is for hostile files: thousands of sections could share the same notes, and
 * libelf would keep a copy of the notes in memory for each section.
 */
enum { NOTES_SIZE_MAX = 64 << 10 };

/**
 * Tests whether notes are small enough to be read: not larger than the rest of NOTES_SIZE_MAX.
 * @param size  size of the notes in bytes
 * @param left  rest of NOTES_SIZE_MAX in bytes; reduced by `size` if the result is true
 */
static bool is_worth(uint64_t size, uint64_t *left)
{
	if (size > *left)
		return false;
	*left -= size;
	return true;
}

/**
 * Searches notes for the build ID.
 * @return true if the notes contain a build ID, which is stored in `id`
 */
static bool find_in_notes(Elf_Data *notes, struct pm_build_id *id)
{
	static const char owner[] = "GNU";
	GElf_Nhdr note;
	size_t at = 0, name, description;

	while (notes && (at = gelf_getnote(notes, at, &note, &name, &description)) > 0) {
		const char *bytes = notes->d_buf;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof owner ||
		    memcmp(bytes + name, owner, sizeof owner) != 0)
			continue;
		if (note.n_descsz == 0 || note.n_descsz > PM_BUILD_ID_MAX)
			continue;
		id->size = note.n_descsz;
		memcpy(id->bytes, bytes + description, id->size);
		return true;
	}

	return false;
}

/**
 * Finds the build ID with the section headers. This is needed for files that contain only debug
 * information, since the offsets in their program headers may be invalid.
 */
static bool find_by_sections(Elf *elf, struct pm_build_id *id)
{
	uint64_t left = NOTES_SIZE_MAX;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		bool has_notes = gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
		                 is_worth(header.sh_size, &left);
		if (has_notes && find_in_notes(elf_getdata(section, NULL), id))
			return true;
	}

	return false;
}

void pm_build_id_find(Elf *elf, struct pm_build_id *id)
{
	size_t count;
	uint64_t left = NOTES_SIZE_MAX;

	*id = (struct pm_build_id){ 0 };
	if (elf_getphdrnum(elf, &count) < 0 || count >= PN_XNUM)
		count = 0;

	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE ||
		    !is_worth(header.p_filesz, &left))
			continue;
		Elf_Type type = header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
		if (find_in_notes(elf_getdata_rawchunk(elf, (int64_t)header.p_offset,
		                                       header.p_filesz, type),
		                  id))
			return;
	}

	find_by_sections(elf, id);
}

bool pm_build_id_fits(const struct pm_build_id *one, const struct pm_build_id *other)
{
	return one->size > 0 && one->size == other->size &&
	       memcmp(one->bytes, other->bytes, one->size) == 0;
}

void pm_build_id_path(const struct pm_build_id *id, char path[PM_BUILD_ID_PATH_SIZE])
{
	char *at = path + sprintf(path, "/usr/lib/debug/.build-id/");
	for (size_t i = 0; i < id->size; i++)
		at += sprintf(at, "%02x%s", id->bytes[i], i == 0 ? "/" : "");
	sprintf(at, ".debug");
}
