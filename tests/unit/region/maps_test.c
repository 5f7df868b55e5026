/* SPDX-License-Identifier: MIT */
/* Texts of maps and smaps, without a process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <procmem/maps.h>

#include "region/maps_line.h"
#include "region/maps_stream.h"

static bool parse(const char *text, struct pm_region *region, char *line)
{
	strcpy(line, text);
	return pm_maps_line_parse(line, strlen(line), region);
}

static void line_has_all_fields(void **state)
{
	(void)state;
	char line[512];
	struct pm_region region;
	assert_true(parse("7f3b2a1f1000-7f3b2b2a5000 r-xp 002c7000 fe:01 4294967297                "
	                  " /usr/lib/libjvm.so",
	                  &region, line));
	assert_int_equal(region.start, 0x7f3b2a1f1000);
	assert_int_equal(region.end, 0x7f3b2b2a5000);

	assert_int_equal(region.perms, PM_PERM_READ | PM_PERM_EXEC);
	assert_int_equal(region.offset, 0x2c7000);
	assert_int_equal(region.device_major, 0xfe);
	assert_int_equal(region.device_minor, 1);
	assert_int_equal(region.inode, 4294967297);
	assert_string_equal(region.mapping, "/usr/lib/libjvm.so");
	assert_false(region.deleted);
}

static void line_widths(void **state)
{
	(void)state;
	char line[512];
	struct pm_region region;
	/* A 32-bit program, an offset of more than 32 bits, the vsyscall page above 2^63, shared
	 * memory without a name. */
	assert_true(parse("08048000-08056000 r-xp 00000000 03:0c 64593      /usr/sbin/gpm", &region,
	                  line));
	assert_int_equal(region.start, 0x8048000);

	assert_true(parse(
		"7f0000000000-7f0000001000 rw-s ffffffff80000000 00:01 18446744073709551615 /x",
		&region, line));
	assert_true(region.offset == 0xffffffff80000000u && region.inode == UINT64_MAX);
	assert_int_equal(region.perms, PM_PERM_READ | PM_PERM_WRITE | PM_PERM_SHARED);
	assert_true(parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                 "
	                  " [vsyscall]",
	                  &region, line));

	assert_true(region.start == 0xffffffffff600000u && region.end == 0xffffffffff601000u);
	assert_true(parse("7f0000000000-7f0000001000 ---p 00000000 00:00 0 ", &region, line));
	assert_string_equal(region.mapping, "");
	assert_true(parse("7f0000000000-7f0000001000 ---p 00000000 00:00 0", &region, line));
	assert_string_equal(region.mapping, "");
}

static void line_names(void **state)
{
	(void)state;
	static const struct {
		const char *text, *mapping;
		bool deleted;
	} cases[] = {
		{ "/a b  c", "/a b  c", false },
		{ "/t\\012x\\012", "/t\nx\n", false },
		{ "/t\\01", "/t\\01", false },
		{ "/back\\\\012", "/back\\\n", false },
		{ "/gone (deleted)", "/gone", true },
		{ "/gone (deleted) (deleted)", "/gone (deleted)", true },
		{ "/gone (deleted)x", "/gone (deleted)x", false },
		{ " (deleted)", "(deleted)", false },
		{ "/memfd:a b (deleted)", "/memfd:a b", true },
		{ "[anon: glibc: malloc arena]", "[anon: glibc: malloc arena]", false },
		{ "/\xc3\xa9\xff", "/\xc3\xa9\xff", false },
		{ "anon_inode:[io_uring]", "anon_inode:[io_uring]", false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char line[512], text[512] = "1000-2000 r--p 00000000 00:00 7    ";
		struct pm_region region;
		strcat(text, cases[i].text);
		assert_true(parse(text, &region, line));
		assert_string_equal(region.mapping, cases[i].mapping);
		assert_int_equal(region.deleted, cases[i].deleted);
	}
}

static void line_refuses(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"",
		"x",
		"1000-2000",
		"1000-2000 ",
		"1000-2000 rwxp",
		"1000-2000 rwxq 0 0:0 0",
		"1000-2000 wrxp 0 0:0 0",
		"2000-1000 rwxp 0 0:0 0",
		"1000-1000 rwxp 0 0:0 0",
		"-2000 rwxp 0 0:0 0",
		"1000-11111111111111111 rwxp 0 0:0 0",
		"1000-2000 rwxp 0 0:0",
		"1000-2000 rwxp 0 00 0",
		"1000-2000 rwxp 0 0:100000000 0",
		"1000-2000 rwxp 0 0:0 18446744073709551616",
		"1000-2000 rwxp 0 0:0 0/x",
		"1000 -2000 rwxp 0 0:0 0",
		"1000-2000  rwxp 0 0:0 0",
		"0x1000-0x2000 rwxp 0 0:0 0",
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char line[128];
		struct pm_region region = { .start = 77 };
		assert_false(parse(bad[i], &region, line));
		assert_int_equal(region.start, 77);
	}
}

/**
 * Reads a text as a file.
 * @return 0 or -1, as pm_maps_read_fd()
 */
static int read_text_as(const char *text, enum pm_maps_source source, struct pm_regions *regions,
                        struct pm_error *error)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	pm_regions_init(regions);

	int result = pm_maps_read_fd(fd, source, "the text", regions, error);
	close(fd);
	return result;
}

#define HEAD1 "1000-3000 rw-p 00000000 00:00 0 \n"
#define HEAD2 "5000-6000 r-xs 00001000 08:01 12   /bin/x\n"
#define FIELDS1                                                                      \
	"Size: 8 kB\nRss:   4 kB\nPss:  3 kB\nNewKey: many words\nPrivate_Dirty: 4 " \
	"kB\nTHPeligible:  0\nVmFlags: rd wr ac zz nh \n"
#define FIELDS2                                                                                  \
	"Size: 4 kB\nRss:   2 kB\nPss:  1 kB\nNewKey: none\nPrivate_Dirty: 0 kB\nTHPeligible:  " \
	"0\nVmFlags: rd ex um io\n"

static void smaps_fields_arrive(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct pm_error error = { 0 };
	assert_int_equal(read_text_as(HEAD1 FIELDS1 HEAD2 FIELDS2, PM_SMAPS, &regions, &error), 0);
	assert_int_equal(regions.count, 2);

	const struct pm_region *one = &regions.items[0], *two = &regions.items[1];
	assert_int_equal(one->bytes[PM_SIZE_RSS], 4096);
	assert_int_equal(one->bytes[PM_SIZE_PSS], 3072);
	assert_int_equal(one->bytes[PM_SIZE_PRIVATE_DIRTY], 4096);
	assert_int_equal(one->known, PM_SIZE_BIT(PM_SIZE_RSS) | PM_SIZE_BIT(PM_SIZE_PSS) |
	                                     PM_SIZE_BIT(PM_SIZE_PRIVATE_DIRTY));
	assert_int_equal(one->vm_flags,
	                 PM_VM_KNOWN | PM_VM_READ | PM_VM_ACCOUNT | PM_VM_NOHUGEPAGE);

	assert_int_equal(two->bytes[PM_SIZE_RSS], 2048);
	assert_int_equal(two->vm_flags, PM_VM_KNOWN | PM_VM_READ | PM_VM_UFFD_MISSING | PM_VM_IO);
	assert_string_equal(two->mapping, "/bin/x");
	pm_regions_deinit(&regions);
}

static void other_order_and_missing_keys(void **state)
{
	(void)state;
	/* A later region has its keys in another order, as other tools that write smaps might do.
	 */
	struct pm_regions regions;
	struct pm_error error = { 0 };
	static const char text[] = HEAD1 "Rss: 4 kB\nPss: 3 kB\nSwap: 1 kB\n" HEAD2
					 "Swap: 7 kB\nPss: 5 kB\nRss: 8 kB\n";

	assert_int_equal(read_text_as(text, PM_SMAPS, &regions, &error), 0);
	assert_int_equal(regions.items[1].bytes[PM_SIZE_SWAP], 7 * 1024);
	assert_int_equal(regions.items[1].bytes[PM_SIZE_PSS], 5 * 1024);
	assert_int_equal(regions.items[1].bytes[PM_SIZE_RSS], 8 * 1024);
	pm_regions_deinit(&regions);
}

static void invalid_texts_are_rejected(void **state)
{
	(void)state;
	static const struct {
		const char *text, *says;
		enum pm_maps_source source;
	} cases[] = {
		{ "", "it is empty", PM_MAPS },
		{ "ELF\x7f\n", "line 1 does not have the format", PM_MAPS },
		{ HEAD1 "5000-6000 r-xs 000", "middle of line 2", PM_MAPS },
		{ HEAD2 HEAD1, "line 2 overlaps the previous region", PM_MAPS },
		{ HEAD1 "2000-6000 r-xs 00001000 08:01 12   /bin/x\n",
		  "line 2 overlaps the previous region", PM_MAPS },
		{ HEAD1 HEAD2 FIELDS2, "line 3 does not have the format", PM_MAPS },
		{ HEAD1 FIELDS1 HEAD2, "fields of a region", PM_SMAPS },
		{ HEAD1 FIELDS1 HEAD2 "Size: 4 kB\nRss: 2 kB\n", "fields of a region", PM_SMAPS },
		{ HEAD1 FIELDS1 HEAD2 "Size: 4 kB\nRss: two kB\n",
		  "line 11 does not have the format", PM_SMAPS },
		{ HEAD1 "Rss: 18014398509481984 kB\n", "line 2 does not have the format",
		  PM_SMAPS },
		{ "Rss: 2 kB\n" HEAD1, "line 1 does not have the format", PM_SMAPS },
		{ HEAD1 HEAD2, "use a smaps file", PM_SMAPS },
		{ HEAD1 FIELDS1, "use a maps file", PM_MAPS },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pm_regions regions;
		struct pm_error error = { 0 };
		assert_int_equal(read_text_as(cases[i].text, cases[i].source, &regions, &error),
		                 -1);
		assert_int_equal(error.kind, PM_ERROR_FORMAT);
		if (!strstr(error.text, cases[i].says))
			fail_msg("case %zu says: %s", i, error.text);
		pm_regions_deinit(&regions);
	}
}

static void long_file_is_read_ahead(void **state)
{
	(void)state;
	/* Long enough for the reading thread; every region is checked, to detect a lost or repeated
	 * block. */
	enum { COUNT = 40000 };
	FILE *file = tmpfile();
	assert_non_null(file);
	for (int i = 0; i < COUNT; i++)
		fprintf(file, "%x-%x rw-p 00000000 00:00 %d   /%d\n", 0x10000 + i * 0x2000,
		        0x11000 + i * 0x2000, i, i);
	assert_int_equal(fflush(file), 0);
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	struct pm_regions regions;
	struct pm_error error = { 0 };
	pm_regions_init(&regions);
	assert_int_equal(pm_maps_read_fd(fileno(file), PM_MAPS, "long", &regions, &error), 0);
	assert_int_equal(regions.count, COUNT);
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(regions.items[i].inode, i);
		assert_int_equal(strtol(regions.items[i].mapping + 1, NULL, 10), i);
	}
	pm_regions_deinit(&regions);

	/* The same with an error in the middle: the thread must end. */
	assert_int_equal(pwrite(fileno(file), "?", 1, 1000000), 1);
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	assert_int_equal(pm_maps_read_fd(fileno(file), PM_MAPS, "long", &regions, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_FORMAT);
	pm_regions_deinit(&regions);
	fclose(file);
}

static void live_overlap_keeps_the_later_line(void **state)
{
	(void)state;
	/* The output of a kernel whose target merges mappings during the read: the third line
	 * covers the second one and the upper half of the first. */
	static const char text[] = "1000-3000 rw-p 00000000 00:00 0 \nRss: 8 kB\nSwap: 0 kB\n"
				   "3000-4000 rw-p 00000000 00:00 0 \nRss: 4 kB\nSwap: 0 kB\n"
				   "2000-6000 rw-p 00000000 00:00 0 \nRss: 16 kB\nSwap: 0 kB\n";
	int fd = memfd_create("text", MFD_CLOEXEC);
	struct pm_regions regions;

	struct pm_error error = { 0 };
	bool with_fields;
	pm_regions_init(&regions);
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(pm_maps_stream_read(fd, PM_MAPS_LIVE, &regions, &with_fields, &error), 0);
	assert_int_equal(regions.count, 2);
	assert_int_equal(regions.items[0].start, 0x1000);

	assert_int_equal(regions.items[0].end, 0x2000);
	assert_int_equal(regions.items[0].bytes[PM_SIZE_RSS], 4096);
	assert_int_equal(regions.items[1].start, 0x2000);
	assert_int_equal(regions.items[1].end, 0x6000);
	assert_int_equal(regions.items[1].bytes[PM_SIZE_RSS], 16384);
	pm_regions_deinit(&regions);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_has_all_fields),
		cmocka_unit_test(line_widths),
		cmocka_unit_test(line_names),
		cmocka_unit_test(line_refuses),
		cmocka_unit_test(smaps_fields_arrive),
		cmocka_unit_test(other_order_and_missing_keys),
		cmocka_unit_test(invalid_texts_are_rejected),
		cmocka_unit_test(long_file_is_read_ahead),
		cmocka_unit_test(live_overlap_keeps_the_later_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
