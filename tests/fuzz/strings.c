/* SPDX-License-Identifier: MIT */
/*
 * Four bytes select the options of the search, the fifth and sixth the windows into which the rest
 * is split. Compared with the slow search.
 */
#include <procmem/scan.h>

#include "input.h"
#include "scan/strings_scan.h"
#include "support/slow_strings.h"

enum { HEADER = 6, MOST = 4096, ALL_ENCODINGS = PM_ENCODING_BIT(PM_ENCODING_COUNT) - 1 };

static void check(const struct pm_strings_options *options, enum pm_simd simd, const uint8_t *bytes,
                  size_t size, uint64_t address, const struct cut *cut,
                  const struct hit_list *wanted)
{
	struct pm_scanner *scanner;
	struct pm_error error = { 0 };
	struct hit_list found = { 0 };

	fuzz_check(pm_strings_scanner_create_with(options, simd, &scanner, &error) == 0);
	scan_buffer(scanner, bytes, size, address, cut, &found, NULL);
	sort_hits(&found);
	assert_same_hits(wanted, &found, bytes, "strings");
	pm_scanner_destroy(scanner);
	hit_list_deinit(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEADER || size > MOST)
		return 0;

	const struct pm_strings_options options = { .encodings = data[0] & ALL_ENCODINGS
		                                                         ? data[0] & ALL_ENCODINGS
		                                                         : 1,
		                                    .min_length = (size_t)1 + data[1] % 200,
		                                    .white_space = data[2] & 1,
		                                    .aligned = data[2] & 2 };
	const struct cut whole = { 0 }, cut = { (size_t)1 + data[4], data[5] % 64, 0 };
	uint64_t address = UINT64_C(0x10000) + data[3] % 8;

	struct hit_list wanted = { 0 };
	data += HEADER;
	size -= HEADER;
	slow_strings(&options, data, size, address, &wanted);

	for (enum pm_simd simd = PM_SIMD_PORTABLE; simd <= pm_simd_best(); simd++) {
		check(&options, simd, data, size, address, &whole, &wanted);
		check(&options, simd, data, size, address, &cut, &wanted);
	}

	hit_list_deinit(&wanted);
	return 0;
}
