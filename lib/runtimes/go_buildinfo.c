/* SPDX-License-Identifier: MIT */
/*
 * The format is that of debug/buildinfo of Go: 14 bytes magic, the size of a pointer, and flags;
 * from Go 1.18 on, two texts follow at offset 32, each after its length as a varint: the version,
 * and lines of which the fields are separated by tabs, between two marks of 16 bytes.
 */
#include "runtimes/go_buildinfo.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/minmax.h"

static const char magic[] = "\xff Go buildinf:";

enum {
	MAGIC_LENGTH = sizeof magic - 1,
	FLAGS_AT = 15,
	FLAG_INLINE = 2, /* the texts are in the section */
	TEXTS_AT = 32,
	MARK = 16, /* size of the marks around the lines */
};

/** A part of the section. */
struct text {
	const char *at;
	size_t length;
};

/** Reads a text after its length. Returns an empty text if it is not valid. */
static struct text read_text(const unsigned char *bytes, size_t size, size_t *at)
{
	struct text none = { "", 0 };
	uint64_t length = 0;

	for (unsigned shift = 0;; shift += 7) {
		if (*at >= size || shift > 28)
			return none;

		unsigned char byte = bytes[(*at)++];
		length |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}

	/* Only the start of the lines may have been read. */
	struct text text = { (const char *)bytes + *at, (size_t)pm_min(length, size - *at) };
	*at += text.length;
	return text;
}

/** Copies a text, cut to the size of a text of a runtime. */
static void copy(char target[PM_RUNTIME_TEXT_SIZE], struct text text)
{
	size_t length = pm_min_size(text.length, PM_RUNTIME_TEXT_SIZE - 1);

	memcpy(target, text.at, length);
	target[length] = '\0';
}

/** Returns the part of a line after its first word, if this is `word`; else a text without `at`. */
static struct text after_word(struct text line, const char *word)
{
	size_t length = strlen(word);

	if (line.length <= length || memcmp(line.at, word, length) != 0 || line.at[length] != '\t')
		return (struct text){ 0 };
	return (struct text){ line.at + length + 1, line.length - length - 1 };
}

/** Copies a module: its path and its version; the hash that follows is left out. */
static void copy_module(char target[PM_RUNTIME_TEXT_SIZE], struct text fields)
{
	const char *tab = memchr(fields.at, '\t', fields.length);
	char *end;

	if (tab) {
		size_t path = (size_t)(tab - fields.at);
		const char *next = memchr(tab + 1, '\t', fields.length - path - 1);
		if (next)
			fields.length = (size_t)(next - fields.at);
	}

	copy(target, fields);
	end = strchr(target, '\t');
	if (end)
		*end = ' ';
}

static void parse_lines(struct text lines, struct pm_go_buildinfo *info)
{
	while (lines.length > 0) {
		const char *newline = memchr(lines.at, '\n', lines.length);
		struct text line = lines, found;

		if (newline)
			line.length = (size_t)(newline - lines.at);
		found = after_word(line, "path");
		if (found.at)
			copy(info->path, found);
		found = after_word(line, "mod");
		if (found.at)
			copy_module(info->module, found);
		if (!newline)
			return;

		lines.at = newline + 1;
		lines.length -= line.length + 1;
	}
}

bool pm_go_buildinfo_parse(const void *bytes, size_t size, struct pm_go_buildinfo *info)
{
	const unsigned char *first = bytes;
	size_t at = TEXTS_AT;

	if (size < TEXTS_AT || memcmp(first, magic, MAGIC_LENGTH) != 0)
		return false;

	*info = (struct pm_go_buildinfo){ 0 };
	if (!(first[FLAGS_AT] & FLAG_INLINE))
		return true;

	copy(info->version, read_text(first, size, &at));
	struct text lines = read_text(first, size, &at);
	if (lines.length > MARK)
		parse_lines((struct text){ lines.at + MARK, lines.length - MARK }, info);
	return true;
}
