/* SPDX-License-Identifier: MIT */
#include "heap/shared.h"

#include "base/utf8.h"
#include "heap/roots.h"

/* Indentation of the lines below a root, in columns. */
enum { INDENT = 6 };

/* What is shown without --all. */
enum {
	SHARES_SHOWN = 3,      /* maximum number of shares of a root */
	SHARE_PERCENT_MIN = 5, /* minimum size of a share in percent of what the root holds */
	NAMES_SHOWN = 2,       /* maximum number of names of other roots */
};

bool heap_shared_has_root(const struct pm_retained_set *set, size_t root)
{
	for (size_t i = 0; i < set->count; i++) {
		if (set->roots[i] == root)
			return true;
	}
	return false;
}

/** Adds the names of the other roots of a set. */
static void put_others(const struct heap_shared *shared, const struct pm_retained_set *set,
                       size_t root, struct text *text)
{
	size_t count = 0, max = NAMES_SHOWN;

	if (shared->options->list.all)
		max = SIZE_MAX;

	for (size_t i = 0; i < set->count; i++) {
		if (set->roots[i] == root || count++ >= max)
			continue;
		if (count > 1)
			text_string(text, ", ");
		heap_roots_name(&shared->roots[shared->retained->roots[set->roots[i]].root], text);
	}
	if (count > max || (set->others && count > 0))
		text_string(text, " and others");
	else if (set->others)
		text_string(text, "other roots");
}

/** Adds the words that lead from a root to the chunks of a set, if there are any. */
static void put_entry(const struct pm_retained_entry *entry, const struct text *name,
                      bool *is_first, struct text *line)
{
	if (entry->words == 0)
		return;

	text_string(line, *is_first ? "; words that lead there: " : "; ");
	*is_first = false;
	text_grouped(line, entry->words);
	text_string(line, " from ");
	utf8_escape(line, name->bytes, name->length);
	text_string(line, entry->words == 1 ? ", " : ", the first ");
	if (entry->from != 0)
		text_format(line, "at %#llx", (unsigned long long)entry->from);
	else
		text_string(line, "in a register");
	text_format(line, ", to %#llx", (unsigned long long)entry->entry);
}

/** Adds the words that lead from one of the roots of a set. */
static void put_root_entry(const struct heap_shared *shared, const struct pm_retained_set *set,
                           size_t index, bool *is_first, struct text *line)
{
	struct text name = { 0 };

	heap_roots_name(&shared->roots[shared->retained->roots[set->roots[index]].root], &name);
	put_entry(&set->entries[index], &name, is_first, line);
	text_deinit(&name);
}

/** Adds the words that lead to the chunks of a set: first those from the other roots, then those
 * from the root below which the set is shown. */
static void put_entries(const struct heap_shared *shared, const struct pm_retained_set *set,
                        size_t root, struct text *line)
{
	size_t max = shared->options->list.all ? SIZE_MAX : NAMES_SHOWN;
	size_t count = 0, own = set->count;
	bool is_first = true;

	for (size_t i = 0; i < set->count; i++) {
		if (set->roots[i] == root)
			own = i;
		else if (count++ < max)
			put_root_entry(shared, set, i, &is_first, line);
	}

	if (set->others) {
		struct text name = { 0 };
		text_string(&name, "other roots");
		put_entry(&set->other_entry, &name, &is_first, line);
		text_deinit(&name);
	}
	if (own < set->count)
		put_root_entry(shared, set, own, &is_first, line);
}

/**
 * Returns the second root of a set that has `nearly_only`: the one whose few words also lead to the
 * chunks.
 * @return its index in pm_retained.roots; SIZE_MAX for the roots that sets do not distinguish
 */
static size_t other_of(const struct pm_retained_set *set)
{
	if (set->others)
		return SIZE_MAX;
	return set->roots[set->roots[0] == set->main ? 1 : 0];
}

/** Adds the name of the only other root that leads to what only one root would hold without a few
 * words, or that there are several. */
static void put_but_from(const struct heap_shared *shared, size_t index, struct text *line)
{
	const struct pm_retained *retained = shared->retained;
	struct text name = { 0 };
	size_t found = 0, other = SIZE_MAX;

	for (size_t i = 0; i < retained->set_count; i++) {
		const struct pm_retained_set *set = &retained->sets[i];
		if (!set->nearly_only || set->main != index)
			continue;
		if (found++ == 0)
			other = other_of(set);
		else if (other != other_of(set))
			other = SIZE_MAX;
	}

	if (found > 0 && other != SIZE_MAX)
		heap_roots_name(&shared->roots[retained->roots[other].root], &name);
	else
		text_string(&name, "other roots");
	utf8_escape(line, name.bytes, name.length);
	text_deinit(&name);
}

/** Prints what only a root would hold without a few words of other roots, if this is more than it
 * holds alone. */
static void print_nearly_only(const struct heap_shared *shared, size_t index, struct out *out)
{
	const struct pm_retained_root *held = &shared->retained->roots[index];
	uint64_t more = held->nearly_only - held->only;
	bool small = more < held->held / 100 * SHARE_PERCENT_MIN;
	struct text line = { 0 };

	if (held->but_words == 0 || (small && !shared->options->list.all))
		return;

	text_fill(&line, ' ', INDENT);
	text_string(&line, "only by it, but for ");
	text_grouped(&line, held->but_words);
	text_format(&line, " word%s from ", text_plural(held->but_words));
	put_but_from(shared, index, &line);
	text_string(&line, ": ");
	text_size_as(&line, held->nearly_only, shared->options->output.bytes);
	text_char(&line, '\n');
	out_wrapped(out, &line, INDENT + 2);
	text_deinit(&line);
}

/** Prints a set of roots to which a root belongs. */
static void print_set(const struct heap_shared *shared, size_t index,
                      const struct pm_retained_set *set, struct out *out)
{
	struct text names = { 0 }, line = { 0 };

	put_others(shared, set, index, &names);
	text_fill(&line, ' ', INDENT);
	text_string(&line, "shared or stray pointer: ");
	text_size_as(&line, set->bytes, shared->options->output.bytes);
	text_string(&line, " with ");
	utf8_escape(&line, names.bytes, names.length);
	put_entries(shared, set, index, &line);
	text_char(&line, '\n');
	out_wrapped(out, &line, INDENT + 2);

	text_deinit(&names);
	text_deinit(&line);
}

/** Prints how much is in the sets that were left out. */
static void print_left_out(const struct heap_shared *shared, size_t count, uint64_t size,
                           struct out *out)
{
	struct text line = { 0 };

	if (count == 0)
		return;

	text_fill(&line, ' ', INDENT);
	text_format(&line, "\xe2\x80\xa6 %zu smaller share%s, ", count, text_plural(count));
	text_size_as(&line, size, shared->options->output.bytes);
	text_string(&line, " (all: -a)\n");
	out_text(out, &line);
	text_deinit(&line);
}

void heap_shared_print(const struct heap_shared *shared, size_t index, struct out *out)
{
	size_t shown = 0, left_out = 0;
	uint64_t left_out_size = 0;

	print_nearly_only(shared, index, out);
	for (size_t i = 0; i < shared->retained->set_count; i++) {
		const struct pm_retained_set *set = &shared->retained->sets[i];

		if (!heap_shared_has_root(set, index) || set->roots[0] != index)
			continue;
		bool small = set->bytes <
		             shared->retained->roots[index].held / 100 * SHARE_PERCENT_MIN;
		if (!shared->options->list.all && (small || shown == SHARES_SHOWN)) {
			left_out++;
			left_out_size += set->bytes;
			continue;
		}
		print_set(shared, index, set, out);
		shown++;
	}

	print_left_out(shared, left_out, left_out_size, out);
}
