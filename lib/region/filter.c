/* SPDX-License-Identifier: MIT */
#include "region/filter.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/pattern_error.h"
#include "region/select_words.h"

static_assert(PM_OWNER_COUNT <= 64, "each owner has a bit of pm_filter.owners");

/* Maximum number of steps that PCRE2 may take to match one mapping, which is usually a path of up
 * to 4096 bytes. If each of many mappings needed more steps, applying the filter would take too
 * long.
 */
enum { MATCH_STEPS = 1000000 };

void pm_filter_deinit(struct pm_filter *filter)
{
	pcre2_code_free(filter->mapping);
	free(filter->mapping_text);
	*filter = (struct pm_filter){ 0 };
}

bool pm_filter_is_active(const struct pm_filter *filter)
{
	return filter->kinds || filter->owners || filter->perms_set || filter->perms_clear ||
	       filter->min_rss || filter->min_size || filter->mapping;
}

int pm_filter_set_kinds(struct pm_filter *filter, const char *list, struct pm_error *error)
{
	uint32_t kinds = 0;
	char *copy = strdup(list), *rest = copy, *name;
	if (!copy)
		return pm_error_out_of_memory(error);

	while ((name = strsep(&rest, ","))) {
		enum pm_kind kind;
		if (pm_word_kind(name, &kind, error) < 0) {
			free(copy);
			return -1;
		}
		kinds |= UINT32_C(1) << kind;
	}

	free(copy);
	filter->kinds = kinds;

	return 0;
}

int pm_filter_set_owners(struct pm_filter *filter, const char *list, struct pm_error *error)
{
	uint64_t owners = 0;
	char *copy = strdup(list), *rest = copy, *name;
	int result = 0;

	if (!copy)
		return pm_error_out_of_memory(error);

	while (result == 0 && (name = strsep(&rest, ",")))
		result = pm_word_owners(name, &owners, error);

	free(copy);
	if (result == 0)
		filter->owners = owners;
	return result;
}

/**
 * Compiles a pattern. A pattern that is not valid UTF-8 is compiled as a sequence of bytes, since
 * file names may contain any bytes.
 *
 * @param failure   receives the error code of PCRE2 on failure
 * @param position  receives the offset of the mistake in bytes on failure
 * @return          the compiled pattern, which the caller frees; NULL on failure
 */
static pcre2_code *compile(const char *regex, int *failure, size_t *position)
{
	PCRE2_SPTR pattern = (PCRE2_SPTR)regex;
	pcre2_code *code = pcre2_compile(pattern, PCRE2_ZERO_TERMINATED, PCRE2_MATCH_INVALID_UTF,
	                                 failure, position, NULL);
	/* PCRE2 returns negative codes for invalid UTF-8, and positive ones for other mistakes. */
	if (!code && *failure < 0)
		code = pcre2_compile(pattern, PCRE2_ZERO_TERMINATED, 0, failure, position, NULL);
	return code;
}

int pm_filter_set_mapping(struct pm_filter *filter, const char *regex, struct pm_error *error)
{
	int failure;
	size_t position;
	pcre2_code *code = compile(regex, &failure, &position);
	if (!code) {
		PCRE2_UCHAR reason[128];
		pcre2_get_error_message(failure, reason, sizeof reason);
		return pm_pattern_wrong(regex, strlen(regex), position, (const char *)reason,
		                        error);
	}

	char *text = strdup(regex);
	if (!text) {
		pcre2_code_free(code);
		return pm_error_out_of_memory(error);
	}

	/* Ignore a failure: without JIT, matching is only slower. */
	pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	pcre2_code_free(filter->mapping);
	free(filter->mapping_text);
	filter->mapping = code;
	filter->mapping_text = text;

	return 0;
}

/**
 * The permissions in the order of maps. For each permission, `set` is the letter that maps shows if
 * the permission is set, and `clear` the letter that maps shows otherwise.
 */
static const struct {
	unsigned bit;
	char set;
	char clear;
} letters[] = {
	{ PM_PERM_READ, 'r', '-' },
	{ PM_PERM_WRITE, 'w', '-' },
	{ PM_PERM_EXEC, 'x', '-' },
	{ PM_PERM_SHARED, 's', 'p' },
};

enum { PERMS_LENGTH = sizeof letters / sizeof *letters };

/**
 * Parses four characters as in maps; `?` accepts both values of a permission.
 * @param set    receives the permissions that must be set, must be 0 before
 * @param clear  receives the permissions that must not be set, must be 0 before
 * @return       false if the text has another form
 */
static bool parse_exact(const char *spec, unsigned *set, unsigned *clear)
{
	if (strlen(spec) != PERMS_LENGTH)
		return false;

	for (size_t i = 0; i < PERMS_LENGTH; i++) {
		if (spec[i] == letters[i].set)
			*set |= letters[i].bit;
		else if (spec[i] == letters[i].clear)
			*clear |= letters[i].bit;
		else if (spec[i] != '?')
			return false;
	}

	return true;
}

/**
 * Parses letters of permissions that must be set. The letter `p` requires a private mapping.
 * @param set    receives the permissions that must be set, must be 0 before
 * @param clear  receives the permissions that must not be set, must be 0 before
 * @return       false if the text is empty, has another letter, or has both `s` and `p`
 */
static bool parse_letters(const char *spec, unsigned *set, unsigned *clear)
{
	for (const char *at = spec; *at != '\0'; at++) {
		size_t i = 0;
		while (i < PERMS_LENGTH && *at != letters[i].set)
			i++;
		if (i < PERMS_LENGTH)
			*set |= letters[i].bit;
		else if (*at == 'p')
			*clear |= PM_PERM_SHARED;
		else
			return false;
	}

	return spec[0] != '\0' && (*set & *clear) == 0;
}

int pm_filter_set_perms(struct pm_filter *filter, const char *spec, struct pm_error *error)
{
	unsigned set = 0, clear = 0;
	bool good = parse_exact(spec, &set, &clear);
	if (!good) {
		set = clear = 0;
		good = parse_letters(spec, &set, &clear);
	}

	if (!good)
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"'%.64s' is not a set of permissions: give those that must be set (rw), or "
			"all four as in maps (rw-p), where ? accepts any value (rw-?)",
			spec);

	filter->perms_set = set;
	filter->perms_clear = clear;

	return 0;
}

int pm_filter_run_init(struct pm_filter_run *run, const struct pm_filter *filter,
                       struct pm_error *error)
{
	*run = (struct pm_filter_run){ .filter = filter };
	if (!filter->mapping)
		return 0;

	run->match = pcre2_match_data_create(1, NULL);
	run->limits = pcre2_match_context_create(NULL);
	if (!run->match || !run->limits) {
		pm_filter_run_deinit(run);
		return pm_error_out_of_memory(error);
	}

	pcre2_set_match_limit(run->limits, MATCH_STEPS);
	return 0;
}

void pm_filter_run_deinit(struct pm_filter_run *run)
{
	pcre2_match_data_free(run->match);
	pcre2_match_context_free(run->limits);
}

/**
 * Tests whether a mapping matches the pattern.
 * @return 1 if it matches, 0 if not, -1 with `error` filled if PCRE2 failed
 */
static int mapping_matches(struct pm_filter_run *run, const char *mapping, struct pm_error *error)
{
	if (mapping == run->last)
		return run->last_result;

	int result = pcre2_match(run->filter->mapping, (PCRE2_SPTR)mapping, strlen(mapping), 0, 0,
	                         run->match, run->limits);
	if (result < 0 && result != PCRE2_ERROR_NOMATCH) {
		PCRE2_UCHAR reason[128];
		pcre2_get_error_message(result, reason, sizeof reason);
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "the pattern '%.100s' cannot be matched with '%.100s': %s",
		                    run->filter->mapping_text, mapping, (const char *)reason);
	}

	run->last = mapping;
	run->last_result = result >= 0;

	return run->last_result;
}

/**
 * Tests whether at least `min_rss` bytes of a region are resident.
 * @return 1 if so, 0 if not, -1 with `error` filled if the resident size is not known
 */
static int rss_suffices(const struct pm_filter *filter, const struct pm_region *region,
                        struct pm_error *error)
{
	if (filter->min_rss == 0)
		return 1;
	if (!pm_region_knows(region, PM_SIZE_RSS))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "the resident size of %" PRIx64 "-%" PRIx64
		                    " is not known: maps files do not contain it; use a smaps file",
		                    region->start, region->end);
	return region->bytes[PM_SIZE_RSS] >= filter->min_rss;
}

int pm_filter_passes(struct pm_filter_run *run, const struct pm_region *region,
                     struct pm_error *error)
{
	const struct pm_filter *filter = run->filter;
	if (filter->kinds && !(filter->kinds >> region->kind & 1))
		return 0;
	if (filter->owners && !(filter->owners >> region->owner & 1))
		return 0;
	if ((region->perms & filter->perms_set) != filter->perms_set ||
	    (region->perms & filter->perms_clear) != 0 ||
	    (region->perms & PM_PERM_MAYBE(filter->perms_set | filter->perms_clear)) != 0)
		return 0;
	if (pm_region_size(region) < filter->min_size)
		return 0;

	if (filter->mapping) {
		int result = mapping_matches(run, region->mapping, error);
		if (result <= 0)
			return result;
	}

	return rss_suffices(filter, region, error);
}
