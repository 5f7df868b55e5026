/* SPDX-License-Identifier: MIT */
#include "support/markers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void markers_take(struct markers *markers, const struct target *target, const char *word)
{
	size_t length = strlen(word);

	*markers = (struct markers){ .items = calloc(target->count + 1, sizeof *markers->items) };
	assert_non_null(markers->items);
	for (size_t i = 0; i < target->count; i++) {
		const char *fact = target->facts[i];
		if (strncmp(fact, word, length) != 0 || fact[length] != ' ')
			continue;
		struct marker *marker = &markers->items[markers->count++];
		const char *region = fact + length + 1, *address = strchr(region, ' ');
		assert_non_null(address);
		assert_true((size_t)(address - region) < sizeof marker->region);
		memcpy(marker->region, region, (size_t)(address - region));
		char *text;
		marker->address = strtoull(address, &text, 16);
		assert_int_equal(strlen(text), MARKER_TEXT + 1);
		strcpy(marker->text, text + 1);
	}
}

void markers_feed(struct markers *markers, uint64_t address, const void *bytes, size_t size)
{
	for (size_t i = 0; i < markers->count; i++) {
		struct marker *marker = &markers->items[i];
		if (marker->address >= address + size || marker->address + MARKER_TEXT <= address)
			continue;
		for (size_t j = 0; j < MARKER_TEXT; j++)
			if (marker->address + j >= address && marker->address + j < address + size)
				marker->seen[j] =
					((const char *)bytes)[marker->address + j - address];
	}
}

void markers_expect_all(const struct markers *markers)
{
	assert_true(markers->count > 0);
	for (size_t i = 0; i < markers->count; i++)
		if (memcmp(markers->items[i].text, markers->items[i].seen, MARKER_TEXT) != 0)
			fail_msg("%s at %llx: '%s' instead of '%s'", markers->items[i].region,
			         (unsigned long long)markers->items[i].address,
			         markers->items[i].seen, markers->items[i].text);
}

void markers_forget(struct markers *markers)
{
	for (size_t i = 0; i < markers->count; i++)
		memset(markers->items[i].seen, 0, sizeof markers->items[i].seen);
}

void markers_drop(struct markers *markers)
{
	free(markers->items);
	*markers = (struct markers){ 0 };
}
