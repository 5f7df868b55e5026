/* SPDX-License-Identifier: MIT */
#include "target/selection.h"

#include <string.h>

#include <procmem/number.h>

#include "target/region_columns.h"

enum { OPTION_MAPPING = CLI_LONG_ONLY, OPTION_PERMS, OPTION_MIN_RSS, OPTION_MIN_SIZE };

const struct cli_option selection_options[] = {
	{ 'k', "kind", "LIST",
	  "only these kinds, separated by commas; more than\nonce: all of them" },
	{ OPTION_MAPPING, "mapping", "REGEX", "only where the mapping matches (PCRE2)" },
	{ OPTION_PERMS, "perms", "SPEC",
	  "only with these permissions: 'rw' both of them,\n'r--p' exactly these" },
	{ OPTION_MIN_RSS, "min-rss", "SIZE", "only with at least this much resident" },
	{ OPTION_MIN_SIZE, "min-size", "SIZE", "only those at least this long" },
	{ 0 },
};

/** Several lists of kinds are one. */
static int add_kinds(struct selection *selection, const char *list, struct pm_error *error)
{
	if (selection->kinds.length > 0)
		text_char(&selection->kinds, ',');
	text_string(&selection->kinds, list);
	return pm_select_set_kinds(selection->select, text_terminate(&selection->kinds), error);
}

/**
 * Notes that an option was given that may be given once: whether two of them mean both or either
 * nobody could tell.
 */
static int take_once(bool *given, const char *instead, struct pm_error *error)
{
	if (*given)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "it may be given once: %s", instead);
	*given = true;
	return 0;
}

int selection_parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct selection *selection = into;
	uint64_t bytes;

	switch (id) {
	case 'k':
		return add_kinds(selection, value, error);
	case OPTION_MAPPING:
		if (take_once(&selection->mapping_given, "'A|B' matches either", error) < 0)
			return -1;
		return pm_select_set_mapping(selection->select, value, error);
	case OPTION_PERMS:
		if (take_once(&selection->perms_given, "'rw' asks for both", error) < 0)
			return -1;
		return pm_select_set_perms(selection->select, value, error);
	default:
		break;
	}
	if (pm_parse_size(value, &bytes, error) < 0)
		return -1;

	if (id == OPTION_MIN_SIZE)
		pm_select_set_min_size(selection->select, bytes);
	else
		pm_select_set_min_rss(selection->select, bytes);

	return 0;
}

int selection_init(struct selection *selection, struct pm_error *error)
{
	*selection = (struct selection){ 0 };
	return pm_select_create(&selection->select, error);
}

void selection_deinit(struct selection *selection)
{
	pm_select_destroy(selection->select);
	selection->select = NULL;
	text_deinit(&selection->kinds);
}

int selection_add_words(const struct selection *selection, char *const *words, int count,
                        struct pm_error *error)
{
	for (int i = 0; i < count; i++) {
		if (pm_select_add_word(selection->select, words[i], error) == 0)
			continue;
		/* No other form of a REGION has a point or a slash; names of files do. */
		if (error->kind == PM_ERROR_USAGE && strpbrk(words[i], "./"))
			return pm_error_set(
				error, PM_ERROR_USAGE, 0,
				"'%s' is not a REGION; --mapping chooses files by their names",
				words[i]);
		return -1;
	}

	return 0;
}

unsigned selection_needs(const struct selection *selection)
{
	unsigned kinds = pm_select_needs_kinds(selection->select) ? REGION_NEEDS_KINDS : 0;
	return kinds | (pm_select_needs_rss(selection->select) ? REGION_NEEDS_RSS : 0);
}
