/* SPDX-License-Identifier: MIT */
#include "refs/outside.h"

#include <inttypes.h>
#include <string.h>

#include <procmem/demangle.h>

#include "base/interrupt.h"
#include "base/minmax.h"
#include "base/utf8.h"

/* Maximum size in bytes of the parts of a range. Before each part, the cancellation flag is tested.
 */
enum { PART_MAX = 16 << 20 };

static const uint64_t WORD = sizeof(uint64_t);

/** A search for pointers. */
struct search {
	struct malloc_graph *graph;
	const struct pm_regions *regions;
	uint64_t start; /* of the range */
	uint64_t done;  /* words before this address were visited */
	size_t next;    /* index of the first copied range that may end after `done` */
	const volatile sig_atomic_t *cancel;
	pm_ref_visitor *visit;
	void *context;
	struct pm_error *error;
};

/** Returns the region outside of malloc's chunks to which a word points, or NULL. */
static const struct pm_region *region_of(const struct search *search, uint64_t value)
{
	const struct pm_regions *regions = search->regions;
	const uint8_t perms = PM_PERM_READ | PM_PERM_WRITE | PM_PERM_EXEC;
	struct pm_chunk chunk;

	if (regions->count == 0 || value < regions->items[0].start)
		return NULL;

	const struct pm_region *region = pm_regions_find(regions, value);
	if (!region || !(region->perms & perms))
		return NULL;

	/* As in types of chunks: a misaligned address of data is more likely a number or a text. */
	if (value % WORD != 0 && region->inode != 0 && !(region->perms & PM_PERM_EXEC))
		return NULL;
	return pm_heap_find(search->graph->heap, value, &chunk) ? NULL : region;
}

/**
 * Returns the next part of the range that was copied. Most pages of a large chunk may not exist, so
 * they are not visited one by one.
 * @return false if there are no more parts up to an address
 */
static bool next_part(struct search *search, uint64_t end, struct pm_range *part)
{
	size_t count;
	const struct pm_range *copied = pm_copy_ranges(search->graph->copy, &count);

	while (search->next < count && copied[search->next].end <= search->done)
		search->next++;
	if (search->done >= end || search->next == count || copied[search->next].start >= end)
		return false;

	part->start = pm_max(search->done, copied[search->next].start);
	part->end = pm_min(pm_min(end, copied[search->next].end), part->start + PART_MAX);
	return true;
}

/** Visits the pointers to memory outside of malloc up to an address. */
static int visit_outside(struct search *search, uint64_t end)
{
	struct pm_range part;

	while (!*search->cancel && next_part(search, end, &part)) {
		const uint64_t *words = pm_copy_bytes(search->graph->copy, part.start,
		                                      pm_range_size(part));
		uint64_t count = words ? pm_range_size(part) / WORD : 0;
		search->done = part.end;

		for (uint64_t i = 0; i < count; i++) {
			if (!region_of(search, words[i]))
				continue;
			struct pm_ref ref = { .address = part.start + i * WORD,
				              .value = words[i],
				              .root = REFS_OUTSIDE,
				              .offset = part.start + i * WORD - search->start };
			int result = search->visit(search->context, &ref);
			if (result != 0)
				return result;
		}
	}

	if (*search->cancel)
		return pm_error_set(search->error, PM_ERROR_CANCELLED, 0, "cancelled");
	return 0;
}

static int visit_pointer(void *context, const struct pm_ref *ref)
{
	struct search *search = context;
	int result = visit_outside(search, ref->address);
	if (result != 0)
		return result;

	search->done = ref->address + WORD;
	return search->visit(search->context, ref);
}

int refs_outside_find(struct malloc_graph *graph, struct pm_range range, pm_ref_visitor *visit,
                      void *context, struct pm_error *error)
{
	struct search search = { .graph = graph,
		                 .regions = pm_copy_regions(graph->copy),
		                 .start = range.start,
		                 .done = (range.start + WORD - 1) & ~(WORD - 1),
		                 .cancel = interrupt_flag(),
		                 .visit = visit,
		                 .context = context,
		                 .error = error };

	int result = pm_refs_from(graph->graph, range, visit_pointer, &search, error);
	return result != 0 ? result : visit_outside(&search, range.end);
}

/** What is at an address. */
struct place {
	char symbol[PM_DEMANGLED_SIZE]; /* demangled; "" if there is none */
	const struct pm_region *region; /* NULL if there is none */
	uint64_t offset;                /* from the symbol, or in the file, or in the region */
};

static int find_place(const struct malloc_graph *graph, uint64_t address, struct place *place,
                      struct pm_error *error)
{
	struct pm_symbol symbol;
	int found = pm_symbols_find(graph->contents.symbols, address, &symbol, error);
	if (found < 0)
		return -1;

	*place = (struct place){ .region = pm_regions_find(pm_copy_regions(graph->copy), address) };
	if (found == 1 && (symbol.size > 0 || symbol.offset == 0)) {
		pm_demangle(symbol.name, place->symbol, sizeof place->symbol);
		place->offset = symbol.offset;
	} else if (place->region) {
		place->offset = address - place->region->start;
		if (place->region->inode != 0)
			place->offset += place->region->offset;
	}

	return 0;
}

/** Adds the name of a mapping without its directories. */
static void put_mapping(const struct place *place, struct text *text)
{
	const char *name = place->region ? place->region->mapping : "";
	const char *slash = strrchr(name, '/');

	if (slash && slash[1])
		name = slash + 1;
	utf8_escape(text, name, strlen(name));
}

int refs_outside_put(const struct malloc_graph *graph, uint64_t address, struct text *text,
                     struct pm_error *error)
{
	struct place place;
	if (find_place(graph, address, &place, error) < 0)
		return -1;

	if (place.symbol[0]) {
		utf8_escape(text, place.symbol, strlen(place.symbol));
		if (place.offset > 0)
			text_format(text, " +0x%" PRIx64, place.offset);
		text_string(text, " in ");
		put_mapping(&place, text);
	} else if (place.region && place.region->inode != 0) {
		put_mapping(&place, text);
		text_format(text, "+0x%" PRIx64, place.offset);
	} else if (place.region) {
		text_format(text, "memory %" PRIx64 "-%" PRIx64, place.region->start,
		            place.region->end);
		text_string(text, place.region->mapping[0] ? " " : "");
		put_mapping(&place, text);
		text_format(text, " +0x%" PRIx64, place.offset);
	}

	return 0;
}

int refs_outside_json(const struct malloc_graph *graph, uint64_t address, struct json *json,
                      struct pm_error *error)
{
	struct place place;
	if (find_place(graph, address, &place, error) < 0)
		return -1;

	json_open(json, "outside", '{');
	json_put(json, "address", json_address(address));
	if (place.region && place.region->mapping[0])
		json_put(json, "mapping", json_text(place.region->mapping));
	if (place.symbol[0])
		json_put(json, "symbol", json_text(place.symbol));
	json_put(json, "offset", json_number(place.offset));
	json_shut(json, '}');

	return 0;
}
