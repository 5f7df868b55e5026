/* SPDX-License-Identifier: MIT */
/* The regions of a core file: its segments combined with its note of mapped files (NT_FILE), for
 * different writers. */
#include <procmem/kinds.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/core_image.h"

enum {
	R = PM_PERM_READ,
	RW = R | PM_PERM_WRITE,
	RX = R | PM_PERM_EXEC,
	SHARED_UNKNOWN = PM_PERM_MAYBE(PM_PERM_SHARED),
	MOST = 8
};

/** An entry of NT_FILE; the offset is in pages. */
struct mapped {
	uint64_t start, end, offset;
	const char *path;
};

/** A segment. */
struct segment {
	uint64_t start, size, held;
	unsigned flags;
};

/** An expected region. */
struct expected {
	uint64_t start, end;
	unsigned perms;
	uint64_t held, offset;
	const char *name;
};

static struct core_image image;

/**
 * Writes an NT_FILE note to the second page.
 * @return its size
 */
static size_t put_files(const struct mapped *files, size_t count)
{
	static unsigned char bytes[PAGE];
	uint64_t *words = (uint64_t *)(void *)bytes;
	size_t size = 0, at = (2 + 3 * count) * sizeof *words;

	words[0] = count;
	words[1] = PAGE;
	for (size_t i = 0; i < count; i++) {
		memcpy(words + 2 + 3 * i,
		       (uint64_t[]){ files[i].start, files[i].end, files[i].offset },
		       3 * sizeof *words);
		memcpy(bytes + at, files[i].path, strlen(files[i].path) + 1);
		at += strlen(files[i].path) + 1;
	}

	core_image_note(image.bytes + PAGE, &size, NT_FILE, bytes, (uint32_t)at);
	return size;
}

/**
 * Builds a core file in `image`. The contents of the segments are in their order, from the third
 * page. Lists end with a zero.
 */
static void compose(const struct segment *segments, const struct mapped *files)
{
	size_t count = 0, named = 0;
	uint64_t offset = UINT64_C(2) * PAGE;

	while (segments[count].size > 0)
		count++;

	while (files[named].path)
		named++;

	Elf64_Phdr *programs = core_image_make(&image, (uint16_t)(count + 1));
	for (size_t i = 0; i < count; i++) {
		programs[i] = core_image_load(segments[i].start, segments[i].size, offset,
		                              segments[i].held);
		programs[i].p_flags = segments[i].flags;
		offset += segments[i].held;
	}

	programs[count] = (Elf64_Phdr){ .p_type = PT_NOTE,
		                        .p_offset = PAGE,
		                        .p_filesz = put_files(files, named) };
}

/** Fails unless the core file in `image` has exactly these regions. The list ends with a zero. */
static void expect_regions(const struct expected *expected)
{
	struct pm_core *core = core_image_open(&image);
	struct pm_regions regions;
	size_t at = 0;

	pm_regions_init(&regions);
	assert_int_equal(pm_core_regions(core, &regions, NULL), 0);
	for (; expected[at].end > 0; at++) {
		assert_true(at < regions.count);
		const struct pm_region *region = &regions.items[at];
		assert_int_equal(region->start, expected[at].start);
		assert_int_equal(region->end, expected[at].end);
		assert_int_equal(region->perms, expected[at].perms);
		assert_int_equal(region->bytes[PM_SIZE_RSS], expected[at].held);
		assert_int_equal(region->offset, expected[at].offset);
		assert_string_equal(region->mapping, expected[at].name);
	}

	assert_int_equal(regions.count, at);
	pm_regions_deinit(&regions);
	pm_core_close(core);
}

/** As written by gdb: memory that is in the mapped file still has only a name. */
static void files_without_segments_are_listed(void **state)
{
	(void)state;
	compose((const struct segment[]){ { 0x10000, PAGE, PAGE, PF_R },
	                                  { 0x14000, PAGE, PAGE, PF_R | PF_W },
	                                  { 0 } },
	        (const struct mapped[]){ { 0x10000, 0x11000, 0, "/lib/a.so" },
	                                 { 0x11000, 0x14000, 1, "/lib/a.so" },
	                                 { 0x40000, 0x41000, 7, "/lib/b.so" },
	                                 { 0 } });

	expect_regions((const struct expected[]){
		{ 0x10000, 0x11000, R | SHARED_UNKNOWN, PAGE, 0, "/lib/a.so" },
		{ 0x11000, 0x14000, PM_PERM_UNKNOWN, 0, PAGE, "/lib/a.so" },
		{ 0x14000, 0x15000, RW, PAGE, 0, "" },
		{ 0x40000, 0x41000, PM_PERM_UNKNOWN, 0, UINT64_C(7) * PAGE, "/lib/b.so" },
		{ 0 } });
}

/** The error of a read names the file and the offset of the bytes, and a plan leaves them out. */
static void missing_parts_are_reported(void **state)
{
	(void)state;
	compose((const struct segment[]){ { 0x10000, UINT64_C(2) * PAGE, PAGE, PF_R },
	                                  { 0x20000, PAGE, 0, PF_R | PF_W },
	                                  { 0 } },
	        (const struct mapped[]){ { 0x10000, 0x12000, 0, "/lib/a.so" },
	                                 { 0x40000, 0x41000, 7, "/lib/b.so" },
	                                 { 0 } });
	static const struct {
		uint64_t address;
		const char *words;
	} missing[] = {
		{ 0x11008, "the mapped file may have these bytes: /lib/a.so at offset 0x1008" },
		{ 0x40010, "the mapped file may have these bytes: /lib/b.so at offset 0x7010" },
		{ 0x20000, "not in the core file: this memory was never touched, or was left out" },
		{ 0x50000, "not in the core file" },
	};

	struct pm_core *core = core_image_open(&image);
	struct pm_reader reader = pm_core_reader(core);
	struct pm_error error;
	struct pm_regions regions;
	char byte;
	size_t done;

	for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
		assert_int_equal(
			pm_reader_read(&reader, missing[i].address, &byte, 1, &done, &error), 0);
		assert_int_equal(done, 0);
		assert_int_equal(error.kind, PM_ERROR_UNREADABLE);
		assert_int_equal(error.address, missing[i].address);
		if (!strstr(error.text, missing[i].words))
			fail_msg("'%s' does not say '%s'", error.text, missing[i].words);
	}

	pm_regions_init(&regions);
	assert_int_equal(pm_core_regions(core, &regions, NULL), 0);

	struct pm_page_source pages = pm_core_source(core);
	const struct pm_plan_options options = { .pages = &pages };
	struct pm_plan *plan;
	static struct pm_unit unit;

	assert_int_equal(pm_plan_open(&regions, NULL, 0, &options, &plan, NULL), 0);
	while (pm_plan_next(plan, &unit, NULL) > 0)
		for (size_t i = 0; i < unit.count; i++)
			if (unit.segments[i].type == PM_SEGMENT_MISSING)
				assert_int_equal(strstr(unit.segments[i].why,
				                        "may have these bytes") != NULL,
				                 unit.segments[i].start != 0x20000);

	assert_int_equal(pm_plan_bytes(plan, PM_SEGMENT_RUN), PAGE);
	assert_int_equal(pm_plan_bytes(plan, PM_SEGMENT_MISSING), 3 * PAGE);
	pm_plan_close(plan);
	pm_regions_deinit(&regions);
	pm_core_close(core);
}

/**
 * As written by procmem: a new segment starts wherever bytes were read after bytes that were not,
 * and the reverse.
 */
static void parts_of_a_mapping_are_one_region(void **state)
{
	(void)state;
	compose((const struct segment[]){ { 0x10000, PAGE, PAGE, PF_R | PF_X },
	                                  { 0x11000, UINT64_C(2) * PAGE, 0, PF_R | PF_X },
	                                  { 0x13000, PAGE, PAGE, PF_R | PF_X },
	                                  { 0x14000, PAGE, PAGE, PF_R | PF_X },
	                                  { 0 } },
	        (const struct mapped[]){ { 0x10000, 0x14000, 2, "/lib/a.so (deleted)" },
	                                 { 0x14000, 0x16000, 6, "/lib/a.so (deleted)" },
	                                 { 0 } });

	/* Only a part of the second one was written; the rest of a mapping has its permissions. */
	expect_regions((const struct expected[]){
		{ 0x10000, 0x14000, RX | SHARED_UNKNOWN, UINT64_C(2) * PAGE, UINT64_C(2) * PAGE,
	          "/lib/a.so" },
		{ 0x14000, 0x16000, RX | SHARED_UNKNOWN, PAGE, UINT64_C(6) * PAGE, "/lib/a.so" },
		{ 0 } });
}

/**
 * Files have no inodes here. A match can cross to the next mapping of a file only if the offsets
 * are consecutive.
 */
static void file_continues_at_its_next_offset(void **state)
{
	(void)state;
	compose((const struct segment[]){ { 0x10000, UINT64_C(4) * PAGE, PAGE, PF_R }, { 0 } },
	        (const struct mapped[]){ { 0x10000, 0x11000, 0, "/a" },
	                                 { 0x11000, 0x12000, 1, "/a" },
	                                 { 0x12000, 0x13000, 1, "/a" },
	                                 { 0x13000, 0x14000, 2, "/b" },
	                                 { 0 } });

	static const bool goes_on[] = { true, false, false };
	struct pm_core *core = core_image_open(&image);
	struct pm_regions regions;
	pm_regions_init(&regions);
	assert_int_equal(pm_core_regions(core, &regions, NULL), 0);
	assert_int_equal(regions.count, 4);

	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pm_region_continues(&regions.items[i], &regions.items[i + 1]),
		                 goes_on[i]);

	pm_regions_deinit(&regions);
	pm_core_close(core);
}

/**
 * Mappings that the writer joined in only one of the lists are not joined, and get no made-up
 * permissions.
 */
static void boundaries_of_both_lists_count(void **state)
{
	(void)state;
	compose((const struct segment[]){ { 0x10000, PAGE, PAGE, PF_R },
	                                  { 0x12000, PAGE, PAGE, PF_R | PF_W },
	                                  { 0x20000, UINT64_C(4) * PAGE, UINT64_C(3) * PAGE, PF_R },
	                                  { 0 } },
	        (const struct mapped[]){ { 0x10000, 0x14000, 0, "/a" },
	                                 { 0x21000, 0x22000, 0, "/b" },
	                                 { 0x23000, 0x25000, 0, "/c" },
	                                 { 0 } });

	expect_regions((const struct expected[]){
		{ 0x10000, 0x11000, R | SHARED_UNKNOWN, PAGE, 0, "/a" },
		{ 0x11000, 0x12000, PM_PERM_UNKNOWN, 0, PAGE, "/a" },
		{ 0x12000, 0x13000, RW | SHARED_UNKNOWN, PAGE, UINT64_C(2) * PAGE, "/a" },
		{ 0x13000, 0x14000, PM_PERM_UNKNOWN, 0, UINT64_C(3) * PAGE, "/a" },
		{ 0x20000, 0x21000, R, PAGE, 0, "" },
		{ 0x21000, 0x22000, R | SHARED_UNKNOWN, PAGE, 0, "/b" },
		{ 0x22000, 0x23000, R, PAGE, 0, "" },
		{ 0x23000, 0x25000, R | SHARED_UNKNOWN, 0, 0, "/c" },
		{ 0 } });
}

static void meaningless_names_are_dropped(void **state)
{
	(void)state;
	compose((const struct segment[]){ { 0x10000, PAGE, PAGE, PF_R | PF_W }, { 0 } },
	        (const struct mapped[]){ { 0x30000, 0x34000, 0, "/first" },
	                                 { 0x33000, 0x38000, 0, "/overlaps" },
	                                 { 0x50000, 0x50000, 0, "/empty" },
	                                 { 0x60000, 0x5f000, 0, "/backwards" },
	                                 { 0x70000, 0x71000, 0, "" },
	                                 { 0x80000, 0x81000, 0, "[heap]" },
	                                 { 0x90000, 0x91000, 0, "[anon_shmem:pool]" },
	                                 { 0 } });

	expect_regions((const struct expected[]){
		{ 0x10000, 0x11000, RW, PAGE, 0, "" },
		{ 0x30000, 0x34000, PM_PERM_UNKNOWN, 0, 0, "/first" },
		{ 0x90000, 0x91000, PM_PERM_UNKNOWN, 0, 0, "[anon_shmem:pool]" },
		{ 0 } });
}

/** Only files of gdb have sections; in these every segment is readable. */
static void permissions_in_cores_of_gdb_are_uncertain(void **state)
{
	(void)state;
	const struct segment segments[] = { { 0x10000, PAGE, PAGE, PF_R },
		                            { 0x20000, PAGE, PAGE, PF_R | PF_W },
		                            { 0x30000, PAGE, PAGE, PF_R },
		                            { 0 } };
	const struct mapped files[] = { { 0x30000, 0x31000, 0, "/a" }, { 0 } };
	struct expected expected[] = { { 0x10000, 0x11000, R, PAGE, 0, "" },
		                       { 0x20000, 0x21000, RW, PAGE, 0, "" },
		                       { 0x30000, 0x31000, R | SHARED_UNKNOWN, PAGE, 0, "/a" },
		                       { 0 } };

	compose(segments, files);
	expect_regions(expected);
	((Elf64_Ehdr *)(void *)image.bytes)->e_shnum = 5;
	expected[0].perms = PM_PERM_MAYBE(R);
	expect_regions(expected);
}

static void unknown_permissions_are_formatted(void **state)
{
	(void)state;
	char text[PM_PERMS_TEXT_SIZE];
	pm_format_perms(PM_PERM_UNKNOWN, text);
	assert_string_equal(text, "????");
	pm_format_perms(PM_PERM_MAYBE(PM_PERM_READ), text);
	assert_string_equal(text, "?--p");
	pm_format_perms(RX | SHARED_UNKNOWN, text);
	assert_string_equal(text, "r-x?");

	pm_format_perms(RW | PM_PERM_SHARED, text);
	assert_string_equal(text, "rw-s");
}

/**
 * Writes the header of a library, with code at its second page and data at its third page, to an
 * offset of the image.
 */
static void put_library(size_t offset)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)(image.bytes + offset);
	Elf64_Phdr *programs = (Elf64_Phdr *)(header + 1);

	memcpy(header, image.bytes, EI_NIDENT);
	header->e_type = ET_DYN;
	header->e_phoff = sizeof *header;
	header->e_phentsize = sizeof *programs;
	header->e_phnum = 3;

	for (unsigned i = 0; i < 3; i++)
		programs[i] = (Elf64_Phdr){ .p_type = PT_LOAD,
			                    .p_flags = PF_R,
			                    .p_vaddr = UINT64_C(1) * i * PAGE,
			                    .p_offset = UINT64_C(1) * i * PAGE,
			                    .p_filesz = PAGE,
			                    .p_memsz = PAGE };

	programs[1].p_flags |= PF_X;
	programs[2].p_flags |= PF_W;
	programs[2].p_memsz = 2 * PAGE;
}

/**
 * A library whose code is not in the core file is recognised by its place; the same library mapped
 * as data is not, nor is a file next to it.
 */
static void libraries_are_recognized_by_path(void **state)
{
	(void)state;
	static const struct {
		enum pm_kind kind;
		enum pm_proof proof;
	} expected[] = {
		{ PM_KIND_RODATA, PM_PROOF_PROVEN }, { PM_KIND_CODE, PM_PROOF_INFERRED },
		{ PM_KIND_DATA, PM_PROOF_PROVEN },   { PM_KIND_BSS, PM_PROOF_PROVEN },
		{ PM_KIND_FILE, PM_PROOF_INFERRED }, { PM_KIND_FILE, PM_PROOF_PROVEN },
		{ PM_KIND_FILE, PM_PROOF_INFERRED },
	};

	/* Each segment contains one page: the third, fourth and sixth of the image. */
	compose((const struct segment[]){ { 0x10000, PAGE, PAGE, PF_R },
	                                  { 0x12000, PAGE, PAGE, PF_R | PF_W },
	                                  { 0x13000, PAGE, PAGE, PF_R | PF_W },
	                                  { 0x40000, PAGE, PAGE, PF_R },
	                                  { 0 } },
	        (const struct mapped[]){ { 0x10000, 0x11000, 0, "/a.so" },
	                                 { 0x11000, 0x12000, 1, "/a.so" },
	                                 { 0x12000, 0x13000, 2, "/a.so" },
	                                 { 0x20000, 0x23000, 0, "/locale" },
	                                 { 0x40000, 0x41000, 0, "/read.so" },
	                                 { 0x50000, 0x53000, 0, "/read.so" },
	                                 { 0 } });

	put_library((size_t)2 * PAGE);
	put_library((size_t)5 * PAGE);

	struct pm_core *core = core_image_open(&image);
	struct pm_reader reader = pm_core_reader(core);
	const struct pm_kinds_evidence evidence = { .reader = &reader, .any_page = true };
	struct pm_regions regions;

	pm_regions_init(&regions);
	assert_int_equal(pm_core_regions(core, &regions, NULL), 0);
	assert_int_equal(pm_kinds_assign(&regions, &evidence, NULL), 0);
	assert_int_equal(regions.count, sizeof expected / sizeof *expected);

	for (size_t i = 0; i < regions.count; i++)
		if (regions.items[i].kind != expected[i].kind ||
		    regions.items[i].proof != expected[i].proof)
			fail_msg("0x%llx is %s, %s: %s", (unsigned long long)regions.items[i].start,
			         pm_kind_name((enum pm_kind)regions.items[i].kind),
			         pm_proof_name((enum pm_proof)regions.items[i].proof),
			         regions.items[i].why);

	pm_regions_deinit(&regions);
	pm_core_close(core);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_without_segments_are_listed),
		cmocka_unit_test(missing_parts_are_reported),
		cmocka_unit_test(parts_of_a_mapping_are_one_region),
		cmocka_unit_test(file_continues_at_its_next_offset),
		cmocka_unit_test(boundaries_of_both_lists_count),
		cmocka_unit_test(meaningless_names_are_dropped),
		cmocka_unit_test(permissions_in_cores_of_gdb_are_uncertain),
		cmocka_unit_test(unknown_permissions_are_formatted),
		cmocka_unit_test(libraries_are_recognized_by_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
