/* SPDX-License-Identifier: MIT */
#include "base/name_filter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string.h>

#include "base/minmax.h"

/* Maximum number of bytes of the expression that are shown before the position of an error. It
 * is small because the text of struct pm_error is short. */
enum { EXCERPT_MAX = 60 };

/**
 * Compiles a filter.
 * @param options  options of pcre2_compile()
 */
static int compile(struct name_filter *filter, const char *regex, uint32_t options,
                   struct pm_error *error)
{
	int code;
	PCRE2_SIZE at;

	*filter = (struct name_filter){ 0 };
	if (!regex)
		return 0;

	/* Compile without PCRE2_UTF, because names are arbitrary bytes and need not be valid
	 * UTF-8. */
	filter->code = pcre2_compile((PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED, options, &code, &at,
	                             NULL);
	if (!filter->code) {
		PCRE2_UCHAR message[120] = "";
		int before = (int)pm_min_size(at, EXCERPT_MAX);

		/* Use the same wording as the library does for patterns. */
		pcre2_get_error_message(code, message, sizeof message);
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "invalid pattern at offset %zu, between '%.*s' and '%.60s': %s",
		                    (size_t)at, before, regex + (at - (size_t)before), regex + at,
		                    (char *)message);
	}

	filter->match = pcre2_match_data_create_from_pattern(filter->code, NULL);
	if (filter->match)
		return 0;

	name_filter_deinit(filter);
	return pm_error_set(error, PM_ERROR_RESOURCES, 0, "out of memory");
}

int name_filter_init(struct name_filter *filter, const char *regex, struct pm_error *error)
{
	return compile(filter, regex, 0, error);
}

int name_filter_init_caseless(struct name_filter *filter, const char *regex, struct pm_error *error)
{
	return compile(filter, regex, PCRE2_CASELESS, error);
}

void name_filter_deinit(struct name_filter *filter)
{
	pcre2_match_data_free(filter->match);
	pcre2_code_free(filter->code);
	*filter = (struct name_filter){ 0 };
}

bool name_filter_fits(const struct name_filter *filter, const char *name)
{
	return !filter->code || pcre2_match(filter->code, (PCRE2_SPTR)name, strlen(name), 0, 0,
	                                    filter->match, NULL) >= 0;
}
