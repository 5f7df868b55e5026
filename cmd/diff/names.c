/* SPDX-License-Identifier: MIT */
#include "diff/names.h"

#include "target/region_text.h"
#include "target/similar_name.h"

void diff_names_put_mapping(const struct diff_row *row, struct text *text)
{
	const struct pm_region *region = row->region;
	size_t length = text->length;

	if (row->files > 0) {
		text_string(text, row->pattern);
		similar_name_count(row->files, text);
		return;
	}

	region_text_mapping(region, false, text);
	if (text->length > length)
		return;

	/* Identify an arena by its address, not by its number: recordings do not contain the
	 * number, and the number of an arena of a live process can change. */
	if (region->arena != 0)
		text_format(text, "arena at %llx", (unsigned long long)region->arena);
	else
		region_text_detail(&region->detail, text);
}

void diff_names_put_address(const struct diff_row *row, struct text *text)
{
	text_hex(text, row->region->start, 8);
	text_char(text, '-');
	text_hex(text, row->region->end, 8);
	if (row->regions > 1)
		text_format(text, " +%zu", row->regions - 1);
}
