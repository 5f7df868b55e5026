/* SPDX-License-Identifier: MIT */
/*
 * Any pattern on any bytes. The first byte selects the flags, two select the windows into which the
 * bytes are split, the fourth is the length of the pattern that follows; the rest are the bytes.
 * Compared with PCRE2 on all bytes at once.
 */
#include <procmem/scan.h>

#include <string.h>

#include "input.h"
#include "scan/pattern_scan.h"
#include "support/patterns.h"

enum { HEADER = 4, PATTERN_MOST = 100, MOST = 1500 };

/**
 * Returns whether PCRE2 gives the same result for any windows, and in each call. Verbs limit the
 * search, callouts and version checks do not concern bytes, and repeated look-arounds have wrong
 * results in 10.42.
 */
static bool is_comparable(const struct pm_pattern *pattern)
{
	static const char *const odd[] = { "(*", "(?=", "(?!", "(?<", "(?C", "(?(", "\\K" };
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		if (memmem(pattern->text, pattern->length, odd[i], strlen(odd[i])))
			return false;
	}
	return true;
}

static void check(const struct pm_scanner *scanner, const uint8_t *bytes, size_t size,
                  const struct cut *cut, const struct hit_list *wanted, const char *what)
{
	struct pm_scan_counts counts = { 0 };
	struct hit_list found = { 0 };
	scan_buffer(scanner, bytes, size, 0x10000, cut, &found, &counts);
	if (wanted && counts.gave_up == 0)
		assert_same_hits(wanted, &found, bytes, what);
	hit_list_deinit(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned flags[] = { 0, PM_PATTERN_CASELESS, PM_PATTERN_MULTILINE,
		                          PM_PATTERN_UTF };

	if (size < HEADER || size > MOST || data[3] > PATTERN_MOST ||
	    size < (size_t)HEADER + data[3])
		return 0;

	struct pm_pattern pattern = { (const char *)data + HEADER, data[3], 0 };
	const struct cut whole = { 0 }, cut = { (size_t)1 + data[1], data[2] % 64, 0 };
	const uint8_t *bytes = data + HEADER + pattern.length;
	size -= HEADER + pattern.length;

	for (size_t i = 1; i < sizeof flags / sizeof *flags; i++)
		pattern.flags |= data[0] & 1u << i ? flags[i] : 0;

	struct pm_scanner *scanner;
	struct pm_error error = { 0 };
	if (pm_pattern_scanner_create(&pattern, 1, &scanner, &error) < 0) {
		fuzz_check_error(&error);
		return 0;
	}

	struct hit_list wanted = { 0 };
	bool comparable = size > 0 && is_comparable(&pattern) &&
	                  pcre2_alone(&pattern, 1, bytes, size, &wanted);
	check(scanner, bytes, size, &whole, comparable ? &wanted : NULL, "in one piece");
	check(scanner, bytes, size, &cut, comparable ? &wanted : NULL, "in windows");
	pm_scanner_destroy(scanner);
	hit_list_deinit(&wanted);

	return 0;
}
