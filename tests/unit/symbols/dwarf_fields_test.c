/* SPDX-License-Identifier: MIT */
/* Offsets of fields in debug information that is written here byte by byte (DWARF 4 and 5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dwarf.h>
#include <string.h>

#include "symbols/dwarf_fields.h"

/** Bytes that are written one after the other. */
struct writer {
	unsigned char bytes[512];
	size_t size;
};

static void put(struct writer *writer, uint64_t number, unsigned size)
{
	assert_true(writer->size + size <= sizeof writer->bytes);
	memcpy(writer->bytes + writer->size, &number, size);
	writer->size += size;
}

static void put_text(struct writer *writer, const char *text)
{
	size_t size = strlen(text) + 1;

	assert_true(writer->size + size <= sizeof writer->bytes);
	memcpy(writer->bytes + writer->size, text, size);
	writer->size += size;
}

/* Numbers of abbreviations */
enum { UNIT = 1, STRUCTURE, MEMBER, FUNCTION };

/** Writes an abbreviation: pairs of an attribute and a form follow, then 0. */
static void put_abbreviation(struct writer *writer, unsigned number, unsigned tag, bool children,
                             const unsigned char *pairs, size_t size)
{
	put(writer, number, 1);
	put(writer, tag, 1);
	put(writer, children, 1);
	for (size_t i = 0; i < size; i++)
		put(writer, pairs[i], 1);
	put(writer, 0, 2);
}

static void put_abbreviations(struct writer *writer)
{
	static const unsigned char name[] = { DW_AT_name, DW_FORM_string };
	static const unsigned char structure[] = { DW_AT_name, DW_FORM_string, DW_AT_byte_size,
		                                   DW_FORM_udata };
	static const unsigned char member[] = {
		DW_AT_name,    DW_FORM_string, DW_AT_data_member_location,
		DW_FORM_udata, DW_AT_type,     DW_FORM_ref4
	};
	static const unsigned char function[] = { DW_AT_name, DW_FORM_string, DW_AT_frame_base,
		                                  DW_FORM_exprloc };

	put_abbreviation(writer, UNIT, DW_TAG_compile_unit, true, name, sizeof name);
	put_abbreviation(writer, STRUCTURE, DW_TAG_structure_type, true, structure,
	                 sizeof structure);
	put_abbreviation(writer, MEMBER, DW_TAG_member, false, member, sizeof member);
	put_abbreviation(writer, FUNCTION, DW_TAG_subprogram, true, function, sizeof function);
	put(writer, 0, 1);
}

static void put_member(struct writer *writer, const char *name, unsigned offset)
{
	put(writer, MEMBER, 1);
	put_text(writer, name);
	if (offset >= 128)
		put(writer, (offset & 0x7f) | 0x80, 1);
	put(writer, offset >= 128 ? offset >> 7 : offset, 1);
	put(writer, 0, 4);
}

static void put_structure(struct writer *writer, const char *name, unsigned size)
{
	put(writer, STRUCTURE, 1);
	put_text(writer, name);
	put(writer, size, 1);
}

/** Starts a unit. Returns the offset of its size. */
static size_t begin_unit(struct writer *writer, unsigned version, const char *name)
{
	size_t start = writer->size;

	put(writer, 0, 4);
	put(writer, version, 2);
	if (version >= 5) {
		put(writer, DW_UT_compile, 1);
		put(writer, 8, 1);
		put(writer, 0, 4);
	} else {
		put(writer, 0, 4);
		put(writer, 8, 1);
	}
	put(writer, UNIT, 1);
	put_text(writer, name);
	return start;
}

static void end_unit(struct writer *writer, size_t start)
{
	put(writer, 0, 1);
	uint32_t size = (uint32_t)(writer->size - start - 4);
	memcpy(writer->bytes + start, &size, sizeof size);
}

/** Two units: in the first one, the same structure has other offsets. */
static void put_units(struct writer *writer, unsigned version)
{
	size_t start = begin_unit(writer, version, "main");

	put_structure(writer, "runtime.mspan", 1);
	put_member(writer, "state", 1);
	put(writer, 0, 1);
	end_unit(writer, start);

	start = begin_unit(writer, version, "runtime");
	put(writer, FUNCTION, 1);
	put_text(writer, "runtime.mspan");
	put(writer, 2, 1);
	put(writer, 0xffff, 2);
	put_member(writer, "state", 3); /* in a function: not a field */
	put(writer, 0, 1);
	put_structure(writer, "runtime.other", 9);
	put_member(writer, "state", 2);
	put(writer, 0, 1);
	put_structure(writer, "runtime.mspan", 100);
	put_member(writer, "next", 0);
	put_structure(writer, "inner", 8); /* a structure within it */
	put_member(writer, "elemsize", 4);
	put(writer, 0, 1);
	put_member(writer, "state", 99);
	put_member(writer, "elemsize", 300);
	put(writer, 0, 1);
	put_member(writer, "npages", 7); /* after the structure */
	end_unit(writer, start);
}

enum { FIELDS = 5 };

static size_t parse(const struct writer *info, const struct writer *abbrev, size_t size,
                    struct pm_dwarf_field fields[FIELDS])
{
	static const char *const names[FIELDS] = { "next", "state", "elemsize", NULL, "npages" };

	for (size_t i = 0; i < FIELDS; i++)
		fields[i] = (struct pm_dwarf_field){ .type = "runtime.mspan", .member = names[i] };
	return pm_dwarf_fields_parse(info->bytes, size, abbrev->bytes, abbrev->size, "runtime",
	                             fields, FIELDS);
}

static void both_versions(void **state)
{
	(void)state;

	for (unsigned version = 4; version <= 5; version++) {
		struct writer info = { .size = 0 }, abbrev = { .size = 0 };
		struct pm_dwarf_field fields[FIELDS];

		put_abbreviations(&abbrev);
		put_units(&info, version);
		assert_int_equal(parse(&info, &abbrev, info.size, fields), 4);
		assert_true(fields[0].found);
		assert_int_equal(fields[0].value, 0);
		assert_int_equal(fields[1].value, 99);
		assert_int_equal(fields[2].value, 300);
		assert_int_equal(fields[3].value, 100);
		assert_false(fields[4].found);
	}
}

/** Every part of the file, and every byte replaced: the parser must stay within its bounds. */
static void damaged(void **state)
{
	static const unsigned char values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct writer info = { .size = 0 }, abbrev = { .size = 0 };
	struct pm_dwarf_field fields[FIELDS];
	(void)state;

	put_abbreviations(&abbrev);
	put_units(&info, 4);
	for (size_t size = 0; size < info.size; size++)
		assert_true(parse(&info, &abbrev, size, fields) < 4);

	for (size_t i = 0; i < info.size * sizeof values; i++) {
		struct writer changed = info;
		changed.bytes[i / sizeof values] = values[i % sizeof values];
		assert_true(parse(&changed, &abbrev, info.size, fields) <= FIELDS);
	}
	for (size_t i = 0; i < abbrev.size * sizeof values; i++) {
		struct writer changed = abbrev;
		changed.bytes[i / sizeof values] = values[i % sizeof values];
		assert_true(parse(&info, &changed, info.size, fields) <= FIELDS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(both_versions),
		                            cmocka_unit_test(damaged) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
