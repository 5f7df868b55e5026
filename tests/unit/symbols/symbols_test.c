/* SPDX-License-Identifier: MIT */
/* Symbols of a living process: what its own compiler says, and nothing where nothing is. */
#include <procmem/symbols.h>

#include <elf.h>
#include <endian.h>
#include <procmem/maps.h>
#include <procmem/number.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/target.h"
#include "symbols/elf_symbols.h"

struct fixture {
	struct target target;
	struct pm_process *process;
	struct pm_regions regions;
	struct pm_symbols *symbols;
};

static int setup(void **state)
{
	static struct fixture fixture;
	fixture = (struct fixture){ 0 };
	target_start(&fixture.target, "values", NULL);
	assert_int_equal(pm_process_open(NULL, fixture.target.pid, &fixture.process, NULL), 0);
	pm_regions_init(&fixture.regions);
	assert_int_equal(pm_maps_read(fixture.process, PM_MAPS, &fixture.regions, NULL), 0);
	assert_int_equal(pm_symbols_open(fixture.process, &fixture.regions, &fixture.symbols, NULL),
	                 0);

	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	pm_symbols_close(fixture->symbols);
	pm_regions_deinit(&fixture->regions);
	pm_process_close(fixture->process);
	target_stop(&fixture->target);
	return 0;
}

static uint64_t address_of(const struct fixture *fixture, const char *name)
{
	char words[64];
	uint64_t address;
	snprintf(words, sizeof words, "symbol %s", name);

	const char *fact = target_fact(&fixture->target, words);
	assert_non_null(fact);
	assert_int_equal(pm_parse_address(fact, &address, NULL), 0);
	return address;
}

static void expect(struct fixture *fixture, const char *name, uint64_t offset)
{
	struct pm_symbol symbol;
	assert_int_equal(pm_symbols_find(fixture->symbols, address_of(fixture, name) + offset,
	                                 &symbol, NULL),
	                 1);
	assert_string_equal(symbol.name, name);
	assert_int_equal(symbol.offset, offset);
	assert_non_null(strstr(symbol.object, "/values"));
}

static void test_functions_and_variables_are_found_with_offsets(void **state)
{
	struct fixture *fixture = *state;
	expect(fixture, "global_function", 0);
	expect(fixture, "global_function", 3);
	expect(fixture, "local_function", 2);
	expect(fixture, "global_data", 63);
	expect(fixture, "global_constant", 31);
}

static void test_zeroed_variables_are_found_though_they_stand_in_no_file(void **state)
{
	struct fixture *fixture = *state;
	expect(fixture, "global_zeroed", 0);
	expect(fixture, "global_zeroed", 19999);
	expect(fixture, "local_zeroed", 99);
}

static void test_symbols_of_libraries_are_found(void **state)
{
	struct fixture *fixture = *state;
	struct pm_symbol symbol;
	assert_int_equal(
		pm_symbols_find(fixture->symbols, address_of(fixture, "strtol"), &symbol, NULL), 1);
	assert_int_equal(symbol.offset, 0);
	assert_non_null(strstr(symbol.name, "strtol"));
	assert_non_null(strstr(symbol.object, "/libc"));
}

static void test_other_memory_has_no_symbols(void **state)
{
	struct fixture *fixture = *state;
	struct pm_symbol symbol;
	uint64_t start, end;
	target_range(&fixture->target, "values", &start, &end);
	assert_int_equal(pm_symbols_find(fixture->symbols, start + 16, &symbol, NULL), 0);
	assert_int_equal(pm_symbols_find(fixture->symbols, 0, &symbol, NULL), 0);
	assert_int_equal(pm_symbols_find(fixture->symbols, UINT64_MAX, &symbol, NULL), 0);

	for (size_t i = 0; i < fixture->regions.count; i++)
		if (fixture->regions.items[i].mapping[0] == '[')
			assert_int_equal(pm_symbols_find(fixture->symbols,
			                                 fixture->regions.items[i].start, &symbol,
			                                 NULL),
			                 0);
}

static void test_other_files_than_elf_have_no_symbols(void **state)
{
	static const char texts[][8] = { "", "\177ELF", "no elf", "!<arch>" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct pm_elf_symbols symbols = { 0 };
		FILE *file = tmpfile();
		assert_non_null(file);
		fwrite(texts[i], 1, strlen(texts[i]), file);
		fflush(file);
		assert_int_equal(pm_elf_symbols_read(fileno(file), &symbols, NULL), 0);
		assert_int_equal(symbols.count, 0);
		assert_null(pm_elf_symbols_at(&symbols, 0));
		pm_elf_symbols_deinit(&symbols);
		fclose(file);
	}
}

static void test_a_damaged_file_is_read_as_far_as_it_goes(void **state)
{
	(void)state;
	FILE *own = fopen("/proc/self/exe", "rb");
	static char bytes[65536];
	size_t size = fread(bytes, 1, sizeof bytes, own);

	fclose(own);
	unsigned seed = 1;
	for (int round = 0; round < 200; round++) {
		struct pm_elf_symbols symbols = { 0 };
		FILE *file = tmpfile();
		fwrite(bytes, 1, size, file);

		/* The headers are where damage counts. */
		for (int i = 0; i < 8; i++) {
			seed = seed * 1103515245 + 12345;
			fseek(file, (long)(seed >> 8) % (round % 2 ? 64 : 1000), SEEK_SET);
			fputc((int)(seed >> 24), file);
		}

		fflush(file);
		assert_int_equal(pm_elf_symbols_read(fileno(file), &symbols, NULL), 0);
		pm_elf_symbols_deinit(&symbols);
		fclose(file);
	}
}

/** The header of a 64-bit file, behind which those of the sections follow. */
static Elf64_Ehdr header_of(uint16_t sections)
{
	return (Elf64_Ehdr){ .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
		                          BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB,
		                          EV_CURRENT },
		             .e_type = ET_EXEC,
		             .e_version = EV_CURRENT,
		             .e_ehsize = sizeof(Elf64_Ehdr),
		             .e_shoff = sizeof(Elf64_Ehdr),
		             .e_shentsize = sizeof(Elf64_Shdr),
		             .e_shnum = sections };
}

/**
 * A 64-bit file whose first sections are tables of symbols, all the same one, and its last their
 * names.
 */
static void write_tables(FILE *file, uint16_t sections, size_t count, size_t name_size)
{
	const Elf64_Ehdr header = header_of(sections);
	Elf64_Shdr table = { .sh_type = SHT_SYMTAB,
		             .sh_link = sections - 1u,
		             .sh_entsize = sizeof(Elf64_Sym),
		             .sh_size = count * sizeof(Elf64_Sym),
		             .sh_offset = sizeof header + sections * sizeof table };
	Elf64_Shdr names = { .sh_type = SHT_STRTAB,
		             .sh_offset = table.sh_offset + table.sh_size,
		             .sh_size = name_size + 2 };

	fwrite(&header, sizeof header, 1, file);
	for (unsigned i = 0; i + 1 < sections; i++)
		fwrite(&table, sizeof table, 1, file);

	fwrite(&names, sizeof names, 1, file);
	for (size_t i = 0; i < count; i++) {
		const Elf64_Sym symbol = { .st_name = 1,
			                   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			                   .st_shndx = 1,
			                   .st_value = i * 16,
			                   .st_size = 16 };
		fwrite(&symbol, sizeof symbol, 1, file);
	}

	fputc('\0', file);
	for (size_t i = 0; i < name_size; i++)
		fputc('x', file);

	fputc('\0', file);
	fflush(file);
}

static void test_a_file_costs_no_more_memory_than_it_has_bytes(void **state)
{
	enum { SECTIONS = 500, SYMBOLS = 1000, NAME = 50000 };
	struct pm_elf_symbols symbols = { 0 };
	FILE *file = tmpfile();
	(void)state;
	write_tables(file, SECTIONS, SYMBOLS, NAME);
	assert_int_equal(pm_elf_symbols_read(fileno(file), &symbols, NULL), 0);
	assert_int_equal(symbols.count, SYMBOLS);
	assert_in_range(symbols.names_size, NAME, NAME + 10);

	const struct pm_elf_symbol *symbol = pm_elf_symbols_at(&symbols, 16 * SYMBOLS - 1);
	assert_non_null(symbol);
	assert_int_equal(symbol->value, 16 * (SYMBOLS - 1));
	assert_int_equal(strlen(symbols.names + symbol->name), NAME);
	pm_elf_symbols_deinit(&symbols);
	fclose(file);
}

/**
 * Whether the build ID of a file is found behind sections of other notes, which all have the same
 * bytes.
 */
static bool finds_id_behind(unsigned sections, uint64_t size)
{
	const struct {
		Elf64_Nhdr note;
		char owner[4], id[4];
	} notes = { { .n_namesz = 4, .n_descsz = 4, .n_type = NT_GNU_BUILD_ID }, "GNU", "id!" };

	const Elf64_Ehdr header = header_of((uint16_t)(sections + 2));
	const Elf64_Shdr first = { .sh_type = SHT_NULL };
	Elf64_Shdr id = { .sh_type = SHT_NOTE,
		          .sh_addralign = 4,
		          .sh_size = sizeof notes,
		          .sh_offset = sizeof header + (sections + 2) * sizeof id };
	Elf64_Shdr others = { .sh_type = SHT_NOTE,
		              .sh_addralign = 4,
		              .sh_size = size,
		              .sh_offset = id.sh_offset + id.sh_size };

	struct pm_elf_symbols symbols = { 0 };
	FILE *file = tmpfile();
	fwrite(&header, sizeof header, 1, file);
	fwrite(&first, sizeof first, 1, file);

	for (unsigned i = 0; i < sections; i++)
		fwrite(&others, sizeof others, 1, file);

	fwrite(&id, sizeof id, 1, file);
	fwrite(&notes, sizeof notes, 1, file);
	for (uint64_t i = 0; i < size; i++)
		fputc('\0', file);

	fflush(file);
	assert_int_equal(pm_elf_symbols_read(fileno(file), &symbols, NULL), 0);

	bool found = symbols.id.size == sizeof notes.id;
	pm_elf_symbols_deinit(&symbols);
	fclose(file);

	return found;
}

static void test_notes_are_read_up_to_a_size(void **state)
{
	(void)state;
	assert_true(finds_id_behind(0, 0));
	assert_true(finds_id_behind(10, 4096));

	/* What is longer than all together may be is passed over. */
	assert_true(finds_id_behind(10, 1 << 20));
	assert_false(finds_id_behind(16, 4096));
	assert_false(finds_id_behind(1000, 4096));
}

/* The number of sections is in the first one then, and may have any value. */
static void test_a_file_with_too_many_sections_to_count_has_none(void **state)
{
	struct pm_elf_symbols symbols = { 0 };
	FILE *file = tmpfile();

	(void)state;
	write_tables(file, 3, 10, 10);

	const uint16_t none = 0;
	const uint64_t sections = 3;
	assert_int_equal(pwrite(fileno(file), &none, sizeof none, offsetof(Elf64_Ehdr, e_shnum)),
	                 sizeof none);
	assert_int_equal(pwrite(fileno(file), &sections, sizeof sections,
	                        sizeof(Elf64_Ehdr) + offsetof(Elf64_Shdr, sh_size)),
	                 sizeof sections);
	assert_int_equal(pm_elf_symbols_read(fileno(file), &symbols, NULL), 0);

	assert_int_equal(symbols.count, 0);
	pm_elf_symbols_deinit(&symbols);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_functions_and_variables_are_found_with_offsets,
		                                setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_zeroed_variables_are_found_though_they_stand_in_no_file, setup,
			teardown),
		cmocka_unit_test_setup_teardown(test_symbols_of_libraries_are_found, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(test_other_memory_has_no_symbols, setup, teardown),
		cmocka_unit_test(test_other_files_than_elf_have_no_symbols),
		cmocka_unit_test(test_a_damaged_file_is_read_as_far_as_it_goes),
		cmocka_unit_test(test_a_file_costs_no_more_memory_than_it_has_bytes),
		cmocka_unit_test(test_notes_are_read_up_to_a_size),
		cmocka_unit_test(test_a_file_with_too_many_sections_to_count_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
