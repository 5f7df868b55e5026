/* SPDX-License-Identifier: MIT */
#include "map/at.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <procmem/owner_sums.h>

#include "base/utf8.h"
#include "map/chunk.h"
#include "map/print.h"
#include "map/users.h"
#include "target/json_parts.h"
#include "target/region_text.h"
#include "view/results.h"

/* Indentation of continuation lines on a narrow terminal, in columns. */
enum { INDENT = 4 };

/** An address, its region and the state of its page. */
struct place {
	uint64_t address;
	const struct pm_region *region; /* region that contains the address */
	const struct pm_region *before; /* the next region below and, in `after`, the next region
	                                   above; NULL if there is none */
	const struct pm_region *after;
	bool in_core;    /* the target is a core file */
	bool page_known; /* `page` is valid */
	unsigned page;   /* enum pm_page bits; 0 if the page was never touched */
	struct pm_owner_range
		owner;          /* owner of the address, and which addresses around it it has */
	bool has_chunk;         /* `chunk` is valid */
	struct map_chunk chunk; /* the chunk of malloc that contains the address */
	struct map_users users; /* the other users, if it is shared memory */
};

static int note_page(void *context, const struct pm_page_run *run)
{
	*(unsigned *)context |= run->state;
	return 0;
}

/**
 * Sets `page` to the state of the page in the core file. `page_known` becomes false if this fails.
 */
static void read_core_state(const struct loaded *loaded, struct place *place)
{
	struct pm_page_source pages = pm_core_source(loaded->core);
	place->in_core = true;
	place->page_known = pages.walk(pages.context, place->address, place->address + 1, note_page,
	                               &place->page, NULL) >= 0;
}

/**
 * Reads the state of the page that contains the address. `page_known` remains false if the kernel
 * does not report the state.
 */
static int read_page_state(const struct loaded *loaded, struct place *place, struct pm_error *error)
{
	struct pm_process *process = loaded->target->process;
	struct pm_pagemap *pagemap;
	struct pm_error failure;
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE),
		 start = place->address & ~(page_size - 1);

	if (loaded->core)
		read_core_state(loaded, place);
	if (!process || pm_pagemap_open(process, PM_PAGEMAP_BEST, &pagemap, NULL) < 0)
		return 0;

	place->page_known = pm_pagemap_walk(pagemap, start, start + page_size, note_page,
	                                    &place->page, &failure) == 0;
	pm_pagemap_close(pagemap);
	if (place->page_known || failure.kind != PM_ERROR_GONE)
		return 0;
	if (error)
		*error = failure;
	return -1;
}

/**
 * Returns whether the region maps a file. Core files contain no inode numbers; in a core file, a
 * mapping with a path is a file.
 */
static bool has_file(const struct place *place)
{
	if (place->in_core)
		return place->region->mapping[0] == '/';

	return place->region->inode != 0;
}

/** Returns a description of the state of the page in a core file. */
static const char *core_words(const struct place *place)
{
	if (place->page & PM_PAGE_ZERO)
		return "in the core file, as zeros";
	if (place->page & PM_PAGE_PRESENT)
		return "in the core file";
	if (place->page & PM_PAGE_CUT)
		return "beyond the end of the truncated core file";
	if (has_file(place))
		return "not in the core file; read it from the mapped file";

	return "not in the core file: it was never touched, or was left out";
}

/** Returns a description of the state of the page that contains the address. */
static const char *page_words(const struct place *place)
{
	const struct pm_region *region = place->region;

	if (place->in_core)
		return core_words(place);
	if (place->page & PM_PAGE_GUARD)
		return "a guard page";
	if (place->page & PM_PAGE_SWAPPED)
		return "swapped out";
	if (!(place->page & PM_PAGE_PRESENT))
		return has_file(place) ? "not in the memory of this process (but possibly in the "
		                         "page cache)"
		                       : "never touched";
	if (place->page & PM_PAGE_ZERO)
		return "the zero page: read, but never written to";
	if (place->page & PM_PAGE_FILE && region->perms & PM_PERM_SHARED)
		return "present, shared";
	if (place->page & PM_PAGE_FILE)
		return "present, the file's own page";
	if (has_file(place))
		return "present, a private copy of the file's page";

	return "present, private";
}

/** Adds untrusted text as the next field of a line, unless it is empty. */
static void put_field(struct text *line, const char *field)
{
	if (line->length > 0 && *field)
		text_string(line, "  ");
	utf8_escape(line, field, strlen(field));
}

static void put_detail(struct text *line, const struct pm_region *region)
{
	struct text detail = { 0 };
	region_text_detail(&region->detail, &detail);
	put_field(line, text_terminate(&detail));
	text_deinit(&detail);
}

static void put_size(struct text *line, const char *label, uint64_t bytes,
                     const struct map_options *options)
{
	text_string(line, label);
	if (options->output.bytes)
		text_decimal(line, bytes);
	else
		text_size(line, bytes);
}

static void put_range(struct text *line, const struct pm_region *region)
{
	text_format(line, "%" PRIx64 "-%" PRIx64, region->start, region->end);
}

static void put_perms_and_kind(struct text *line, const struct pm_region *region)
{
	char perms[PM_PERMS_TEXT_SIZE];
	pm_format_perms(region->perms, perms);
	put_field(line, perms);
	put_field(line, pm_kind_name((enum pm_kind)region->kind));
}

static void put_mapping(struct text *line, const struct pm_region *region, bool brief)
{
	struct text name = { 0 };
	region_text_mapping(region, brief, &name);
	put_field(line, text_terminate(&name));
	text_deinit(&name);
}

/**
 * Writes a line and empties it.
 *
 * @param line    the line
 * @param indent  number of spaces before continuation lines on a narrow terminal
 * @param out     where to write
 */
static void end_line(struct text *line, size_t indent, struct out *out)
{
	text_char(line, '\n');
	out_wrapped(out, line, indent);
	text_clear(line);
}

static void print_neighbour(const char *which, const struct pm_region *region, uint64_t gap,
                            const struct map_options *options, struct out *out)
{
	struct text line = { 0 };
	text_format(&line, "  %-7s ", which);
	if (region) {
		put_range(&line, region);
		put_perms_and_kind(&line, region);
		put_mapping(&line, region, true);
		put_detail(&line, region);
		/* [vsyscall] is in the kernel's half of the address space, so its distance from the
		 * other regions has no meaning. */
		if (gap > 0 && gap >> 63 == 0) {
			put_size(&line, "  ", gap, options);
			text_string(&line, " away");
		}
	} else {
		text_string(&line, "nothing");
	}

	end_line(&line, INDENT, out);
	text_deinit(&line);
}

static void print_region(const struct pm_region *region, bool in_core,
                         const struct map_options *options, struct out *out)
{
	const char *label = in_core ? "  " MAP_HELD " " : "  RSS ";
	struct text line = { 0 };
	size_t number = results_add_region(out->results, region->start, region->end,
	                                   pm_kind_name((enum pm_kind)region->kind),
	                                   region->mapping);

	if (number > 0)
		text_format(&line, "#r%zu ", number);
	put_range(&line, region);
	put_size(&line, "  ", pm_region_size(region), options);
	if (pm_region_knows(region, PM_SIZE_RSS))
		put_size(&line, label, region->bytes[PM_SIZE_RSS], options);
	put_perms_and_kind(&line, region);

	put_mapping(&line, region, false);
	put_detail(&line, region);
	end_line(&line, INDENT, out);
	text_deinit(&line);
}

/** Adds the owner of the address. If the region has others, too, adds the addresses of its part. */
static void put_owner(struct text *line, const struct place *place)
{
	const struct pm_owner_range *owner = &place->owner;
	const struct pm_range whole = pm_region_bounds(place->region);
	const char *proof = pm_proof_name((enum pm_proof)owner->proof);

	text_format(line, "  owner %s (%s", pm_owner_name((enum pm_owner)owner->owner),
	            pm_owner_title((enum pm_owner)owner->owner));
	if (*proof)
		text_format(line, ", %s", proof);
	text_char(line, ')');
	if (owner->range.start != whole.start || owner->range.end != whole.end)
		text_format(line, " of %" PRIx64 "-%" PRIx64, owner->range.start, owner->range.end);
}

static void print_place(const struct place *place, const struct map_options *options,
                        struct out *out)
{
	const struct pm_region *region = place->region;
	uint64_t into = place->address - region->start;
	struct text line = { 0 };
	text_format(&line, "  0x%" PRIx64 " is at offset 0x%" PRIx64, place->address, into);

	if (into >= 1024) {
		put_size(&line, " (", into, options);
		text_char(&line, ')');
	}

	text_string(&line, " in the region");
	if (has_file(place))
		text_format(&line, ", file offset 0x%" PRIx64, region->offset + into);

	if (place->page_known) {
		bool touched = place->page || place->in_core || has_file(place);
		text_format(&line, "; the page %s %s", touched ? "is" : "was", page_words(place));
	}

	end_line(&line, INDENT, out);
	if (*region->why) {
		text_format(&line, "  kind %s (%s): ", pm_kind_name((enum pm_kind)region->kind),
		            pm_proof_name((enum pm_proof)region->proof));
		utf8_escape(&line, region->why, strlen(region->why));
		end_line(&line, INDENT, out);
	}
	if (place->has_chunk) {
		map_chunk_put(&place->chunk, place->address, &line);
		end_line(&line, INDENT, out);
	}
	if (place->users.known) {
		map_users_put(&place->users, &line);
		end_line(&line, INDENT, out);
	}
	if (place->owner.owner != PM_OWNER_UNKNOWN) {
		put_owner(&line, place);
		end_line(&line, INDENT, out);
	}

	text_deinit(&line);
}

static json_t *region_item(const struct pm_region *region)
{
	const struct list_column *columns[TABLE_COLUMNS_MAX];
	size_t count = 0;
	if (!region || list_parse_columns(&region_columns_spec, region_columns_spec.json_columns,
	                                  columns, &count, NULL) < 0)
		return NULL;
	return json_item(columns, count, region);
}

static void put_owner_json(const struct pm_owner_range *owner, struct json *json)
{
	json_open(json, "owner_range", '{');
	json_put(json, "start", json_address(owner->range.start));
	json_put(json, "end", json_address(owner->range.end));
	json_parts_owner(json, (enum pm_owner)owner->owner);
	json_put(json, "proof", json_text(pm_proof_name((enum pm_proof)owner->proof)));
	json_shut(json, '}');
}

static void print_json(const struct loaded *loaded, const struct place *place, struct out *out)
{
	const struct pm_region *region = place->region;
	struct json json = { .out = out };
	map_print_open_json(&json, loaded);
	json_put(&json, "address", json_address(place->address));
	json_put(&json, "offset", json_number(place->address - region->start));
	if (has_file(place))
		json_put(&json, "file_offset",
		         json_number(region->offset + place->address - region->start));

	if (place->page_known)
		json_put(&json, "page", json_text(page_words(place)));
	if (place->owner.owner != PM_OWNER_UNKNOWN)
		put_owner_json(&place->owner, &json);
	if (place->has_chunk)
		map_chunk_put_json(&place->chunk, place->address, &json);
	if (place->users.known)
		map_users_put_json(&place->users, &json);
	json_open(&json, "regions", '[');
	json_put(&json, NULL, region_item(region));
	json_shut(&json, ']');
	json_put(&json, "before", region_item(place->before));
	json_put(&json, "after", region_item(place->after));
	json_shut(&json, '}');

	out_string(out, "\n");
}

int map_at_print(const struct loaded *loaded, uint64_t address, const struct map_options *options,
                 struct out *out, struct pm_error *error)
{
	const struct pm_regions *regions = &loaded->regions;
	struct place place = { .address = address };
	size_t index = pm_regions_index(regions, address);
	place.region = &regions->items[index];
	uint64_t gap_before = 0, gap_after = 0;

	if (index > 0) {
		place.before = place.region - 1;
		gap_before = place.region->start - place.before->end;
	}
	if (index + 1 < regions->count) {
		place.after = place.region + 1;
		gap_after = place.after->start - place.region->end;
	}

	place.owner = pm_owner_sums_find(loaded->runtimes, place.region, address);
	if (read_page_state(loaded, &place, error) < 0)
		return -1;

	place.has_chunk = map_chunk_find(&place.chunk, loaded, place.region, address, out->cancel);
	map_users_find(&place.users, loaded, place.region, address, out->cancel);
	if (options->output.json) {
		print_json(loaded, &place, out);
	} else {
		print_region(place.region, place.in_core, options, out);
		print_place(&place, options, out);
		print_neighbour("before:", place.before, gap_before, options, out);
		print_neighbour("after:", place.after, gap_after, options, out);
	}

	if (place.chunk.opened.heap && !options->output.quiet)
		malloc_heap_report_other(place.chunk.opened.heap, options->output.bytes);
	map_chunk_deinit(&place.chunk);
	map_users_deinit(&place.users);
	return 0;
}
