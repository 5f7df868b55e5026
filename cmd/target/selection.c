/* SPDX-License-Identifier: MIT */
#include "target/selection.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/report.h"
#include "target/region_columns.h"

enum {
	OPTION_OWNER = CLI_LONG_ONLY,
	OPTION_MAPPING,
	OPTION_PERMS,
	OPTION_MIN_RSS,
	OPTION_MIN_SIZE
};

const struct cli_option selection_options[] = {
	{ 'k', "kind", "LIST",
	  "only regions of these kinds, separated by commas;\nmay be repeated" },
	{ OPTION_OWNER, "owner", "LIST",
	  "only regions that belong mainly to these owners, such\n"
	  "as malloc, java/heap, or java for all owners of Java" },
	{ OPTION_MAPPING, "mapping", "REGEX",
	  "only regions whose name in maps, such as a path,\nmatches REGEX" },
	{ OPTION_PERMS, "perms", "SPEC",
	  "only regions with these permissions: 'rw' requires\n"
	  "r and w, 'r--p' exactly these four" },
	{ OPTION_MIN_RSS, "min-rss", "SIZE", "only regions with at least this resident size" },
	{ OPTION_MIN_SIZE, "min-size", "SIZE", "only regions of at least this size" },
	{ 0 },
};

/** Adds a list of kinds to the kinds of earlier -k options. */
static int add_kinds(struct selection *selection, const char *list, struct pm_error *error)
{
	if (selection->kinds.length > 0)
		text_char(&selection->kinds, ',');
	text_string(&selection->kinds, list);

	return pm_select_set_kinds(selection->select, text_terminate(&selection->kinds), error);
}

/** Adds a list of owners to the owners of earlier --owner options. */
static int add_owners(struct selection *selection, const char *list, struct pm_error *error)
{
	if (selection->owners.length > 0)
		text_char(&selection->owners, ',');
	text_string(&selection->owners, list);

	return pm_select_set_owners(selection->select, text_terminate(&selection->owners), error);
}

/**
 * Notes that an option was given, and fails if the option was given before. With two arguments, it
 * would not be clear whether a region must match both of them or only one.
 *
 * @param given    whether the option was given before; set to true
 * @param instead  text for the error: what to do instead of repeating the option
 */
static int note_given(bool *given, const char *instead, struct pm_error *error)
{
	if (*given)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "may be given only once: %s",
		                    instead);

	*given = true;
	return 0;
}

static int parse_mapping(struct selection *selection, const char *regex, struct pm_error *error)
{
	if (note_given(&selection->mapping_given, "'A|B' matches A or B", error) < 0)
		return -1;

	return pm_select_set_mapping(selection->select, regex, error);
}

static int parse_perms(struct selection *selection, const char *spec, struct pm_error *error)
{
	if (note_given(&selection->perms_given, "'rw' requires r and w", error) < 0)
		return -1;

	return pm_select_set_perms(selection->select, spec, error);
}

static int parse_min(struct selection *selection, int id, const char *value, struct pm_error *error)
{
	uint64_t bytes;
	if (pm_parse_size(value, &bytes, error) < 0)
		return -1;

	if (id == OPTION_MIN_SIZE)
		pm_select_set_min_size(selection->select, bytes);
	else
		pm_select_set_min_rss(selection->select, bytes);
	return 0;
}

int selection_parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct selection *selection = into;

	switch (id) {
	case 'k':
		return add_kinds(selection, value, error);
	case OPTION_OWNER:
		return add_owners(selection, value, error);
	case OPTION_MAPPING:
		return parse_mapping(selection, value, error);
	case OPTION_PERMS:
		return parse_perms(selection, value, error);
	default:
		return parse_min(selection, id, value, error);
	}
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
	text_deinit(&selection->owners);
}

int selection_add_words(const struct selection *selection, char *const *words, int count,
                        struct pm_error *error)
{
	for (int i = 0; i < count; i++) {
		if (pm_select_add_word(selection->select, words[i], error) == 0)
			continue;

		/* A word with a dot or a slash is probably a file name, because a REGION never
		 * contains these characters. Therefore mention --mapping. */
		if (error->kind == PM_ERROR_USAGE && strpbrk(words[i], "./"))
			return pm_error_set(error, PM_ERROR_USAGE, 0,
			                    "'%s' is not a REGION; to select regions by file name, "
			                    "use --mapping",
			                    words[i]);
		return -1;
	}

	return 0;
}

static void note_absent(void *context, const struct pm_error *why)
{
	(void)context;
	report_note("%s", why->text);
}

int selection_apply(const struct selection *selection, const struct pm_regions *regions, bool quiet,
                    struct pm_region_range **ranges, size_t *count, struct pm_error *error)
{
	const struct pm_select *select = selection->select;

	if (pm_select_apply(select, regions, ranges, count, error) < 0)
		return -1;
	if (quiet || pm_select_visit_absent(select, regions, note_absent, NULL, error) == 0)
		return 0;

	free(*ranges);
	*ranges = NULL;
	*count = 0;
	return -1;
}

unsigned selection_needs(const struct selection *selection)
{
	unsigned needs = 0;

	if (pm_select_needs_kinds(selection->select))
		needs |= REGION_NEEDS_KINDS;
	if (pm_select_needs_rss(selection->select))
		needs |= REGION_NEEDS_RSS;
	return needs;
}
