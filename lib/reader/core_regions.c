/* SPDX-License-Identifier: MIT */
/*
 * The regions of a core file. Two lists tell of them: load segments, which have bytes and
 * permissions, and NT_FILE, which names what was mapped from files. The kernel has a segment for
 * every mapping (fs/binfmt_elf.c), gdb none for what it takes to be in the file still.
 */
#include "reader/core_file.h"

/** Where the listing is: all below `at` is listed, and no segment before `next` reaches beyond. */
struct listing {
	const struct pm_core *core;
	struct pm_regions *regions;
	struct pm_error *error;
	uint64_t at;
	size_t next;
};

/**
 * Memory that becomes one region: pieces of one mapping that follow on each other, with the same
 * permissions.
 */
struct piece {
	uint64_t start;
	uint64_t end;
	uint64_t held; /* bytes of it that the file has */
	unsigned perms;
};

static uint64_t min_size(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/** How many bytes the file has of a part of a segment. */
static uint64_t held_of(const struct pm_core_segment *segment, uint64_t start, uint64_t end)
{
	uint64_t held_end = min_size(segment->start + segment->held, end);
	return held_end > start ? held_end - start : 0;
}

/** What the auxiliary vector, or its address, tells of memory that NT_FILE does not name. */
static const char *special_name(const struct pm_core *core, const struct piece *piece)
{
	if (core->vdso && piece->start == core->vdso)
		return "[vdso]";
	if (piece->start == UINT64_C(0xffffffffff600000))
		return "[vsyscall]";
	return core->stack && piece->start <= core->stack && core->stack < piece->end ? "[stack]"
	                                                                              : NULL;
}

/**
 * Appends a region.
 * @param name the entry of NT_FILE that it lies in, NULL for none
 */
static int append(const struct listing *listing, const struct piece *piece,
                  const struct pm_core_name *name)
{
	struct pm_region region = { .start = piece->start,
		                    .end = piece->end,
		                    .perms = (uint8_t)piece->perms };
	region.known = PM_SIZE_BIT(PM_SIZE_RSS);
	region.bytes[PM_SIZE_RSS] = piece->held;

	if (name) {
		region.mapping = name->path;
		region.deleted = name->deleted;
		region.offset = name->offset + (piece->start - name->start);
		/* Memory that is of no file is private: what is shared has a file of the kernel's.
		 */
		region.perms |= PM_PERM_MAYBE(PM_PERM_SHARED);
	} else {
		region.mapping = special_name(listing->core, piece);
		/* gdb calls every segment readable, also address space without any access
		 * (make_output_phdrs() in gdb/gcore.c). */
		if (listing->core->has_sections && piece->perms == PM_PERM_READ)
			region.perms = PM_PERM_MAYBE(PM_PERM_READ);
	}

	return pm_regions_append(listing->regions, &region, listing->error);
}

/** Lists segments, or what is left of them, up to an address. */
static int list_unnamed(struct listing *listing, uint64_t limit)
{
	const struct pm_core *core = listing->core;
	for (; listing->next < core->segment_count && core->segments[listing->next].start < limit;
	     listing->next++) {
		const struct pm_core_segment *segment = &core->segments[listing->next];
		struct piece piece = { .start = segment->start,
			               .end = min_size(segment->end, limit),
			               .perms = segment->perms };
		if (piece.start < listing->at)
			piece.start = listing->at;
		piece.held = held_of(segment, piece.start, piece.end);
		if (piece.start < piece.end && append(listing, &piece, NULL) < 0)
			return -1;
		if (segment->end > limit)
			break;
	}

	return 0;
}

/**
 * Permissions of what no segment has of a mapping. An entry of NT_FILE is one mapping, so they are
 * those of its segments; where these differ, whoever wrote the file joined several, and where there
 * are none, nothing tells.
 */
static unsigned perms_of_rest(const struct listing *listing, const struct pm_core_name *name)
{
	const struct pm_core *core = listing->core;
	unsigned perms = PM_PERM_UNKNOWN;
	for (size_t i = listing->next;
	     i < core->segment_count && core->segments[i].start < name->end; i++) {
		if (perms != PM_PERM_UNKNOWN && perms != core->segments[i].perms)
			return PM_PERM_UNKNOWN;
		perms = core->segments[i].perms;
	}

	return perms;
}

/**
 * Adds what comes next of a mapping to a piece; one of other permissions becomes a region before.
 */
static int extend(const struct listing *listing, struct piece *piece, uint64_t end, unsigned perms,
                  uint64_t held, const struct pm_core_name *name)
{
	if (end <= piece->end)
		return 0;
	if (piece->start < piece->end && piece->perms != perms) {
		if (append(listing, piece, name) < 0)
			return -1;
		*piece = (struct piece){ .start = piece->end };
	}

	piece->end = end;
	piece->perms = perms;
	piece->held += held;

	return 0;
}

/** Lists a mapping that NT_FILE names, with whatever segments there are of it. */
static int list_named(struct listing *listing, const struct pm_core_name *name)
{
	const struct pm_core *core = listing->core;
	struct piece piece = { .start = name->start, .end = name->start };
	unsigned rest = perms_of_rest(listing, name);
	for (size_t i = listing->next;
	     i < core->segment_count && core->segments[i].start < name->end; i++) {
		const struct pm_core_segment *segment = &core->segments[i];
		uint64_t end = min_size(segment->end, name->end);
		if (extend(listing, &piece, segment->start, rest, 0, name) < 0 ||
		    extend(listing, &piece, end, segment->perms, held_of(segment, piece.end, end),
		           name) < 0)
			return -1;
	}

	if (extend(listing, &piece, name->end, rest, 0, name) < 0 ||
	    append(listing, &piece, name) < 0)
		return -1;

	while (listing->next < core->segment_count &&
	       core->segments[listing->next].end <= name->end)
		listing->next++;

	listing->at = name->end;
	return 0;
}

int pm_core_regions(const struct pm_core *core, struct pm_regions *regions, struct pm_error *error)
{
	struct listing listing = { .core = core, .regions = regions, .error = error };
	for (size_t i = 0; i < core->name_count; i++)
		if (list_unnamed(&listing, core->names[i].start) < 0 ||
		    list_named(&listing, &core->names[i]) < 0)
			return -1;
	return list_unnamed(&listing, UINT64_MAX);
}
