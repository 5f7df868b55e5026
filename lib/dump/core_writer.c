/* SPDX-License-Identifier: MIT */
#include "dump/core_writer.h"

#include <elf.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/region.h>

#include "base/array.h"
#include "base/minmax.h"

/*
 * Number of program headers that one call writes. They are always 64-bit, because only 64-bit
 * targets can be dumped, and only by a 64-bit procmem.
 */
enum { TABLE_BATCH = 512 };

int pm_core_writer_open(int fd, const volatile sig_atomic_t *cancel, struct pm_core_writer **writer,
                        struct pm_error *error)
{
	struct pm_core_writer *made = malloc(sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);
	if (pm_output_init(&made->output, fd, cancel, error) < 0) {
		free(made);
		return -1;
	}

	made->page = (uint64_t)sysconf(_SC_PAGESIZE);
	made->at = sizeof(Elf64_Ehdr);
	made->notes_end = 0;
	made->loads = NULL;
	made->count = made->capacity = made->buffered = 0;
	if (!made->output.sparse || made->output.base != 0) {
		pm_core_writer_close(made);
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "a core file can be written only to an empty regular file");
	}

	*writer = made;
	return 0;
}

void pm_core_writer_close(struct pm_core_writer *writer)
{
	if (!writer)
		return;
	pm_output_deinit(&writer->output);
	free(writer->loads);
	free(writer);
}

static int flush(struct pm_core_writer *writer, struct pm_error *error)
{
	size_t size = writer->buffered;
	writer->buffered = 0;
	return pm_output_bytes_at(&writer->output, writer->at - size, writer->buffer, size, error);
}

int pm_core_note_bytes(struct pm_core_writer *writer, const void *bytes, size_t size,
                       struct pm_error *error)
{
	while (size > 0) {
		size_t step = pm_min_size(size, sizeof writer->buffer - writer->buffered);
		memcpy(writer->buffer + writer->buffered, bytes, step);
		writer->buffered += step;
		writer->at += step;
		bytes = (const char *)bytes + step;
		size -= step;
		if (writer->buffered == sizeof writer->buffer && flush(writer, error) < 0)
			return -1;
	}

	return 0;
}

int pm_core_note_end(struct pm_core_writer *writer, struct pm_error *error)
{
	return pm_core_note_bytes(writer, "\0\0\0", -writer->at & 3, error);
}

int pm_core_note_begin(struct pm_core_writer *writer, const char *name, uint32_t type,
                       uint32_t size, struct pm_error *error)
{
	const Elf64_Nhdr header = { .n_namesz = (uint32_t)strlen(name) + 1,
		                    .n_descsz = size,
		                    .n_type = type };
	if (pm_core_note_bytes(writer, &header, sizeof header, error) < 0 ||
	    pm_core_note_bytes(writer, name, header.n_namesz, error) < 0)
		return -1;
	return pm_core_note_end(writer, error);
}

int pm_core_note(struct pm_core_writer *writer, const char *name, uint32_t type, const void *bytes,
                 uint32_t size, struct pm_error *error)
{
	if (pm_core_note_begin(writer, name, type, size, error) < 0 ||
	    pm_core_note_bytes(writer, bytes, size, error) < 0)
		return -1;
	return pm_core_note_end(writer, error);
}

int pm_core_notes_end(struct pm_core_writer *writer, struct pm_error *error)
{
	writer->notes_end = writer->at;
	return flush(writer, error);
}

/**
 * Returns the first free offset of the file that is at the same position within a page as an
 * address.
 */
static uint64_t place_for(const struct pm_core_writer *writer, uint64_t address)
{
	return writer->at + ((address - writer->at) & (writer->page - 1));
}

int pm_core_writer_add(struct pm_core_writer *writer, struct pm_range range, unsigned perms,
                       bool content, const char *bytes, bool joins, struct pm_error *error)
{
	struct pm_core_load *last = writer->count > 0 ? &writer->loads[writer->count - 1] : NULL;
	if (!last || !joins || last->range.end != range.start || last->content != content) {
		if (pm_array_reserve(&writer->loads, &writer->capacity, writer->count, 1,
		                     sizeof *last, error) < 0)
			return -1;
		last = &writer->loads[writer->count++];
		/* A segment without content also needs a valid offset: if its offset were 0, BFD
		 * would assume that the segment is the header of a mapped ELF file. */
		writer->at = place_for(writer, range.start);
		*last = (struct pm_core_load){ .range = { range.start, range.start },
			                       .offset = writer->at,
			                       .perms = perms,
			                       .content = content };
	}

	last->range.end = range.end;
	if (!content)
		return 0;
	if (bytes && pm_output_bytes_at(&writer->output, writer->at, bytes,
	                                (size_t)pm_range_size(range), error) < 0)
		return -1;

	writer->at += pm_range_size(range);
	return 0;
}

/**
 * Returns a program header. Index 0 is the segment of the notes, and index i > 0 is loads[i - 1].
 */
static Elf64_Phdr program_header(const struct pm_core_writer *writer, size_t index)
{
	if (index == 0)
		return (Elf64_Phdr){ .p_type = PT_NOTE,
			             .p_offset = sizeof(Elf64_Ehdr),
			             .p_filesz = writer->notes_end - sizeof(Elf64_Ehdr),
			             .p_align = 4 };

	const struct pm_core_load *load = &writer->loads[index - 1];
	uint32_t flags = 0;

	if (load->perms & PM_PERM_READ)
		flags |= PF_R;
	if (load->perms & PM_PERM_WRITE)
		flags |= PF_W;
	if (load->perms & PM_PERM_EXEC)
		flags |= PF_X;

	return (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = flags,
		.p_offset = load->offset,
		.p_vaddr = load->range.start,
		.p_filesz = load->content ? pm_range_size(load->range) : 0,
		.p_memsz = pm_range_size(load->range),
		.p_align = writer->page,
	};
}

static int write_table(struct pm_core_writer *writer, uint64_t place, struct pm_error *error)
{
	Elf64_Phdr batch[TABLE_BATCH];
	for (size_t i = 0; i < writer->count + 1;) {
		size_t filled = 0;
		while (filled < TABLE_BATCH && i < writer->count + 1)
			batch[filled++] = program_header(writer, i++);
		if (pm_output_bytes_at(&writer->output, place, batch, filled * sizeof *batch,
		                       error) < 0)
			return -1;
		place += filled * sizeof *batch;
	}

	return 0;
}

int pm_core_writer_finish(struct pm_core_writer *writer, uint16_t machine, struct pm_error *error)
{
	size_t segments = writer->count + 1;
	bool extended = segments >= PN_XNUM;
	uint64_t table = (writer->at + 7) & ~UINT64_C(7),
		 section = table + segments * sizeof(Elf64_Phdr);
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
		             BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT },
		.e_type = ET_CORE,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_phoff = table,
		.e_ehsize = sizeof header,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = extended ? PN_XNUM : (uint16_t)segments,
	};

	writer->output.at = section;
	if (extended) {
		/* The number of segments does not fit into e_phnum, so it is stored in section
		 * header 0 (PN_XNUM in elf(5)). */
		const Elf64_Shdr count = { .sh_size = 1, .sh_info = (uint32_t)segments };
		header.e_shoff = section;
		header.e_shentsize = sizeof count;
		header.e_shnum = 1;
		writer->output.at += sizeof count;
		if (pm_output_bytes_at(&writer->output, section, &count, sizeof count, error) < 0)
			return -1;
	}

	if (write_table(writer, table, error) < 0 ||
	    pm_output_bytes_at(&writer->output, 0, &header, sizeof header, error) < 0)
		return -1;

	return pm_output_finish(&writer->output, error);
}
