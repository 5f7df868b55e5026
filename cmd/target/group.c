/* SPDX-License-Identifier: MIT */
#include "target/group.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/typo.h>

#include "base/alloc.h"
#include "target/group_columns.h"
#include "target/owner_groups.h"
#include "target/region_columns.h"
#include "target/region_text.h"

/* Width of the column `what` in columns, for which a narrow table leaves out others. */
enum { OWNER_WHAT_WIDTH = 44 };

struct groups {
	enum group_by by;
	struct group *first;
	struct group **end; /* address of the pointer that will refer to the next group */
	void *tree;         /* tree of tsearch(3), by key */
	struct list_column columns[GROUP_COLUMNS + GROUP_OWNER_COLUMNS + 1];
	struct list_spec spec;
	const struct pm_heap *heap;             /* what is inside malloc; NULL if not known */
	const struct pm_arena_threads *threads; /* the threads of its arenas */
	struct text column_names; /* names of the default columns, in the order of the table */
	struct text json_names;   /* names of the default columns of JSON */
	const struct owner_source *source; /* how to divide regions; NULL if not known */
	struct owner_groups owners;        /* with GROUP_BY_OWNER */
};

/** The words that describe each way of grouping. */
static const struct {
	const char *word, *title, *plural;
} names[GROUP_BY_COUNT] = {
	[GROUP_BY_KIND] = { "kind", "KIND", "kinds" },
	[GROUP_BY_MAPPING] = { "mapping", "MAPPING", "mappings" },
	[GROUP_BY_PERMS] = { "perms", "PERMS", "permissions" },
	[GROUP_BY_ARENA] = { "arena", "ARENA", "arenas" },
	[GROUP_BY_THREAD] = { "thread", "THREAD", "threads" },
	[GROUP_BY_OBJECT] = { "object", "OBJECT", "objects" },
	[GROUP_BY_OWNER] = { "owner", "OWNER", "owners" },
};

int group_by_parse(const char *word, enum group_by *by, struct pm_error *error)
{
	const char *words[GROUP_BY_COUNT] = { NULL };
	for (int i = GROUP_BY_NOTHING + 1; i < GROUP_BY_COUNT; i++) {
		words[i] = names[i].word;
		if (strcmp(word, words[i]) == 0) {
			*by = (enum group_by)i;
			return 0;
		}
	}

	const char *nearest = pm_typo_nearest(word, words, GROUP_BY_COUNT);
	if (nearest)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is unknown; did you mean '%s'?",
		                    word, nearest);

	return pm_error_set(
		error, PM_ERROR_USAGE, 0,
		"'%s' is unknown: use kind, mapping, perms, arena, thread, object or owner", word);
}

static void kind_name(const struct pm_region *region, struct text *text)
{
	const char *kind = pm_kind_name((enum pm_kind)region->kind);
	if (*kind == '\0')
		kind = "(unknown)";
	text_string(text, kind);
}

/**
 * Adds the file to which a region belongs, or the kind of the region if it belongs to no file.
 * Zero-initialised data (bss) that maps no file belongs to the file of the adjacent region before
 * it.
 */
static void object_name(const struct pm_regions *regions, const struct pm_region *region,
                        struct text *text)
{
	const struct pm_region *named = region;
	while (named->kind == PM_KIND_BSS && *named->mapping == '\0' && named > regions->items &&
	       named[-1].end == named->start)
		named--;

	if (*named->mapping)
		region_text_mapping(named, false, text);
	else
		kind_name(region, text);
}

/** Returns the address of the arena to which a region belongs; 0 if there is none. */
static uint64_t arena_of(const struct groups *groups, const struct pm_region *region)
{
	const struct pm_heap *heap = groups->heap;

	if (heap && region->kind == PM_KIND_HEAP && heap->arena_count > 0 && heap->arenas[0].main)
		return heap->arenas[0].address;
	return region->arena;
}

/** Sets what is inside the arena of a group. */
static void look_inside(const struct groups *groups, struct group *group)
{
	const struct pm_heap *heap = groups->heap;

	for (size_t i = 0; heap && group->arena != 0 && i < heap->arena_count; i++) {
		if (heap->arenas[i].address != group->arena)
			continue;
		group->inside = &heap->arenas[i];
		group->index = (uint32_t)i;
		group->threads = groups->threads;
	}
}

/**
 * Adds the key of the group to which a region belongs.
 * @return false if the region lacks the value that groups share, so that the key is a placeholder
 */
static bool put_key(const struct groups *groups, const struct pm_regions *regions,
                    const struct pm_region *region, struct text *text)
{
	switch (groups->by) {
	case GROUP_BY_MAPPING:
		region_text_mapping(region, false, text);
		if (text->length == 0)
			text_string(text, "(anonymous)");
		return *region->mapping != '\0' || region->deleted;
	case GROUP_BY_PERMS:
		pm_format_perms(region->perms, text_room(text, PM_PERMS_TEXT_SIZE));
		text->length += PM_PERMS_TEXT_SIZE - 1;
		break;
	case GROUP_BY_ARENA:
		if (arena_of(groups, region))
			text_hex(text, arena_of(groups, region), 1);
		else
			text_string(text, "(no arena)");
		return arena_of(groups, region) != 0;
	case GROUP_BY_THREAD:
		if (region->thread)
			text_format(text, "%d", (int)region->thread);
		else
			text_string(text, "(no thread)");
		return region->thread != 0;
	case GROUP_BY_OBJECT:
		object_name(regions, region, text);
		break;
	default:
		kind_name(region, text);
		return region->kind != PM_KIND_UNKNOWN;
	}

	return true;
}

/**
 * Adds the name of an arena: the text that describes one of its heaps, without the index of the
 * heap.
 */
static void put_arena(const struct pm_region *region, struct text *text)
{
	struct pm_detail detail = region->detail;
	if (detail.type != PM_DETAIL_ARENA || detail.listed == 0) {
		text_format(text, "arena at %llx", (unsigned long long)region->arena);
		return;
	}

	struct pm_detail_heap heap = detail.heaps[0];
	heap.index = 0;
	detail.heaps = &heap;
	detail.listed = 1;
	region_text_detail(&detail, text);
}

/**
 * Sets the name of a group if the region is its main region: with --by arena a heap of the arena,
 * which gives a name such as "arena 3 (7f3ae4000030)"; with --by thread the stack of the thread,
 * whose detail becomes the name. For other regions, the name is not changed.
 */
static void name_after(struct group *group, enum group_by by, const struct pm_region *region)
{
	if (by == GROUP_BY_ARENA && group->inside && group->inside->main) {
		free(group->name);
		group->name = alloc_string("main arena");
		return;
	}

	bool heap = by == GROUP_BY_ARENA && region->arena && region->kind == PM_KIND_ARENA;
	bool stack = by == GROUP_BY_THREAD && region->thread && region->kind == PM_KIND_STACK;
	if ((!heap && !stack) || region->detail.type == PM_DETAIL_NONE)
		return;

	struct text name = { 0 };
	if (heap)
		put_arena(region, &name);
	else
		region_text_detail(&region->detail, &name);

	free(group->name);
	group->name = alloc_string(text_terminate(&name));
	text_deinit(&name);
}

static void add(struct group *group, enum group_sum sum, bool known, uint64_t value)
{
	if (known) {
		group->sums[sum] += value;
		group->known[sum] = true;
	}
}

static void add_region(struct group *group, const struct pm_region *region)
{
	uint64_t size = pm_region_size(region);
	group->regions++;
	group->kinds |= UINT64_C(1) << region->kind;
	if (size > group->largest)
		group->largest = size;
	add(group, GROUP_SUM_SIZE, true, size);
	add(group, GROUP_SUM_RSS, pm_region_knows(region, PM_SIZE_RSS), region->bytes[PM_SIZE_RSS]);
	add(group, GROUP_SUM_PSS, pm_region_knows(region, PM_SIZE_PSS), region->bytes[PM_SIZE_PSS]);
	add(group, GROUP_SUM_DIRTY, pm_region_knows(region, PM_SIZE_PRIVATE_DIRTY),
	    pm_region_dirty(region));

	add(group, GROUP_SUM_SWAP, pm_region_knows(region, PM_SIZE_SWAP),
	    region->bytes[PM_SIZE_SWAP]);
	add(group, GROUP_SUM_REFERENCED, pm_region_knows(region, PM_SIZE_REFERENCED),
	    region->bytes[PM_SIZE_REFERENCED]);
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct group *)a)->key, ((const struct group *)b)->key);
}

/** Returns the group of a key. Creates the group if it does not exist. */
static struct group *find_group(struct groups *groups, const char *key)
{
	struct group wanted = { .key = (char *)key };
	struct group **found = tfind(&wanted, &groups->tree, compare_keys);
	if (found)
		return *found;

	struct group *group = alloc_array(NULL, 1, sizeof *group);
	*group = (struct group){ .key = alloc_string(key), .name = alloc_string(key) };
	*groups->end = group;
	groups->end = &group->next;
	tsearch(group, &groups->tree, compare_keys);

	return group;
}

/** Sets the default columns. File names come last, because they are long. */
static void choose_columns(struct groups *groups, const char *figures)
{
	enum group_by by = groups->by;
	bool last = by == GROUP_BY_MAPPING || by == GROUP_BY_OBJECT;
	text_clear(&groups->column_names);
	if (last)
		text_format(&groups->column_names, "%s,%s", figures, names[by].word);
	else
		text_format(&groups->column_names, "%s,%s", names[by].word, figures);
	groups->spec.table_columns = groups->spec.csv_columns = text_terminate(
		&groups->column_names);

	text_clear(&groups->json_names);
	text_format(&groups->json_names, "%s,%s,%s", names[by].word,
	            by == GROUP_BY_OWNER ? "inferred,what" : "detail,files", figures);
	groups->spec.json_columns = text_terminate(&groups->json_names);
}

/** Fills the description of the columns. */
static void make_spec(struct groups *groups)
{
	enum group_by by = groups->by;

	memcpy(groups->columns, group_columns, sizeof group_columns);
	groups->columns[0].name = names[by].word;
	groups->columns[0].title = names[by].title;
	groups->columns[0].index = (int)by;
	/* With GROUP_BY_MAPPING, files of different kinds are not united. */
	if (by != GROUP_BY_PERMS)
		groups->columns[0].needs = REGION_NEEDS_KINDS;
	groups->spec = (struct list_spec){
		.singular = names[by].word,
		.plural = names[by].plural,
		.columns = groups->columns,
		.column_count = GROUP_COLUMNS,
		.json_identity = names[by].word,
		.sort = "rss",
		.left_out_column = "rss",
		.droppable = "pss,swap",
		.count_column = true,
	};

	if (by == GROUP_BY_ARENA) {
		groups->spec.droppable_last = "largest,dirty";
		choose_columns(groups, "count,size,rss,pss,dirty,swap,largest,in_use,free,threads");
		return;
	}

	groups->spec.column_count -= GROUP_ARENA_COLUMNS;
	if (by == GROUP_BY_OWNER) {
		for (size_t i = 0; i < GROUP_OWNER_COLUMNS; i++)
			groups->columns[groups->spec.column_count++] = group_owner_columns[i];
		groups->spec.droppable = "swap,count";
		groups->spec.last_wanted = OWNER_WHAT_WIDTH;
		choose_columns(groups, "rss,share,swap,size,count,what");
		return;
	}

	choose_columns(groups, "count,size,rss,pss,dirty,swap,largest");
}

/** Adds the sums of a group to another one, and the name to its names. */
static void unite(struct group *sum, const struct group *group)
{
	if (!sum->names.first)
		similar_name_add(&sum->names, sum->key);

	similar_name_add(&sum->names, group->key);
	sum->files += sum->files > 0 ? 1 : 2;
	sum->regions += group->regions;
	if (group->largest > sum->largest)
		sum->largest = group->largest;
	for (int i = 0; i < GROUP_SUM_COUNT; i++)
		add(sum, (enum group_sum)i, group->known[i], group->sums[i]);
}

static void free_group(struct group *group)
{
	similar_name_deinit(&group->names);
	free(group->key);
	free(group->name);
	free(group);
}

/** Names a group after the pattern of the names of its files, if there are several. */
static void name_pattern(struct group *group)
{
	struct text pattern = { 0 };

	if (group->files == 0)
		return;

	similar_name_pattern(&group->names, &pattern);
	free(group->name);
	group->name = alloc_string(text_terminate(&pattern));
	text_deinit(&pattern);
}

/**
 * Unites groups of files whose names differ only in numbers, if their regions have the same kinds.
 */
static void unite_similar(struct groups *groups)
{
	void *tree = NULL;

	groups->end = &groups->first;
	for (struct group *group = groups->first, *next; group; group = next) {
		void **similar = similar_name_find(&tree, group->key, group->kinds);

		next = group->next;
		if (similar && *similar) {
			unite(*similar, group);
			tdelete(group, &groups->tree, compare_keys);
			free_group(group);
		} else {
			if (similar)
				*similar = group;
			*groups->end = group;
			groups->end = &group->next;
		}
	}

	*groups->end = NULL;
	for (struct group *group = groups->first; group; group = group->next)
		name_pattern(group);

	similar_name_free_tree(tree);
}

struct groups *group_create(enum group_by by)
{
	struct groups *groups = alloc_array(NULL, 1, sizeof *groups);
	*groups = (struct groups){ .by = by, .end = &groups->first };
	make_spec(groups);
	return groups;
}

void group_know_heap(struct groups *groups, const struct pm_heap *heap,
                     const struct pm_arena_threads *threads)
{
	groups->heap = heap;
	groups->threads = threads;
}

void group_know_owners(struct groups *groups, const struct owner_source *source)
{
	groups->source = source;
}

void group_know_two_sizes(struct groups *groups)
{
	if (groups->by == GROUP_BY_OWNER)
		return;
	choose_columns(groups, "count,size,rss,swap,largest");
}

void group_know_referenced(struct groups *groups)
{
	if (groups->by == GROUP_BY_ARENA)
		groups->spec.column_count -= GROUP_ARENA_COLUMNS;
	groups->columns[groups->spec.column_count++] = group_cold_column;
	choose_columns(groups, "count,rss,cold,referenced,swap");
	groups->spec.sort = groups->spec.left_out_column = "cold";
	groups->spec.droppable = "swap,referenced";
	groups->spec.droppable_last = "count";
}

/** Sets what a group shares with its first region. */
static void describe(struct group *group, const struct pm_region *region, bool rest)
{
	group->rest = rest;
	group->arena = region->arena;
	group->thread = region->thread;
}

/** Sets the shares of all groups in the resident memory. */
static void set_shares(struct groups *groups)
{
	uint64_t rss = 0;

	for (const struct group *group = groups->first; group; group = group->next)
		rss += group->sums[GROUP_SUM_RSS];
	for (struct group *group = groups->first; group && rss > 0; group = group->next)
		group->share = (uint64_t)((double)group->sums[GROUP_SUM_RSS] * 1000 / (double)rss +
		                          0.5);
}

static struct group *group_of_owner(struct groups *groups, enum pm_owner owner)
{
	const char *key = owner == PM_OWNER_UNKNOWN ? "(not known)" : pm_owner_name(owner);
	struct group *group = find_group(groups, key);

	group->by_owner = true;
	group->owner = owner;
	group->rest = owner == PM_OWNER_UNKNOWN;
	return group;
}

/** Makes a group for each owner. */
static void make_owner_groups(struct groups *groups)
{
	for (unsigned owner = 0; owner < PM_OWNER_COUNT; owner++) {
		const struct pm_owner_sum *sum = &groups->owners.sums.items[owner];
		const uint64_t dirty = sum->bytes[PM_SIZE_PRIVATE_DIRTY] +
		                       sum->bytes[PM_SIZE_SHARED_DIRTY];

		if (sum->regions == 0)
			continue;

		struct group *group = group_of_owner(groups, (enum pm_owner)owner);
		group->regions = sum->regions;
		group->largest = sum->largest;
		group->inferred = sum->inferred;
		group->parts = &groups->owners.parts[owner];
		add(group, GROUP_SUM_SIZE, true, sum->size);
		add(group, GROUP_SUM_RSS, sum->known & PM_SIZE_BIT(PM_SIZE_RSS),
		    sum->bytes[PM_SIZE_RSS]);
		add(group, GROUP_SUM_PSS, sum->known & PM_SIZE_BIT(PM_SIZE_PSS),
		    sum->bytes[PM_SIZE_PSS]);
		add(group, GROUP_SUM_DIRTY, sum->known & PM_SIZE_BIT(PM_SIZE_PRIVATE_DIRTY), dirty);
		add(group, GROUP_SUM_SWAP, sum->known & PM_SIZE_BIT(PM_SIZE_SWAP),
		    sum->bytes[PM_SIZE_SWAP]);
		add(group, GROUP_SUM_REFERENCED, sum->known & PM_SIZE_BIT(PM_SIZE_REFERENCED),
		    sum->bytes[PM_SIZE_REFERENCED]);
	}

	set_shares(groups);
}

/** Divides regions between the groups of their owners. */
static int fill_owners(struct groups *groups, const struct pm_regions *regions,
                       const void *const *items, size_t count, struct pm_error *error)
{
	static const struct pm_owner_sums_source none = { 0 };
	const struct owner_source *source = groups->source;
	const struct pm_owner_sums_source *division = source ? &source->division : &none;

	for (size_t i = 0; i < count; i++)
		if (owner_groups_add(&groups->owners, division, items[i], error) < 0)
			return -1;

	if (source && source->recorded && count == regions->count)
		groups->owners.sums = *source->recorded;
	make_owner_groups(groups);
	return 0;
}

void group_describe_owner(struct groups *groups, enum pm_owner owner, const char *note)
{
	free(groups->owners.parts[owner].note);
	groups->owners.parts[owner].note = alloc_string(note);
}

const struct pm_owner_sums *group_owner_sums(const struct groups *groups)
{
	return &groups->owners.sums;
}

int group_fill(struct groups *groups, const struct pm_regions *regions, const void *const *items,
               size_t count, struct pm_error *error)
{
	if (groups->by == GROUP_BY_OWNER)
		return fill_owners(groups, regions, items, count, error);

	struct text key = { 0 };
	for (size_t i = 0; i < count; i++) {
		text_clear(&key);

		bool has_value = put_key(groups, regions, items[i], &key);
		struct group *group = find_group(groups, text_terminate(&key));

		if (group->regions == 0) {
			describe(group, items[i], !has_value);
			group->arena = arena_of(groups, items[i]);
			look_inside(groups, group);
		}
		name_after(group, groups->by, items[i]);
		add_region(group, items[i]);
	}

	if (groups->by == GROUP_BY_MAPPING)
		unite_similar(groups);
	text_deinit(&key);
	return 0;
}

bool group_can_sum_up(enum group_by by)
{
	return by != GROUP_BY_NOTHING && by != GROUP_BY_ARENA && by != GROUP_BY_THREAD;
}

void group_sum_up(struct groups *sums, const struct groups *groups)
{
	/* In a narrow table, the sums of PSS remain. */
	sums->spec.sort = "pss";
	sums->spec.left_out_column = "pss";
	sums->spec.droppable = "swap,dirty";
	if (sums->by == GROUP_BY_OWNER)
		sums->spec.sort = sums->spec.left_out_column = "rss";

	for (const struct group *group = groups->first; group; group = group->next) {
		struct group *sum = find_group(sums, group->name);

		sum->rest = group->rest;
		sum->by_owner = group->by_owner;
		sum->owner = group->owner;
		sum->inferred += group->inferred;
		sum->regions += group->regions;
		sum->kinds |= group->kinds;
		if (group->largest > sum->largest)
			sum->largest = group->largest;
		for (int i = 0; i < GROUP_SUM_COUNT; i++)
			add(sum, (enum group_sum)i, group->known[i], group->sums[i]);
	}

	set_shares(sums);
}

void group_destroy(struct groups *groups)
{
	if (!groups)
		return;

	for (struct group *group = groups->first, *next; group; group = next) {
		next = group->next;
		tdelete(group, &groups->tree, compare_keys);
		free_group(group);
	}

	owner_groups_deinit(&groups->owners);
	text_deinit(&groups->column_names);
	text_deinit(&groups->json_names);
	free(groups);
}

const struct list_spec *group_columns_spec(const struct groups *groups)
{
	return &groups->spec;
}

void group_add_to(const struct groups *groups, struct list *list)
{
	for (const struct group *group = groups->first; group; group = group->next)
		list_add(list, group);
}
