/* SPDX-License-Identifier: MIT */
/* Core files built by the test, of each width and byte order: unusual, broken and malicious ones.
 * core_live_test.c has real ones. */
#include "reader/core.h"
#include "reader/core_file.h"

#include <elf.h>
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/core_image.h"

static void segments_give_the_place_of_bytes(void **state)
{
	(void)state;
	static struct core_image file;
	Elf64_Phdr *programs = core_image_make(&file, 4);
	/* Not sorted by address. The second one is only partly in the file, the third one not at
	 * all; the fourth one continues the first. */
	programs[0] = core_image_load(0x20000, PAGE, 4 * PAGE, PAGE);
	programs[1] = core_image_load(0x30000, 4 * PAGE, 8 * PAGE, 2 * PAGE);
	programs[2] = core_image_load(0x40000, 2 * PAGE, 0, 0);
	programs[3] = core_image_load(0x1f000, PAGE, 6 * PAGE, PAGE);
	programs[3].p_flags = PF_X;
	for (size_t i = PAGE; i < file.size; i++)
		file.bytes[i] = (unsigned char)(i / PAGE + i % 200);
	struct pm_core *core = core_image_open(&file);
	struct pm_reader reader = pm_core_reader(core);
	struct pm_error error;
	static char buffer[4 * PAGE];
	size_t done;
	assert_int_equal(pm_reader_read(&reader, 0x1f800, buffer, PAGE, &done, &error), 0);
	assert_int_equal(done, PAGE);
	assert_memory_equal(buffer, file.bytes + 6 * PAGE + 0x800, 0x800);
	assert_memory_equal(buffer + 0x800, file.bytes + 4 * PAGE, 0x800);
	assert_int_equal(pm_reader_read(&reader, 0x30000, buffer, 4 * PAGE, &done, &error), 0);
	assert_int_equal(done, 2 * PAGE);
	assert_int_equal(error.kind, PM_ERROR_UNREADABLE);
	assert_int_equal(error.address, 0x32000);
	const uint64_t nowhere[] = { 0, 0x1efff, 0x21000, 0x40000, UINT64_MAX };
	for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
		assert_int_equal(pm_reader_read(&reader, nowhere[i], buffer, 1, &done, &error), 0);
		assert_int_equal(done, 0);
	}

	struct pm_regions regions;
	pm_regions_init(&regions);
	assert_int_equal(pm_core_regions(core, &regions, &error), 0);
	assert_int_equal(regions.count, 4);
	assert_int_equal(regions.items[0].start, 0x1f000);
	assert_int_equal(regions.items[0].perms, PM_PERM_EXEC);
	assert_int_equal(regions.items[2].bytes[PM_SIZE_RSS], 2 * PAGE);

	/* And by a plan. */
	struct pm_page_source pages = pm_core_source(core);
	const struct pm_plan_options options = { .pages = &pages };
	struct pm_plan *plan;
	static struct pm_unit unit;
	assert_int_equal(pm_plan_open(&regions, NULL, 0, &options, &plan, &error), 0);
	assert_int_equal(pm_plan_next(plan, &unit, &error), 1);
	assert_int_equal(pm_plan_bytes(plan, PM_SEGMENT_RUN), 4 * PAGE);
	assert_int_equal(pm_plan_bytes(plan, PM_SEGMENT_MISSING), 4 * PAGE);
	assert_int_equal(pm_plan_next(plan, &unit, &error), 0);
	pm_plan_close(plan);
	pm_regions_deinit(&regions);
	pm_core_close(core);
}

/** Two threads, by descending TID. */
static void expect_threads(const struct pm_core *core, const int *tids, const uint64_t *pointers)
{
	size_t count;
	const struct pm_thread *threads = pm_core_threads(core, &count);
	assert_int_equal(count, 2);

	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(threads[i].tid, tids[1 - i]);
		assert_int_equal(threads[i].stack_pointer, pointers[1 - i]);
		assert_string_equal(threads[i].name, "");
	}
}

static void notes_describe_the_process(void **state)
{
	(void)state;
	static struct core_image file;
	Elf64_Phdr *programs = core_image_make(&file, 3);
	programs[0] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = PAGE };
	programs[1] = core_image_load(0x10000, PAGE, 4 * PAGE, PAGE);
	programs[2] = core_image_load(0x7000, PAGE, 5 * PAGE, PAGE);

	unsigned char process[136] = { 0 }, thread[336] = { 0 };
	const int pid = 4711;
	const short signal = 11;
	memcpy(process + 24, &pid, sizeof pid);
	memcpy(process + 40, "sixteen bytes ok", 16);
	strcpy((char *)process + 56, "sixteen --bytes ok  ");
	memcpy(thread + 12, &signal, sizeof signal);
	/* struct elf_prstatus of x86-64 as in fs/binfmt_elf.c: pr_pid, and rsp in the registers. */
	const int tids[] = { 4712, 4711 };
	const uint64_t pointers[] = { 0x10010, 0x10020 };
	struct {
		uint64_t count, page, entries[2][3];
		char texts[40];
	} files = { 2,
		    PAGE,
		    { { 0xf000, 0x12000, 3 }, { 0x20000, 0x21000, 0 } },
		    "/usr/lib/libx.so (deleted)\0/other" };
	const uint64_t auxiliary[] = { AT_SYSINFO_EHDR, 0x7000, AT_RANDOM, 0x9000, AT_NULL, 0 };
	size_t size = 0;
	unsigned char *notes = file.bytes + PAGE;
	((Elf64_Ehdr *)(void *)file.bytes)->e_machine = EM_X86_64;
	memcpy(thread + 32, &tids[0], sizeof tids[0]);
	memcpy(thread + 264, &pointers[0], sizeof pointers[0]);
	core_image_note(notes, &size, NT_PRSTATUS, thread, sizeof thread);
	core_image_note(notes, &size, NT_PRPSINFO, process, sizeof process);
	memcpy(thread + 32, &tids[1], sizeof tids[1]);
	memcpy(thread + 264, &pointers[1], sizeof pointers[1]);
	core_image_note(notes, &size, NT_PRSTATUS, thread, sizeof thread);
	core_image_note(notes, &size, NT_AUXV, auxiliary, sizeof auxiliary);
	core_image_note(notes, &size, NT_FILE, &files, sizeof files);
	programs[0].p_filesz = size;

	struct pm_core *core = core_image_open(&file);
	const struct pm_core_info *info = pm_core_info(core);
	assert_int_equal(info->pid, pid);
	assert_int_equal(info->signal, signal);
	assert_int_equal(info->threads, 2);
	assert_int_equal(info->word_bits, 64);
	expect_threads(core, tids, pointers);
	assert_string_equal(info->comm, "sixteen bytes ok");
	assert_string_equal(info->command, "sixteen --bytes ok");
	struct pm_regions regions;
	pm_regions_init(&regions);
	assert_int_equal(pm_core_regions(core, &regions, NULL), 0);
	assert_int_equal(regions.count, 3);
	assert_string_equal(regions.items[0].mapping, "[vdso]");
	assert_string_equal(regions.items[1].mapping, "/usr/lib/libx.so");
	assert_true(regions.items[1].deleted);
	assert_int_equal(regions.items[1].start, 0xf000);
	assert_int_equal(regions.items[1].offset, 3 * PAGE);
	assert_string_equal(regions.items[2].mapping, "/other");
	pm_regions_deinit(&regions);
	pm_core_close(core);
}

/** 32-bit, with the other byte order. */
static void foreign_files_are_read(void **state)
{
	(void)state;
	static struct core_image file;
	memset(&file, 0, sizeof file);

	Elf32_Ehdr *header = (Elf32_Ehdr *)file.bytes;
	Elf32_Phdr *program = (Elf32_Phdr *)(file.bytes + sizeof *header);
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_ident[EI_CLASS] = ELFCLASS32;
	header->e_ident[EI_DATA] = ELFDATA2MSB;
	header->e_type = htobe16(ET_CORE);
	header->e_phoff = htobe32(sizeof *header);
	header->e_phentsize = htobe16(sizeof *program);

	header->e_phnum = htobe16(1);
	*program = (Elf32_Phdr){ .p_type = htobe32(PT_LOAD),
		                 .p_vaddr = htobe32(0xfffff000),
		                 .p_memsz = htobe32(PAGE),
		                 .p_offset = htobe32(PAGE),
		                 .p_filesz = htobe32(PAGE),
		                 .p_flags = htobe32(PF_R) };
	strcpy((char *)file.bytes + PAGE, "big");

	file.size = 2 * PAGE;
	struct pm_core *core = core_image_open(&file);
	struct pm_reader reader = pm_core_reader(core);
	char text[4];

	assert_int_equal(pm_core_info(core)->word_bits, 32);
	assert_int_equal(pm_reader_read(&reader, 0xfffff000, text, 4, NULL, NULL), 0);
	assert_string_equal(text, "big");
	pm_core_close(core);
}

/** More than 65,534 segments: their number is in section header 0. */
static void any_number_of_segments_is_counted(void **state)
{
	(void)state;
	enum { SEGMENTS = 70000 };
	static struct core_image head;
	core_image_make(&head, PN_XNUM);
	Elf64_Ehdr *header = (Elf64_Ehdr *)head.bytes;
	Elf64_Shdr *section = (Elf64_Shdr *)(head.bytes + sizeof *header);
	header->e_shoff = sizeof *header;
	header->e_shentsize = sizeof *section;
	header->e_shnum = 1;
	section->sh_info = SEGMENTS;
	header->e_phoff = PAGE;
	int fd = memfd_create("core", MFD_CLOEXEC);
	assert_int_equal(write(fd, head.bytes, PAGE), PAGE);
	Elf64_Phdr *programs = calloc(SEGMENTS, sizeof *programs);
	assert_non_null(programs);
	for (size_t i = 0; i < SEGMENTS; i++)
		programs[i] = core_image_load(0x10000 + i * 2 * PAGE, PAGE, 0, 0);
	assert_int_equal(write(fd, programs, SEGMENTS * sizeof *programs),
	                 SEGMENTS * sizeof *programs);
	free(programs);
	struct pm_core *core;
	struct pm_error error;
	if (pm_core_open_fd(fd, &core, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(core->segment_count, SEGMENTS);
	pm_core_close(core);

	section->sh_info = UINT32_MAX;
	core_image_expect_refused(&head, "extend beyond the end");
	header->e_shoff = UINT64_MAX - 3;
	core_image_expect_refused(&head, "too short to contain");
	header->e_shoff = 0;
	core_image_expect_refused(&head, "more than 65,534");
}

/**
 * A full disk truncates core files: the bytes in the file can be read, the rest is missing, not
 * zero.
 */
static void truncated_file_is_read_to_its_end(void **state)
{
	(void)state;
	static struct core_image file;
	Elf64_Phdr *programs = core_image_make(&file, 2);
	programs[0] = core_image_load(0x10000, 2 * PAGE, 2 * PAGE, 2 * PAGE);
	programs[1] = core_image_load(0x20000, 2 * PAGE, 4 * PAGE, 2 * PAGE);
	file.size = 3 * PAGE;
	file.bytes[2 * PAGE] = 'x';

	struct pm_core *core = core_image_open(&file);
	assert_true(pm_core_info(core)->truncated);
	assert_int_equal(pm_core_info(core)->size, 3 * PAGE);
	assert_int_equal(pm_core_info(core)->missing, 3 * PAGE);

	struct pm_reader reader = pm_core_reader(core);
	static char buffer[2 * PAGE];
	size_t done;
	assert_int_equal(pm_reader_read(&reader, 0x10000, buffer, 2 * PAGE, &done, NULL), 0);
	assert_int_equal(done, PAGE);
	assert_int_equal(buffer[0], 'x');
	struct pm_error error;
	assert_int_equal(pm_reader_read(&reader, 0x20000, buffer, 1, &done, &error), 0);
	assert_int_equal(done, 0);
	assert_string_equal(error.text, "beyond the end of the truncated core file");

	pm_core_close(core);
}

static int add_run(void *context, const struct pm_page_run *run)
{
	struct pm_page_run **next = context;
	*(*next)++ = *run;
	return 0;
}

/** The page source distinguishes pages that were cut off from pages that were left out. */
static void truncated_pages_are_distinguished(void **state)
{
	(void)state;
	static struct core_image file;
	Elf64_Phdr *programs = core_image_make(&file, 2);
	programs[0] = core_image_load(0x10000, 4 * PAGE, 2 * PAGE, 3 * PAGE);
	programs[1] = core_image_load(0x100000, UINT64_C(1) << 62, PAGE, UINT64_C(1) << 62);
	file.size = 3 * PAGE;

	struct pm_core *core = core_image_open(&file);
	struct pm_page_source source = pm_core_source(core);
	struct pm_page_run runs[8], *next = runs;
	const struct pm_page_run wanted[] = {
		{ 0x10000, 0x11000, PM_PAGE_PRESENT },
		{ 0x11000, 0x13000, PM_PAGE_CUT },
		{ 0x100000, 0x102000, PM_PAGE_PRESENT },
		{ 0x102000, 0x100000 + (UINT64_C(1) << 62), PM_PAGE_CUT },
	};

	assert_int_equal(source.walk(source.context, 0, UINT64_MAX, add_run, &next, NULL), 0);
	assert_int_equal(next - runs, sizeof wanted / sizeof *wanted);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		assert_int_equal(runs[i].start, wanted[i].start);
		assert_int_equal(runs[i].end, wanted[i].end);
		assert_int_equal(runs[i].state, wanted[i].state);
	}

	struct pm_reader reader = pm_core_reader(core);
	struct pm_error error;
	char byte;
	size_t done;
	assert_int_equal(pm_reader_read(&reader, 0x13000, &byte, 1, &done, &error), 0);
	assert_string_equal(error.text,
	                    "not in the core file: this memory was never touched, or was left out");
	pm_core_close(core);
}

/** Holes of a sparse file are zeros that a plan does not read: a terabyte of them takes no time. */
static void holes_are_not_read(void **state)
{
	(void)state;
	const uint64_t terabyte = UINT64_C(1) << 40;
	static struct core_image file;
	Elf64_Phdr *programs = core_image_make(&file, 1);

	programs[0] = core_image_load(0x100000000000, terabyte, PAGE, terabyte);
	file.size = PAGE;

	int fd = memfd_create("core", MFD_CLOEXEC);
	assert_int_equal(write(fd, file.bytes, file.size), file.size);
	assert_int_equal(pwrite(fd, "x", 1, (off_t)(PAGE + terabyte / 2)), 1);
	assert_int_equal(ftruncate(fd, (off_t)(PAGE + terabyte)), 0);

	struct pm_core *core;
	struct pm_error error;
	if (pm_core_open_fd(fd, &core, &error) < 0)
		fail_msg("%s", error.text);

	struct pm_regions regions;
	pm_regions_init(&regions);
	assert_int_equal(pm_core_regions(core, &regions, NULL), 0);

	struct pm_page_source pages = pm_core_source(core);
	const struct pm_plan_options options = { .pages = &pages };
	struct pm_plan *plan;
	static struct pm_unit unit;

	assert_int_equal(pm_plan_open(&regions, NULL, 0, &options, &plan, &error), 0);
	while (pm_plan_next(plan, &unit, &error) > 0)
		;

	/* tmpfs may use a huge page for the byte. */
	assert_in_range(pm_plan_bytes(plan, PM_SEGMENT_RUN), PAGE, 4 << 20);
	assert_int_equal(pm_plan_bytes(plan, PM_SEGMENT_RUN) + pm_plan_bytes(plan, PM_SEGMENT_HOLE),
	                 terabyte);
	pm_plan_close(plan);
	pm_regions_deinit(&regions);
	pm_core_close(core);
}

static void invalid_input_is_rejected(void **state)
{
	(void)state;
	static struct core_image file;
	Elf64_Ehdr *header = (Elf64_Ehdr *)file.bytes;
	Elf64_Phdr *programs = core_image_make(&file, 2);
	file.size = 10;
	core_image_expect_refused(&file, "too short to contain");

	core_image_make(&file, 0);
	core_image_expect_refused(&file, "without memory segments");
	core_image_make(&file, 1);
	header->e_type = ET_EXEC;
	core_image_expect_refused(&file, "not a core file");
	core_image_make(&file, 1);
	header->e_ident[0] = 'x';
	core_image_expect_refused(&file, "not an ELF");
	core_image_make(&file, 1);
	header->e_ident[EI_CLASS] = 7;
	core_image_expect_refused(&file, "unknown class");
	core_image_make(&file, 1);
	header->e_phoff = UINT64_MAX - 10;
	core_image_expect_refused(&file, "program headers is invalid");
	core_image_make(&file, 1);
	header->e_phentsize = 1;
	core_image_expect_refused(&file, "program headers is invalid");
	core_image_make(&file, 1000);
	file.size = 10 * PAGE;
	core_image_expect_refused(&file, "program headers is invalid");

	core_image_make(&file, 2);
	programs[0] = core_image_load(0x10000, 2 * PAGE, 0, 0);
	programs[1] = core_image_load(0x11000, PAGE, 0, 0);
	core_image_expect_refused(&file, "overlap");
	core_image_make(&file, 1);
	programs[0] = core_image_load(UINT64_MAX - PAGE, 2 * PAGE, 0, 0);
	core_image_expect_refused(&file, "beyond the end of the address space");
	core_image_make(&file, 1);
	programs[0] = core_image_load(0x10000, PAGE, PAGE, UINT64_C(1) << 62);
	core_image_expect_refused(&file, "more bytes in the file than in memory");

	struct pm_core *core = NULL;
	struct pm_error error;
	assert_int_equal(pm_core_open("/nonexistent", &core, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
	assert_int_equal(pm_core_open("/", &core, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_FORMAT);
	assert_false(pm_core_is_one("/proc/self/exe"));
	pm_core_close(NULL);
}

/** A note of an impossible size ends the notes, not the file. */
static void broken_notes_do_not_matter(void **state)
{
	(void)state;
	static struct core_image file;
	Elf64_Phdr *programs = core_image_make(&file, 2);
	programs[0] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = PAGE, .p_filesz = UINT64_MAX };
	programs[1] = core_image_load(0x10000, PAGE, 4 * PAGE, PAGE);

	const uint64_t many[] = { UINT64_MAX / 24, PAGE, 1, 2, 3 };
	const uint64_t no_texts[] = { 2, PAGE, 0x10000, 0x11000, 0, 0x20000, 0x21000, 0 };
	size_t size = 0;
	core_image_note(file.bytes + PAGE, &size, NT_FILE, many, sizeof many);
	pm_core_close(core_image_open(&file));
	size = 0;
	core_image_note(file.bytes + PAGE, &size, NT_FILE, no_texts, sizeof no_texts);
	pm_core_close(core_image_open(&file));

	((Elf64_Nhdr *)(file.bytes + PAGE))->n_namesz = UINT32_MAX;
	pm_core_close(core_image_open(&file));
	((Elf64_Nhdr *)(file.bytes + PAGE))->n_namesz = 5;
	((Elf64_Nhdr *)(file.bytes + PAGE))->n_descsz = UINT32_MAX;
	pm_core_close(core_image_open(&file));
	programs[0].p_offset = UINT64_MAX - 1;
	pm_core_close(core_image_open(&file));
}

/* Each of many program headers refers to the same notes. */
static void endless_notes_are_not_read(void **state)
{
	(void)state;
	enum { HEADERS = 101, NOTES = 12000, MOST = 1 << 20 };

	static struct core_image file;
	Elf64_Phdr *programs = core_image_make(&file, HEADERS);
	size_t offset = sizeof(Elf64_Ehdr) + HEADERS * sizeof *programs,
	       size = NOTES * sizeof(Elf64_Nhdr);

	assert_true((HEADERS - 1) * NOTES > MOST && offset <= sizeof file.bytes);
	for (size_t i = 0; i + 1 < HEADERS; i++)
		programs[i] =
			(Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = offset, .p_filesz = size };

	programs[HEADERS - 1] = core_image_load(0x10000, PAGE, 0, PAGE);
	Elf64_Nhdr *notes = test_calloc(NOTES, sizeof *notes);
	for (size_t i = 0; i < NOTES; i++)
		notes[i].n_type = NT_PRSTATUS;

	int fd = memfd_create("core", MFD_CLOEXEC);
	struct pm_core *core;
	assert_int_equal(write(fd, file.bytes, offset), offset);
	assert_int_equal(write(fd, notes, size), size);
	assert_int_equal(pm_core_open_fd(fd, &core, NULL), 0);
	assert_int_equal(pm_core_info(core)->threads, MOST);
	pm_core_close(core);
	test_free(notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_give_the_place_of_bytes),
		cmocka_unit_test(notes_describe_the_process),
		cmocka_unit_test(foreign_files_are_read),
		cmocka_unit_test(any_number_of_segments_is_counted),
		cmocka_unit_test(truncated_file_is_read_to_its_end),
		cmocka_unit_test(truncated_pages_are_distinguished),
		cmocka_unit_test(holes_are_not_read),
		cmocka_unit_test(invalid_input_is_rejected),
		cmocka_unit_test(broken_notes_do_not_matter),
		cmocka_unit_test(endless_notes_are_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
