/* SPDX-License-Identifier: MIT */
#include "base/pattern_error.h"

/** Bytes of a part that are shown: those that end or begin where the mistake is. */
static int excerpt(size_t length)
{
	return length < 60 ? (int)length : 60;
}

int pm_pattern_wrong(const char *text, size_t length, size_t offset, const char *reason,
                     struct pm_error *error)
{
	offset = offset < length ? offset : length;
	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "the pattern is wrong behind byte %zu, '%.*s' <-- here -- '%.*s': %s",
	                    offset, excerpt(offset), text + (offset - (size_t)excerpt(offset)),
	                    excerpt(length - offset), text + offset, reason);
}
