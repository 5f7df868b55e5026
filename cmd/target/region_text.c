/* SPDX-License-Identifier: MIT */
#include "target/region_text.h"

#include <stdbool.h>

#include "base/utf8.h"
#include "view/json.h"

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

json_t *region_text_detail_json(const struct pm_detail *detail)
{
	struct text text = { 0 };
	region_text_detail(detail, &text);
	json_t *value = json_text(text_terminate(&text));
	text_deinit(&text);
	return value;
}

static void add_member(struct text *text, const char *key, const struct text *value)
{
	if (value->length == 0)
		return;
	text_char(text, ',');
	text_string(text, key);
	json_quote(text, value->bytes, value->length);
}

void region_text_json(struct text *text, const struct pm_region *region)
{
	struct text value = { 0 };

	text_string(text, "{\"start\":\"0x");
	text_hex(text, region->start, 1);
	text_string(text, "\",\"end\":\"0x");
	text_hex(text, region->end, 1);
	text_char(text, '"');
	text_string(&value, pm_kind_name((enum pm_kind)region->kind));
	add_member(text, "\"kind\":", &value);
	text_clear(&value);

	region_text_mapping(region, false, &value);
	add_member(text, "\"mapping\":", &value);
	text_clear(&value);
	region_text_detail(&region->detail, &value);
	add_member(text, "\"detail\":", &value);
	text_char(text, '}');
	text_deinit(&value);
}

json_t *region_text_object(const struct pm_region *region)
{
	struct text mapping = { 0 };
	json_t *object = json_object();
	json_add(object, "start", json_address(region->start));
	json_add(object, "end", json_address(region->end));
	if (region->kind != PM_KIND_UNKNOWN)
		json_add(object, "kind", json_text(pm_kind_name((enum pm_kind)region->kind)));
	region_text_mapping(region, false, &mapping);
	if (mapping.length > 0)
		json_add(object, "mapping", json_text(text_terminate(&mapping)));

	if (region->detail.type != PM_DETAIL_NONE)
		json_add(object, "detail", region_text_detail_json(&region->detail));
	text_deinit(&mapping);

	return object;
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
