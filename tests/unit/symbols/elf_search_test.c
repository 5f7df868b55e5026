/* SPDX-License-Identifier: MIT */
/* Names in symbol tables of files that are written here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elf_search.h"

enum {
	SYMBOLS_MAX = 16,
	/* The tables are read in blocks of this size. */
	BLOCK = 256 << 10,
	STRINGS_MAX = 2 * BLOCK,
};

/** An ELF file with a symbol table and its string table. */
struct file {
	Elf64_Sym symbols[SYMBOLS_MAX];
	size_t count;
	char strings[STRINGS_MAX];
	size_t size; /* of `strings` */
};

static uint32_t add_string(struct file *file, const char *text)
{
	size_t at = file->size, size = strlen(text) + 1;

	assert_true(size <= sizeof file->strings - at);
	memcpy(file->strings + at, text, size);
	file->size += size;
	return (uint32_t)at;
}

static void add_symbol(struct file *file, uint32_t name, unsigned type, uint64_t value)
{
	assert_true(file->count < SYMBOLS_MAX);
	file->symbols[file->count++] = (Elf64_Sym){ .st_name = name,
		                                    .st_info = ELF64_ST_INFO(STB_GLOBAL, type),
		                                    .st_shndx = value ? 1 : SHN_UNDEF,
		                                    .st_value = value,
		                                    .st_size = 8 };
}

/** Returns an empty file. */
static struct file *new_file(void)
{
	struct file *file = calloc(1, sizeof *file);

	assert_non_null(file);
	add_string(file, "");
	add_symbol(file, 0, STT_NOTYPE, 0);
	return file;
}

/** Writes the file, searches it, and frees it. Returns whether it has a .symtab. */
static bool search(struct file *file, uint32_t type, const struct pm_elf_search *search)
{
	const uint16_t one = 1;
	const size_t symbols_size = file->count * sizeof file->symbols[0];
	Elf64_Shdr sections[3] = { { 0 } };
	Elf64_Ehdr header = { .e_type = ET_EXEC,
		              .e_version = EV_CURRENT,
		              .e_ehsize = sizeof header,
		              .e_shoff = sizeof header,
		              .e_shentsize = sizeof sections[0],
		              .e_shnum = 3 };
	FILE *output = tmpfile();

	assert_non_null(output);
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = *(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	sections[1] = (Elf64_Shdr){ .sh_type = type,
		                    .sh_link = 2,
		                    .sh_entsize = sizeof file->symbols[0],
		                    .sh_offset = sizeof header + sizeof sections,
		                    .sh_size = symbols_size };
	sections[2] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		                    .sh_offset = sections[1].sh_offset + symbols_size,
		                    .sh_size = file->size };

	assert_int_equal(fwrite(&header, sizeof header, 1, output), 1);
	assert_int_equal(fwrite(sections, sizeof sections, 1, output), 1);
	assert_int_equal(fwrite(file->symbols, symbols_size, 1, output), 1);
	assert_int_equal(fwrite(file->strings, file->size, 1, output), 1);
	assert_int_equal(fflush(output), 0);

	bool whole = pm_elf_search(fileno(output), search);
	fclose(output);
	free(file);
	return whole;
}

static void names_are_found(void **state)
{
	(void)state;
	struct file *file = new_file();
	struct pm_symbol_value values[] = { { .name = "arenas" },
		                            { .name = "maxarenas" },
		                            { .name = "printf" },
		                            { .name = "missing" } };

	/* Linkers store a name as the end of another one. */
	uint32_t longer = add_string(file, "maxarenas");
	add_symbol(file, longer, STT_OBJECT, 0x1000);
	add_symbol(file, longer + 3, STT_OBJECT, 0x2000);
	add_symbol(file, add_string(file, "printf"), STT_FUNC, 0);
	add_symbol(file, add_string(file, "missing_not"), STT_FUNC, 0x3000);
	add_symbol(file, add_string(file, "not_missing"), STT_FUNC, 0x4000);

	assert_true(search(file, SHT_SYMTAB,
	                   &(struct pm_elf_search){
				   .values = values, .count = 4, .deadline_ns = UINT64_MAX }));
	assert_int_equal(values[0].address, 0x2000);
	assert_int_equal(values[0].size, 8);
	assert_int_equal(values[1].address, 0x1000);
	assert_int_equal(values[2].address, 0);
	assert_int_equal(values[3].address, 0);
}

static void names_are_found_across_blocks(void **state)
{
	(void)state;
	char padding[BLOCK];

	/* The end of the first block is before, in, and after the name. */
	for (size_t before = 0; before <= 8; before++) {
		struct file *file = new_file();
		struct pm_symbol_value value = { .name = "mallctl" };

		memset(padding, 'x', sizeof padding);
		padding[BLOCK - 1 - 1 - before] = '\0';
		add_string(file, padding);
		add_symbol(file, add_string(file, "mallctl"), STT_FUNC, 0x1000);
		add_string(file, "after");
		assert_false(search(file, SHT_DYNSYM,
		                    &(struct pm_elf_search){ .values = &value,
		                                             .count = 1,
		                                             .functions = true,
		                                             .deadline_ns = UINT64_MAX }));
		assert_int_equal(value.address, 0x1000);
	}
}

static void only_functions_are_found(void **state)
{
	(void)state;
	struct file *file = new_file();
	struct pm_symbol_value values[] = { { .name = "variable" }, { .name = "function" } };

	add_symbol(file, add_string(file, "variable"), STT_OBJECT, 0x1000);
	add_symbol(file, add_string(file, "function"), STT_GNU_IFUNC, 0x2000);
	search(file, SHT_SYMTAB,
	       &(struct pm_elf_search){ .values = values,
	                                .count = 2,
	                                .functions = true,
	                                .deadline_ns = UINT64_MAX });
	assert_int_equal(values[0].address, 0);
	assert_int_equal(values[1].address, 0x2000);
}

static void nothing_is_read_after_the_deadline(void **state)
{
	(void)state;
	struct file *file = new_file();
	struct pm_symbol_value value = { .name = "function" };

	add_symbol(file, add_string(file, "function"), STT_FUNC, 0x1000);
	search(file, SHT_SYMTAB,
	       &(struct pm_elf_search){ .values = &value, .count = 1, .deadline_ns = 1 });
	assert_int_equal(value.address, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found),
		cmocka_unit_test(names_are_found_across_blocks),
		cmocka_unit_test(only_functions_are_found),
		cmocka_unit_test(nothing_is_read_after_the_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
