/* SPDX-License-Identifier: MIT */
#include "base/name_filter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string.h>

#include "base/minmax.h"

/* Bytes of the expression that are shown before the position of an error. The reason follows, and
 * struct pm_error has room for one sentence. */
enum { EXCERPT_MAX = 60 };

int name_filter_init(struct name_filter *filter, const char *regex, struct pm_error *error)
{
	int code;
	PCRE2_SIZE at;

	*filter = (struct name_filter){ 0 };
	if (!regex)
		return 0;

	/* Names are arbitrary bytes. Without PCRE2_UTF all of them can be matched. */
	filter->code = pcre2_compile((PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED, 0, &code, &at, NULL);
	if (!filter->code) {
		PCRE2_UCHAR message[120] = "";
		int before = (int)pm_min_size(at, EXCERPT_MAX);

		/* The wording is that of the library for its patterns. */
		pcre2_get_error_message(code, message, sizeof message);
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "invalid pattern: %s at offset %zu: '%.*s' <-- here -- '%.60s'",
		                    (char *)message, (size_t)at, before,
		                    regex + (at - (size_t)before), regex + at);
	}

	filter->match = pcre2_match_data_create_from_pattern(filter->code, NULL);
	if (filter->match)
		return 0;

	name_filter_deinit(filter);
	return pm_error_set(error, PM_ERROR_RESOURCES, 0, "out of memory");
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
