/* SPDX-License-Identifier: MIT */
#include "dump/map.h"

#include <procmem/region.h>

#include "dump/dump.h"
#include "target/region_columns.h"
#include "view/json.h"

/** The region that a range lies in, NULL for none. */
static const struct pm_region *region_of(const struct dump *dump,
                                         const struct pm_region_range *range)
{
	return range->region < dump->memory.loaded.regions.count
	               ? &dump->memory.loaded.regions.items[range->region]
	               : NULL;
}

static void put_mapping(const struct pm_region *region, struct text *text)
{
	text_clear(text);
	region_columns_mapping(region, false, text);
}

static void write_text(const struct dump *dump, struct out *out)
{
	struct text mapping = { 0 };
	uint64_t offset = 0;
	size_t next = 0;

	out_string(out, "# address range, bytes, offset in the dump, permissions, kind, mapping\n");
	for (size_t i = 0; i < dump->memory.count; i++) {
		const struct pm_region_range *range = &dump->memory.ranges[i];
		const struct pm_region *region = region_of(dump, range);
		char perms[PM_PERMS_TEXT_SIZE] = "----";
		const char *kind = "";

		text_clear(&mapping);
		if (region) {
			pm_format_perms(region->perms, perms);
			kind = pm_kind_name((enum pm_kind)region->kind);
			put_mapping(region, &mapping);
		}

		out_format(out, "%012llx-%012llx %llu %llu %s %s ",
		           (unsigned long long)range->range.start,
		           (unsigned long long)range->range.end,
		           (unsigned long long)(range->range.end - range->range.start),
		           (unsigned long long)offset, perms, *kind ? kind : "-");
		out_escaped(out, mapping.length > 0 ? text_terminate(&mapping)
		                 : region           ? "-"
		                                    : "(nothing is mapped there)");
		out_string(out, "\n");

		for (; next < dump->memory.unreadable.count &&
		       dump->memory.unreadable.items[next].start < range->range.end;
		     next++) {
			const struct pm_unreadable *item = &dump->memory.unreadable.items[next];
			out_format(out, "  unreadable %012llx-%012llx ",
			           (unsigned long long)item->start, (unsigned long long)item->end);
			out_escaped(out, item->why);
			out_string(out, "\n");
		}

		offset += range->range.end - range->range.start;
	}

	text_deinit(&mapping);
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
	struct json json = { .out = out };
	uint64_t offset = 0;
	size_t next = 0;

	json_open(&json, NULL, '{');
	json_open(&json, "ranges", '[');
	for (size_t i = 0; i < dump->memory.count; i++) {
		const struct pm_region_range *range = &dump->memory.ranges[i];
		const struct pm_region *region = region_of(dump, range);

		json_open(&json, NULL, '{');
		json_put(&json, "address", json_address(range->range.start));
		json_put(&json, "length", json_number(range->range.end - range->range.start));
		json_put(&json, "offset", json_number(offset));
		if (region)
			put_region(&json, region);
		json_open(&json, "unreadable", '[');

		for (; next < dump->memory.unreadable.count &&
		       dump->memory.unreadable.items[next].start < range->range.end;
		     next++) {
			const struct pm_unreadable *item = &dump->memory.unreadable.items[next];
			json_open(&json, NULL, '{');
			json_put(&json, "address", json_address(item->start));
			json_put(&json, "length", json_number(item->end - item->start));
			json_put(&json, "why", json_text(item->why));
			json_shut(&json, '}');
		}

		json_shut(&json, ']');
		json_shut(&json, '}');
		offset += range->range.end - range->range.start;
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
