/* SPDX-License-Identifier: MIT */
/*
 * The list is a treap: a binary search tree by address in which no node has a higher priority than
 * its parent. The priorities are random, so that the depth of the tree grows with the logarithm of
 * the number of nodes, whatever the target does. The nodes are items of one array; an index of 0
 * means that there is no node.
 */
#include "trace/intervals.h"

#include <stdlib.h>

#include <procmem/minmax.h>

#include "base/array.h"
#include "base/hash.h"

/** A node of the tree. */
struct node {
	struct pm_trace_interval interval;
	uint32_t priority;
	uint32_t low;  /* subtree of lower addresses; the next free node if this node is free */
	uint32_t high; /* subtree of higher addresses */
};

struct pm_trace_intervals {
	struct node *nodes; /* nodes[0] is not used */
	size_t used;        /* number of nodes that were ever used, with nodes[0] */
	size_t capacity;    /* number of allocated nodes */
	size_t count;       /* number of intervals */
	uint32_t free;      /* first free node */
	uint32_t root;      /* root of the tree */
	uint64_t random;    /* state of the generator of priorities; never 0 */
};

/** A tree that was split in three. */
struct parts {
	uint32_t low, middle, high;
};

int pm_trace_intervals_open(struct pm_trace_intervals **list, struct pm_error *error)
{
	struct pm_trace_intervals *created = calloc(1, sizeof *created);
	if (!created)
		return pm_error_out_of_memory(error);

	created->used = 1;
	created->random = pm_hash_seed(created) | 1;
	*list = created;
	return 0;
}

void pm_trace_intervals_close(struct pm_trace_intervals *list)
{
	if (list)
		free(list->nodes);
	free(list);
}

void pm_trace_intervals_clear(struct pm_trace_intervals *list)
{
	list->used = 1;
	list->count = 0;
	list->free = 0;
	list->root = 0;
}

size_t pm_trace_intervals_count(const struct pm_trace_intervals *list)
{
	return list->count;
}

bool pm_trace_intervals_same(struct pm_trace_owner a, struct pm_trace_owner b)
{
	return a.stack == b.stack && a.thread == b.thread && a.before == b.before &&
	       a.reserve == b.reserve && a.present == b.present && a.released == b.released;
}

/** Makes sure that the next nodes can be created without a failure. */
static int reserve(struct pm_trace_intervals *list, size_t more, struct pm_error *error)
{
	/* Indexes have 32 bits. */
	if (list->used + more > UINT32_MAX)
		return pm_error_out_of_memory(error);

	return pm_array_reserve(&list->nodes, &list->capacity, list->used, more,
	                        sizeof *list->nodes, error);
}

/** Marsaglia, Xorshift RNGs (2003). */
static uint32_t next_priority(struct pm_trace_intervals *list)
{
	list->random ^= list->random << 13;
	list->random ^= list->random >> 7;
	list->random ^= list->random << 17;
	return (uint32_t)(list->random >> 32);
}

/** Creates a node, for which there must be space. */
static uint32_t create(struct pm_trace_intervals *list, struct pm_range range,
                       struct pm_trace_owner owner)
{
	uint32_t index = list->free;

	if (index)
		list->free = list->nodes[index].low;
	else
		index = (uint32_t)list->used++;

	list->nodes[index] = (struct node){ { range, owner }, next_priority(list), 0, 0 };
	list->count++;
	return index;
}

static void release(struct pm_trace_intervals *list, uint32_t index)
{
	list->nodes[index].low = list->free;
	list->free = index;
	list->count--;
}

static void release_all(struct pm_trace_intervals *list, uint32_t root)
{
	if (!root)
		return;

	release_all(list, list->nodes[root].high);
	release_all(list, list->nodes[root].low);
	release(list, root);
}

/** Splits a tree: into intervals that start below an address, and the rest. */
static void split(struct node *nodes, uint32_t root, uint64_t address, uint32_t *low,
                  uint32_t *high)
{
	uint32_t part;

	if (!root) {
		*low = 0;
		*high = 0;
	} else if (nodes[root].interval.range.start < address) {
		split(nodes, nodes[root].high, address, &part, high);
		nodes[root].high = part;
		*low = root;
	} else {
		split(nodes, nodes[root].low, address, low, &part);
		nodes[root].low = part;
		*high = root;
	}
}

/** Joins two trees. All addresses of the first are below those of the second. */
static uint32_t join(struct node *nodes, uint32_t low, uint32_t high)
{
	if (!low)
		return high;
	if (!high)
		return low;

	if (nodes[low].priority >= nodes[high].priority) {
		nodes[low].high = join(nodes, nodes[low].high, high);
		return low;
	}
	nodes[high].low = join(nodes, low, nodes[high].low);
	return high;
}

/** Returns the node of the first interval that ends after an address; 0 if there is none. */
static uint32_t find(const struct pm_trace_intervals *list, uint64_t address)
{
	uint32_t found = 0;

	for (uint32_t at = list->root; at;) {
		const struct node *node = &list->nodes[at];

		if (node->interval.range.end > address) {
			found = at;
			at = node->low;
		} else {
			at = node->high;
		}
	}

	return found;
}

bool pm_trace_intervals_find(const struct pm_trace_intervals *list, uint64_t address,
                             struct pm_trace_interval *interval)
{
	uint32_t found = find(list, address);

	if (found)
		*interval = list->nodes[found].interval;
	return found != 0;
}

/** Divides the interval that contains an address, so that an interval starts there. */
static void divide(struct pm_trace_intervals *list, uint64_t address)
{
	uint32_t low, high, at = find(list, address);

	if (!at || list->nodes[at].interval.range.start >= address)
		return;

	struct pm_range rest = { address, list->nodes[at].interval.range.end };
	uint32_t added = create(list, rest, list->nodes[at].interval.owner);

	list->nodes[at].interval.range.end = address;
	split(list->nodes, list->root, address, &low, &high);
	list->root = join(list->nodes, low, join(list->nodes, added, high));
}

/** Divides the list at both ends of a range. There must be space for two nodes. */
static struct parts divide_at(struct pm_trace_intervals *list, struct pm_range range)
{
	struct parts parts;
	uint32_t rest;

	divide(list, range.start);
	divide(list, range.end);
	split(list->nodes, list->root, range.start, &parts.low, &rest);
	split(list->nodes, rest, range.end, &parts.middle, &parts.high);

	return parts;
}

int pm_trace_intervals_cut(struct pm_trace_intervals *list, struct pm_range range,
                           struct pm_error *error)
{
	if (range.start >= range.end)
		return 0;
	if (reserve(list, 2, error) < 0)
		return -1;

	struct parts parts = divide_at(list, range);

	release_all(list, parts.middle);
	list->root = join(list->nodes, parts.low, parts.high);
	return 0;
}

/**
 * Removes the last interval of a tree, and adds it to an interval that follows it, if both have the
 * same owner.
 */
static void absorb_last(struct pm_trace_intervals *list, uint32_t *root,
                        struct pm_trace_interval *interval)
{
	struct node *nodes = list->nodes;
	uint32_t *link = root;

	if (!*root)
		return;
	while (nodes[*link].high)
		link = &nodes[*link].high;

	uint32_t last = *link;
	const struct pm_trace_interval *before = &nodes[last].interval;
	if (before->range.end != interval->range.start ||
	    !pm_trace_intervals_same(before->owner, interval->owner))
		return;

	interval->range.start = before->range.start;
	*link = nodes[last].low;
	release(list, last);
}

/**
 * Removes the first interval of a tree, and adds it to an interval that it follows, if both have
 * the same owner.
 */
static void absorb_first(struct pm_trace_intervals *list, uint32_t *root,
                         struct pm_trace_interval *interval)
{
	struct node *nodes = list->nodes;
	uint32_t *link = root;

	if (!*root)
		return;
	while (nodes[*link].low)
		link = &nodes[*link].low;

	uint32_t first = *link;
	const struct pm_trace_interval *after = &nodes[first].interval;
	if (after->range.start != interval->range.end ||
	    !pm_trace_intervals_same(after->owner, interval->owner))
		return;

	interval->range.end = after->range.end;
	*link = nodes[first].high;
	release(list, first);
}

int pm_trace_intervals_set(struct pm_trace_intervals *list, struct pm_range range,
                           struct pm_trace_owner owner, struct pm_error *error)
{
	struct pm_trace_interval interval = { range, owner };

	if (range.start >= range.end)
		return 0;
	if (reserve(list, 3, error) < 0)
		return -1;

	struct parts parts = divide_at(list, range);

	release_all(list, parts.middle);
	absorb_last(list, &parts.low, &interval);
	absorb_first(list, &parts.high, &interval);

	uint32_t added = create(list, interval.range, interval.owner);
	list->root = join(list->nodes, join(list->nodes, parts.low, added), parts.high);
	return 0;
}

int pm_trace_intervals_fill(struct pm_trace_intervals *list, struct pm_range range,
                            struct pm_trace_owner owner, struct pm_error *error)
{
	struct pm_trace_interval next;

	for (uint64_t at = range.start; at < range.end; at = next.range.end) {
		struct pm_range gap = { at, range.end };

		if (pm_trace_intervals_find(list, at, &next))
			gap.end = pm_clamp(next.range.start, at, range.end);
		else
			next.range.end = range.end;

		if (pm_trace_intervals_set(list, gap, owner, error) < 0)
			return -1;
	}

	return 0;
}

static int append(struct pm_trace_pieces *pieces, struct pm_range range,
                  struct pm_trace_owner owner, struct pm_error *error)
{
	if (pm_array_reserve(&pieces->items, &pieces->capacity, pieces->count, 1,
	                     sizeof *pieces->items, error) < 0)
		return -1;

	pieces->items[pieces->count++] = (struct pm_trace_interval){ range, owner };
	return 0;
}

int pm_trace_intervals_copy(const struct pm_trace_intervals *list, struct pm_range range,
                            struct pm_trace_pieces *pieces, struct pm_error *error)
{
	struct pm_trace_interval next;

	for (uint64_t at = range.start; at < range.end; at = next.range.end) {
		if (!pm_trace_intervals_find(list, at, &next) || next.range.start >= range.end)
			break;
		if (append(pieces, pm_range_clip(next.range, range), next.owner, error) < 0)
			return -1;
	}

	return 0;
}

int pm_trace_intervals_gaps(const struct pm_trace_intervals *list, struct pm_range range,
                            struct pm_trace_owner owner, struct pm_trace_pieces *pieces,
                            struct pm_error *error)
{
	struct pm_trace_interval next;

	for (uint64_t at = range.start; at < range.end; at = next.range.end) {
		struct pm_range gap = { at, range.end };

		if (pm_trace_intervals_find(list, at, &next))
			gap.end = pm_clamp(next.range.start, at, range.end);
		else
			next.range.end = range.end;
		if (gap.end > gap.start && append(pieces, gap, owner, error) < 0)
			return -1;
	}

	return 0;
}
