/* SPDX-License-Identifier: MIT */
#include "target/region_text.h"

#include <stdbool.h>

#include "base/utf8.h"

void region_text_mapping(const struct pm_region *region, bool brief, struct text *text)
{
	const char *name = region->mapping;

	if (brief && name[0] == '/') {
		const char *slash = strrchr(name, '/');
		if (slash[1])
			name = slash + 1;
	}

	text_string(text, name);
	if (region->deleted)
		text_string(text, " (deleted)");
}

void region_text_detail(const struct pm_detail *detail, struct text *text)
{
	enum { USUAL_SIZE = 128 };
	if (detail->type == PM_DETAIL_NONE)
		return;

	size_t length = pm_detail_format(detail, text_room(text, USUAL_SIZE), USUAL_SIZE);
	if (length >= USUAL_SIZE)
		pm_detail_format(detail, text_room(text, length + 1), length + 1);
	text->length += length;
}

void region_text_words(struct text *text, const struct pm_region *region)
{
	struct text mapping = { 0 };
	const char *kind = pm_kind_name((enum pm_kind)region->kind);

	text_hex(text, region->start, 1);
	text_char(text, '-');
	text_hex(text, region->end, 1);
	text_string(text, "  ");
	pm_format_perms(region->perms, text_room(text, PM_PERMS_TEXT_SIZE));
	text->length += PM_PERMS_TEXT_SIZE - 1;
	if (*kind)
		text_format(text, "  %s", kind);

	region_text_mapping(region, false, &mapping);
	if (region->detail.type != PM_DETAIL_NONE && mapping.length > 0)
		text_string(&mapping, "  ");
	region_text_detail(&region->detail, &mapping);
	if (mapping.length > 0)
		text_string(text, "  ");
	utf8_escape(text, mapping.bytes, mapping.length);
	text_deinit(&mapping);
}
