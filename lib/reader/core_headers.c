/* SPDX-License-Identifier: MIT */
#include "reader/core_headers.h"

#include <elf.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"
#include "reader/core_file.h"
#include "reader/core_notes.h"

/* Maximum number of program headers; a file with more is refused. A process has at most
 * vm.max_map_count mappings: 65,530 by default, but the administrator can set up to INT_MAX. */
enum { SEGMENTS_MAX = 1 << 22 };

/**
 * Offsets of the fields that are read, in bytes from the start of the ELF structure that contains
 * the field, and the sizes of these structures. They differ between 32-bit and 64-bit files.
 */
struct layout {
	size_t phoff, shoff, phentsize, phnum, shentsize, shnum; /* fields of the ELF header */
	size_t header_size;
	size_t flags, offset, vaddr, filesz, memsz; /* fields of a program header */
	size_t program_size;
	size_t info; /* field of a section header */
	size_t section_size;
};

#define LAYOUT(bits)                                                  \
	{                                                             \
		.phoff = offsetof(Elf##bits##_Ehdr, e_phoff),         \
		.shoff = offsetof(Elf##bits##_Ehdr, e_shoff),         \
		.phentsize = offsetof(Elf##bits##_Ehdr, e_phentsize), \
		.phnum = offsetof(Elf##bits##_Ehdr, e_phnum),         \
		.shentsize = offsetof(Elf##bits##_Ehdr, e_shentsize), \
		.shnum = offsetof(Elf##bits##_Ehdr, e_shnum),         \
		.header_size = sizeof(Elf##bits##_Ehdr),              \
		.flags = offsetof(Elf##bits##_Phdr, p_flags),         \
		.offset = offsetof(Elf##bits##_Phdr, p_offset),       \
		.vaddr = offsetof(Elf##bits##_Phdr, p_vaddr),         \
		.filesz = offsetof(Elf##bits##_Phdr, p_filesz),       \
		.memsz = offsetof(Elf##bits##_Phdr, p_memsz),         \
		.program_size = sizeof(Elf##bits##_Phdr),             \
		.info = offsetof(Elf##bits##_Shdr, sh_info),          \
		.section_size = sizeof(Elf##bits##_Shdr),             \
	}

static const struct layout layouts[] = { LAYOUT(32), LAYOUT(64) };

/** Reads the class, byte order, type and machine from the ELF header. */
static int read_identity(struct pm_core *core, struct pm_error *error)
{
	unsigned char header[EI_NIDENT + 4] = { 0 };
	const uint16_t one = 1;
	bool little = *(const unsigned char *)&one == 1;

	if (pm_core_file_read(core, 0, header, sizeof header, "ELF header", error) < 0)
		return -1;
	if (memcmp(header, ELFMAG, SELFMAG) != 0)
		return pm_error_set(error, PM_ERROR_FORMAT, 0, "not an ELF file");
	if ((header[EI_CLASS] != ELFCLASS32 && header[EI_CLASS] != ELFCLASS64) ||
	    (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB))
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "an ELF file of unknown class or byte order");

	core->wide = header[EI_CLASS] == ELFCLASS64;
	core->swapped = (header[EI_DATA] == ELFDATA2LSB) != little;
	if (pm_core_u16(core, header + EI_NIDENT) != ET_CORE)
		return pm_error_set(error, PM_ERROR_FORMAT, 0, "an ELF file, but not a core file");

	core->machine = pm_core_u16(core, header + EI_NIDENT + 2);
	return 0;
}

/**
 * Reads the number of program headers from the ELF header, or from section header 0 if the number
 * exceeds 65,534.
 */
static int read_program_count(const struct pm_core *core, const struct layout *layout,
                              const unsigned char *header, uint64_t *count, struct pm_error *error)
{
	unsigned char section[sizeof(Elf64_Shdr)];

	*count = pm_core_u16(core, header + layout->phnum);
	if (*count != PN_XNUM)
		return 0;

	uint64_t offset = pm_core_word(core, header + layout->shoff);
	if (offset == 0 || pm_core_u16(core, header + layout->shentsize) != layout->section_size)
		return pm_error_set(
			error, PM_ERROR_FORMAT, 0,
			"there are more than 65,534 segments, but no section header contains "
			"their number");
	if (pm_core_file_read(core, offset, section, layout->section_size, "section header",
	                      error) < 0)
		return -1;

	*count = pm_core_u32(core, section + layout->info);
	return 0;
}

/** Converts p_flags of a program header to the bits of pm_region.perms. */
static unsigned perms_of(uint32_t flags)
{
	unsigned perms = 0;

	if (flags & PF_R)
		perms |= PM_PERM_READ;
	if (flags & PF_W)
		perms |= PM_PERM_WRITE;
	if (flags & PF_X)
		perms |= PM_PERM_EXEC;

	return perms;
}

static int add_segment(struct pm_core *core, const struct layout *layout,
                       const unsigned char *program, struct pm_error *error)
{
	uint64_t start = pm_core_word(core, program + layout->vaddr),
		 size = pm_core_word(core, program + layout->memsz);
	uint64_t offset = pm_core_word(core, program + layout->offset),
		 held = pm_core_word(core, program + layout->filesz);
	uint32_t flags = pm_core_u32(core, program + layout->flags);

	if (size == 0)
		return 0;
	if (start > UINT64_MAX - size)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "the segment at 0x%" PRIx64
		                    " extends beyond the end of the address space",
		                    start);
	if (pm_array_reserve(&core->segments, &core->segment_capacity, core->segment_count, 1,
	                     sizeof *core->segments, error) < 0)
		return -1;

	uint64_t available = core->size - pm_min(offset, core->size);
	held = pm_min(held, size);
	bool cut = held > available;
	if (cut) {
		core->info.truncated = true;
		held = available;
	}

	core->segments[core->segment_count++] = (struct pm_core_segment){
		.start = start,
		.end = start + size,
		.offset = offset,
		.held = held,
		.perms = perms_of(flags),
		.cut = cut,
	};

	return 0;
}

static int compare_segments(const void *a, const void *b)
{
	const struct pm_core_segment *first = a, *second = b;
	return (first->start > second->start) - (first->start < second->start);
}

static int sort_segments(struct pm_core *core, struct pm_error *error)
{
	if (core->segment_count == 0)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "a core file without memory segments");

	qsort(core->segments, core->segment_count, sizeof *core->segments, compare_segments);
	for (size_t i = 1; i < core->segment_count; i++)
		if (core->segments[i].start < core->segments[i - 1].end)
			return pm_error_set(error, PM_ERROR_FORMAT, 0,
			                    "two segments overlap at 0x%" PRIx64,
			                    core->segments[i].start);

	return 0;
}

int pm_core_read_headers(struct pm_core *core, struct pm_error *error)
{
	unsigned char header[sizeof(Elf64_Ehdr)], program[sizeof(Elf64_Phdr)] = { 0 };
	uint64_t count;

	if (read_identity(core, error) < 0)
		return -1;

	const struct layout *layout = &layouts[core->wide];
	core->info.word_bits = core->wide ? 64 : 32;
	if (pm_core_file_read(core, 0, header, layout->header_size, "ELF header", error) < 0 ||
	    read_program_count(core, layout, header, &count, error) < 0)
		return -1;

	/* A file with a single section header has no sections: this header exists only to
	 * contain the number of segments (PN_XNUM). */
	core->has_sections = pm_core_u16(core, header + layout->shnum) > 1;

	uint64_t offset = pm_core_word(core, header + layout->phoff);
	if (pm_core_u16(core, header + layout->phentsize) != layout->program_size ||
	    count > SEGMENTS_MAX || offset > core->size ||
	    count > (core->size - offset) / layout->program_size)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "the number or size of the program headers is invalid, or the "
		                    "headers extend beyond the end of the file");

	for (uint64_t i = 0; i < count; i++, offset += layout->program_size) {
		if (pm_core_file_read(core, offset, program, layout->program_size,
		                      "program headers", error) < 0)
			return -1;
		uint32_t type = pm_core_u32(core, program);
		if (type == PT_LOAD && add_segment(core, layout, program, error) < 0)
			return -1;
		if (type == PT_NOTE &&
		    pm_core_read_notes(core, pm_core_word(core, program + layout->offset),
		                       pm_core_word(core, program + layout->filesz), error) < 0)
			return -1;
	}

	return sort_segments(core, error);
}
