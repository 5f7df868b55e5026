/* SPDX-License-Identifier: MIT */
/*
 * Fastbins and the bins of a tcache are singly linked lists of chunks that malloc counts as used.
 * The fastbins are in malloc_state. A tcache is a chunk in use of a certain size: each such chunk
 * is a candidate, and is accepted if all of its lists consist of chunks of the right sizes and have
 * the right lengths.
 *
 * A write to a freed chunk can damage a list. A candidate with such a list is accepted, and
 * reported as damaged, if something else shows that it is a tcache: most of its lists are valid, it
 * is the first chunk of an arena, or its chunks have the key that malloc writes to each cached
 * chunk.
 */
#include "heap/glibc_lists.h"

#include <limits.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "heap/glibc_chain.h"
#include "heap/glibc_find.h"
#include "heap/lookup.h"

enum {
	TRIES = 8,
	SMALL_BINS = 64,     /* bins of a tcache with chunks of one size */
	TCACHE_MAX = 0x300,  /* bytes of the largest tcache */
	LARGE_SIZE = 0x410,  /* size of the largest chunks in small bins */
	IMPLAUSIBLE_MAX = 2, /* see count_implausible() */
	/* Minimum number of bins with chunks of a tcache of which only the lists are a proof, and
	 * one of them is not valid */
	TORN_USED_MIN = 4,
};

/** A chunk of a list. */
struct entry {
	uint64_t address; /* of the header */
	uint64_t size;
	uint32_t arena;
};

/** What the chunks of a list must have in common. */
struct rule {
	uint64_t user;     /* 16 if links lead to the memory of the user; 0 if to the header */
	uint64_t size_min; /* sizes of the chunks */
	uint64_t size_max;
	uint64_t count; /* number of chunks; UINT64_MAX if it is not known */
	uint32_t arena; /* index of the arena, or PM_CHUNK_MAPPED for all arenas */
};

/** The lists that are read. */
struct lists {
	struct pm_glibc *glibc;
	struct pm_heap_window *window;
	struct entry *entries; /* chunks of the lists that were read and are not marked yet */
	size_t count;
	size_t capacity;
	uint64_t budget; /* number of chunks that may still be visited: damaged lists are circles */
	bool partial;    /* keep the chunks before the one that does not conform */
	bool again;      /* read the links again that were saved during the walk */
	struct pm_error *error;
};

/** A sort of tcache. */
struct tcache_type {
	uint64_t size;     /* size of its chunk */
	unsigned bins;     /* number of its bins */
	unsigned counter;  /* bytes of a counter */
	bool counts_slots; /* counters are the numbers of free places instead of chunks */
};

static const struct tcache_type tcache_types[] = {
	{ 0x250, 64, 1, false }, /* 2.26-2.29 */
	{ 0x290, 64, 2, false }, /* 2.30-2.41 */
	{ 0x300, 76, 2, true },  /* since 2.42 */
};

/**
 * Adds the chunk at an address to the entries, if it conforms to the rule. The first word of a
 * header can belong to the chunk before it, so chunks are looked up by the second word.
 */
static int add_entry(struct lists *lists, uint64_t address, const struct rule *rule)
{
	struct pm_chunk chunk;

	if (address % PM_GLIBC_ALIGNMENT != 0 ||
	    !pm_heap_index_find(&lists->glibc->heap->index, address + 8, &chunk) ||
	    chunk.address != address || chunk.state != PM_CHUNK_IN_USE ||
	    chunk.size < rule->size_min || chunk.size > rule->size_max ||
	    (rule->arena != PM_CHUNK_MAPPED && chunk.arena != rule->arena) ||
	    chunk.arena >= lists->glibc->count)
		return 0;

	if (pm_array_reserve(&lists->entries, &lists->capacity, lists->count, 1,
	                     sizeof *lists->entries, lists->error) < 0)
		return -1;
	lists->entries[lists->count++] = (struct entry){ address, chunk.size, chunk.arena };
	return 1;
}

/** Reads the link at an address, unless it was saved. */
static int read_link(struct lists *lists, uint64_t place, uint64_t *word)
{
	const struct pm_glibc *glibc = lists->glibc;
	size_t run = pm_first_above(glibc->runs, glibc->run_count, sizeof *glibc->runs,
	                            offsetof(struct pm_glibc_run, address), place);

	if (run > 0 && glibc->runs[run - 1].count > 0 && !lists->again) {
		const struct pm_glibc_run *links = &glibc->runs[run - 1];
		const struct pm_glibc_link *first = glibc->saved + links->first;
		size_t index = pm_first_above(first, links->count, sizeof *first,
		                              offsetof(struct pm_glibc_link, address), place);
		if (index > 0 && first[index - 1].address == place) {
			*word = first[index - 1].word;
			return 1;
		}
	}

	return pm_glibc_read_now(lists->glibc, place, word, sizeof *word, lists->error);
}

/**
 * Follows a list, and appends its chunks to the entries.
 * @return 1 if all of its chunks conform to the rule; 0 if not, with the entries unchanged unless
 *         `partial` is set; -1 on error
 */
static int follow(struct lists *lists, uint64_t head, const struct rule *rule,
                  enum pm_glibc_links links)
{
	const uint64_t max = pm_min(rule->count, lists->glibc->heap->index.chunks);
	const size_t before = lists->count;
	uint64_t at = head;
	int good = 1;

	while (good > 0 && at != 0) {
		uint64_t raw, place = at + PM_GLIBC_HEADER - rule->user;

		if (lists->budget == 0 || lists->count - before >= max) {
			good = 0;
			break;
		}
		lists->budget--;
		good = add_entry(lists, at - rule->user, rule);
		if (good > 0)
			good = read_link(lists, place, &raw);
		if (good > 0)
			at = pm_glibc_link_of(raw, place, links);
	}

	if (good > 0 && rule->count != UINT64_MAX && lists->count - before != rule->count)
		good = 0;
	if (good <= 0 && !lists->partial)
		lists->count = before;
	return good;
}

/** Follows a list, and finds out how links are stored if this is not known. */
static int follow_any(struct lists *lists, uint64_t head, const struct rule *rule,
                      enum pm_glibc_links *links)
{
	if (*links != PM_GLIBC_LINKS_UNKNOWN)
		return follow(lists, head, rule, *links);

	int good = follow(lists, head, rule, PM_GLIBC_LINKS_SAFE);
	if (good > 0)
		*links = PM_GLIBC_LINKS_SAFE;
	if (good != 0)
		return good;

	good = follow(lists, head, rule, PM_GLIBC_LINKS_PLAIN);
	if (good > 0)
		*links = PM_GLIBC_LINKS_PLAIN;
	return good;
}

/** Marks the chunks of the entries as cached. */
static void mark(struct lists *lists, bool fast)
{
	struct pm_heap_handle *heap = lists->glibc->heap;

	for (size_t i = 0; i < lists->count; i++) {
		const struct entry *entry = &lists->entries[i];
		struct pm_heap_arena *arena = &heap->result.arenas[entry->arena];
		struct pm_chunk chunk;

		/* A damaged list can contain a chunk twice. */
		if (!pm_heap_index_find(&heap->index, entry->address + 8, &chunk) ||
		    chunk.state != PM_CHUNK_IN_USE)
			continue;

		pm_heap_index_set_state(&heap->index, entry->address, PM_CHUNK_CACHED);
		arena->in_use -= entry->size;
		arena->chunks--;
		arena->cached += entry->size;
		arena->cached_count++;
		arena->fast += fast ? entry->size : 0;
		arena->fast_count += fast;
	}

	lists->count = 0;
}

/** Notes that the chunks of the entries have a second word of malloc: the key of the tcache. */
static int add_keyed(struct lists *lists)
{
	struct pm_heap_handle *heap = lists->glibc->heap;

	if (pm_array_reserve(&heap->keyed, &heap->keyed_capacity, heap->keyed_count, lists->count,
	                     sizeof *heap->keyed, lists->error) < 0)
		return -1;

	for (size_t i = 0; i < lists->count; i++)
		heap->keyed[heap->keyed_count++] = lists->entries[i].address;
	return 0;
}

/** Reads a fastbin of an arena, again if it changes. */
static int follow_fastbin(struct lists *lists, uint32_t arena, unsigned bin)
{
	struct pm_glibc *glibc = lists->glibc;
	const struct pm_glibc_arena *state = &glibc->arenas[arena];
	const uint64_t size = PM_GLIBC_CHUNK_MIN + UINT64_C(16) * bin;
	const uint64_t place = state->address + glibc->layout->fastbins + UINT64_C(8) * bin;
	const struct rule rule = { 0, size, size, UINT64_MAX, arena };
	const unsigned tries = pm_glibc_can_change(glibc) ? TRIES : 1;
	uint64_t head = state->fastbins[bin];
	int good = follow_any(lists, head, &rule, &glibc->links);

	for (unsigned i = 1; good == 0 && i < tries; i++) {
		good = pm_glibc_read_now(glibc, place, &head, sizeof head, lists->error);
		lists->partial = i + 1 == tries;
		lists->again = true;
		if (good > 0)
			good = follow_any(lists, head, &rule, &glibc->links);
	}
	lists->partial = lists->again = false;
	return good;
}

/**
 * Reports a list of freed chunks that is not valid. All chunks were found nevertheless: only which
 * of them are freed is not known.
 */
static int note_damage(struct lists *lists, uint32_t arena, uint64_t address, uint64_t previous,
                       const char *why)
{
	struct pm_heap_index *index = &lists->glibc->heap->index;
	bool unseen = index->unseen;
	int result = pm_glibc_damage(lists->glibc, arena, address, previous, why, lists->error);

	index->unseen = unseen;
	return result;
}

/** Marks the chunks of the fastbins of an arena. */
static int read_fastbins(struct lists *lists, uint32_t arena)
{
	struct pm_glibc *glibc = lists->glibc;

	for (unsigned bin = 0; bin < PM_GLIBC_FASTBINS; bin++) {
		uint64_t head = glibc->arenas[arena].fastbins[bin];
		if (head == 0)
			continue;

		int good = follow_fastbin(lists, arena, bin);
		if (good < 0)
			return -1;
		mark(lists, true);
		if (good > 0)
			continue;

		glibc->heap->result.arenas[arena].complete = false;
		if (note_damage(lists, arena, head, glibc->arenas[arena].address,
		                "the list of a fastbin is not valid") < 0)
			return -1;
	}
	return 0;
}

static int read_all_fastbins(struct lists *lists)
{
	struct pm_glibc *glibc = lists->glibc;

	if (glibc->layout->fastbins == 0)
		return 0;
	if (pm_glibc_can_change(glibc))
		pm_heap_window_forget(lists->window);

	for (uint32_t arena = 0; arena < glibc->count; arena++) {
		if (pm_glibc_can_change(glibc) &&
		    pm_glibc_find_again(glibc, arena, lists->error) < 0)
			return -1;
		if (read_fastbins(lists, arena) < 0)
			return -1;
	}
	return 0;
}

/** A tcache that is read. */
struct tcache {
	const struct tcache_type *type;
	unsigned char bytes[TCACHE_MAX];
	unsigned used;  /* number of bins with chunks */
	unsigned valid; /* number of these bins whose list is valid */
	/* Number of bins whose counter may differ from the number of chunks by 1. A thread that is
	 * stopped while it adds a chunk to its tcache, or takes one, leaves one such bin. */
	unsigned slack;
};

static uint64_t tcache_counter(const struct tcache *tcache, unsigned bin)
{
	uint16_t counter = tcache->bytes[bin];

	if (tcache->type->counter == sizeof counter)
		memcpy(&counter, tcache->bytes + sizeof counter * bin, sizeof counter);
	return counter;
}

static uint64_t tcache_head(const struct tcache *tcache, unsigned bin)
{
	size_t heads = (size_t)tcache->type->bins * tcache->type->counter;
	return pm_glibc_word(tcache->bytes + heads + 8 * (size_t)bin);
}

/** Returns the rule for a bin of a tcache. */
static struct rule tcache_rule(const struct pm_glibc *glibc, const struct tcache *tcache,
                               unsigned bin)
{
	struct rule rule = { .user = PM_GLIBC_HEADER,
		             .count = tcache_counter(tcache, bin),
		             .arena = PM_CHUNK_MAPPED };

	rule.size_min = rule.size_max = PM_GLIBC_CHUNK_MIN + UINT64_C(16) * bin;
	if (bin >= SMALL_BINS) {
		/* Since 2.42, a bin for each power of two. */
		rule.size_min = pm_max(LARGE_SIZE + 1, UINT64_C(0x400) << (bin - SMALL_BINS));
		rule.size_max = (UINT64_C(0x800) << (bin - SMALL_BINS)) - 1;
	}

	if (!tcache->type->counts_slots)
		return rule;
	if (glibc->parameters.address != 0 && rule.count <= glibc->parameters.tcache_count)
		rule.count = glibc->parameters.tcache_count - rule.count;
	else
		rule.count = UINT64_MAX;
	return rule;
}

/**
 * Counts the bins whose counter or head cannot be that of a tcache. Chunks of other users have many
 * of them. In a running process, a tcache can have one, because both are not read at once.
 */
static unsigned count_implausible(const struct pm_glibc *glibc, const struct tcache *tcache)
{
	uint64_t max = UINT16_MAX;
	unsigned bad = 0;

	if (glibc->parameters.address != 0)
		max = glibc->parameters.tcache_count;
	for (unsigned bin = 0; bin < tcache->type->bins; bin++) {
		uint64_t count = tcache_counter(tcache, bin), head = tcache_head(tcache, bin);
		bool unequal = !tcache->type->counts_slots && (count == 0) != (head == 0);

		bad += count > max || head % PM_GLIBC_ALIGNMENT != 0 || head >> 56 != 0 || unequal;
	}
	return bad;
}

/** Follows a list whose counter is too high or too low by 1. Returns as follow_any(). */
static int follow_nearly(struct lists *lists, uint64_t head, struct rule rule,
                         enum pm_glibc_links *links)
{
	if (rule.count == UINT64_MAX)
		return 0;

	rule.count++;
	int good = follow_any(lists, head, &rule, links);
	if (good != 0 || rule.count <= 2)
		return good;

	rule.count -= 2;
	return follow_any(lists, head, &rule, links);
}

/** Follows the list of a bin. Returns as follow_any(). */
static int follow_bin(struct lists *lists, struct tcache *tcache, unsigned bin,
                      enum pm_glibc_links *links)
{
	const struct rule rule = tcache_rule(lists->glibc, tcache, bin);
	const uint64_t head = tcache_head(tcache, bin);
	const bool partial = lists->partial;

	lists->partial = false;
	int good = follow_any(lists, head, &rule, links);
	if (good == 0 && tcache->slack > 0) {
		good = follow_nearly(lists, head, rule, links);
		tcache->slack -= good > 0;
	}

	lists->partial = partial;
	if (good == 0 && partial)
		good = follow_any(lists, head, &rule, links);
	return good;
}

/**
 * Follows the lists of a candidate. Their chunks are appended to the entries.
 * @return 1 if all lists are valid; 0 if not; -1 on error
 */
static int follow_bins(struct lists *lists, struct tcache *tcache, enum pm_glibc_links *links)
{
	int all = 1;

	lists->count = 0;
	tcache->used = tcache->valid = 0;
	for (unsigned bin = 0; bin < tcache->type->bins && (all || lists->partial); bin++) {
		if (tcache_head(tcache, bin) == 0)
			continue;

		int good = follow_bin(lists, tcache, bin, links);
		if (good < 0)
			return -1;
		tcache->used++;
		tcache->valid += good > 0;
		all &= good;
	}

	return all;
}

/**
 * Returns whether a candidate is a tcache because of its place. The tcache of the first thread is
 * the first chunk of the main arena, whatever it contains, because this thread rarely ends before
 * the process. Other threads free their tcaches when they end, so that the first chunk of another
 * arena can be one of the program. Since 2.43, a thread allocates its tcache later.
 */
static bool is_known(const struct pm_glibc *glibc, const struct pm_glibc_tcache *candidate,
                     const struct pm_chunk *chunk, unsigned implausible)
{
	bool is_main = chunk->arena == 0 && glibc->layout->fastbins != 0;

	return candidate->first && (is_main || implausible == 0);
}

/** What a candidate is. */
enum finding {
	FAILED = -1,
	OTHER_CHUNK, /* not a tcache */
	DOUBTFUL,    /* some lists are not valid, and nothing shows that it is a tcache */
	DAMAGED,     /* a tcache; some of its lists are not valid */
	VALID,       /* a tcache */
};

/** Reads a candidate in a running process, again if it changes. */
static enum finding read_changing(struct lists *lists, const struct pm_glibc_tcache *candidate,
                                  const struct pm_chunk *chunk, struct tcache *tcache,
                                  enum pm_glibc_links *links)
{
	struct pm_glibc *glibc = lists->glibc;
	const uint64_t address = chunk->address + PM_GLIBC_HEADER;
	const size_t size = (size_t)tcache->type->size - PM_GLIBC_HEADER;
	unsigned implausible = UINT_MAX;
	int got = pm_heap_window_peek(lists->window, address, tcache->bytes, size, lists->error);

	for (unsigned i = 0; got > 0 && i < TRIES; i++) {
		implausible = count_implausible(glibc, tcache);
		if (implausible > IMPLAUSIBLE_MAX)
			break;

		lists->partial = i + 1 == TRIES;
		lists->again = i > 0;
		int good = implausible > 0 ? 0 : follow_bins(lists, tcache, links);
		lists->partial = lists->again = false;
		if (good != 0)
			return good < 0 ? FAILED : VALID;
		got = pm_glibc_read_now(glibc, address, tcache->bytes, size, lists->error);
	}

	if (got < 0)
		return FAILED;
	bool known = got > 0 && is_known(glibc, candidate, chunk, implausible);
	return known || lists->count > 0 ? DAMAGED : OTHER_CHUNK;
}

/** Returns whether a chunk of a list has the key that malloc writes to each cached chunk. */
static int has_key(struct lists *lists, uint64_t address, const struct tcache *tcache)
{
	const struct pm_glibc *glibc = lists->glibc;
	const uint64_t own = address + PM_GLIBC_HEADER; /* the key from 2.29 to 2.33 */
	const bool is_old = glibc->layout->fastbins != 0 && !glibc->parameters.has_huge_pages;

	for (unsigned bin = 0; bin < tcache->type->bins; bin++) {
		uint64_t head = tcache_head(tcache, bin), key = 0;

		if (head == 0 || head % PM_GLIBC_ALIGNMENT != 0)
			continue;
		int got = pm_heap_window_word(lists->window, head + 8, &key, lists->error);
		if (got < 0)
			return -1;
		if (key != 0 && (key == glibc->tcache_key || (is_old && key == own)))
			return 1;
	}
	return 0;
}

/** Reads a candidate in a process that does not change. */
static enum finding read_stopped(struct lists *lists, const struct pm_glibc_tcache *candidate,
                                 const struct pm_chunk *chunk, struct tcache *tcache,
                                 enum pm_glibc_links *links)
{
	const size_t size = (size_t)tcache->type->size - PM_GLIBC_HEADER;
	int got = pm_heap_window_peek(lists->window, chunk->address + PM_GLIBC_HEADER,
	                              tcache->bytes, size, lists->error);
	if (got <= 0)
		return got < 0 ? FAILED : OTHER_CHUNK;

	const unsigned implausible = count_implausible(lists->glibc, tcache);
	int proof = is_known(lists->glibc, candidate, chunk, implausible);
	if (implausible > IMPLAUSIBLE_MAX && proof == 0)
		return OTHER_CHUNK;

	tcache->slack = 1;
	lists->partial = true;
	int good = follow_bins(lists, tcache, links);
	lists->partial = false;
	if (good < 0)
		return FAILED;
	if (good > 0 && tcache->slack > 0 && implausible == 0)
		return VALID;

	/* Fewer valid lists are no proof: other chunks can contain pointers to chunks. */
	if (tcache->used >= TORN_USED_MIN && tcache->valid > tcache->used / 2)
		proof = 1;
	if (proof == 0)
		proof = has_key(lists, chunk->address, tcache);
	if (proof <= 0)
		return proof < 0 ? FAILED : DOUBTFUL;
	return good > 0 && implausible <= 1 ? VALID : DAMAGED;
}

/** Saves the second word of a cached chunk, which all of them have since 2.34. */
static int save_key(struct lists *lists)
{
	struct pm_glibc *glibc = lists->glibc;

	if (glibc->tcache_key != 0 || lists->count == 0)
		return 0;

	int got = pm_heap_window_word(lists->window,
	                              lists->entries[0].address + PM_GLIBC_HEADER + 8,
	                              &glibc->tcache_key, lists->error);
	return got < 0 ? -1 : 0;
}

/** Reads a candidate, and marks the chunks of its lists if it is a tcache. */
static int try_tcache(struct lists *lists, struct pm_glibc_tcache *candidate,
                      const struct pm_chunk *chunk, const struct tcache_type *type)
{
	struct pm_glibc *glibc = lists->glibc;
	const bool can_change = pm_glibc_can_change(glibc);
	struct tcache tcache = { .type = type };
	enum pm_glibc_links links = glibc->links;
	enum finding found;

	lists->count = 0;
	if (can_change)
		found = read_changing(lists, candidate, chunk, &tcache, &links);
	else
		found = read_stopped(lists, candidate, chunk, &tcache, &links);

	candidate->doubtful = found == DOUBTFUL;
	if (found != DAMAGED && found != VALID)
		return found == FAILED ? -1 : 0;

	/* A tcache of a running thread changes while it is read; some of its lists are valid. */
	if (tcache.used > 0) {
		glibc->links = links;
		glibc->tcache_size = type->size;
	}
	/* Before 2.29, when counters had one byte, there was no key. */
	if (type->counter > 1 && (add_keyed(lists) < 0 || save_key(lists) < 0))
		return -1;
	mark(lists, false);
	if (found == VALID)
		return 0;

	const char *why = "the lists of a tcache are not valid";
	if (can_change)
		why = "a tcache has changed each time that it was read";
	glibc->heap->result.arenas[chunk->arena].complete = false;
	return note_damage(lists, chunk->arena, chunk->address, 0, why);
}

/** Reads a candidate as a tcache of the sort that its size fits. */
static int read_candidate(struct lists *lists, struct pm_glibc_tcache *candidate)
{
	const struct pm_glibc *glibc = lists->glibc;
	const bool is_first = glibc->layout == pm_glibc_layout(2);
	const bool is_last = glibc->layout->fastbins == 0;
	struct pm_chunk chunk;

	if (!pm_heap_index_find(&glibc->heap->index, candidate->address + 8, &chunk) ||
	    chunk.arena >= glibc->count)
		return 0;

	for (size_t type = 0; type < sizeof tcache_types / sizeof *tcache_types; type++)
		if (pm_glibc_is_tcache_size(chunk.size, tcache_types[type].size) &&
		    (type == 0 || !is_first) && (type == 2 || !is_last) &&
		    try_tcache(lists, candidate, &chunk, &tcache_types[type]) < 0)
			return -1;
	return 0;
}

static int read_tcaches(struct lists *lists)
{
	struct pm_glibc *glibc = lists->glibc;

	for (size_t i = 0; i < glibc->tcache_count; i++)
		if (read_candidate(lists, &glibc->tcaches[i]) < 0)
			return -1;

	/* Now that the key is known, it can show that the others are tcaches, too. */
	for (size_t i = 0; i < glibc->tcache_count && glibc->tcache_key != 0; i++)
		if (glibc->tcaches[i].doubtful && read_candidate(lists, &glibc->tcaches[i]) < 0)
			return -1;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct pm_glibc_run *one = a, *other = b;
	return (one->address > other->address) - (one->address < other->address);
}

static int compare_words(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
	return (one > other) - (one < other);
}

int pm_glibc_lists_read(struct pm_glibc *glibc, struct pm_error *error)
{
	struct lists lists = {
		.glibc = glibc,
		.window = glibc->heap->window,
		.budget = (UINT64_C(1) << 20) + UINT64_C(4) * glibc->heap->index.chunks,
		.error = error,
	};

	if (glibc->run_count > 0)
		qsort(glibc->runs, glibc->run_count, sizeof *glibc->runs, by_address);

	int result = read_all_fastbins(&lists);
	if (result == 0)
		result = read_tcaches(&lists);

	struct pm_heap_handle *heap = glibc->heap;
	if (heap->keyed_count > 0)
		qsort(heap->keyed, heap->keyed_count, sizeof *heap->keyed, compare_words);

	free(lists.entries);
	return result;
}
