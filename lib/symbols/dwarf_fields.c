/* SPDX-License-Identifier: MIT */
/*
 * Reads the entries of .debug_info one after the other, from the first to the last. An entry has
 * the attributes that its abbreviation lists. A structure is found by its name; the entries that
 * follow it, one level deeper, are its members.
 */
#include "symbols/dwarf_fields.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf_section.h"

enum {
	ABBREVIATIONS_MAX = 4096, /* Go has about 60; their numbers are used as indices */
	ATTRIBUTES_MAX = 32,      /* of an abbreviation */
	DEPTH_MAX = 1000,
	INFO_MAX = 128 << 20, /* larger debug information is not read */
	ABBREV_MAX = 4 << 20,
};

/* Work of a search: entries, abbreviations and units. Only the units of one package are read, which
 * have less than a million entries even in large programs. */
static const uint64_t work_max = 4000000;

/** Bytes that are decoded; `bad` is set where they end too early or are not valid. */
struct cursor {
	const unsigned char *at, *end;
	bool bad;
};

/** An attribute of an abbreviation. */
struct attribute {
	uint32_t name, form;
	uint64_t constant; /* of DW_FORM_implicit_const */
};

/** An abbreviation. */
struct abbreviation {
	uint32_t tag; /* 0: there is none with this number */
	bool children;
	uint8_t count;
	struct attribute attributes[ATTRIBUTES_MAX];
};

/** A search. */
struct search {
	struct pm_dwarf_field *fields;
	size_t count, found;
	const char *unit;
	uint64_t work;                      /* entries and abbreviations that may still be read */
	struct abbreviation *abbreviations; /* ABBREVIATIONS_MAX elements */
	uint16_t used[ABBREVIATIONS_MAX];   /* indices of those that were read */
	size_t used_count;
	uint64_t abbreviations_at; /* their offset in .debug_abbrev */
	struct cursor abbrev;      /* .debug_abbrev */
};

/** The header of a compilation unit. */
struct unit {
	unsigned version, address_size, offset_size;
	uint64_t abbreviations_at;
	struct cursor entries;
};

/** What an entry says. */
struct entry {
	const struct abbreviation *abbreviation; /* NULL: the end of a list of children */
	const char *name;                        /* NULL if it has none */
	uint64_t size, offset;
	bool has_size, has_offset;
};

static void fail(struct cursor *cursor)
{
	cursor->bad = true;
	cursor->at = cursor->end;
}

static void skip(struct cursor *cursor, uint64_t size)
{
	if (size > (uint64_t)(cursor->end - cursor->at))
		fail(cursor);
	else
		cursor->at += size;
}

/** Reads a number of 1 to 8 bytes, little endian. */
static uint64_t read_number(struct cursor *cursor, unsigned size)
{
	uint64_t number = 0;

	if (size > (size_t)(cursor->end - cursor->at)) {
		fail(cursor);
		return 0;
	}

	for (unsigned i = 0; i < size; i++)
		number |= (uint64_t)cursor->at[i] << (8 * i);
	cursor->at += size;
	return number;
}

static uint64_t read_leb(struct cursor *cursor)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 70 && cursor->at < cursor->end; shift += 7) {
		unsigned char byte = *cursor->at++;
		if (shift < 64)
			number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}

	fail(cursor);
	return 0;
}

static const char *read_text(struct cursor *cursor)
{
	const unsigned char *text = cursor->at;
	const unsigned char *end = memchr(text, '\0', (size_t)(cursor->end - text));

	if (!end) {
		fail(cursor);
		return NULL;
	}

	cursor->at = end + 1;
	return (const char *)text;
}

/** Returns the size of a form that has a fixed size; 0 if it has another. */
static unsigned fixed_size(const struct unit *unit, uint32_t form)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_addr:
		return unit->address_size;
	case DW_FORM_ref_addr:
		return unit->version <= 2 ? unit->address_size : unit->offset_size;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
		return unit->offset_size;
	default:
		return 0;
	}
}

/** Skips a block, which begins with its size. Other forms are not valid. */
static void skip_block(struct cursor *cursor, uint32_t form)
{
	switch (form) {
	case DW_FORM_data16:
		skip(cursor, 16);
		break;
	case DW_FORM_block1:
		skip(cursor, read_number(cursor, 1));
		break;
	case DW_FORM_block2:
		skip(cursor, read_number(cursor, 2));
		break;
	case DW_FORM_block4:
		skip(cursor, read_number(cursor, 4));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		skip(cursor, read_leb(cursor));
		break;
	default:
		fail(cursor);
	}
}

/**
 * Reads the value of an attribute.
 * @param text  receives the text of a DW_FORM_string
 * @return      the value of a number; 0 for other forms
 */
static uint64_t read_value(struct cursor *cursor, const struct unit *unit,
                           const struct attribute *attribute, const char **text)
{
	unsigned size = fixed_size(unit, attribute->form);

	if (size > 8) {
		skip(cursor, size);
		return 0;
	}
	if (size > 0)
		return read_number(cursor, size);

	switch (attribute->form) {
	case DW_FORM_string:
		*text = read_text(cursor);
		return 0;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		return read_leb(cursor);
	case DW_FORM_flag_present:
		return 1;
	case DW_FORM_implicit_const:
		return attribute->constant;
	default:
		skip_block(cursor, attribute->form);
		return 0;
	}
}

/** Tests whether a form is a constant, so that a member with it has a known offset. */
static bool is_constant(uint32_t form)
{
	return form == DW_FORM_udata || form == DW_FORM_data1 || form == DW_FORM_data2 ||
	       form == DW_FORM_data4 || form == DW_FORM_data8 || form == DW_FORM_implicit_const;
}

/** Reads the attributes of an abbreviation. Returns false if it has too many, or is not valid. */
static bool read_attributes(struct cursor *cursor, struct abbreviation *abbreviation)
{
	for (size_t i = 0;; i++) {
		struct attribute attribute = { .name = (uint32_t)read_leb(cursor) };

		attribute.form = (uint32_t)read_leb(cursor);
		if (attribute.form == DW_FORM_implicit_const)
			attribute.constant = read_leb(cursor);
		if (cursor->bad || (attribute.name == 0 && attribute.form == 0)) {
			abbreviation->count = (uint8_t)i;
			return !cursor->bad;
		}
		if (i >= ATTRIBUTES_MAX)
			return false;
		abbreviation->attributes[i] = attribute;
	}
}

/** Counts a piece of work. Returns false if there was too much. */
static bool pay(struct search *search)
{
	if (search->work == 0)
		return false;
	search->work--;
	return true;
}

static void forget_abbreviations(struct search *search)
{
	while (search->used_count > 0)
		search->abbreviations[search->used[--search->used_count]].tag = 0;
	search->abbreviations_at = UINT64_MAX;
}

/** Reads the abbreviations of a unit, unless they are those of the unit before. */
static bool read_abbreviations(struct search *search, uint64_t offset)
{
	struct cursor cursor = search->abbrev;

	if (offset == search->abbreviations_at)
		return true;

	forget_abbreviations(search);
	skip(&cursor, offset);
	for (uint64_t number; !cursor.bad && (number = read_leb(&cursor)) != 0;) {
		if (number >= ABBREVIATIONS_MAX || search->abbreviations[number].tag != 0 ||
		    !pay(search))
			return false;

		struct abbreviation *abbreviation = &search->abbreviations[number];
		abbreviation->tag = (uint32_t)read_leb(&cursor);
		abbreviation->children = read_number(&cursor, 1) != 0;
		if (abbreviation->tag == 0)
			return false;
		search->used[search->used_count++] = (uint16_t)number;
		if (!read_attributes(&cursor, abbreviation))
			return false;
	}

	if (!cursor.bad)
		search->abbreviations_at = offset;
	return !cursor.bad;
}

/** Reads the header of the unit at `cursor`, and moves to the next one. */
static bool read_unit(struct cursor *cursor, struct unit *unit)
{
	uint64_t size = read_number(cursor, 4);
	unsigned type = DW_UT_compile;

	*unit = (struct unit){ .offset_size = 4 };
	if (size == UINT32_MAX) {
		size = read_number(cursor, 8);
		unit->offset_size = 8;
	}

	const unsigned char *start = cursor->at;
	skip(cursor, size);
	if (cursor->bad)
		return false;

	unit->entries = (struct cursor){ .at = start, .end = start + size };
	unit->version = (unsigned)read_number(&unit->entries, 2);
	if (unit->version >= 5) {
		type = (unsigned)read_number(&unit->entries, 1);
		unit->address_size = (unsigned)read_number(&unit->entries, 1);
	}
	unit->abbreviations_at = read_number(&unit->entries, unit->offset_size);
	if (unit->version < 5)
		unit->address_size = (unsigned)read_number(&unit->entries, 1);
	/* Other types of units have longer headers, and are not those of a package. */
	if (unit->version < 2 || unit->version > 5 || type != DW_UT_compile)
		fail(&unit->entries);

	return true;
}

/** Reads an entry. Returns false if it is not valid, or at the end of the unit. */
static bool read_entry(struct search *search, struct unit *unit, struct entry *entry)
{
	struct cursor *cursor = &unit->entries;

	if (cursor->at >= cursor->end || !pay(search))
		return false;

	uint64_t number = read_leb(cursor);
	*entry = (struct entry){ 0 };
	if (number == 0)
		return !cursor->bad;
	if (number >= ABBREVIATIONS_MAX || search->abbreviations[number].tag == 0)
		return false;

	entry->abbreviation = &search->abbreviations[number];
	for (size_t i = 0; i < entry->abbreviation->count; i++) {
		const struct attribute *attribute = &entry->abbreviation->attributes[i];
		const char *text = NULL;
		uint64_t value = read_value(cursor, unit, attribute, &text);

		if (attribute->name == DW_AT_name)
			entry->name = text;
		if (attribute->name == DW_AT_byte_size && is_constant(attribute->form)) {
			entry->size = value;
			entry->has_size = true;
		}
		if (attribute->name == DW_AT_data_member_location && is_constant(attribute->form)) {
			entry->offset = value;
			entry->has_offset = true;
		}
	}

	return !cursor->bad;
}

/** Stores the value of a field, unless it is known. */
static void store(struct search *search, struct pm_dwarf_field *field, uint64_t value)
{
	if (field->found)
		return;
	field->value = value;
	field->found = true;
	search->found++;
}

/**
 * Stores the size of a structure.
 * @return the name of the structure as in the fields, if its members are searched for; else NULL
 */
static const char *see_structure(struct search *search, const struct entry *entry)
{
	const char *type = NULL;

	for (size_t i = 0; entry->name && i < search->count; i++) {
		struct pm_dwarf_field *field = &search->fields[i];
		if (strcmp(field->type, entry->name) != 0)
			continue;
		type = field->type;
		if (!field->member && entry->has_size)
			store(search, field, entry->size);
	}

	return type;
}

static void see_member(struct search *search, const char *type, const struct entry *entry)
{
	for (size_t i = 0; entry->name && entry->has_offset && i < search->count; i++) {
		struct pm_dwarf_field *field = &search->fields[i];
		if (field->member && strcmp(field->type, type) == 0 &&
		    strcmp(field->member, entry->name) == 0)
			store(search, field, entry->offset);
	}
}

/** Searches a unit whose abbreviations were read. */
static void search_unit(struct search *search, struct unit *unit)
{
	const char *type = NULL; /* of the structure that the current entry is in */
	unsigned depth = 0, inside = 0;
	struct entry entry;

	if (!read_entry(search, unit, &entry) || !entry.name ||
	    strcmp(entry.name, search->unit) != 0 || !entry.abbreviation->children)
		return;

	while (search->found < search->count && depth < DEPTH_MAX &&
	       read_entry(search, unit, &entry)) {
		if (!entry.abbreviation) {
			if (depth == 0)
				return;
			depth--;
			if (depth <= inside)
				type = NULL;
			continue;
		}

		if (type && depth == inside + 1 && entry.abbreviation->tag == DW_TAG_member)
			see_member(search, type, &entry);
		if (entry.abbreviation->tag == DW_TAG_structure_type && !type) {
			type = see_structure(search, &entry);
			inside = depth;
		}
		if (entry.abbreviation->children)
			depth++;
		else if (depth <= inside)
			type = NULL;
	}
}

size_t pm_dwarf_fields_parse(const void *info, size_t info_size, const void *abbrev,
                             size_t abbrev_size, const char *unit, struct pm_dwarf_field *fields,
                             size_t count)
{
	const unsigned char *first = info, *abbreviations = abbrev;
	struct cursor cursor = { .at = first, .end = first + info_size };
	struct search search = {
		.fields = fields,
		.count = count,
		.unit = unit,
		.work = work_max,
		.abbreviations = calloc(ABBREVIATIONS_MAX, sizeof *search.abbreviations),
		.abbreviations_at = UINT64_MAX,
		.abbrev = { .at = abbreviations, .end = abbreviations + abbrev_size },
	};
	struct unit header;

	for (size_t i = 0; i < count; i++) {
		fields[i].value = 0;
		fields[i].found = false;
	}

	while (search.abbreviations && search.found < count && pay(&search) &&
	       cursor.at < cursor.end && read_unit(&cursor, &header))
		if (!header.entries.bad && read_abbreviations(&search, header.abbreviations_at))
			search_unit(&search, &header);

	free(search.abbreviations);
	return search.found;
}

size_t pm_dwarf_fields_find(int fd, const char *unit, struct pm_dwarf_field *fields, size_t count)
{
	struct pm_elf_section sections[] = { { .name = ".debug_info", .max = INFO_MAX },
		                             { .name = ".debug_abbrev", .max = ABBREV_MAX } };
	size_t found = 0;

	if (pm_elf_sections_read(fd, sections, 2) == 2)
		found = pm_dwarf_fields_parse(sections[0].bytes, sections[0].size,
		                              sections[1].bytes, sections[1].size, unit, fields,
		                              count);

	pm_elf_sections_free(sections, 2);
	return found;
}
