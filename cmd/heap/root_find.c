/* SPDX-License-Identifier: MIT */
#include "heap/root_find.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>
#include <procmem/typo.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "heap/roots.h"

enum {
	EXAMPLES_MAX = 4,      /* number of candidates in an error */
	SIMILAR_MAX = 1 << 16, /* number of roots whose names are compared for a suggestion */
};

/** Returns whether a root is meant by a text. */
typedef bool is_meant(const struct pm_root *root, const char *text);

/** The text is the name. */
static bool is_called(const struct pm_root *root, const char *text)
{
	struct text own = { 0 };

	heap_roots_name(root, &own);
	bool same = strcmp(text_terminate(&own), text) == 0;
	text_deinit(&own);

	return same;
}

/** The text is the row of the table. */
static bool is_row(const struct pm_root *root, const char *text)
{
	struct text own = { 0 };

	heap_roots_put(root, &own);
	bool same = strcmp(text_terminate(&own), text) == 0;
	text_deinit(&own);

	return same;
}

/** The text is the start of the name, up to a space: the name of a thread may be left out. */
static bool is_start(const struct pm_root *root, const char *text)
{
	size_t length = strlen(text);
	struct text own = { 0 };

	heap_roots_name(root, &own);
	const char *name = text_terminate(&own);
	bool same = length > 0 && strncmp(name, text, length) == 0 && name[length] == ' ';
	text_deinit(&own);

	return same;
}

/** Returns what follows the part in brackets with which a name starts. */
static const char *end_of_part(const char *name)
{
	char open = name[0], close = open == '(' ? ')' : ']';
	size_t depth = 0;

	for (; *name; name++) {
		depth += *name == open;
		if (*name == close && --depth == 0)
			return name + 1;
	}
	return name;
}

/** Adds a name without ABI tags and, if wanted, without the arguments of functions. */
static void put_short(const char *name, bool arguments, struct text *text)
{
	static const char tag[] = "[abi:", unnamed[] = "(anonymous namespace)";

	while (*name) {
		bool is_tag = strncmp(name, tag, sizeof tag - 1) == 0;
		bool is_list = *name == '(' && !arguments &&
		               strncmp(name, unnamed, sizeof unnamed - 1) != 0;

		if (is_tag || is_list)
			name = end_of_part(name);
		else
			text_char(text, *name++);
	}
}

/** Returns whether a text is the name without ABI tags, with or without arguments. */
static bool is_short(const struct pm_root *root, const char *text, bool arguments)
{
	struct text own = { 0 }, name = { 0 };

	heap_roots_name(root, &own);
	put_short(text_terminate(&own), arguments, &name);
	bool same = strcmp(text_terminate(&name), text) == 0;
	text_deinit(&own);
	text_deinit(&name);

	return same;
}

/** The text is the name without ABI tags, such as [abi:cxx11]. */
static bool is_untagged(const struct pm_root *root, const char *text)
{
	return is_short(root, text, true);
}

/** The text is the name without ABI tags and without the arguments of functions. */
static bool is_without_arguments(const struct pm_root *root, const char *text)
{
	return is_short(root, text, false);
}

/** The text is a part of the name. */
static bool is_part(const struct pm_root *root, const char *text)
{
	struct text own = { 0 };

	heap_roots_name(root, &own);
	bool same = text[0] && strstr(text_terminate(&own), text);
	text_deinit(&own);

	return same;
}

/**
 * Counts the roots that are meant.
 * @param index  receives the index of the last one; unchanged if there is none
 */
static size_t count_meant(const struct pm_root *roots, size_t count, const char *text,
                          is_meant *meant, size_t *index)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		if (roots[i].pointers == 0 || !meant(&roots[i], text))
			continue;
		*index = i;
		found++;
	}

	return found;
}

/** Adds the first of the roots that are meant: their addresses if all have one, or their rows. */
static void put_meant(const struct pm_root *roots, size_t count, const char *name, is_meant *meant,
                      bool addresses, struct text *text)
{
	size_t found = 0;

	for (size_t i = 0; i < count && found <= EXAMPLES_MAX; i++) {
		if (roots[i].pointers == 0 || !meant(&roots[i], name))
			continue;
		if (found++ > 0)
			text_string(text, ", ");
		if (found > EXAMPLES_MAX)
			text_string(text, "and others");
		else if (addresses)
			text_format(text, "0x%" PRIx64, roots[i].start);
		else
			heap_roots_put(&roots[i], text);
	}
}

/** Reports that several roots are meant. */
static int refuse_ambiguous(const struct pm_root *roots, size_t count, const char *name,
                            is_meant *meant, struct pm_error *error)
{
	struct text examples = { 0 };
	size_t found = 0;
	bool addresses = meant != is_start;

	for (size_t i = 0; i < count; i++) {
		if (roots[i].pointers == 0 || !meant(&roots[i], name))
			continue;
		addresses = addresses && roots[i].start > 0;
		found++;
	}

	put_meant(roots, count, name, meant, addresses, &examples);
	const char *are = meant == is_start ? "names of roots start with" : "roots are called";
	const char *use = addresses ? "use the address of one of them" : "use one of them";
	pm_error_set(error, PM_ERROR_USAGE, 0, "%zu %s '%s'; %s: %s", found, are, name, use,
	             text_terminate(&examples));
	text_deinit(&examples);
	return -1;
}

/** Adds the name that is most similar to a mistyped one, if there is one. */
static void put_similar(const struct pm_root *roots, size_t count, const char *name,
                        struct text *text)
{
	char **names = alloc_array(NULL, SIMILAR_MAX, sizeof *names);
	size_t compared = 0;

	for (size_t i = 0; i < count && compared < SIMILAR_MAX; i++) {
		struct text own = { 0 };
		if (roots[i].pointers == 0)
			continue;
		heap_roots_name(&roots[i], &own);
		names[compared++] = alloc_string(text_terminate(&own));
		text_deinit(&own);
	}

	const char *nearest = pm_typo_nearest(name, (const char *const *)names, compared);
	if (nearest)
		text_string(text, nearest);
	for (size_t i = 0; i < compared; i++)
		free(names[i]);
	free(names);
}

/** Reports that no root is meant. */
static int refuse_unknown(const struct pm_root *roots, size_t count, const char *name,
                          struct pm_error *error)
{
	struct text similar = { 0 };

	put_similar(roots, count, name, &similar);
	if (similar.length > 0) {
		pm_error_set(error, PM_ERROR_USAGE, 0, "no root is called '%s'; did you mean '%s'?",
		             name, text_terminate(&similar));
		text_deinit(&similar);
		return -1;
	}

	put_meant(roots, count, name, is_part, false, &similar);
	if (similar.length > 0)
		pm_error_set(error, PM_ERROR_USAGE, 0,
		             "no root is called '%s'; use one of these: %s", name,
		             text_terminate(&similar));
	else
		pm_error_set(error, PM_ERROR_USAGE, 0,
		             "no root is called '%s'; 'procmem heap --retained' lists the "
		             "roots that hold chunks",
		             name);
	text_deinit(&similar);
	return -1;
}

/** Returns the smallest root that contains an address, or SIZE_MAX. */
static size_t root_at(const struct pm_root *roots, size_t count, uint64_t address)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < count; i++) {
		const struct pm_root *root = &roots[i];
		if (address < root->start || address >= root->end)
			continue;
		if (best == SIZE_MAX ||
		    root->end - root->start < roots[best].end - roots[best].start)
			best = i;
	}

	return best;
}

int heap_root_find(const struct pm_root *roots, size_t count, const char *name, size_t *index,
                   struct pm_error *error)
{
	is_meant *const ways[] = { is_called, is_row, is_start, is_untagged, is_without_arguments };
	uint64_t address;

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		size_t found = count_meant(roots, count, name, ways[i], index);
		if (found == 1)
			return 0;
		if (found > 1)
			return refuse_ambiguous(roots, count, name, ways[i], error);
	}

	if (strcmp(name, HEAP_ROOT_NOTHING) == 0 || strcmp(name, HEAP_ROOT_NOTHING_ROW) == 0) {
		*index = HEAP_ROOT_LOST;
		return 0;
	}

	if (pm_parse_address(name, &address, NULL) == 0) {
		*index = root_at(roots, count, address);
		if (*index != SIZE_MAX)
			return 0;
	}
	return refuse_unknown(roots, count, name, error);
}
