/* SPDX-License-Identifier: MIT */
#include "base/pattern_error.h"

#include "base/minmax.h"

enum { EXCERPT_MAX = 60 };

/**
 * Returns the number of bytes that the message shows on one side of the mistake.
 * @param length  number of bytes that the pattern has on this side
 */
static int excerpt(size_t length)
{
	return (int)pm_min_size(length, EXCERPT_MAX);
}

int pm_pattern_wrong(const char *text, size_t length, size_t offset, const char *reason,
                     struct pm_error *error)
{
	offset = pm_min_size(offset, length);

	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "invalid pattern at offset %zu, between '%.*s' and '%.*s': %s", offset,
	                    excerpt(offset), text + (offset - (size_t)excerpt(offset)),
	                    excerpt(length - offset), text + offset, reason);
}
