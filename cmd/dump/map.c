/* SPDX-License-Identifier: MIT */
#include "dump/map.h"

#include <procmem/region.h>

#include "dump/dump.h"
#include "target/region_columns.h"
#include "view/json.h"

/** Returns the region of a range, or NULL if nothing is mapped there. */
static const struct pm_region *region_of(const struct dump *dump,
                                         const struct pm_region_range *range)
{
	const struct pm_regions *regions = &dump->memory.loaded.regions;

	if (range->region >= regions->count)
		return NULL;

	return &regions->items[range->region];
}

static void put_mapping(const struct pm_region *region, struct text *text)
{
	text_clear(text);
	region_columns_mapping(region, false, text);
}

/** Writes permissions, kind and mapping; with `-` for what is missing. */
static void write_region(const struct pm_region *region, struct out *out)
{
	struct text mapping = { 0 };
	char perms[PM_PERMS_TEXT_SIZE];
	const char *kind = pm_kind_name((enum pm_kind)region->kind);

	pm_format_perms(region->perms, perms);
	if (*kind == '\0')
		kind = "-";
	put_mapping(region, &mapping);
	if (mapping.length == 0)
		text_string(&mapping, "-");

	out_format(out, "%s %s ", perms, kind);
	out_escaped(out, text_terminate(&mapping));
	text_deinit(&mapping);
}

static void write_text(const struct dump *dump, struct out *out)
{
	const struct pm_unreadable_list *unreadable = &dump->memory.unreadable;
	uint64_t offset = 0;
	size_t next = 0;

	out_string(out, "# address range, bytes, offset in the dump, permissions, kind, mapping\n");
	for (size_t i = 0; i < dump->memory.count; i++) {
		const struct pm_region *region = region_of(dump, &dump->memory.ranges[i]);
		struct pm_range range = dump->memory.ranges[i].range;

		out_format(out, "%012llx-%012llx %llu %llu ", (unsigned long long)range.start,
		           (unsigned long long)range.end, (unsigned long long)pm_range_size(range),
		           (unsigned long long)offset);
		if (region)
			write_region(region, out);
		else
			out_string(out, "---- - (nothing is mapped there)");
		out_string(out, "\n");

		for (; next < unreadable->count && unreadable->items[next].start < range.end;
		     next++) {
			const struct pm_unreadable *item = &unreadable->items[next];
			out_format(out, "  unreadable %012llx-%012llx ",
			           (unsigned long long)item->start, (unsigned long long)item->end);
			out_escaped(out, item->why);
			out_string(out, "\n");
		}

		offset += pm_range_size(range);
	}
}

static void put_region(struct json *json, const struct pm_region *region)
{
	struct text mapping = { 0 };
	char perms[PM_PERMS_TEXT_SIZE];
	const char *kind = pm_kind_name((enum pm_kind)region->kind);

	pm_format_perms(region->perms, perms);
	json_put(json, "perms", json_text(perms));
	if (*kind)
		json_put(json, "kind", json_text(kind));
	put_mapping(region, &mapping);
	if (mapping.length > 0)
		json_put(json, "mapping", json_text(text_terminate(&mapping)));
	if (*region->detail)
		json_put(json, "detail", json_text(region->detail));

	text_deinit(&mapping);
}

static void write_json(const struct dump *dump, struct out *out)
{
	const struct pm_unreadable_list *unreadable = &dump->memory.unreadable;
	struct json json = { .out = out };
	uint64_t offset = 0;
	size_t next = 0;

	json_open(&json, NULL, '{');
	json_open(&json, "ranges", '[');
	for (size_t i = 0; i < dump->memory.count; i++) {
		const struct pm_region *region = region_of(dump, &dump->memory.ranges[i]);
		struct pm_range range = dump->memory.ranges[i].range;

		json_open(&json, NULL, '{');
		json_put(&json, "address", json_address(range.start));
		json_put(&json, "length", json_number(pm_range_size(range)));
		json_put(&json, "offset", json_number(offset));
		if (region)
			put_region(&json, region);
		json_open(&json, "unreadable", '[');

		for (; next < unreadable->count && unreadable->items[next].start < range.end;
		     next++) {
			const struct pm_unreadable *item = &unreadable->items[next];
			json_open(&json, NULL, '{');
			json_put(&json, "address", json_address(item->start));
			json_put(&json, "length", json_number(item->end - item->start));
			json_put(&json, "why", json_text(item->why));
			json_shut(&json, '}');
		}

		json_shut(&json, ']');
		json_shut(&json, '}');
		offset += pm_range_size(range);
	}

	json_shut(&json, ']');
	json_shut(&json, '}');
	out_string(out, "\n");
}

void dump_map_write(const struct dump *dump, struct out *out)
{
	if (dump->options->output.json)
		write_json(dump, out);
	else
		write_text(dump, out);
}
