/* SPDX-License-Identifier: MIT */
#include "support/core_image.h"
#include "reader/core.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

Elf64_Phdr *core_image_make(struct core_image *image, uint16_t segments)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)image->bytes;
	memset(image, 0, sizeof *image);
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_ident[EI_DATA] = BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	header->e_type = ET_CORE;
	header->e_phoff = sizeof *header;
	header->e_phentsize = sizeof(Elf64_Phdr);

	header->e_phnum = segments;
	image->size = sizeof image->bytes;

	return (Elf64_Phdr *)(void *)(image->bytes + sizeof *header);
}

Elf64_Phdr core_image_load(uint64_t address, uint64_t size, uint64_t offset, uint64_t held)
{
	return (Elf64_Phdr){ .p_type = PT_LOAD,
		             .p_flags = PF_R | PF_W,
		             .p_vaddr = address,
		             .p_memsz = size,
		             .p_offset = offset,
		             .p_filesz = held };
}

void core_image_note(unsigned char *notes, size_t *size, uint32_t type, const void *bytes,
                     uint32_t length)
{
	const Elf64_Nhdr header = { .n_namesz = 5, .n_descsz = length, .n_type = type };
	memcpy(notes + *size, &header, sizeof header);
	memcpy(notes + *size + sizeof header, "CORE", 5);
	memcpy(notes + *size + sizeof header + 8, bytes, length);
	*size += sizeof header + 8 + ((length + 3u) & ~3u);
}

static int open_image(const struct core_image *image, struct pm_core **core, struct pm_error *error)
{
	int fd = memfd_create("core", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, image->bytes, image->size), image->size);
	return pm_core_open_fd(fd, core, error);
}

struct pm_core *core_image_open(const struct core_image *image)
{
	struct pm_core *core;
	struct pm_error error;
	if (open_image(image, &core, &error) < 0)
		fail_msg("%s", error.text);
	return core;
}

void core_image_expect_refused(const struct core_image *image, const char *words)
{
	struct pm_core *core = NULL;
	struct pm_error error;
	assert_int_equal(open_image(image, &core, &error), -1);
	assert_null(core);
	assert_int_equal(error.kind, PM_ERROR_FORMAT);
	if (!strstr(error.text, words))
		fail_msg("'%s' does not contain '%s'", error.text, words);
}
