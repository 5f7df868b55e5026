/* SPDX-License-Identifier: MIT */
#include "heap/class_text.h"

#include <string.h>

#include <procmem/text_template.h>

#include "base/hash.h"
#include "base/minmax.h"

/** Removes the incomplete UTF-8 character at the end of a template that was cut. */
static size_t without_partial(const char *text, size_t length)
{
	size_t start = length;
	while (start > 0 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
		start--;
	if (start == 0 || (unsigned char)text[start - 1] < 0xc0)
		return length;

	unsigned char first = (unsigned char)text[start - 1];
	size_t needed = 2 + (size_t)(first >= 0xe0) + (size_t)(first >= 0xf0);
	return length - (start - 1) < needed ? start - 1 : length;
}

/**
 * Writes the part of a template that is compared.
 * @param output  room for PM_CHUNK_HEAD_SIZE bytes
 * @param cut     receives whether the template continues
 */
static size_t write_template(const char *text, size_t length, char *output, bool *cut)
{
	size_t whole = pm_text_template_write(text, length, output);
	if (whole <= PM_CLASS_TEXT_COMPARED)
		return whole;

	*cut = true;
	return without_partial(output, PM_CLASS_TEXT_COMPARED);
}

uint64_t pm_class_text_hash(const struct pm_chunk_text *text)
{
	char template[PM_CHUNK_HEAD_SIZE];
	bool cut;

	if (text->length == 0)
		return 0;

	size_t length = write_template(text->text, text->length, template, &cut);
	return pm_hash_bytes(0, template, length) | 1;
}

/** Makes a text the candidate. */
static void adopt(struct pm_class_text *candidate, const struct pm_chunk_text *text, uint64_t hash)
{
	candidate->hash = hash;
	candidate->count = 0;
	candidate->length = (uint8_t)text->length;
	candidate->cut = text->cut;
	candidate->varies = false;
	memcpy(candidate->text, text->text, text->length);
}

void pm_class_text_add(struct pm_class_text *candidate, const struct pm_chunk_text *text,
                       uint64_t hash)
{
	if (candidate->votes == 0)
		adopt(candidate, text, hash);

	candidate->all++;
	if (hash != candidate->hash) {
		candidate->votes--;
		return;
	}

	candidate->votes++;
	candidate->count++;
	candidate->varies = candidate->varies || text->length != candidate->length ||
	                    memcmp(text->text, candidate->text, text->length) != 0;
}

size_t pm_class_text_write(const struct pm_class_text *candidate, char *output, bool *cut)
{
	*cut = candidate->cut;
	if (candidate->hash == 0 || (uint64_t)candidate->count * 2 < candidate->all)
		return 0;

	if (candidate->varies)
		return write_template(candidate->text, candidate->length, output, cut);

	memcpy(output, candidate->text, candidate->length);
	return candidate->length;
}
