/* SPDX-License-Identifier: MIT */
/** @file The text of a detail, for comparisons. Include it after cmocka.h. */
#ifndef TESTS_SUPPORT_DETAIL_TEXT_H
#define TESTS_SUPPORT_DETAIL_TEXT_H

#include <procmem/region.h>

/**
 * Formats the detail of a region.
 *
 * @param region  the region
 * @return        its text, valid until the function was called four more times
 */
static inline const char *detail_text(const struct pm_region *region)
{
	static char texts[4][1024];
	static unsigned next;
	char *text = texts[next++ % 4];

	assert_true(pm_detail_format(&region->detail, text, sizeof texts[0]) < sizeof texts[0]);
	return text;
}

#endif
