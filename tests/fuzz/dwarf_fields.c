/* SPDX-License-Identifier: MIT */
/*
 * Debug information: any bytes are read in finite time, within their bounds. The first two bytes
 * are the size of .debug_abbrev, which follows; the rest is .debug_info.
 */
#include "input.h"

#include <string.h>

#include "symbols/dwarf_fields.h"

enum { FIELDS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pm_dwarf_field fields[FIELDS] = {
		{ .type = "runtime.mspan", .member = "state" },
		{ .type = "runtime.mspan", .member = "elemsize" },
		{ .type = "runtime.mspan" },
		{ .type = "runtime.g", .member = "atomicstatus" },
	};
	uint16_t abbrev;
	size_t found = 0;

	if (size < sizeof abbrev)
		return 0;
	memcpy(&abbrev, data, sizeof abbrev);
	data += sizeof abbrev;
	size -= sizeof abbrev;
	if (abbrev > size)
		return 0;

	size_t result = pm_dwarf_fields_parse(data + abbrev, size - abbrev, data, abbrev, "runtime",
	                                      fields, FIELDS);
	for (size_t i = 0; i < FIELDS; i++) {
		found += fields[i].found;
		fuzz_check(fields[i].found || fields[i].value == 0);
	}
	fuzz_check(found == result);
	return 0;
}
