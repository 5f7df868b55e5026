/* SPDX-License-Identifier: MIT */
#include "dump/self_vdso.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

const char *pm_self_vdso(size_t *size)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);

	ElfW(Ehdr) header;
	if (!image)
		return NULL;

	memcpy(&header, image, sizeof header);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), end = 0;
	for (size_t i = 0; i < header.e_phnum; i++) {
		ElfW(Phdr) program;
		memcpy(&program, image + header.e_phoff + i * header.e_phentsize, sizeof program);
		if (program.p_type == PT_LOAD && program.p_offset + program.p_filesz > end)
			end = program.p_offset + program.p_filesz;
	}

	*size = (end + page - 1) & ~(page - 1);
	return image;
}
