/* SPDX-License-Identifier: MIT */
/*
 * The bins of a tcache are singly linked lists of freed chunks that malloc still marks as used. A
 * tcache is a chunk in use of a certain size: each such chunk is a candidate, and is accepted if
 * all of its lists consist of chunks of the right sizes and have the right lengths.
 *
 * A write to a freed chunk can damage a list. A candidate with such a list is accepted, and
 * reported as damaged, if something else shows that it is a tcache: most of its lists are valid, it
 * is the first chunk of an arena, or its chunks have the key that malloc writes to each cached
 * chunk.
 */
#include "heap/glibc_tcache.h"

#include <limits.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "heap/glibc_chain.h"
#include "heap/lookup.h"

enum {
	SMALL_BINS = 64,     /* bins of a tcache with chunks of one size */
	TCACHE_MAX = 0x300,  /* bytes of the largest tcache */
	LARGE_SIZE = 0x410,  /* size of the largest chunks in small bins */
	IMPLAUSIBLE_MAX = 2, /* see count_implausible() */
	/* If a list of a candidate is not valid, and only its other lists can show that it is a
	 * tcache: minimum number of bins that have chunks */
	TORN_USED_MIN = 4,
};

/** A sort of tcache. */
struct tcache_type {
	uint64_t size;     /* size of its chunk */
	unsigned bins;     /* number of its bins */
	unsigned counter;  /* bytes of a counter */
	bool counts_slots; /* counters are the numbers of free places instead of chunks */
	int first, last;   /* minor versions of glibc that have it */
};

static const struct tcache_type tcache_types[] = {
	{ 0x250, 64, 1, false, 26, 29 },
	{ 0x290, 64, 2, false, 30, 41 },
	{ 0x300, 76, 2, true, 42, INT_MAX },
};

enum { TYPES = sizeof tcache_types / sizeof *tcache_types };

/** Notes that malloc has overwritten the second word of the chunks of the entries: with the key of
 * the tcache. */
static int add_keyed(struct pm_glibc_lists *lists)
{
	struct pm_heap_handle *heap = lists->glibc->heap;

	if (pm_array_reserve(&heap->keyed, &heap->keyed_capacity, heap->keyed_count, lists->count,
	                     sizeof *heap->keyed, lists->error) < 0)
		return -1;

	for (size_t i = 0; i < lists->count; i++)
		heap->keyed[heap->keyed_count++] = lists->entries[i].address;
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

/** Returns whether the counters of a tcache say the number of its chunks. */
static bool knows_counts(const struct pm_glibc *glibc, const struct tcache_type *type)
{
	return !type->counts_slots || glibc->parameters.address != 0;
}

/** Returns the rule for a bin of a tcache. */
static struct pm_glibc_rule tcache_rule(const struct pm_glibc *glibc, const struct tcache *tcache,
                                        unsigned bin)
{
	struct pm_glibc_rule rule = { .user = PM_GLIBC_HEADER,
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
	if (knows_counts(glibc, tcache->type) && rule.count <= glibc->parameters.tcache_count)
		rule.count = glibc->parameters.tcache_count - rule.count;
	else
		rule.count = UINT64_MAX;
	return rule;
}

/**
 * Counts the bins whose counter or head cannot be that of a tcache. A chunk that is not a tcache
 * has many such bins. A tcache of a running process can have one, because its counters and heads
 * are not read at the same moment.
 */
static unsigned count_implausible(const struct pm_glibc *glibc, const struct tcache *tcache)
{
	const bool counts = knows_counts(glibc, tcache->type);
	uint64_t max = UINT16_MAX;
	unsigned bad = 0;

	if (glibc->parameters.address != 0)
		max = glibc->parameters.tcache_count;
	const uint64_t empty = tcache->type->counts_slots ? max : 0;
	for (unsigned bin = 0; bin < tcache->type->bins; bin++) {
		uint64_t count = tcache_counter(tcache, bin), head = tcache_head(tcache, bin);
		bool unequal = counts && (count == empty) != (head == 0);

		bad += count > max || head % PM_GLIBC_ALIGNMENT != 0 || head >> 56 != 0 || unequal;
	}
	return bad;
}

/** Follows a list whose counter is too high or too low by 1. Returns as pm_glibc_lists_follow(). */
static int follow_nearly(struct pm_glibc_lists *lists, uint64_t head, struct pm_glibc_rule rule,
                         enum pm_glibc_links *links)
{
	if (rule.count == UINT64_MAX)
		return 0;

	rule.count++;
	int good = pm_glibc_lists_follow(lists, head, &rule, links);
	if (good != 0 || rule.count <= 2)
		return good;

	rule.count -= 2;
	return pm_glibc_lists_follow(lists, head, &rule, links);
}

/** Follows the list of a bin. Returns as pm_glibc_lists_follow(). */
static int follow_bin(struct pm_glibc_lists *lists, struct tcache *tcache, unsigned bin,
                      enum pm_glibc_links *links)
{
	const struct pm_glibc_rule rule = tcache_rule(lists->glibc, tcache, bin);
	const uint64_t head = tcache_head(tcache, bin);
	const bool partial = lists->partial;

	lists->partial = false;
	int good = pm_glibc_lists_follow(lists, head, &rule, links);
	if (good == 0 && tcache->slack > 0) {
		good = follow_nearly(lists, head, rule, links);
		tcache->slack -= good > 0;
	}

	lists->partial = partial;
	if (good == 0 && partial)
		good = pm_glibc_lists_follow(lists, head, &rule, links);
	return good;
}

/**
 * Follows the lists of a candidate. Their chunks are appended to the entries.
 * @return 1 if all lists are valid; 0 if not; -1 on error
 */
static int follow_bins(struct pm_glibc_lists *lists, struct tcache *tcache,
                       enum pm_glibc_links *links)
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
 * Returns whether the place of a candidate shows that it is a tcache. The tcache of the first
 * thread is the first chunk of the main arena, whatever it contains, because this thread rarely
 * ends before the process. Other threads free their tcaches when they end, so that the first chunk
 * of another arena can be one of the program. Since 2.43, a thread allocates its tcache later.
 */
static bool is_known(const struct pm_glibc *glibc, const struct pm_glibc_tcache *candidate,
                     const struct pm_chunk *chunk, const struct tcache_type *type,
                     unsigned implausible)
{
	bool is_main = chunk->arena == 0 && glibc->layout->fastbins != 0;
	bool is_plausible = implausible == 0 && knows_counts(glibc, type);

	return candidate->first && (is_main || is_plausible);
}

/** Returns whether the chunk at the head of a bin can be cached there. */
static bool has_head(const struct pm_glibc *glibc, const struct tcache *tcache, unsigned bin)
{
	const struct pm_glibc_rule rule = tcache_rule(glibc, tcache, bin);
	const uint64_t head = tcache_head(tcache, bin);
	struct pm_chunk chunk;

	return rule.count > 0 && head >= PM_GLIBC_HEADER && head % PM_GLIBC_ALIGNMENT == 0 &&
	       pm_heap_index_find(&glibc->heap->index, head - 8, &chunk) &&
	       chunk.address == head - PM_GLIBC_HEADER && chunk.size >= rule.size_min &&
	       chunk.size <= rule.size_max;
}

/**
 * Returns whether a chunk of a list has the key that malloc writes to each cached chunk. A chunk of
 * the program can also contain a pointer to a cached chunk. But this pointer is rarely at the place
 * where a tcache has the list for chunks of this size, and rarely has a counter.
 */
static int has_key(struct pm_glibc_lists *lists, uint64_t address, const struct tcache *tcache)
{
	const struct pm_glibc *glibc = lists->glibc;
	const uint64_t own = address + PM_GLIBC_HEADER; /* the key from 2.29 to 2.33 */
	const bool is_old = glibc->layout->fastbins != 0 && !glibc->parameters.has_huge_pages;

	for (unsigned bin = 0; bin < tcache->type->bins; bin++) {
		uint64_t key = 0;

		if (!has_head(glibc, tcache, bin))
			continue;
		int got = pm_heap_window_word(lists->window, tcache_head(tcache, bin) + 8, &key,
		                              lists->error);
		if (got < 0)
			return -1;
		if (key != 0 && (key == glibc->tcache_key || (is_old && key == own)))
			return 1;
	}
	return 0;
}

/**
 * Returns whether the lists of a candidate that were followed show that it is a tcache: most of
 * them are valid, or a chunk has the key. Fewer valid lists are no proof: other chunks can contain
 * pointers to chunks.
 */
static int has_proof(struct pm_glibc_lists *lists, uint64_t address, const struct tcache *tcache)
{
	if (knows_counts(lists->glibc, tcache->type) && tcache->used >= TORN_USED_MIN &&
	    tcache->valid > tcache->used / 2)
		return 1;
	return has_key(lists, address, tcache);
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
static enum finding read_changing(struct pm_glibc_lists *lists,
                                  const struct pm_glibc_tcache *candidate,
                                  const struct pm_chunk *chunk, struct tcache *tcache,
                                  enum pm_glibc_links *links)
{
	struct pm_glibc *glibc = lists->glibc;
	const uint64_t address = chunk->address + PM_GLIBC_HEADER;
	const size_t size = (size_t)tcache->type->size - PM_GLIBC_HEADER;
	unsigned implausible = UINT_MAX;
	int got = pm_heap_window_peek(lists->window, address, tcache->bytes, size, lists->error);

	for (unsigned i = 0; got > 0 && i < PM_GLIBC_LISTS_TRIES; i++) {
		implausible = count_implausible(glibc, tcache);
		if (implausible > IMPLAUSIBLE_MAX)
			break;

		lists->partial = lists->newer = i + 1 == PM_GLIBC_LISTS_TRIES;
		lists->again = i > 0;
		int good = implausible > 0 ? 0 : follow_bins(lists, tcache, links);
		lists->partial = lists->again = lists->newer = false;
		if (good != 0)
			return good < 0 ? FAILED : VALID;
		got = pm_glibc_read_now(glibc, address, tcache->bytes, size, lists->error);
	}

	if (got < 0)
		return FAILED;
	if (got > 0 && is_known(glibc, candidate, chunk, tcache->type, implausible))
		return DAMAGED;
	if (implausible > IMPLAUSIBLE_MAX || tcache->used == 0)
		return OTHER_CHUNK;

	int proof = has_proof(lists, chunk->address, tcache);
	if (proof <= 0)
		return proof < 0 ? FAILED : DOUBTFUL;
	return DAMAGED;
}

/** Reads a candidate in a process that does not change. */
static enum finding read_stopped(struct pm_glibc_lists *lists,
                                 const struct pm_glibc_tcache *candidate,
                                 const struct pm_chunk *chunk, struct tcache *tcache,
                                 enum pm_glibc_links *links)
{
	const size_t size = (size_t)tcache->type->size - PM_GLIBC_HEADER;
	int got = pm_heap_window_peek(lists->window, chunk->address + PM_GLIBC_HEADER,
	                              tcache->bytes, size, lists->error);
	if (got <= 0)
		return got < 0 ? FAILED : OTHER_CHUNK;

	const unsigned implausible = count_implausible(lists->glibc, tcache);
	int proof = is_known(lists->glibc, candidate, chunk, tcache->type, implausible);
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

	if (proof == 0)
		proof = has_proof(lists, chunk->address, tcache);
	if (proof <= 0)
		return proof < 0 ? FAILED : DOUBTFUL;
	return good > 0 && implausible <= 1 ? VALID : DAMAGED;
}

/** Saves the second word of a cached chunk. Since 2.34, all cached chunks have the same word there.
 */
static int save_key(struct pm_glibc_lists *lists)
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
static int try_tcache(struct pm_glibc_lists *lists, struct pm_glibc_tcache *candidate,
                      const struct pm_chunk *chunk, const struct tcache_type *type)
{
	struct pm_glibc *glibc = lists->glibc;
	const bool can_change = pm_glibc_can_change(glibc);
	struct tcache tcache = { .type = type };
	/* Links are stored safely since 2.32. */
	enum pm_glibc_links links = type->counts_slots ? PM_GLIBC_LINKS_SAFE : glibc->links;
	enum finding found;

	lists->count = 0;
	if (can_change)
		found = read_changing(lists, candidate, chunk, &tcache, &links);
	else
		found = read_stopped(lists, candidate, chunk, &tcache, &links);

	candidate->doubtful = found == DOUBTFUL;
	if (found != DAMAGED && found != VALID)
		return found == FAILED ? -1 : 0;

	if (found == VALID && tcache.used > 0) {
		glibc->links = links;
		glibc->tcache_size = type->size;
	}
	/* Before 2.30, counters have one byte. The key of 2.29 is not used. */
	if (type->counter > 1 && (add_keyed(lists) < 0 || save_key(lists) < 0))
		return -1;
	pm_glibc_lists_mark(lists, false);
	if (found == VALID)
		return 0;

	const char *why = "the lists of a tcache are not valid";
	if (can_change)
		why = "a tcache has changed each time that it was read";
	glibc->heap->result.arenas[chunk->arena].complete = false;
	return pm_glibc_lists_damage(lists, chunk->arena, chunk->address, 0, why);
}

/** Returns whether malloc of this process can have tcaches of a sort. */
static bool is_possible(const struct pm_glibc *glibc, const struct tcache_type *type)
{
	if (glibc->layout == pm_glibc_layout(2))
		return type->last < 30;
	if (glibc->layout->fastbins == 0)
		return type->first >= 42;
	return !glibc->parameters.has_huge_pages || type->first >= 30;
}

/** Returns the sort of the first chunk of the main arena, which is a tcache; or NULL. */
static const struct tcache_type *first_type(const struct pm_glibc *glibc)
{
	for (size_t i = 0; i < glibc->tcache_count; i++) {
		const struct pm_glibc_tcache *candidate = &glibc->tcaches[i];
		struct pm_chunk chunk;

		if (!candidate->first ||
		    !pm_heap_index_find(&glibc->heap->index, candidate->address + 8, &chunk) ||
		    chunk.arena != 0)
			continue;
		for (size_t type = 0; type < TYPES; type++)
			if (pm_glibc_is_tcache_size(chunk.size, tcache_types[type].size) &&
			    is_possible(glibc, &tcache_types[type]))
				return &tcache_types[type];
	}
	return NULL;
}

/**
 * Returns whether a sort of tcache is expected: all tcaches of a process are of the same sort. The
 * first chunk of the main arena shows which, and so does the version. If they differ, or if both
 * are not known, more than one sort is expected.
 */
static bool is_expected(const struct pm_glibc *glibc, const struct tcache_type *type,
                        const struct tcache_type *first)
{
	const int minor = glibc->minor;

	if (!is_possible(glibc, type) ||
	    (glibc->tcache_size != 0 && glibc->tcache_size != type->size))
		return false;
	if (type == first || (minor >= type->first && minor <= type->last))
		return true;
	return !first && minor == 0;
}

/**
 * Reads a candidate as a tcache of the sort that its size fits.
 * @param first  the sort that the first chunk of the main arena has, or NULL
 */
static int read_candidate(struct pm_glibc_lists *lists, struct pm_glibc_tcache *candidate,
                          const struct tcache_type *first)
{
	const struct pm_glibc *glibc = lists->glibc;
	struct pm_chunk chunk;

	if (!pm_heap_index_find(&glibc->heap->index, candidate->address + 8, &chunk) ||
	    chunk.arena >= glibc->count)
		return 0;

	for (size_t type = 0; type < TYPES; type++)
		if (pm_glibc_is_tcache_size(chunk.size, tcache_types[type].size) &&
		    is_expected(glibc, &tcache_types[type], first) &&
		    try_tcache(lists, candidate, &chunk, &tcache_types[type]) < 0)
			return -1;
	return 0;
}

int pm_glibc_tcache_read(struct pm_glibc_lists *lists)
{
	struct pm_glibc *glibc = lists->glibc;
	const struct tcache_type *first = first_type(glibc);

	for (size_t i = 0; i < glibc->tcache_count; i++)
		if (read_candidate(lists, &glibc->tcaches[i], first) < 0)
			return -1;

	/* Now that the key is known, it can show that the others are tcaches, too. */
	for (size_t i = 0; i < glibc->tcache_count && glibc->tcache_key != 0; i++)
		if (glibc->tcaches[i].doubtful &&
		    read_candidate(lists, &glibc->tcaches[i], first) < 0)
			return -1;
	return 0;
}
