/* SPDX-License-Identifier: MIT */
#include "target/region_columns.h"

#include "target/region_text.h"
#include "view/results.h"

static bool put(uint64_t from, uint64_t *value)
{
	*value = from;
	return true;
}

static bool start_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	return put(((const struct pm_region *)item)->start, value);
}

static bool end_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	return put(((const struct pm_region *)item)->end, value);
}

static bool length_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	return put(pm_region_size(item), value);
}

static bool offset_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	return put(((const struct pm_region *)item)->offset, value);
}

static bool inode_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	return put(((const struct pm_region *)item)->inode, value);
}

/** Gets a size of a region; column->index is its enum pm_size. */
static bool size_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct pm_region *region = item;
	return pm_region_knows(region, (enum pm_size)column->index) &&
	       put(region->bytes[column->index], value);
}

static bool dirty_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	return pm_region_knows(item, PM_SIZE_PRIVATE_DIRTY) && put(pm_region_dirty(item), value);
}

static bool hugetlb_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct pm_region *region = item;
	(void)column;
	return pm_region_knows(region, PM_SIZE_PRIVATE_HUGETLB) &&
	       put(region->bytes[PM_SIZE_PRIVATE_HUGETLB] + region->bytes[PM_SIZE_SHARED_HUGETLB],
	           value);
}

static bool thread_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct pm_region *region = item;
	(void)column;
	return region->thread > 0 && put((uint64_t)region->thread, value);
}

static bool arena_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct pm_region *region = item;
	(void)column;
	return region->arena > 0 && put(region->arena, value);
}

static void range_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_region *region = item;
	(void)column;
	text_hex(text, region->start, 1);
	text_char(text, '-');
	text_hex(text, region->end, 1);
}

static size_t range_length(const struct list_column *column, const void *item)
{
	const struct pm_region *region = item;
	(void)column;
	return text_hex_length(region->start) + 1 + text_hex_length(region->end);
}

static void perms_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_region *region = item;
	(void)column;
	pm_format_perms(region->perms, text_room(text, PM_PERMS_TEXT_SIZE));
	text->length += PM_PERMS_TEXT_SIZE - 1;
}

static size_t perms_length(const struct list_column *column, const void *item)
{
	(void)column;
	(void)item;
	return PM_PERMS_TEXT_SIZE - 1;
}

static void device_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_region *region = item;
	(void)column;
	text_hex(text, region->device_major, 2);
	text_char(text, ':');
	text_hex(text, region->device_minor, 2);
}

static void mapping_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	region_text_mapping(item, false, text);
}

/**
 * Adds the mapping and the detail of a region. The table shows both in one column, because its last
 * column can have any length.
 */
static void mapping_show(const struct list_column *column, const void *item, bool brief,
                         struct text *text)
{
	const struct pm_region *region = item;
	(void)column;
	region_text_mapping(region, brief, text);
	if (region->detail.type != PM_DETAIL_NONE && text->length > 0)
		text_string(text, "  ");
	region_text_detail(&region->detail, text);
}

static void kind_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_string(text, pm_kind_name((enum pm_kind)((const struct pm_region *)item)->kind));
}

static size_t kind_length(const struct list_column *column, const void *item)
{
	(void)column;
	return strlen(pm_kind_name((enum pm_kind)((const struct pm_region *)item)->kind));
}

static void detail_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	region_text_detail(&((const struct pm_region *)item)->detail, text);
}

static void owner_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_region *region = item;

	(void)column;
	if (region->owner != PM_OWNER_UNKNOWN)
		text_string(text, pm_owner_name((enum pm_owner)region->owner));
}

/** Adds the owner for the table: "~" if it is inferred, "+" if there are others. */
static void owner_show(const struct list_column *column, const void *item, bool brief,
                       struct text *text)
{
	const struct pm_region *region = item;

	(void)brief;
	if (region->owner != PM_OWNER_UNKNOWN && region->owner_proof == PM_PROOF_INFERRED)
		text_char(text, '~');
	owner_text(column, item, text);
	if (region->owner_mixed)
		text_char(text, '+');
}

static void proof_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_string(text, pm_proof_name((enum pm_proof)((const struct pm_region *)item)->proof));
}

static void why_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_string(text, ((const struct pm_region *)item)->why);
}

#define FROM_SMAPS(NAME, TITLE, SIZE, HELP) \
	{ .name = (NAME),                   \
	  .title = (TITLE),                 \
	  .type = LIST_SIZE,                \
	  .needs = REGION_NEEDS_SMAPS,      \
	  .index = (SIZE),                  \
	  .number = size_of,                \
	  .help = (HELP) }

static const struct list_column columns[] = {
	{ .name = "address",
	  .json = "",
	  .title = "ADDRESS",
	  .type = LIST_ADDRESS,
	  .number = start_of,
	  .text = range_text,
	  .length = range_length,
	  .safe = true,
	  .help = "first address and the address after the last byte, hexadecimal" },
	{ .name = "start",
	  .title = "START",
	  .type = LIST_ADDRESS,
	  .number = start_of,
	  .help = "first address" },
	{ .name = "end",
	  .title = "END",
	  .type = LIST_ADDRESS,
	  .number = end_of,
	  .help = "address after the last byte" },
	{ .name = "size",
	  .title = "SIZE",
	  .type = LIST_SIZE,
	  .number = length_of,
	  .help = "length in the address space" },
	{ .name = "rss",
	  .title = "RSS",
	  .type = LIST_SIZE,
	  .needs = REGION_NEEDS_RSS,
	  .index = PM_SIZE_RSS,
	  .number = size_of,
	  .help = "resident: in memory now" },
	FROM_SMAPS("pss", "PSS", PM_SIZE_PSS,
	           "resident, each page divided by the number of processes that share it"),
	FROM_SMAPS("pss_dirty", "PSS_DIRTY", PM_SIZE_PSS_DIRTY,
	           "pss of dirty pages only (Linux 6.0 or later)"),
	{ .name = "dirty",
	  .title = "DIRTY",
	  .type = LIST_SIZE,
	  .needs = REGION_NEEDS_SMAPS,
	  .number = dirty_of,
	  .help = "resident and written to: private_dirty + shared_dirty" },
	FROM_SMAPS("shared_clean", "SHARED_CLEAN", PM_SIZE_SHARED_CLEAN,
	           "resident, also mapped elsewhere, not written to"),
	FROM_SMAPS("shared_dirty", "SHARED_DIRTY", PM_SIZE_SHARED_DIRTY,
	           "resident, also mapped elsewhere, written to"),
	FROM_SMAPS("private_clean", "PRIVATE_CLEAN", PM_SIZE_PRIVATE_CLEAN,
	           "resident, mapped here only, not written to"),
	FROM_SMAPS("private_dirty", "PRIVATE_DIRTY", PM_SIZE_PRIVATE_DIRTY,
	           "resident, mapped here only, written to"),
	FROM_SMAPS("referenced", "REFERENCED", PM_SIZE_REFERENCED,
	           "resident and marked as accessed"),
	FROM_SMAPS("anonymous", "ANONYMOUS", PM_SIZE_ANONYMOUS,
	           "resident pages that belong to no file"),
	FROM_SMAPS("lazyfree", "LAZYFREE", PM_SIZE_LAZYFREE,
	           "freed by MADV_FREE, not yet reclaimed"),
	FROM_SMAPS("anon_huge", "ANON_HUGE", PM_SIZE_ANON_HUGE, "in transparent huge pages"),
	{ .name = "hugetlb",
	  .title = "HUGETLB",
	  .type = LIST_SIZE,
	  .needs = REGION_NEEDS_SMAPS,
	  .number = hugetlb_of,
	  .help = "in huge pages of hugetlbfs; not contained in rss" },
	{ .name = "swap",
	  .title = "SWAP",
	  .type = LIST_SIZE,
	  .needs = REGION_NEEDS_RSS,
	  .index = PM_SIZE_SWAP,
	  .number = size_of,
	  .help = "swapped out" },
	FROM_SMAPS("swap_pss", "SWAP_PSS", PM_SIZE_SWAP_PSS,
	           "swapped out, each page divided by the number of processes that share it"),
	FROM_SMAPS("locked", "LOCKED", PM_SIZE_LOCKED, "locked in memory"),
	{ .name = "perm",
	  .alias = "perms",
	  .json = "perms",
	  .title = "PERM",
	  .type = LIST_TEXT,
	  .text = perms_text,
	  .length = perms_length,
	  .safe = true,
	  .help = "permissions: read, write, execute, and private or shared" },
	{ .name = "offset",
	  .title = "OFFSET",
	  .type = LIST_OFFSET,
	  .number = offset_of,
	  .help = "offset in its file, hexadecimal" },
	{ .name = "device",
	  .title = "DEVICE",
	  .type = LIST_TEXT,
	  .text = device_text,
	  .safe = true,
	  .help = "device of its file, major:minor, hexadecimal" },
	{ .name = "inode",
	  .title = "INODE",
	  .type = LIST_NUMBER,
	  .number = inode_of,
	  .help = "inode of its file" },
	{ .name = "mapping",
	  .title = "MAPPING",
	  .type = LIST_TEXT,
	  .text = mapping_text,
	  .show = mapping_show,
	  .needs = REGION_NEEDS_KINDS,
	  .help = "file or name of the mapping; in tables also the detail" },
	{ .name = "kind",
	  .title = "KIND",
	  .type = LIST_TEXT,
	  .text = kind_text,
	  .length = kind_length,
	  .safe = true,
	  .style = OUT_DIM,
	  .needs = REGION_NEEDS_KINDS,
	  .help = "what the region is for" },
	{ .name = "detail",
	  .title = "DETAIL",
	  .type = LIST_TEXT,
	  .text = detail_text,
	  .needs = REGION_NEEDS_KINDS,
	  .help = "more about the kind: thread, arena, number of malloc chunks" },
	{ .name = "owner",
	  .title = "OWNER",
	  .type = LIST_TEXT,
	  .text = owner_text,
	  .show = owner_show,
	  .safe = true,
	  .needs = REGION_NEEDS_KINDS,
	  .help = "who manages the memory; ~: inferred, +: there are others" },
	{ .name = "proof",
	  .title = "PROOF",
	  .type = LIST_TEXT,
	  .text = proof_text,
	  .safe = true,
	  .needs = REGION_NEEDS_KINDS,
	  .help = "whether the kind is proven or inferred" },
	{ .name = "why",
	  .title = "WHY",
	  .type = LIST_TEXT,
	  .text = why_text,
	  .needs = REGION_NEEDS_KINDS,
	  .help = "the rule that determined the kind" },
	{ .name = "thread",
	  .title = "THREAD",
	  .type = LIST_NUMBER,
	  .number = thread_of,
	  .needs = REGION_NEEDS_KINDS,
	  .help = "ID of the thread that has this stack" },
	{ .name = "arena",
	  .title = "ARENA",
	  .type = LIST_ADDRESS,
	  .number = arena_of,
	  .needs = REGION_NEEDS_KINDS,
	  .help = "address of the malloc arena to which the region belongs" },
};

static size_t region_identify(struct results *results, const void *item)
{
	const struct pm_region *region = item;
	return results_add_region(results, region->start, region->end,
	                          pm_kind_name((enum pm_kind)region->kind), region->mapping);
}

#define FOR_ALL_REGIONS                                                                         \
	.singular = "region", .plural = "regions", .columns = columns,                          \
	.column_count = sizeof columns / sizeof columns[0],                                     \
	.json_columns =                                                                         \
		"start,end,size,rss,pss,dirty,shared_clean,shared_dirty,private_clean,private_" \
		"dirty,referenced,anonymous,lazyfree,"                                          \
		"anon_huge,hugetlb,swap,swap_pss,locked,perm,offset,device,inode,mapping,"      \
		"kind,detail,owner,proof",                                                      \
	.json_identity = "start,end", .left_out_column = "rss", .droppable = "pss,dirty,swap",  \
	.droppable_last = "perm,size", .identify = region_identify, .id_prefix = "#r"

const struct list_spec region_columns_spec = {
	FOR_ALL_REGIONS,
	.table_columns = "address,size,rss,pss,dirty,swap,perm,kind,mapping",
	.csv_columns = "address,size,rss,pss,dirty,swap,perm,kind,mapping,detail",
	.sort = "rss",
};

const struct list_spec region_columns_maps_only = {
	FOR_ALL_REGIONS,
	.table_columns = "address,size,perm,kind,mapping",
	.csv_columns = "address,size,perm,kind,mapping,detail",
	.sort = "size",
};

const struct list_spec region_columns_recorded = {
	FOR_ALL_REGIONS,
	.table_columns = "address,size,rss,swap,perm,kind,mapping",
	.csv_columns = "address,size,rss,swap,perm,kind,mapping,detail",
	.sort = "rss",
};
